"""On which side an answer is: right or wrong, by the better or the worse half of what its main metric can be.

It must never know what a metric is about.
"""

from __future__ import annotations

from harness.studies.meaning import Meaning


def is_right(value: float, meaning: Meaning | None) -> bool | None:
    """Whether a value lies in the better half of its scale, the middle included; None where nobody says a scale.

    A metric of which the study says nothing counts from 0 to 1 where its value lies there.
    """
    if meaning is None:
        return value >= 0.5 if 0 <= value <= 1 else None
    if meaning.floor is None or meaning.ceiling is None or meaning.direction == "neither":
        return None
    middle = (meaning.floor + meaning.ceiling) / 2
    return value >= middle if meaning.direction == "higher" else value <= middle
