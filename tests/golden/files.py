"""The shapes that golden files come in: an object or a list in JSON, named arrays, a table."""

from __future__ import annotations

import csv
import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

DATA = (".json", ".npz", ".csv")


def load(path: Path) -> dict[str, Any]:
    """Read a JSON file that is one object; anything else is malformed."""
    value = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(value, dict):
        raise ValueError("not one JSON object")
    return value


def listed(path: Path) -> Iterator[tuple[str, Any]]:
    """Give the cases of a JSON file that is one list, and what each is called; an empty list is malformed."""
    value = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(value, list) or not value:
        raise ValueError("not one JSON list with cases in it")
    yield from ((f"[{number}]", case) for number, case in enumerate(value))


def arrays(path: Path) -> dict[str, Any]:
    """Read a file of named arrays, whole; nothing in it is unpickled."""
    if not zipfile.is_zipfile(path):
        raise ValueError("no file of named arrays")
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (zipfile.BadZipFile, EOFError) as bad:
        raise ValueError(f"no file of named arrays: {bad}") from bad


def table(path: Path) -> list[dict[str, str]]:
    """Read a CSV file as rows of texts under the names of its first line; a row of another width is malformed."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            names, *rows = list(csv.reader(file, strict=True)) or [[]]
    except csv.Error as bad:
        raise ValueError(f"no table: {bad}") from bad
    if not rows or len(set(names)) != len(names):
        raise ValueError("a table needs columns of different names, and rows")
    return [dict(zip(names, row, strict=True)) for row in rows]


def cases(golden: Mapping[str, Any], name: str = "cases") -> Iterator[tuple[str, Any]]:
    """Give the cases that an object lists under a name, and what each is called there."""
    found = golden.get(name)
    if not isinstance(found, list) or not found:
        raise ValueError(f"`{name}` holds no cases")
    yield from ((f"{name}[{number}]", case) for number, case in enumerate(found))


def cases_or_one(golden: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Give the cases of an object, or the object itself where it is one case."""
    return cases(golden) if "cases" in golden else iter([("the file", golden)])


def count(path: Path) -> int:
    """Count the cases of a file that nobody reads yet: those it lists, and at least one."""
    try:
        value = json.loads(path.read_text(encoding="utf-8")) if path.suffix == ".json" else []
    except (ValueError, OSError, RecursionError):
        return 1
    found = value.get("cases") if isinstance(value, dict) else value
    return max(1, len(found)) if isinstance(found, list) else 1
