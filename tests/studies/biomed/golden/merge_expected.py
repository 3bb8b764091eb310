"""The merge of questions with two models' files, in which a question lacks a label and a uuid stands twice."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from golden.case import EXACT, Tally, check
from golden.files import table

from harness.studies.biomed.standalone.data import ANALYSES


def _cells(path: Path) -> list[dict[str, str | None]]:
    return [{name: cell or None for name, cell in row.items()} for row in table(path)]


def _columns(rows: list[dict[str, str | None]]) -> list[str]:
    return list(rows[0])


def read(path: Path, tally: Tally) -> None:
    folder, expected = path.parent / "merge_inputs", _cells(path)
    case: Mapping[str, Any] = {
        "qa": _cells(folder / "qa.csv"),
        "by_model": {file.name: _cells(file) for file in sorted((folder / "by_model").iterdir())},
        "rows": expected, "columns": _columns(expected),
    }  # fmt: skip
    check(tally, path.name, case, ANALYSES["biomed.merge"].run, ("qa", "by_model"), ("rows", "columns"), within=EXACT)
