"""The maker of sums as items and, apart from them, their values as gold."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.rowtypes import Gold, Item


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write so many sums."""
    numbers = range(params["count"])
    items: list[Item] = [
        {"id": f"sum-{n}", "task": "sum", "input": {"a": n, "b": 3}, "difficulty": n, "meta": {}} for n in numbers
    ]
    golds: list[Gold] = [{"id": f"sum-{n}", "gold": {"target": str(n + 3)}} for n in numbers]
    rows.write(out / "items", items)
    rows.write(out / "gold", golds)
    rows.write_one(out / "counts", {"sums": {"drawn": len(items), "kept": len(items)}})
