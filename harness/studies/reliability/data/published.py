"""The maker of one benchmark of the published dataset, with the prompts as they were published.

Independent of how the rows were obtained. Error messages never quote an item.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from harness import rows
from harness.digest import sha256
from harness.errors import InputError
from harness.rowtypes import Gold, Item, Prompt
from harness.studies.reliability.data.budget import token_budget
from harness.studies.reliability.data.difficulty import Difficulties, calibrated
from harness.studies.reliability.data.ids import ids
from harness.studies.reliability.rowtypes import PublishedPrompt

TYPE = "reliabilitybench/1"  # the `type` of every row of an import
LICENCE = "gated: its owner promised not to show items"
PUBLISHED = "published"


def scale(given: Any) -> str:
    """Check the dataset's parameter `difficulty`, which must be `published`; raise InputError for anything else.

    With it the owner states that the difficulties of the rows are the published ones, on the scale 0 to 100.
    """
    if given != PUBLISHED:
        raise InputError(
            "a difficulty is `published`, or ranked",
            where="difficulty",
            next=f"write `difficulty: {PUBLISHED}` where they are on the published scale, 0 to 100, or leave it out",
        )
    return PUBLISHED


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one benchmark as imported from the authors' dataset: items, gold, budgets, published prompts and counts.

    Raises InputError if the rows are not an import, have none of the benchmark, or have unusable difficulties.
    """
    benchmark = params["benchmark"]
    chosen: dict[str, list[PublishedPrompt]] = {}
    for row in _imported(inputs["rows"]):
        if row["benchmark"] == benchmark:
            chosen.setdefault(row["instance_id"], []).append(row)
    if not chosen:
        raise InputError(f"the imported dataset holds no {benchmark}", where="rows", next="import the whole dataset")
    names = dict(zip(sorted(chosen), ids(benchmark, len(chosen)), strict=True))
    first = [(names[instance], asked[0]) for instance, asked in sorted(chosen.items())]
    placed = _placed([row["difficulty"] for _, row in first], params)
    rows.write(
        out / "items",
        (_item(name, row, value, placed.meta()) for (name, row), value in zip(first, placed.values, strict=True)),
    )
    rows.write(out / "gold", (_gold(name, row) for name, row in first))
    rows.write(out / "budgets", ({"id": name, "max_tokens": _budget(row)} for name, row in first))
    rows.write(
        out / "rendered", (_prompt(names[instance], row) for instance, asked in sorted(chosen.items()) for row in asked)
    )
    prompts = sum(map(len, chosen.values()))
    rows.write_one(
        out / "counts", {benchmark: {"drawn": len(first), "kept": len(first), "removed": 0, "prompts": prompts}}
    )


def _imported(path: Path) -> Iterator[PublishedPrompt]:
    """Yield the rows of an import; raise InputError for any other line, such as one of the owner's own copy."""
    for part in rows.parts(path):
        with open(part, "rb") as lines:
            for line in lines:
                try:
                    row = json.loads(line)
                except (ValueError, RecursionError):
                    row = None
                if not isinstance(row, dict) or row.get("type") != TYPE:
                    raise InputError(
                        "this is not an imported dataset",
                        where="rows",
                        next="`harness import reliabilitybench` your copy and pin the digest that it prints",
                    )
                yield cast(PublishedPrompt, row)


def _placed(raw: Sequence[float], params: Mapping[str, Any]) -> Difficulties:
    """Return difficulties on the scale 0 to 100: unchanged if `params` says `published`, else calibrated.

    Raises InputError if both a scale and a calibration are given, or if a published difficulty is outside 0 to 100.
    """
    if "difficulty" not in params:
        return calibrated(raw, params.get("calibration"))
    if "calibration" in params:
        raise InputError(
            "a published difficulty is calibrated already", where="calibration", next="leave one of the two out"
        )
    if not all(0 <= value <= 100 for value in raw):
        raise InputError(
            "a published difficulty lies outside 0 to 100",
            where="difficulty",
            next=f"leave `difficulty: {PUBLISHED}` out: difficulties are then ranked",
        )
    return Difficulties(list(raw), PUBLISHED, True)


def _item(name: str, row: PublishedPrompt, difficulty: float, placed: Mapping[str, Any]) -> Item:
    inputs = dict(row["inputs"])
    options = {letter: inputs.pop(letter) for letter in "ABCD" if row["benchmark"] == "science"}
    meta = {"source": "ReliabilityBench", "gated": True, "template_source": "published", **placed, "licence": LICENCE}
    meta["source_row"] = sha256(row["instance_id"].encode())  # lets the owner find the row, and tells others nothing
    shown: Item = {"id": name, "task": row["benchmark"], "input": inputs, "difficulty": difficulty, "meta": meta}
    if options:
        shown["options"] = options
    return shown


def _gold(name: str, row: PublishedPrompt) -> Gold:
    gold = {"target": row["target"], "accepted": row.get("accepted", [])}
    return {"id": name, "gold": {**gold, "answer_shape": row["answer_shape"]} if "answer_shape" in row else gold}


def _budget(row: PublishedPrompt) -> int:
    name = row["inputs"]["subset"] if row["benchmark"] == "science" else row["benchmark"]
    return token_budget(name, chars=len(row["target"]))


def _prompt(name: str, row: PublishedPrompt) -> Prompt:
    text = row["prompt"]
    return {"item": name, "template": row["template"], "text": text, "meta": {"text_sha256": sha256(text.encode())}}
