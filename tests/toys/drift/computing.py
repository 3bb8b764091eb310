"""What is no function of its inputs alone: the number of threads, and a variable that nothing records."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import rows


def count_threads(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write in how many threads this step computes."""
    rows.write_one(out / "threads", {"threads": int(os.environ["OMP_NUM_THREADS"])})


def stamp(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write a number that the variable DRIFT changes, as far from one as `spread` says."""
    rows.write_one(out / params["name"], {"value": 1 + int(os.environ["DRIFT"]) / 8 * float(params["spread"])})
