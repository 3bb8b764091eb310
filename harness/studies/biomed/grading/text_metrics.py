"""BLEU, ROUGE-2 and ROUGE-L of an answer against its reference, as in the paper; 0 if they cannot be computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from harness.scorers.overlap.ngrams import Bleu, Overlap, bleu
from harness.scorers.overlap.rouge import KINDS, rouge

LONGEST = 100_000  # characters of a text that is compared (OURS); an answer of the paper has about 5,000 at most
TOO_LONG = f"a text has more than {LONGEST} characters"
MOST_LINES = 1_000_000  # lines of the one text times lines of the other, for ROUGE-Lsum (OURS)
METRICS = ("BLEU", "ROUGE2", "ROUGEL")
_NAMES = {"rouge2": "ROUGE2", "rougeL": "ROUGEL"}


class TextMetrics(NamedTuple):
    """The text metrics of one answer (BLEU, ROUGE) by name, and the parts of BLEU."""

    metrics: Mapping[str, float]
    bleu: Bleu


def text_metrics(response: str, reference: str) -> TextMetrics | None:
    """Return BLEU and ROUGE of a response, each from 0 to 1; None if a text is too long to compare quickly."""
    if max(len(response), len(reference)) > LONGEST:
        return None
    parts, found = bleu(response, reference), rouge(response, reference, tuple(_NAMES))
    return TextMetrics({"BLEU": parts.bleu, **{_NAMES[kind]: found[kind].fmeasure for kind in _NAMES}}, parts)


def every_rouge(response: str, reference: str) -> Mapping[str, Overlap]:
    """Return all kinds of ROUGE for two texts that `text_metrics` compares; no Lsum for texts with too many lines."""
    lines = (response.count("\n") + 1) * (reference.count("\n") + 1)
    return rouge(response, reference, KINDS if lines <= MOST_LINES else KINDS[:-1])


def stored(found: TextMetrics | None) -> Mapping[str, Any]:
    """Return text metrics as a score stores them: each a number, or a missing value with the reason."""
    return found.metrics if found else {name: {"missing": TOO_LONG} for name in METRICS}
