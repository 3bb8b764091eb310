"""What works alone: one scorer (a row in, a row out) or one analysis (an object in, an object out).

Over the command line, in a test, for an agent; it must never know where rows come from or where results go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Tool:
    """A function with the fields a caller gives and gets."""

    about: str
    takes: Mapping[str, str]
    gives: Mapping[str, str]
    run: Callable[[Mapping[str, Any]], Mapping[str, Any]]
