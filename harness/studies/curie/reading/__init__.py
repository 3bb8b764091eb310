"""Reading: texts of models, judges and ground truths become values, in paper mode and in strict mode."""
