"""Text similarity metrics that steps call: ROUGE, BLEU, BERTScore, longest common subsequence."""
