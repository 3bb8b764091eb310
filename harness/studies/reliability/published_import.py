"""The published dataset, which its owner may use and nobody may show: from the owner's copy into rows of ours.

No message of this module holds a word of an item: it names rows, columns and ids. The layout of the published files
could not be seen when this was written; columns that are called otherwise there are named with `--columns`.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.stats import is_number

# What a row must say for our rules to score an answer to it, benchmark by benchmark.
INPUTS: Mapping[str, tuple[str, ...]] = {
    "addition": ("a", "b"),
    "anagram": ("anagram",),
    "locality": ("city",),
    "science": ("question", "A", "B", "C", "D"),
    "transforms": ("text",),
}
OPTIONAL = ("subset", "accepted", "answer_shape", "instruction", "country")
SHOWN = ("subset", "instruction", "country")  # of the optional ones, what an item shows
LONGEST = 1 << 20


def normalise(path: Path, columns: Mapping[str, str]) -> tuple[list[rows.Row], dict[str, Any]]:
    """Read the owner's copy (CSV or JSON Lines, one row a prompt); gives rows of ours, sorted, and their counts."""
    found = sorted(
        (_row(row, f"{path.name} row {number}", columns) for number, row in enumerate(_read(path), 1)),
        key=lambda row: (row["benchmark"], row["instance_id"], row["template"]),
    )
    if not found:
        raise InputError("the file holds no rows", where=str(path), next="give the published CSV or JSON Lines file")
    seen = Counter((row["benchmark"], row["instance_id"], row["template"]) for row in found)
    twice = next((key for key, count in seen.items() if count > 1), None)
    if twice:
        raise InputError(f"two rows are of instance {twice[1]!r:.60}, template {twice[2]}", where=twice[0])
    return found, _counts(found)


def _counts(found: Iterable[rows.Row]) -> dict[str, Any]:
    prompts: Counter[str] = Counter()
    instances: dict[str, set[str]] = {}
    for row in found:
        prompts[row["benchmark"]] += 1
        instances.setdefault(row["benchmark"], set()).add(row["instance_id"])
    return {name: {"instances": len(instances[name]), "prompts": prompts[name]} for name in sorted(instances)}


def _read(path: Path) -> Iterator[Mapping[str, Any]]:
    csv.field_size_limit(LONGEST)
    try:
        with open(path, encoding="utf-8", newline="") as file:
            if path.suffix == ".csv":
                yield from csv.DictReader(file)
                return
            for number, line in enumerate(file, 1):
                try:
                    row = json.loads(line)
                except (ValueError, RecursionError):
                    raise InputError("a line is not JSON", where=f"{path.name} row {number}") from None
                if not isinstance(row, dict):
                    raise InputError("a line is not an object", where=f"{path.name} row {number}")
                yield row
    except UnicodeDecodeError:
        raise InputError("the file is not UTF-8 text", where=str(path), next="export it as UTF-8") from None
    except (OSError, csv.Error) as bad:
        raise InputError(f"the file cannot be read ({type(bad).__name__})", where=str(path)) from None


def _row(given: Mapping[str, Any], where: str, columns: Mapping[str, str]) -> rows.Row:
    def text(name: str) -> str:
        column = columns.get(name, name)
        value = given.get(column)
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str) or not value.strip():
            shown = ", ".join(str(key)[:40] for key in list(given)[:30])
            raise InputError(
                f"the column `{column}` is missing or empty",
                where=where,
                next=f'it has: {shown}; name another with --columns \'{{"{name}": "…"}}\'',
            )
        return value

    benchmark = text("benchmark").strip().lower()
    if benchmark not in INPUTS:
        raise InputError("`benchmark` names none of the five", where=where, next=f"use one of: {', '.join(INPUTS)}")
    inputs = {name: text(name) for name in INPUTS[benchmark]}
    optional = {name: given[column] for name in OPTIONAL if given.get(column := columns.get(name, name))}
    return {
        "benchmark": benchmark,
        "instance_id": text("instance_id"),
        "template": int(_number(text("template"), "template", where)),
        "prompt": text("prompt"),
        "target": text("target"),
        "difficulty": _number(text("difficulty"), "difficulty", where),
        "inputs": {**inputs, **{name: str(optional[name]) for name in SHOWN if name in optional}},
        **{name: optional[name] for name in ("accepted", "answer_shape") if name in optional},
    }  # fmt: skip


def _number(text: str, name: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not is_number(value):
        raise InputError(f"`{name}` is not a number", where=where)
    return value
