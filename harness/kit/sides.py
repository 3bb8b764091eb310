"""Which side of its metric's scale a score is on: the better half, or the worse one.

Knows the scale that a study gives a metric, and nothing of answers or models.
"""

from __future__ import annotations

from harness.kit.meaning import Meaning


def is_right(value: float, meaning: Meaning | None) -> bool | None:
    """Whether a metric's value lies in the better half of its scale; None if the scale is not known.

    A metric of which the study says nothing has the scale from 0 to 1 if its value lies there.
    """
    if meaning is None:
        return value >= 0.5 if 0 <= value <= 1 else None
    if meaning.floor is None or meaning.ceiling is None or meaning.direction == "neither":
        return None
    middle = (meaning.floor + meaning.ceiling) / 2
    return value >= middle if meaning.direction == "higher" else value <= middle
