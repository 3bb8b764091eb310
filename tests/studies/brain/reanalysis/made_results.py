"""Published files as tests make them: scores of units that are drawn, and the tables that follow from them by numpy."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from support import FIXTURES

from harness.studies.brain.reanalysis import contradictions
from harness.studies.brain.reanalysis.document import document
from harness.studies.brain.reanalysis.maker import read_file

REAL = FIXTURES.parent / "data" / "brain"  # never part of this project
PEREIRA = ("018", "199", "215", "288", "289", "296", "343", "366", "407", "426")
SIZES = (1358, 1358, 1358, 1352, 1358, 1337, 1358, 1358, 1358, 1358)
ELECTRODES = (47, 8, 9, 15, 18)
SCORED = ("subjects", "Network", "Model", "perf")
CURVED = ("", "perf", "Model", "Shuffled", "layer_num", "Exp")
TESTED = ("", "fe", "subject", "pval", "pval_orig", "network")
OMEGAS = ("", "feature_extraction", "dataset", "values")


def table(folder: Path, name: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], mark: str = "") -> Path:
    """Write a CSV file as pandas writes one; `mark` may be a byte order mark."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([columns, *rows])
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(mark + out.getvalue(), encoding="utf-8")
    return path


def participants(folder: Path, name: str, columns: Mapping[str, Mapping[str, float]]) -> Path:
    """Write a table by participant: a model's scores by participant."""
    rows = [(who, "language", model, value) for model, own in columns.items() for who, value in own.items()]
    return table(folder, name, SCORED, sorted(rows))


def archive(folder: Path, name: str, arrays: Mapping[str, Any]) -> Path:
    """Write an .npz file of any names, an empty one too, as the authors' are."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, **arrays)
    return path


def read(folder: Path) -> list[dict[str, Any]]:
    """Read every file below a folder as the maker does, and back from JSON as a step gets it."""
    files = sorted(path for path in folder.rglob("*.*") if path.is_file())
    found = [read_file(path, path.relative_to(folder).as_posix()) for path in files]
    known = [one for one in found if one]
    contradictions.refuse(known)
    again: list[dict[str, Any]] = json.loads(json.dumps(known))
    return again


def reanalysed(folder: Path) -> dict[str, Any]:
    """Give the document of every file below a folder."""
    rows = read(folder)
    return document(rows, {"files": len(rows), "unknown": [], "absent": []})


def cut(values: Any, sizes: Sequence[int]) -> list[Any]:
    """Cut an array of units into participants."""
    return np.split(values, np.cumsum(sizes)[:-1])
