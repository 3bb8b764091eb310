"""The study `biomed` (CARDBiomedBench): language models answer questions about biomedical tables and are graded."""
