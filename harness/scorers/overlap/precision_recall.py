"""Precision, recall and F-measure of one text against another, as every measure of overlap gives them.

Apart from the measures, so that a step of one needs the packages of no other. It must never know what is compared.
"""

from __future__ import annotations

from typing import NamedTuple


class Overlap(NamedTuple):
    """Precision, recall and F-measure of a response against a reference."""

    precision: float
    recall: float
    fmeasure: float


NONE = Overlap(0.0, 0.0, 0.0)
