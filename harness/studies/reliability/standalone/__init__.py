"""The study's scorers and analyses as functions that are called alone, with typed input and output."""
