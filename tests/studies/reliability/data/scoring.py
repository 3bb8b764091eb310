"""A benchmark's score step over responses to one item, for the tests of the benchmarks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from harness import rows

Row = Mapping[str, Any]


def response(text: str, **more: Any) -> Row:
    """Give a response to the item `x`."""
    return {"item": "x", "template": 2, "model": "m", "sample": 1, "text": text, "finish": "stop", **more}


def scores(
    step: Callable[[Row, Mapping[str, Path], Path], None], folder: Path, item: Row, gold: Any, given: Iterable[Row]
) -> list[rows.Row]:
    """Score responses to an item by its gold; what is given of both stands beside the id `x`."""
    rows.write(folder / "items", [{"id": "x", **item}])
    rows.write(folder / "gold", [{"id": "x", "gold": gold}])
    rows.write(folder / "responses", given)
    step({}, {name: folder / name for name in ("items", "gold", "responses")}, folder)
    return list(rows.read(folder / "scores"))
