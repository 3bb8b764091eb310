"""Few-shot examples: how they are written into a prompt, and a check that none of them is asked as a question.

A maker writes them to its output `shots`; a wording that shows them holds `{shots}`, and says in `shot` how each is
written. It must never know a benchmark or a model.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import rows
from harness.digest import canonical, sha256
from harness.errors import InputError
from harness.rowtypes import Item, Shot

NAME = "shots"  # what a wording calls them, and what a maker's output is called
ANSWER = "answer"  # what a wording calls an example's answer


def disjoint(shots: Collection[Shot], items: Iterable[Item]) -> None:
    """Refuse (InputError) an example that is also an item, under any id: its answer would stand in its prompt."""
    ids, asked = {shot["id"] for shot in shots}, {_shown(shot["input"]): shot["id"] for shot in shots}
    for item in items:
        same = item["id"] if item["id"] in ids else asked.get(_shown(item["input"]))
        if same is not None:
            raise InputError(
                f"the example {same} is asked too",
                where=f"item {item['id']}",
                next="draw examples from rows that are left out of the items",
            )


def given(params: Mapping[str, Any], inputs: Mapping[str, Path]) -> Sequence[Shot]:
    """Give as many examples as a step shows, the first ones; none where it has no input `shots`.

    InputError where an item is among all examples, or where there are too few, or two of one id.
    """
    if NAME not in inputs:
        return []
    found, count = list(rows.read(inputs[NAME], Shot)), int(params[NAME])
    disjoint(found, rows.read(inputs["items"], Item))
    if len(found) < count or len({shot["id"] for shot in found}) < len(found):
        raise InputError(
            f"the dataset has {len({shot['id'] for shot in found})} examples, and {count} are to be shown",
            where=NAME,
            next="draw more, or show fewer",
        )
    return found[:count]


def values(shot: Shot) -> dict[str, Any]:
    """Give the values for an example's placeholders: its item's fields, and the answer."""
    return {**shot["input"], ANSWER: shot["answer"]}


def _shown(value: Mapping[str, Any]) -> str:
    return sha256(canonical(dict(value)))
