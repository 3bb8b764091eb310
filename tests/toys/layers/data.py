"""The maker of sentences in passages, and an analysis: the lengths of a model's hidden states of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import arrays, rows


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Make passages of three sentences each, the same words in every one."""
    found = [
        {"id": f"s-{passage:02d}-{place}", "passage": f"p-{passage:02d}", "text": f"{passage} and {place} are {place}."}
        for passage in range(params["count"])
        for place in range(3)
    ]
    rows.write(out / "items", ({"id": row["id"], "task": "layers", "input": {}, "meta": {}} for row in found))
    rows.write(out / "pieces", found)


def measure(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Say of each layer how many vectors it has, and the length of all of them as one, in thousandths."""
    import numpy as np

    told = {}
    for name, path in sorted(inputs.items()):
        vectors = arrays.read(path)
        told[name] = {"vectors": len(vectors), "length": round(float(np.linalg.norm(vectors.astype(float))) * 1000)}
    rows.write_one(out / "lengths", {params["model"]: told})
