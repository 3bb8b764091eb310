"""One benchmark of the published dataset, with the prompts as they were published.

It must never know how the rows were come by; no message of it holds a word of an item.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.digest import sha256
from harness.errors import InputError
from harness.studies.reliability.budget import token_budget
from harness.studies.reliability.difficulty import Difficulties, calibrated

LICENCE = "gated: its owner promised not to show items"


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one benchmark of the imported dataset: items, gold, budgets, and the prompts as they were published."""
    benchmark = params["benchmark"]
    chosen: dict[str, list[rows.Row]] = {}
    for row in rows.read(inputs["rows"]):
        if row["benchmark"] == benchmark:
            chosen.setdefault(row["instance_id"], []).append(row)
    if not chosen:
        raise InputError(f"the imported dataset holds no {benchmark}", where="rows", next="import the whole dataset")
    names = {instance: f"{benchmark}-{place:05d}" for place, instance in enumerate(sorted(chosen))}
    first = [(names[instance], asked[0]) for instance, asked in sorted(chosen.items())]
    scale = calibrated([row["difficulty"] for _, row in first], params.get("calibration"))
    if all(0 <= row["difficulty"] <= 100 for _, row in first) and "calibration" not in params:
        scale = Difficulties([row["difficulty"] for _, row in first], "published", True)
    rows.write(
        out / "items",
        (_item(name, row, value, scale.meta()) for (name, row), value in zip(first, scale.values, strict=True)),
    )
    rows.write(out / "gold", ({"id": name, "gold": _gold(row)} for name, row in first))
    rows.write(out / "budgets", ({"id": name, "max_tokens": _budget(row)} for name, row in first))
    rows.write(
        out / "rendered", (_prompt(names[instance], row) for instance, asked in sorted(chosen.items()) for row in asked)
    )
    prompts = sum(map(len, chosen.values()))
    rows.write_one(
        out / "counts", {benchmark: {"drawn": len(first), "kept": len(first), "removed": 0, "prompts": prompts}}
    )


def _item(name: str, row: rows.Row, difficulty: float, scale: Mapping[str, Any]) -> rows.Row:
    inputs = dict(row["inputs"])
    options = {letter: inputs.pop(letter) for letter in "ABCD" if row["benchmark"] == "science"}
    meta = {"source": "ReliabilityBench", "gated": True, "template_source": "published", **scale, "licence": LICENCE}
    shown = {"id": name, "task": row["benchmark"], "input": inputs, "difficulty": difficulty, "meta": meta}
    return {**shown, "options": options} if options else shown


def _gold(row: rows.Row) -> dict[str, Any]:
    accepted = row.get("accepted", [])
    gold: dict[str, Any] = {"target": row["target"], "accepted": accepted if isinstance(accepted, list) else [accepted]}
    return {**gold, "answer_shape": row["answer_shape"]} if "answer_shape" in row else gold


def _budget(row: rows.Row) -> int:
    name = row["inputs"].get("subset", "obqa") if row["benchmark"] == "science" else row["benchmark"]
    return token_budget(name, chars=len(row["target"]))


def _prompt(name: str, row: rows.Row) -> rows.Row:
    text = row["prompt"]
    return {"item": name, "template": row["template"], "text": text, "meta": {"text_sha256": sha256(text.encode())}}
