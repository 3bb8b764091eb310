"""Runs score steps of the study `questions` on answers written by hand, through the tables that a run would write."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from harness import rows
from harness.studies.questions.settings import QuestionsSettings

Step = Callable[[Mapping[str, Any], Mapping[str, Path], Path], None]
SETTINGS: TypeAdapter[Any] = TypeAdapter(QuestionsSettings)


def entry(written: Any) -> dict[str, Any]:
    """Give one entry of `settings.score` as a brief holds it."""
    typed = SETTINGS.dump_python(SETTINGS.validate_python({"score": [written]}), mode="json")
    [found] = typed["score"]
    return dict(found)


def scores(
    folder: Path,
    step: Step,
    written: Any,
    answers: Sequence[str],
    gold: Mapping[str, Any],
    more: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    **item: Any,
) -> list[dict[str, Any]]:
    """Score answers to one item each, all with the same gold, by a step that is told what an entry says."""
    names = [f"i{place}" for place in range(len(answers))]
    tables: dict[str, Sequence[Mapping[str, Any]]] = {
        "items": [{"id": name, "task": "t", "input": {"question": "?"}, "difficulty": None, "meta": {},
        **item} for name in names],
        "gold": [{"id": name, "gold": dict(gold)} for name in names],
        "responses": [
            {"item": name, "template": 1, "model": "m", "sample": 0, "text": text, "finish": "stop"}
            for name, text in zip(names, answers, strict=True)
        ],
        **(more or {}),
    }  # fmt: skip
    for name, table in tables.items():
        rows.write(folder / name, table)
    step(entry(written), {name: folder / name for name in tables}, folder)
    return list(rows.read(folder / "scores"))


def values(*args: Any, **more: Any) -> list[Any]:
    """Give the values alone."""
    return [row["value"] for row in scores(*args, **more)]
