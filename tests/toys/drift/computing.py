"""What is no function of its inputs alone: the number of threads, and the time."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import rows


def count_threads(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write in how many threads this step computes."""
    rows.write_one(out / "threads", {"threads": int(os.environ["OMP_NUM_THREADS"])})


def stamp(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write a number that is another each time, as far from one as `spread` says."""
    rows.write_one(out / params["name"], {"value": 1 + time.time_ns() % 10**9 / 10**9 * float(params["spread"])})
