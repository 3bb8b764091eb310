"""The step that labels responses to additions; apart from the maker, whose data must not depend on a scoring rule.

It must never know who answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.scorers.outcome.addition import addition

SCORER = "reliability.outcome"


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one score for each response; a response that is an error is counted and never scored."""
    addends = {row["id"]: (row["input"]["a"], row["input"]["b"]) for row in rows.read(inputs["items"])}
    for row in rows.read(inputs["gold"]):
        a, b = addends.get(row["id"], ("0", "0"))
        if row["id"] in addends and row["gold"]["target"] != str(int(a) + int(b)):
            raise InputError("the gold is not the sum of the addends", where=f"gold {row['id']}")
    rows.write(out / "scores", _scores(inputs["responses"], addends))


def _scores(responses: Path, addends: Mapping[str, tuple[str, str]]) -> Iterator[rows.Row]:
    for row in rows.read(responses):
        item = row["item"]
        if item not in addends:
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
        detail = addition(*addends[item], row["text"]).row()
        label = detail.pop("label")
        yield {**scored, "value": int(label == "c"), "outcome": label, "detail": detail}
