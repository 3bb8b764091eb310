"""The two surveys: what people expect of a task and whether they see a model's mistakes."""
