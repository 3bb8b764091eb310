"""The published dataset, which its owner may use and nobody may show: from the owner's copy into rows of ours.

No message of this module holds a word of an item: it names rows and columns. The layout of the published files
could not be seen when this was written; columns that are called otherwise there are named with `--columns`.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import rows
from harness.digest import canonical
from harness.errors import InputError
from harness.scorers.outcome.shape import flaw
from harness.stats import is_number
from harness.studies.reliability.data.published import TYPE

COMMON = ("benchmark", "instance_id", "template", "prompt", "target", "difficulty")
# What a row must say for our rules to score an answer to it, benchmark by benchmark.
INPUTS: Mapping[str, tuple[str, ...]] = {
    "addition": ("a", "b"),
    "anagram": ("anagram",),
    "locality": ("city",),
    "science": ("question", "A", "B", "C", "D"),
    "transforms": ("text",),
}
SHOWN = ("subset", "instruction", "country")  # of the optional ones, what an item shows
OPTIONAL = (*SHOWN, "accepted", "answer_shape")
KNOWN = tuple(dict.fromkeys((*COMMON, *(name for names in INPUTS.values() for name in names), *OPTIONAL)))
AGREED = ("inputs", "target", "difficulty", "accepted", "answer_shape")  # what the prompts of an instance share
SUBSETS = ("obqa", "gpqa")
LONGEST, LONGEST_SHAPE = 1 << 20, 500
_DIGITS = re.compile(r"[0-9]{1,1000}")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def normalise(path: Path, columns: Mapping[str, str]) -> tuple[list[rows.Row], dict[str, Any]]:
    """Read the owner's copy (CSV or JSON Lines, one row a prompt); gives rows of ours, sorted, and their counts."""
    strange = sorted(set(columns) - set(KNOWN))
    if strange:
        raise InputError(
            f"--columns names `{strange[0]}`, which no row of ours has",
            where="--columns",
            next=f"use: {', '.join(KNOWN)}",
        )
    table = _is_table(path)
    given = (_Given(cells, f"{path.name} row {number}", columns, table) for number, cells in _read(path))
    found = sorted(_agreeing(given), key=lambda row: (row["benchmark"], row["instance_id"], row["template"]))
    if not found:
        raise InputError("the file holds no rows", where=str(path), next="give the published CSV or JSON Lines file")
    return found, _counts(found)


def _counts(found: Iterable[rows.Row]) -> dict[str, Any]:
    prompts: Counter[str] = Counter()
    instances: dict[str, set[str]] = {}
    for row in found:
        prompts[row["benchmark"]] += 1
        instances.setdefault(row["benchmark"], set()).add(row["instance_id"])
    return {name: {"instances": len(instances[name]), "prompts": prompts[name]} for name in sorted(instances)}


def _is_table(path: Path) -> bool:
    return path.suffix.lower() == ".csv"


