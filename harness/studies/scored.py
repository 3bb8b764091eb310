"""What the score steps of all studies share: one score for each response, by a study's own rule.

It must never know a rule, nor who answered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError

# Item, gold and the text of a response → its `value`, and where they are known its `outcome` and `detail`.
Rule = Callable[[rows.Row, rows.Row, str], Mapping[str, Any]]


def write(inputs: Mapping[str, Path], out: Path, scorer: str, rule: Rule) -> None:
    """Write one score for each response; a response that is an error is counted and never scored."""
    golds = {row["id"]: row for row in rows.read(inputs["gold"])}
    asked = {}
    for row in rows.read(inputs["items"]):
        if row["id"] not in golds:
            raise InputError(f"item {row['id']} has no gold", where="gold", next="give the gold of all items")
        asked[row["id"]] = (row, golds[row["id"]])
    rows.write(out / "scores", _scores(inputs["responses"], asked, scorer, rule))


def _scores(
    responses: Path, asked: Mapping[str, tuple[rows.Row, rows.Row]], scorer: str, rule: Rule
) -> Iterator[rows.Row]:
    for row in rows.read(responses):
        item = row["item"]
        if item not in asked:
            raise InputError(f"a response to item {item}, which is not in items", where="responses")
        scored: rows.Row = {name: row[name] for name in ("item", "template", "model", "sample")}
        scored["scorer"] = scorer
        if row.get("error") is not None:
            reason = row["error"] if isinstance(row["error"], str) else "error"
            yield {**scored, "value": {"missing": reason}, "detail": {"error": row["error"]}}
            continue
        found = rule(*asked[item], row["text"])
        yield {**scored, **found, "detail": {**found.get("detail", {}), "finish": row.get("finish")}}
