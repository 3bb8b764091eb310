"""What the score steps of all benchmarks share: one score for each response, by a benchmark's own rules.

It must never know a benchmark, nor who answered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from harness import rows
from harness.errors import InputError
from harness.scorers.outcome.result import Outcome

SCORER = "reliability.outcome"
Label = Callable[[rows.Row, rows.Row, str], Outcome]  # item, gold, response


def write(inputs: Mapping[str, Path], out: Path, label: Label) -> None:
    """Write one score for each response; a response that is an error is counted and never scored."""
    golds = {row["id"]: row for row in rows.read(inputs["gold"])}
    asked = {}
    for row in rows.read(inputs["items"]):
        if row["id"] not in golds:
            raise InputError(f"item {row['id']} has no gold", where="gold", next="give the gold of all items")
        asked[row["id"]] = (row, golds[row["id"]])
    rows.write(out / "scores", _scores(inputs["responses"], asked, label))


def _scores(responses: Path, asked: Mapping[str, tuple[rows.Row, rows.Row]], label: Label) -> Iterator[rows.Row]:
    for row in rows.read(responses):
        item = row["item"]
        if item not in asked:
            raise InputError(f"a response to item {item}, which is not in items", where="responses")
        scored: rows.Row = {
            "item": item,
            "template": row["template"],
            "model": row["model"],
            "sample": row["sample"],
            "scorer": SCORER,
        }
        if row.get("error") is not None:
            reason = row["error"] if isinstance(row["error"], str) else "error"
            yield {**scored, "value": {"missing": reason}, "detail": {"error": row["error"]}}
            continue
        detail = label(*asked[item], row["text"]).row()
        detail["finish"] = row.get("finish")
        outcome = detail.pop("label")
        yield {**scored, "value": int(outcome == "c"), "outcome": outcome, "detail": detail}
