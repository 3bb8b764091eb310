"""The maker of the points: an array of random rows, and their count."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import arrays, rows


def points(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Draw rows of three numbers below one."""
    import numpy as np

    with arrays.stream_writer(out / "points", "float32", (params["rows"], 3)) as add:
        for row in range(params["rows"]):
            add(np.modf(np.array([[0.1, 0.2, 0.3]]) * (row + params["seed"]))[0].astype(np.float32))
    rows.write_one(out / "counts", {"points": {"drawn": params["rows"], "kept": params["rows"]}})
