"""The makers of two datasets, sums and differences: items and, apart from them, their values as gold."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.rowtypes import Gold, Item


def sums(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write so many sums."""
    _write(out, "sum", {n: n + 3 for n in range(params["count"])})


def differences(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write so many differences."""
    _write(out, "difference", {n: 30 - n for n in range(params["count"])})


def _write(out: Path, task: str, made: Mapping[int, int]) -> None:
    items: list[Item] = [
        {"id": f"{task}-{n}", "task": task, "input": {"what": f"the {task} {n}"}, "difficulty": n, "meta": {}}
        for n in made
    ]
    golds: list[Gold] = [{"id": f"{task}-{n}", "gold": {"target": str(value)}} for n, value in made.items()]
    rows.write(out / "items", items)
    rows.write(out / "gold", golds)
    rows.write_one(out / "counts", {task: {"kept": len(items)}})