def _read(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Give the rows with their numbers: lines of JSON Lines, or a table's rows below the one that names columns."""
    csv.field_size_limit(LONGEST)
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            yield from _table(file, path.name) if _is_table(path) else _objects(file, path.name)
    except UnicodeDecodeError:
        raise InputError("the file is not UTF-8 text", where=str(path), next="export it as UTF-8") from None
    except (OSError, csv.Error) as bad:
        raise InputError(f"the file cannot be read ({type(bad).__name__})", where=str(path)) from None


def _table(file: Iterable[str], name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    lines = csv.reader(file)
    header = next((cells for cells in lines if any(map(str.strip, cells))), [])
    for number, cells in enumerate(lines, 1):
        if not any(map(str.strip, cells)):
            continue
        if len(cells) > len(header):
            raise InputError("a row has more cells than there are columns", where=f"{name} row {number}")
        yield number, dict(zip(header, cells, strict=False))


def _objects(file: Iterable[str], name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raise InputError("a line is not JSON", where=f"{name} row {number}") from None
        if not isinstance(row, dict):
            raise InputError("a line is not an object", where=f"{name} row {number}")
        yield number, row


@dataclass(frozen=True, slots=True)
class _Given:
    """One row as it stands in the copy, and what a message may say of it."""

    cells: Mapping[str, Any]
    where: str
    columns: Mapping[str, str]
    table: bool

    def bad(self, what: str, next: str = "") -> InputError:
        return InputError(what, where=self.where, next=next)

    def cell(self, name: str) -> Any:
        """Give what stands in a column, numbers as text; None where nothing does."""
        value = self.cells.get(self.columns.get(name, name))
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        return None if isinstance(value, str) and not value.strip() else value

    def optional(self, name: str) -> str | None:
        value = self.cell(name)
        if not isinstance(value, str | None):
            raise self.bad(f"`{name}` is not text")
        return value

    def text(self, name: str) -> str:
        value = self.optional(name)
        if value is None:
            column = self.columns.get(name, name)
            raise self.bad(f"the column `{column}` is missing or empty", self._how(name))
        return value

    def _how(self, name: str) -> str:
        """Say which columns there are; where a file names none, its first row stands in their place: never shown."""
        known = [each for each in dict.fromkeys((*KNOWN, *self.columns.values())) if each in self.cells]
        if not any(self.columns.get(each, each) in known for each in COMMON):
            known = []  # then even `C` may be an answer and no column
        has = f"it has {', '.join(known) or 'none that is known'}, and {len(self.cells) - len(known)} others"
        first = "the first line must name the columns; " if self.table else ""
        return f'{has}; {first}name another with --columns \'{{"{name}": "…"}}\''

    def number(self, name: str) -> float:
        text = self.text(name)
        value = float(text) if _NUMBER.fullmatch(text.strip()) else float("nan")
        if not is_number(value):
            raise self.bad(f"`{name}` is not a number")
        return value

    def whole(self, name: str) -> int:
        value = self.number(name)
        if value < 1 or not value.is_integer():
            raise self.bad(f"`{name}` is not a whole number from 1 up")
        return int(value)

    def texts(self, name: str) -> list[str]:
        """Give a list of texts; in a table that is a JSON list, or one text."""
        value = self.cell(name)
        if isinstance(value, str):
            try:
                listed = json.loads(value)
            except (ValueError, RecursionError):
                listed = None
            value = listed if isinstance(listed, list) else [value]
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(each, str) and each.strip() for each in value):
            raise self.bad(f"`{name}` is not a list of texts", 'write ["…", "…"], or one text')
        return value


def _agreeing(given: Iterable[_Given]) -> Iterator[rows.Row]:
    """Give rows of ours; two of one instance must say the same of it, and be different prompts."""
    first: dict[tuple[str, str], tuple[rows.Row, str]] = {}
    seen: dict[tuple[str, str, int], str] = {}
    for each in given:
        row = _row(each)
        instance = row["benchmark"], row["instance_id"]
        asked = *instance, row["template"]
        if asked in seen:
            raise each.bad(f"`instance_id` and `template` are those of {seen[asked]} too", "leave one of the two out")
        seen[asked] = each.where
        earlier, place = first.setdefault(instance, (row, each.where))
        parts = [name for name in AGREED if earlier.get(name) != row.get(name)]
        if parts:
            raise each.bad(
                f"`{parts[0]}` is another than in {place}, which is of the same instance",
                "all prompts of an instance must have the same inputs, answer and difficulty",
            )
        yield row


def _row(given: _Given) -> rows.Row:
    benchmark = given.text("benchmark").strip().lower()
    if benchmark not in INPUTS:
        raise given.bad("`benchmark` names none of the five", f"use one of: {', '.join(INPUTS)}")
    shown = {name: value for name in SHOWN if (value := given.optional(name)) is not None}
    row = {
        "type": TYPE,
        "benchmark": benchmark,
        "instance_id": given.text("instance_id"),
        "template": given.whole("template"),
        "prompt": given.text("prompt"),
        "target": given.text("target"),
        "difficulty": given.number("difficulty"),
        "inputs": {**{name: given.text(name) for name in INPUTS[benchmark]}, **shown},
    }
    if accepted := given.texts("accepted"):
        row["accepted"] = accepted
    if (shape := given.optional("answer_shape")) is not None:
        row["answer_shape"] = shape
    if benchmark in _CHECKS:
        _CHECKS[benchmark](given, row)
    try:
        canonical(row)
    except InputError:
        raise given.bad("a text of this row is not Unicode (a lone surrogate)", "mend the text") from None
    return row


def _addition(given: _Given, row: rows.Row) -> None:
    a, b, target = row["inputs"]["a"], row["inputs"]["b"], row["target"]
    for name, value in (("a", a), ("b", b), ("target", target)):
        if not _DIGITS.fullmatch(value):
            raise given.bad(f"`{name}` is not a number of decimal digits only")
    if target != str(int(a) + int(b)):
        raise given.bad("`target` is not the sum of `a` and `b`")


def _anagram(given: _Given, row: rows.Row) -> None:
    letters = row["inputs"]["anagram"]
    if not re.fullmatch("[a-z]+", letters):
        raise given.bad("`anagram` holds something else than the letters a to z")
    if sorted(letters) != sorted(row["target"]):
        raise given.bad("`target` is not made of the letters of `anagram`")


def _science(given: _Given, row: rows.Row) -> None:
    subset = given.text("subset").strip().lower()
    if subset not in SUBSETS:
        raise given.bad("`subset` names no subset of science", f"use one of: {', '.join(SUBSETS)}")
    row["inputs"]["subset"] = subset
    if row["target"] not in ("A", "B", "C", "D"):
        raise given.bad("`target` is not one of A, B, C and D")


def _transforms(given: _Given, row: rows.Row) -> None:
    if what := flaw(row.get("answer_shape", "")):
        raise given.bad(f"`answer_shape` is refused: {what}", "give a simple pattern of Python's re")


_CHECKS: Mapping[str, Callable[[_Given, rows.Row], None]] = {
    "addition": _addition,
    "anagram": _anagram,
    "science": _science,
    "transforms": _transforms,
}
