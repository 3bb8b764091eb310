"""Small runs for the tests of measures: items and scores as a run writes them, and the documents made of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import rows
from harness.studies.curie.data.records import item_id

PRIMARY = {
    "dft-s": ["llmsim.rule", "f1"], "dft-p": ["llmsim.rule", "f1"], "dft-c": ["facts", "facts_f1"],
    "mpv": ["llmsim.rule", "f1"], "hfd": ["facts", "facts_f1"], "hfe": ["facts", "facts_f1"],
    "qecc": ["facts", "facts_f1"], "geo": ["facts", "facts_f1"], "biogr": ["boxes", "iou"],
    "pdb": ["sequence", "chance_corrected"],
}  # fmt: skip
TEN = tuple(PRIMARY)


def item(task: str, record: str, level: str = "easy", text: str = "") -> dict[str, Any]:
    """Give an item as the makers write it."""
    meta = {"record": record, "level": level}
    return {"id": item_id(task, record), "task": task, "input": {"text": text}, "difficulty": None, "meta": meta}


def score(
    task: str,
    record: str,
    value: Any,
    model: str = "m",
    *,
    scorer: str = "",
    metrics: Mapping[str, Any] | None = None,
    sample: int = 0,
    outcome: str = "valid",
    mode: str = "strict",
    **detail: Any,
) -> dict[str, Any]:
    """Give a score as a rule writes it."""
    return {
        "item": item_id(task, record), "template": 1, "model": model, "sample": sample,
        "scorer": scorer or PRIMARY[task][0], "value": value, "outcome": outcome,
        "detail": {"metrics": dict(metrics or {}), "mode": mode, **detail},
    }  # fmt: skip


def failed(task: str, record: str, model: str = "m", *, sample: int = 0, scorer: str = "") -> dict[str, Any]:
    """Give the score of an answer that is an error."""
    row = score(task, record, {"missing": "HTTP 500"}, model, sample=sample, scorer=scorer)
    del row["outcome"]
    return {**row, "detail": {"error": "HTTP 500"}}


def made(
    folder: Path,
    analyse: Callable[[Mapping[str, Any], Mapping[str, Path], Path], None],
    items: Sequence[Mapping[str, Any]],
    scores: Sequence[Mapping[str, Any]],
    *,
    tables: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    **params: Any,
) -> dict[str, Any]:
    """Run a measure's step over rows in files and give the document it writes."""
    inputs = {}
    for name, table in {"items": items, "scores": scores, **(tables or {})}.items():
        inputs[name] = folder / f"{name}.jsonl"
        rows.write(inputs[name], table)
    usual = {
        "mode": "strict", "models": ["m"], "strategies": [], "resamples": 50, "averaged": list(TEN),
        "tasks": sorted({one["task"] for one in items}), "primary": PRIMARY,
    }  # fmt: skip
    out = folder / "out"
    out.mkdir(exist_ok=True)
    analyse({**usual, **params}, inputs, out)
    [written] = out.iterdir()
    found: dict[str, Any] = json.loads(written.read_text())
    written.unlink()
    return found
