"""How far a long step is: a line that the step prints, which a run shows beside its count of steps.

Such a line is no part of a step's log. A step that is executed elsewhere shows none until it has ended.
"""

from __future__ import annotations

import re
import sys
from typing import NamedTuple

SHOWN = 50  # the most lines of a step
_LINE = re.compile(r"progress: (\d{1,9}) of (\d{1,9}) ([a-z ]{1,20})")


class StepProgress(NamedTuple):
    """How far a running step is: how many of how many parts are done, and of what kind."""

    done: int
    total: int
    what: str


def tell_progress(done: int, total: int, what: str) -> None:
    """Print how far the step is; of more than 50 parts only every fiftieth share is printed."""
    if done * SHOWN // total > (done - 1) * SHOWN // total:
        sys.stdout.write(f"progress: {done} of {total} {what}\n")
        sys.stdout.flush()


def split_progress(text: bytes) -> tuple[StepProgress | None, bytes]:
    """Return the last progress in what a step printed, and the text without lines of progress."""
    last, rest = None, []
    for line in text.splitlines(keepends=True):
        found = _LINE.fullmatch(line.decode("utf-8", "replace").rstrip("\n")) if line.endswith(b"\n") else None
        if found:
            last = StepProgress(int(found[1]), int(found[2]), found[3])
        else:
            rest.append(line)
    return last, b"".join(rest)
