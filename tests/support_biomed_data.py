"""What tests of published questions need: small files in the published columns, and the real ones where they are."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from support import FIXTURES

from harness import rows

BIOMED = FIXTURES.parent / "data" / "biomed"
SEEDS, TEMPLATE_ROWS = BIOMED / "seeds_80.csv", BIOMED / "templates_6208.csv"
# The official settings file, which holds the published wordings: nobody but its owner passes it on (docs/biomed.md).
CONFIG = Path(os.environ.get("BIOMED_CONFIG") or BIOMED / "default_config.yaml")
COLUMNS = ("uuid", "template_uuid", "question", "answer", "bio_category", "reasoning_category")


def needs_real(*files: Path) -> None:
    """Skip a file of tests where the real data, which is never part of this project, is not beside it."""
    if not all(file.is_file() for file in files):
        pytest.skip("the real questions are not here", allow_module_level=True)


def question(name: str, template: str = "Q5", **more: str) -> dict[str, str]:
    """Give the cells of one question; `more` replaces some of them."""
    cells = (name, template, f"What is {name}?", f"It is {name}.", "Drug Meta", "Select; Join")
    return {**dict(zip(COLUMNS, cells, strict=True)), **more}


def written(path: Path, table: Sequence[Mapping[str, str]], *, encoding: str = "utf-8", end: str = "\n") -> Path:
    """Write rows as a CSV file whose columns are those of the first row."""
    text = io.StringIO(newline="")
    file = csv.DictWriter(text, list(table[0]), lineterminator=end)
    file.writeheader()
    file.writerows(table)
    path.write_bytes(text.getvalue().encode(encoding))
    return path


def read_rows(out: Path, *names: str) -> list[list[dict[str, Any]]]:
    """Read outputs of a step, each as its rows."""
    return [list(rows.read(out / name)) for name in names]
