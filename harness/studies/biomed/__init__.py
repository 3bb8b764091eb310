"""The study `biomed` (CARDBiomedBench): facts of biomedical tables asked of language models, graded and weighed."""
