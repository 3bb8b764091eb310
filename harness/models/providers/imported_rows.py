"""Parser of imported answers: JSON Lines, one answer per line under its key (item, template, sample).

The file is not trusted: every line is validated, and an error names its line. It never knows the prompts or the store.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

from harness.digest import canonical
from harness.errors import InputError
from harness.rowtypes import Response
from harness.strict_json import reject_duplicates

MOST_LINE = 64 << 20
ASK = "every row is {item, template, sample, text} or has `error`; also model, finish, reasoning, usage, logprobs"


class ResponseKey(NamedTuple):
    """The key of an imported answer: item, template and sample."""

    item: str
    template: int
    sample: int

    def __str__(self) -> str:
        """Format the key for a message."""
        return f"{self.item} (template {self.template}, sample {self.sample})"


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _said(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _usage(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_count, value.values()))


def _logprobs(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)


FIELDS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "item": (_said, "a text that is not empty"),
    "template": (_count, "a whole number from 0 up"),
    "sample": (_count, "a whole number from 0 up"),
    "model": (_said, "a text that is not empty"),
    "text": (_text, "a text"),
    "finish": (_text, "a text"),
    "reasoning": (_text, "a text"),
    "usage": (_usage, "an object of whole numbers"),
    "logprobs": (_logprobs, "a list of objects"),
    "error": (_said, "a text that is not empty"),
}


def response_key(row: Response) -> ResponseKey:
    """Make the key of a row: its item, template and sample."""
    return ResponseKey(row["item"], row["template"], row["sample"])


def read(path: Path, name: str = "") -> Iterator[tuple[str, Response]]:
    """Read the rows of a file in order, each with its place (`file:line`, under `name` where one is given).

    Unknown fields are dropped; an invalid row raises InputError.
    """
    with open(path, "rb") as lines:
        number = 0
        while line := lines.readline(MOST_LINE + 1):
            number += 1
            where = f"{name or path.name}:{number}"
            if len(line) > MOST_LINE:
                raise InputError("a row is at most 64 MiB", where=where, next="leave this answer out")
            if line.strip():
                yield where, _row(line, where)


def _row(line: bytes, where: str) -> Response:
    try:
        found = json.loads(line, object_pairs_hook=reject_duplicates, parse_constant=_no_number)
    except (ValueError, RecursionError) as bad:
        raise InputError(f"this is not JSON: {bad}", where=where, next="give one JSON object a line") from bad
    if not isinstance(found, dict):
        raise InputError("this is no answer: a JSON object is needed", where=where, next=ASK)
    row = {name: found[name] for name in FIELDS if found.get(name) is not None}
    if "error" in row:
        row.setdefault("text", "")
    for name in ("item", "template", "sample", "text"):
        if name not in row:
            raise InputError(f"this is no answer: `{name}` is missing", where=where, next=ASK)
    for name, value in row.items():
        holds, what = FIELDS[name]
        if not holds(value):
            raise InputError(f"this is no answer: `{name}` is not {what}", where=where, next=ASK)
    try:
        canonical(row)
    except InputError as bad:
        raise InputError(f"this is no answer: {bad.what}", where=where, next=bad.next) from bad
    return cast(Response, row)


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def gather_rows(place: Path) -> list[Response]:
    """Read the rows of a file, or of a folder's `.jsonl` files, sorted by model and key.

    Refuses two rows with the same model and key, and a place without any row.
    """
    files = sorted(place.rglob("*.jsonl")) if place.is_dir() else [place]
    found: dict[tuple[str, ResponseKey], tuple[str, Response]] = {}
    for file in files:
        if not file.is_file():
            raise InputError("this is no file", where=str(file), next="name a file of JSON Lines, or a folder of them")
        name = file.relative_to(place).as_posix() if place.is_dir() else file.name
        for where, row in read(file, name):
            whose = (row.get("model", ""), response_key(row))
            if whose in found:
                said = f"two rows are of {whose[1]}" + (f" by {whose[0]}" if whose[0] else "")
                raise InputError(said, where=f"{found[whose][0]} and {where}", next="leave the wrong one out")
            found[whose] = (where, row)
    if not found:
        raise InputError("there are no rows", where=str(place), next="name a file of JSON Lines, or a folder of them")
    return [row for _, (_, row) in sorted(found.items())]
