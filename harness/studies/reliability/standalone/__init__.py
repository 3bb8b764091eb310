"""The study's scorers and analyses as standalone functions with typed input and output."""
