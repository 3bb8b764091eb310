"""What a maker of the demo's synthetic papers writes, read back: each record's paper, truth and ideal answer."""

from __future__ import annotations

import functools
import importlib
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import rows
from harness.studies.curie.demo.makers_text import MAKERS

TASKS = tuple(name.removeprefix("curie.demo_") for name in MAKERS)


@dataclass(frozen=True)
class Made:
    """One record as a step writes it."""

    id: str
    text: str
    truth: Any
    answer: str
    meta: dict[str, Any]


def run(task: str, out: Path, seed: int = 0, count: int = 9) -> None:
    """Run the maker of a task as a step does."""
    maker = MAKERS[f"curie.demo_{task}"]
    module, _, name = maker.kind.partition(":")
    getattr(importlib.import_module(module), name)({"seed": seed, "count": count, **maker.fixed}, {}, out)


@functools.cache
def made(task: str, seed: int = 0, count: int = 9) -> tuple[Made, ...]:
    """Make the records of a task and read them."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        run(task, out, seed, count)
        golds = {row["id"]: row["gold"] for row in rows.read(out / "gold")}
        return tuple(
            Made(row["id"], row["input"]["text"], json.loads(golds[row["id"]]["truth"]), golds[row["id"]]["target"],
                 row["meta"])
            for row in rows.read(out / "items")
        )  # fmt: skip
