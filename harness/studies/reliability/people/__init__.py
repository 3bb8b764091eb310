"""The two surveys of people: the difficulty they expect of a task, and whether they see a model's mistakes."""
