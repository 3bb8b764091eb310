"""The forty question templates: which questions a table gives, their answers, and the facts that an answer holds."""
