"""The document `lengths`: how many words the documents and the ideal answers of each task have (Table 3).

It reads records alone, so it needs no answer. How the paper parted its texts into words is not published. Two readings
are given: parted at white space, as in `breakdowns`, and parted at single spaces, where a line break is no end of a
word (both OURS).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import rows
from harness.rowtypes import Gold, Item
from harness.studies.curie.measures.breakdowns import words
from harness.studies.curie.measures.meta_results import mean
from harness.studies.curie.tasks import VERSION

READINGS: Mapping[str, Callable[[str], int]] = {"white_space": words, "spaces": lambda text: len(text.split(" "))}
ABOUT = {
    "white_space": "mean words, parted at white space (OURS)",
    "spaces": "mean parts between single spaces, so that a line break ends no word (OURS)",
}


def lengths(items: Iterable[Item], golds: Iterable[Gold], tasks: Sequence[str]) -> dict[str, Any]:
    """Return by task the mean lengths of documents and perfect answers, counted in several ways.

    A task without records is left out; one whose items have no text has no length of documents.
    """
    texts: dict[str, dict[str, list[str]]] = {task: {"document": [], "answer": []} for task in tasks}
    task_of: dict[str, str] = {}
    for item in items:
        if item["task"] in texts:
            task_of[item["id"]] = item["task"]
            if "text" in item["input"]:
                texts[item["task"]]["document"].append(str(item["input"]["text"]))
    for gold in golds:
        if gold["id"] in task_of:
            texts[task_of[gold["id"]]]["answer"].append(str(gold["gold"].get("target", "")))
    return {
        task: {name: {"n": len(own), **_means(own)} for name, own in kinds.items() if own}
        for task, kinds in texts.items()
        if any(kinds.values())
    }


def _means(texts: Sequence[str]) -> dict[str, float]:
    return {name: mean([count(text) for text in texts]) for name, count in READINGS.items()}


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the document `lengths`, mean lengths of documents and answers, from the inputs `items` and `gold`."""
    found = lengths(rows.read(inputs["items"], Item), rows.read(inputs["gold"], Gold), params["tasks"])
    rows.write_one(out / "lengths", {"version": VERSION, "about": ABOUT, "tasks": found})
