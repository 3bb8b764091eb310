"""Text similarity metrics that steps call: ROUGE, BLEU, BERTScore, longest common subsequence."""

from __future__ import annotations

from typing import NamedTuple


class Overlap(NamedTuple):
    """Precision, recall and F-measure of a response against a reference."""

    precision: float
    recall: float
    fmeasure: float


NONE = Overlap(0.0, 0.0, 0.0)
