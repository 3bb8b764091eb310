"""Steps that scale the points: block by block, and as named arrays."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import arrays, rows

FACTOR = 2.0


def scale(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Scale each point."""
    [head] = arrays.read_headers(inputs["points"]).values()
    with arrays.stream_writer(out / "scaled", head.dtype, head.shape) as add:
        for block in arrays.read_blocks(inputs["points"]):
            add((block * FACTOR).astype(block.dtype))


def name(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Put the arrays of all datasets into one file."""
    found = {f"part{number}": arrays.read(part) for number, part in enumerate(rows.parts(inputs["parts"]))}
    arrays.write_all(out / "named", found)
