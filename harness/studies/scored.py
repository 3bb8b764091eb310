"""The body of a score step: one score for each response, by a study's own rule.

It must never know a rule, nor who answered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.rowtypes import Found, Gold, Item, Missing, Response, Score

Rule = Callable[[Item, Gold, str], Found]  # of the text of a response


def write(inputs: Mapping[str, Path], out: Path, scorer: str, rule: Rule) -> None:
    """Write one score for each response: its rule's finding, or a missing value where the response is an error.

    InputError where an item has no gold, or a response no item.
    """
    golds = {row["id"]: row for row in rows.read(inputs["gold"], Gold)}
    asked = {}
    for row in rows.read(inputs["items"], Item):
        if row["id"] not in golds:
            raise InputError(f"item {row['id']} has no gold", where="gold", next="give the gold of all items")
        asked[row["id"]] = (row, golds[row["id"]])
    rows.write(out / "scores", _scores(inputs["responses"], asked, scorer, rule))


def _scores(responses: Path, asked: Mapping[str, tuple[Item, Gold]], scorer: str, rule: Rule) -> Iterator[Score]:
    for row in rows.read(responses, Response):
        item = row["item"]
        if item not in asked:
            raise InputError(f"a response to item {item}, which is not in items", where="responses")
        if row.get("error") is not None:
            reason = row["error"] if isinstance(row["error"], str) else "error"
            yield _score(row, scorer, {"missing": reason}, {"error": row["error"]})
            continue
        found = rule(*asked[item], row["text"])
        score = _score(row, scorer, found["value"], {**found.get("detail", {}), "finish": row.get("finish")})
        if "outcome" in found:
            score["outcome"] = found["outcome"]
        yield score


def _score(row: Response, scorer: str, value: int | float | str | Missing, detail: Mapping[str, Any]) -> Score:
    return {
        "item": row["item"],
        "template": row["template"],
        "model": row["model"],
        "sample": row["sample"],
        "scorer": scorer,
        "value": value,
        "detail": detail,
    }
