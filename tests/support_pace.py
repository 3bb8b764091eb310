"""Bounds on processor time that hold on any machine: seconds of a quiet one, with room, stretched by this one's pace.

What a test holds with them is that work grows with its input and not with its square, which would take minutes. How
fast anything is, `make bench` says.
"""

from __future__ import annotations

import re
import statistics
import time
import unicodedata

QUIET = 0.1  # seconds that the known work takes on the machine on which the bounds were set, with nothing beside it
ROOM = 3.0
TEXT = "word, 1,234 and (B) " * 30_000


def soon(spent: float, seconds: float) -> bool:
    """Whether work was done in a bounded time: at once, or else as seen beside known work on this machine now."""
    return spent < seconds or spent < ROOM * seconds * max(1.0, _pace())


def _pace() -> float:
    """How many times as long as on a quiet machine known work takes here and now."""
    return statistics.median(_known_work() for _ in range(3)) / QUIET


def _known_work() -> float:
    begun = time.process_time()
    counts: dict[str, int] = {}
    for found in re.finditer(r"[A-Za-z]+|\d+|[^\w\s]", TEXT):
        word = found.group().casefold()
        counts[word] = counts.get(word, 0) + 1
    unicodedata.normalize("NFKC", TEXT)
    return time.process_time() - begun
