"""Batching of requests of different lengths: sorted by length, with the batch size halved where memory runs out.

No request is ever lost: each gets an answer, or None where it does not fit in memory alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.models.local.decode import Decoded, DecodeRequest, decode
from harness.models.local.load import LoadedModel
from harness.models.local.torch_setup import out_of_memory, release_memory

NO_ROOM = "the machine's memory does not hold this request alone"


@dataclass
class BatchUse:
    """Statistics of batching: the size asked for, the smallest used, and how often memory ran out."""

    asked: int
    least: int
    redone: int = 0


def answer_all(loaded: LoadedModel, asks: Sequence[DecodeRequest], size: int) -> tuple[list[Decoded | None], BatchUse]:
    """Decode all requests, `size` at a time; returns the answers in the order given, and how they were batched.

    An answer is None where its request does not fit in memory alone.
    """
    waiting = sorted(range(len(asks)), key=lambda place: (len(asks[place].tokens), place))
    answers: list[Decoded | None] = [None] * len(asks)
    used = BatchUse(size, size)
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


def _try(loaded: LoadedModel, asks: Sequence[DecodeRequest]) -> list[Decoded] | None:
    """Decode one batch; None where memory ran out, which is then released."""
    try:
        return decode(loaded, asks)
    except (RuntimeError, MemoryError) as bad:
        if not out_of_memory(bad):
            raise
    release_memory()
    return None
