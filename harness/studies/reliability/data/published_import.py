"""The importer of the published dataset: converts the owner's copy, whose items may be used but not shown, to our rows.

Checks what the rows of each benchmark must hold. Error messages never quote an item.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from harness.answers.regex_safety import refusal
from harness.digest import canonical_json
from harness.errors import InputError
from harness.studies.reliability.data.published import TYPE
from harness.studies.reliability.data.published_copy import INPUTS, SHOWN, CopyRow, read
from harness.studies.reliability.rowtypes import PublishedPrompt

AGREED = ("inputs", "target", "difficulty", "accepted", "answer_shape")  # fields that all prompts of an instance share
SUBSETS = ("obqa", "gpqa")
_DIGITS = re.compile(r"[0-9]{1,1000}")


def normalise(path: Path, columns: Mapping[str, str]) -> tuple[list[PublishedPrompt], dict[str, Any]]:
    """Read a user's copy of the authors' dataset (CSV or JSON Lines); return sorted prompts, and counts by benchmark.

    `columns` maps our column names to the copy's own. Raises InputError for an empty copy, for a malformed row, and for
    a row that contradicts another of its instance.
    """
    with closing(read(path, columns)) as rows:
        found = sorted(_agreeing(rows), key=lambda row: (row["benchmark"], row["instance_id"], row["template"]))
    if not found:
        raise InputError("the file holds no rows", where=str(path), next="give the published CSV or JSON Lines file")
    return found, _counts(found)


def _counts(found: Iterable[PublishedPrompt]) -> dict[str, Any]:
    prompts: Counter[str] = Counter()
    instances: dict[str, set[str]] = {}
    for row in found:
        prompts[row["benchmark"]] += 1
        instances.setdefault(row["benchmark"], set()).add(row["instance_id"])
    return {name: {"instances": len(instances[name]), "prompts": prompts[name]} for name in sorted(instances)}


def _agreeing(given: Iterable[CopyRow]) -> Iterator[PublishedPrompt]:
    """Yield the prompt rows; raise InputError if two rows of one instance contradict each other or share a template."""
    first: dict[tuple[str, str], tuple[PublishedPrompt, str]] = {}
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


def _row(given: CopyRow) -> PublishedPrompt:
    benchmark = given.text("benchmark").strip().lower()
    if benchmark not in INPUTS:
        raise given.bad("`benchmark` names none of the five", f"use one of: {', '.join(INPUTS)}")
    shown = {name: value for name in SHOWN if (value := given.optional(name)) is not None}
    row: PublishedPrompt = {
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
        canonical_json(row)
    except InputError:
        raise given.bad("a text of this row is not Unicode (a lone surrogate)", "correct the text") from None
    return row


def _addition(given: CopyRow, row: PublishedPrompt) -> None:
    a, b, target = row["inputs"]["a"], row["inputs"]["b"], row["target"]
    for name, value in (("a", a), ("b", b), ("target", target)):
        if not _DIGITS.fullmatch(value):
            raise given.bad(f"`{name}` is not a number of decimal digits only")
    if target != str(int(a) + int(b)):
        raise given.bad("`target` is not the sum of `a` and `b`")


def _anagram(given: CopyRow, row: PublishedPrompt) -> None:
    letters = row["inputs"]["anagram"]
    if not re.fullmatch("[a-z]+", letters):
        raise given.bad("`anagram` holds something other than the letters a to z")
    if sorted(letters) != sorted(row["target"]):
        raise given.bad("`target` is not made of the letters of `anagram`")


def _science(given: CopyRow, row: PublishedPrompt) -> None:
    subset = given.text("subset").strip().lower()
    if subset not in SUBSETS:
        raise given.bad("`subset` names no subset of science", f"use one of: {', '.join(SUBSETS)}")
    row["inputs"]["subset"] = subset
    if row["target"] not in ("A", "B", "C", "D"):
        raise given.bad("`target` is not one of A, B, C and D")


def _transforms(given: CopyRow, row: PublishedPrompt) -> None:
    if what := refusal(row.get("answer_shape", "")):
        raise given.bad(f"`answer_shape` is refused: {what}", "give a simple pattern of Python's re")


_CHECKS: Mapping[str, Callable[[CopyRow, PublishedPrompt], None]] = {
    "addition": _addition,
    "anagram": _anagram,
    "science": _science,
    "transforms": _transforms,
}
