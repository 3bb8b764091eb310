"""Rows of records: writes items, gold, prompts, images and counts of every task in one shape.

Independent of where a record came from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness import rows
from harness.models.media import image_reference, image_row
from harness.models.media import write_images as write_media
from harness.rowtypes import Gold, Item, Medium

ILLUSTRATED = ("biogr",)  # tasks whose documents are images; their makers have the output `media`
LEVELS: Mapping[str, float] = {"easy": 20.0, "medium": 50.0, "hard": 80.0}  # OURS: a number for imperfect stand-ins


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """One record of a task: the document for a model to read, its ground-truth file, and a perfect answer."""

    id: str  # the record's own id, without the task
    text: str  # what replaces {{text}} of a prompt
    truth: str  # the text of the ground-truth file (JSON, or nearly)
    answer: str  # what an all-knowing model would answer, in the form the prompt asks for
    level: str = ""  # easy, medium or hard; empty if there is no label
    images: tuple[bytes, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)


def item_id(task: str, record: str) -> str:
    """Return the id of a record's item in a task."""
    return f"{task}-{record}"


def write(task: str, records: Iterable[TaskRecord], out: Path, counts: Mapping[str, Any] | None = None) -> None:
    """Write `items`, `gold`, `media` and `counts` of one task; `counts` holds further counts.

    The number of absent records of a published task is given there as `absent`. Tasks of our own have none.
    """
    items: list[Item] = []
    golds: list[Gold] = []
    media: dict[str, Medium] = {}
    for record in sorted(records, key=lambda one: one.id):
        name = item_id(task, record.id)
        item: Item = {
            "id": name,
            "task": task,
            "input": {"text": record.text},
            "difficulty": LEVELS.get(record.level),
            "meta": {**record.meta, "record": record.id, "level": record.level},
        }
        if record.images:
            shown = [image_row(data) for data in record.images]
            media |= {one["id"]: one for one in shown}
            item["attachments"] = [image_reference(one) for one in shown]
        items.append(item)
        golds.append({"id": name, "gold": {"target": record.answer, "truth": record.truth}})
    rows.write(out / "items", items)
    rows.write(out / "gold", golds)
    if task in ILLUSTRATED:
        write_media(out / "media", media.values())
    rows.write_one(out / "counts", {task: {"absent": 0, **(counts or {}), "kept": len(items)}})
