"""Texts that make a careless rule slow, and the time in which any text must be read."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from support_draws import drawn
from support_pace import soon

# A rule whose time grows with the square of the text needs minutes for so many signs, a linear one hundredths of a
# second; that is held here with room for a busy machine.
SIZE = 100_000
SECONDS = 1.0

# Repeated, each of them has made some rule of some benchmark slow, or could.
TEXTS = (
    "a", "a ", " ", "\n", "1", "0", "1,", "1,234", "1.", "1 ", '"', "'", "`", "!", ".", "- ", "([{", "_", "*`", "\0",
    "\ud800", "\u200f", "\u0663", "\u0130", "\u00df", "\ufb01", "\u0301", "e\u0301", "\u0334\u0301", "\uff9e",
    "\uff9e\u0334", "a" + "\u0301\u0334" * 15, "\ufdfa", "\ufdfa ", "\u00e9\u01d6", "\uac01", "\u00a0123", "123\u202f",
    "\ue000.a\ue001", "i ", "i i ", "i do not ", "cannot ", "cannot a b c ", "cannot " + "a" * 1_000 + " ",
    "not able to w w w ", "need more ", "against the ", "can\u2019t ", "offensive ", "unsure ", "answer ", "Answer: A ",
    "answer " + " " * 500, "is ",
)  # fmt: skip


def units(*forms: str) -> list[str]:
    """Give a scorer's own forms, and of the texts of all of them some."""
    return [*drawn(TEXTS, 3, 8), *forms]


def filled(unit: str, size: int = SIZE) -> str:
    """Repeat a text up to a size."""
    return (unit * (size // len(unit) + 1))[:size]


def quick(call: Callable[..., Any], *given: Any, within: float = SECONDS) -> Any:
    """Call, and hold the processor's time to what a linear rule takes, many times over."""
    started = time.process_time()
    found = call(*given)
    assert soon(time.process_time() - started, within)
    return found
