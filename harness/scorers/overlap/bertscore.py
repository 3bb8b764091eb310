"""BERTScore: each token of one text is compared with the nearest token of the other, by the vectors of an encoder.

The result is that of the package bert-score without idf weights and without a rescaled baseline. The encoder's special
tokens do not count themselves, but they may be the nearest token of another one. The functions take vectors and are
independent of the encoder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from harness.scorers.overlap.ngrams import NONE, Overlap

LAST = -1  # the default layer


class Vectors(NamedTuple):
    """A text as token vectors of an encoder, and which of its tokens are the encoder's own special tokens."""

    vectors: Any  # [token, width]
    own: Sequence[bool]


def bertscore(response: Vectors, reference: Vectors) -> Overlap:
    """Return precision, recall and F of two texts by their tokens; a text with only special tokens scores 0."""
    import numpy as np  # noqa: PLC0415 - heavy

    if all(response.own) or all(reference.own):
        return NONE
    near = _unit(response.vectors) @ _unit(reference.vectors).T
    counted, wanted = (~np.asarray(side.own, bool) for side in (response, reference))
    precision, recall = float(near.max(axis=1)[counted].mean()), float(near.max(axis=0)[wanted].mean())
    both = precision + recall
    return Overlap(precision, recall, 2 * precision * recall / both if both else 0.0)


def _unit(vectors: Any) -> Any:
    import numpy as np  # noqa: PLC0415

    wide = np.asarray(vectors, np.float64)
    return wide / np.maximum(np.sqrt((wide**2).sum(axis=1, keepdims=True)), 1e-300)
