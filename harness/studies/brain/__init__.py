"""The study `brain`: what language models map to in the brain, by deconstructing brain scores (2024)."""
