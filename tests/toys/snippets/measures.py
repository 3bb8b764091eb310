"""An analysis: the outcomes of all programs as one array, a row a task, in the order of ids."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import arrays, rows
from harness.rowtypes import Item, Score


def right(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write for each task its size, and the share of programs that were right."""
    import numpy as np

    found: dict[str, list[float]] = {}
    for row in rows.read(inputs["scores"], Score):
        if isinstance(row["value"], int | float):
            found.setdefault(row["item"], []).append(row["value"])
    items = sorted(rows.read(inputs["items"], Item), key=lambda item: item["id"])
    made = [
        (item["input"]["n"], math.fsum(said) / len(said) if (said := found.get(item["id"])) else np.nan)
        for item in items
    ]
    arrays.write(out / "right", np.asarray(made, np.float64))
