"""Small tables of the study `questions` for tests of measures and pages: items and scores, and the summary of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import rows
from harness.studies.questions.measures import summary

Row = dict[str, Any]


def item(name: str, dataset: str = "d", *, group: Mapping[str, str] | None = None, cluster: str = "") -> Row:
    """Give an item as the maker writes it."""
    meta: Row = {"row": 1, **({"group": dict(group)} if group else {}), **({"cluster": cluster} if cluster else {})}
    return {"id": name, "task": dataset, "input": {"q": "?"}, "difficulty": None, "meta": meta}


def score(name: str, value: Any, *, scorer: str = "exact", model: str = "m", **more: Any) -> Row:
    """Give a score as scorers write it; `wording` and `sample` say which answer, the rest is its detail."""
    place = {"template": more.pop("wording", 1), "sample": more.pop("sample", 0)}
    return {"item": name, "model": model, "scorer": scorer, "value": value, "detail": more, **place}


def error(name: str, **more: Any) -> Row:
    """Give the score of an answer that failed."""
    return score(name, {"missing": "timeout"}, error="timeout", **more)


def summed(
    folder: Path, items: Sequence[Row], scores: Sequence[Row], scorers: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Run the step on two tables, and give the document that it wrote."""
    rows.write(folder / "items", items)
    rows.write(folder / "scores", scores)
    models = sorted({row["model"] for row in scores})
    kinds = scorers or {row["scorer"]: row["scorer"] for row in scores}
    inputs = {"items": folder / "items", "scores": folder / "scores"}
    summary.write({"models": models, "scorers": kinds}, inputs, folder)
    [line] = (folder / "summary").read_text(encoding="utf-8").splitlines()
    found: dict[str, Any] = json.loads(line)
    return found
