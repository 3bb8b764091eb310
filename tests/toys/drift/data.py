"""The maker of the numbers: as many as are wanted, from a seed on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import rows


def numbers(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write whole numbers."""
    count, seed = params["count"], params["seed"]
    rows.write(out / "numbers", [{"id": f"n-{number:03}", "n": number + seed} for number in range(count)])
    rows.write_one(out / "counts", {"numbers": {"drawn": count, "kept": count}})
