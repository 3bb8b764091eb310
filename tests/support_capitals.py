"""A project of a few questions in a CSV file, answered by stand-ins, for tests of what is told of scores."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

from support import harness
from support_ground import copy_of

from harness.digest import sha256

ROWS = [
    ("Capital of France?", "Paris"), ("Capital of Italy?", "Rome"), ("Capital of Japan?", "Tokyo"),
    ("Capital of Peru?", "Lima"), ("Capital of Kenya?", "Nairobi"), ("Capital of Norway?", "Oslo"),
]  # fmt: skip
MANIFEST = "manifests/capitals.yaml"
TEXT = """\
harness: 2
study: questions
name: capitals
about: Capitals, for a test.
models:
{models}
datasets: {{capitals: {{file: data/capitals.csv, fields: {{input: question, target: answer}}}}}}
prompts: {{text: "{{question}}"}}
settings: {{score: [exact]}}
resources: {{gpus: 0, memory: 2GiB, timeout: 10m}}
"""


def capitals(
    folder: Path, models: Sequence[str] = ("oracle", "coin-oracle"), rows: Sequence[tuple[str, str]] = ROWS
) -> Path:
    """Give the project, locked, by its folder. A model is a stand-in's name, or `NAME: {settings}`."""

    def make(here: Path) -> None:
        for name in ("manifests", "lockfiles", "data"):
            (here / name).mkdir(parents=True)
        write_rows(here, rows)
        lines = [f"  {one}" if ":" in one else f"  {one}: {{provider: baseline, behaviour: {one}}}" for one in models]
        (here / MANIFEST).write_text(TEXT.format(models="\n".join(lines)))
        harness("lock", MANIFEST, cwd=here, check=0)

    return copy_of(f"capitals-{sha256(json.dumps([models, rows]).encode())[:16]}", folder, make)


def write_rows(folder: Path, rows: Sequence[tuple[str, str]]) -> None:
    """Write the questions and their answers."""
    with open(folder / "data" / "capitals.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("question", "answer"), *rows])
