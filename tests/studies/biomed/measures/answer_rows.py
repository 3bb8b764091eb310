"""Small runs for the tests of biomed's measures: items, gold and scores as a run writes them, and what steps make."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import rows

RULE = "bioscore-rule"


def item(uuid: str, *, biological: Sequence[str] = ("Drug Meta",), reasoning: Sequence[str] = ("Select",),
         question: str = "Is it?") -> Any:  # fmt: skip
    """Give an item as the makers write it; its template is what stands before the dot of its id."""
    meta = {"template": uuid.partition(".")[0], "biological": list(biological), "reasoning": list(reasoning),
            "yes_no": None}  # fmt: skip
    return {"id": uuid, "task": "biomed", "input": {"question": question}, "difficulty": None, "meta": meta}


def gold(uuid: str, yes: bool | None = None, target: str = "Yes.") -> dict[str, Any]:
    """Give an item's gold."""
    return {"id": uuid, "gold": {"target": target, "source": "", "yes": yes}}


def score(uuid: str, grade: Any, model: str = "m", *, scorer: str = RULE, mode: str = "strict", state: str = "",
          sample: int = 0, value: Any = None, **detail: Any) -> dict[str, Any]:  # fmt: skip
    """Give a score by its grade: a number, -1 for abstained, or the name of a state that has no grade."""
    if isinstance(grade, str):
        state, given = state or grade, {"missing": grade} if value is None else value
    else:
        state, given = state or ("abstained" if grade == -1 else "answered"), -1 if grade == -1 else grade / 3
    said = None if isinstance(grade, str) else str(grade)
    return {
        "item": uuid, "template": 1, "model": model, "sample": sample, "scorer": scorer, "value": given,
        "outcome": state, "detail": {"grade": said, "grades": [said], "state": state, "mode": mode, **detail},
    }  # fmt: skip


def graded(template: str, grades: Sequence[Any], model: str = "m", **more: Any) -> list[dict[str, Any]]:
    """Give the scores of one model on a template, one a grade."""
    return [score(f"{template}.{place}", grade, model, **more) for place, grade in enumerate(grades, 1)]


def made(folder: Path, analyse: Callable[[Mapping[str, Any], Mapping[str, Path], Path], None],
         scores: Sequence[Mapping[str, Any]], *, items: Sequence[Mapping[str, Any]] | None = None,
         tables: Mapping[str, Any] | None = None, **params: Any) -> dict[str, Any]:  # fmt: skip
    """Run a measure's step over rows in files and give the document it writes; items are those of the scores."""
    asked = [item(uuid) for uuid in dict.fromkeys(row["item"] for row in scores)] if items is None else items
    inputs: dict[str, Path] = {}
    given = {"items": asked, "gold": [gold(one["id"]) for one in asked], "scores": scores, **(tables or {})}
    for name, table in given.items():
        if isinstance(table, Path):
            inputs[name] = table
        else:
            inputs[name] = folder / f"{name}.jsonl"
            rows.write(inputs[name], table)
    out = folder / "out"
    out.mkdir(exist_ok=True)
    models = list(dict.fromkeys(row["model"] for row in scores)) or ["m"]
    analyse({"mode": "strict", "models": models, "graders": [RULE], **params}, inputs, out)
    [written] = out.iterdir()
    found: dict[str, Any] = json.loads(written.read_text())
    written.unlink()
    return found
