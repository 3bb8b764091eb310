"""Cut the labels of the demo's two models out of the rows of its output `labels`, as the tests of the means read them.

After the demo was accepted anew, in the root of the repository:
harness get last labels | python tests/studies/reliability/measures/demo_labels.py
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

MODELS = ("tiny-raw", "tiny-shaped")
WRITTEN = Path(__file__).with_name("demo_labels_v2.json")


def cut(rows: Iterable[dict[str, Any]]) -> str:
    """Spell, benchmark by benchmark and in the order of the items, how difficult they are and each model's labels."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: (row["benchmark"], row["item"])):
        if row["model"] in MODELS:
            of = found.setdefault(row["benchmark"], {name: {} for name in ("difficulty", *MODELS)})
            of["difficulty"][row["item"]] = row["difficulty"]
            of[row["model"]][row["item"]] = row["labels"]
    lines = [
        f' "{benchmark}": {{\n  "difficulty": {json.dumps([*of["difficulty"].values()])},\n'
        + ",\n".join(f'  "{name}": "{" ".join(of[name].values())}"' for name in MODELS)
        + "\n }"
        for benchmark, of in found.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    WRITTEN.write_text(cut(map(json.loads, sys.stdin)))
