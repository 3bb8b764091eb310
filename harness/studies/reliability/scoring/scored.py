"""The body of the benchmarks' score steps: one score for each response, by the benchmark's own labelling rule.

A response that is an error has no score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, overload

from harness import rows
from harness.answers import result
from harness.answers.result import LabelResult
from harness.errors import InputError
from harness.rowtypes import Found, Gold, Item, Missing, Response, Score

Rule = Callable[[Item, Gold, str], Found]  # of the text of a response


def write_scores(inputs: Mapping[str, Path], out: Path, scorer: str, rule: Rule) -> None:
    """Write one score for each response by a labelling rule; a missing value if the response is an error.

    Raises InputError if an item has no gold or a response has no item.
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


SCORER = "reliability.outcome"
Label = Callable[[Item, Gold, str], LabelResult]  # of the text of a response
LabelBy = Callable[[Item, Gold, str, str], LabelResult]  # with the name of a rule set
Step = Callable[[Mapping[str, Any], Mapping[str, Path], Path], None]


def score_step(label: LabelBy) -> Step:
    """Return a step function that writes scores, from a function that labels one response by item and gold."""

    def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
        rules = result.of(params)
        write(inputs, out, lambda item, gold, text: label(item, gold, text, rules))

    return score


def write(inputs: Mapping[str, Path], out: Path, label: Label) -> None:
    """Write one score for each response: 1 if labelled correct, 0 if avoidant or incorrect, with the label's evidence.

    A response that is an error has no value.
    """

    def rule(item: Item, gold: Gold, text: str) -> Found:
        detail = label(item, gold, text).row()
        outcome = detail.pop("label")
        return {"value": int(outcome == "c"), "outcome": outcome, "detail": detail}

    write_scores(inputs, out, SCORER, rule)


@overload
def part(row: Item, field: Literal["input", "options"], *path: str) -> Any: ...
@overload
def part(row: Gold, field: Literal["gold"], *path: str) -> Any: ...
def part(row: Item | Gold, field: str, *path: str) -> Any:
    """Return a nested field of an item or a gold by its path; raise InputError, naming row and field, if missing."""
    found: Any = row
    for name in (field, *path):
        if not isinstance(found, Mapping) or name not in found:
            raise InputError(f"the field {name!r} is missing", where=f"{'/'.join((field, *path))} of {row['id']}")
        found = found[name]
    return found
