"""The wire taken for the server alone: whatever else prints in this process, or reads, meets other descriptors."""

from __future__ import annotations

import os


def claim(source: int = 0, sink: int = 1) -> tuple[int, int]:
    """Move the wire to private descriptors: what prints reaches stderr, what reads finds the end, children too."""
    wire = os.dup(source), os.dup(sink)  # neither is inherited
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, source)
    os.close(nothing)
    os.dup2(2, sink)
    return wire
