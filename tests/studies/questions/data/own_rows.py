"""A person's file as the maker reads it: written to a folder, read by the step, and given back as rows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harness.errors import InputError
from harness.studies.questions.data.maker import make

QA = {"input": "question", "target": "answer"}
CAPITALS = "question,answer\nCapital of France?,Paris\nCapital of Italy?,Rome\nCapital of Japan?,Tokyo\n"


@dataclass(frozen=True)
class MadeRows:
    """The tables that the maker wrote of a file."""

    items: list[dict[str, Any]]
    gold: list[dict[str, Any]]
    shots: list[dict[str, Any]]
    counts: dict[str, Any]

    @property
    def answers(self) -> list[str]:
        """The right answers, in the order of the items."""
        return [row["gold"]["target"] for row in self.gold]


def params(fields: Mapping[str, Any] = QA, **more: Any) -> dict[str, Any]:
    """Give the parameters of the maker as a plan gives them, of a dataset `d` that is a CSV file."""
    usual = {"dataset": "d", "file": "data/d.csv", "format": "csv", "encoding": "utf-8", "where": [], "seed": 0}
    return {**usual, "fields": fields, **more}


def made(
    folder: Path,
    text: str | bytes = CAPITALS,
    fields: Mapping[str, Any] = QA,
    shots_text: str | None = None,
    **more: Any,
) -> MadeRows:
    """Make the dataset of a file; `more` are further parameters of the step, `shots_text` a second file."""
    folder.mkdir(exist_ok=True)
    inputs = {"file": folder / "file"}
    inputs["file"].write_bytes(text.encode() if isinstance(text, str) else text)
    if shots_text is not None:
        inputs["shots_file"] = folder / "shots_file"
        inputs["shots_file"].write_text(shots_text)
    out = folder / "out"
    out.mkdir(exist_ok=True)
    make(params(fields, **more), inputs, out)
    tables = {name: _rows(out / name) for name in ("items", "gold", "shots", "counts")}
    [counts] = tables["counts"]
    return MadeRows(tables["items"], tables["gold"], tables["shots"], counts["d"])


def refusal(folder: Path, text: str | bytes, fields: Mapping[str, Any] = QA, **more: Any) -> InputError:
    """Give the error by which a file is refused; it says the file and what to do next."""
    with pytest.raises(InputError) as error:
        made(folder, text, fields, **more)
    assert error.value.where.startswith("data/d.csv") and error.value.next
    return error.value


def texts(rows: Sequence[Mapping[str, Any]], column: str = "question") -> list[str]:
    """Give what items ask, by one column."""
    return [row["input"][column] for row in rows]


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []
