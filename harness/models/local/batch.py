"""Many requests of different lengths: sorted, a batch at a time, half as many where memory runs out.

No request is ever lost: each gets an answer, or the words for why there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.models.local.decode import Answer, Ask, decode
from harness.models.local.load import Loaded
from harness.models.local.torch_setup import out_of_memory, release

NO_ROOM = "the machine's memory does not hold this request alone"


@dataclass
class Used:
    """What size the batches had in the end, and how often one was done again because memory ran out."""

    asked: int
    least: int
    redone: int = 0


def answer_all(loaded: Loaded, asks: Sequence[Ask], size: int) -> tuple[list[Answer | None], Used]:
    """Answer all requests in the order given; None stands where even one request alone does not fit."""
    waiting = sorted(range(len(asks)), key=lambda place: (len(asks[place].tokens), place))
    answers: list[Answer | None] = [None] * len(asks)
    used = Used(size, size)
    at = 0
    while at < len(waiting):
        part = waiting[at : at + size]
        found = _try(loaded, [asks[place] for place in part])
        if found is None:
            used.redone += 1
            if len(part) == 1:
                at += 1
            size = max(1, len(part) // 2)
            used.least = min(used.least, size)
            continue
        for place, answer in zip(part, found, strict=True):
            answers[place] = answer
        at += len(part)
    return answers, used


def _try(loaded: Loaded, asks: Sequence[Ask]) -> list[Answer] | None:
    """Answer one batch; None where memory ran out, after giving back what was taken."""
    try:
        return decode(loaded, asks)
    except (RuntimeError, MemoryError) as bad:
        if not out_of_memory(bad):
            raise
    release()
    return None
