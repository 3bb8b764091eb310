"""The forty question templates: the questions that a table gives, their answers, and the facts in each answer."""
