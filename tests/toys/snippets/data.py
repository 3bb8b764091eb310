"""The maker of programming tasks as items and, apart from them, the expected outputs as gold."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.rowtypes import Gold, Item


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write so many tasks."""
    numbers = range(params["count"])
    items: list[Item] = [
        {"id": f"square-{n}", "task": "square", "input": {"n": n}, "difficulty": n, "meta": {}} for n in numbers
    ]
    golds: list[Gold] = [{"id": f"square-{n}", "gold": {"target": str(n * n)}} for n in numbers]
    rows.write(out / "items", items)
    rows.write(out / "gold", golds)
    rows.write_one(out / "counts", {"square": {"kept": len(items)}})
