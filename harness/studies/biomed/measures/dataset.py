"""The document `dataset`: questions by template, labels, the balance of yes and no, and what the maker counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import rows
from harness.rowtypes import Gold, Item
from harness.studies.biomed.measures.paper_figures import donut
from harness.studies.biomed.measures.run_answers import AskedItem, asked_items
from harness.studies.biomed.terms import KINDS, VERSION

LARGEST = 270  # questions of a template in the published test set
ABOUT = {
    "labels": "a question counts once in every label it carries; shares are of labels, not of questions",
    "yes_no": "what always the same word would get right, by template: no model's doing",
    "counts": "as the maker of the data counted: the overlap of the official split, where there is one",
}


def dataset(items: Mapping[str, AskedItem], counts: Mapping[str, Any]) -> dict[str, Any]:
    """Describe the items of a run by template, label and balance, and include the counts of their maker."""
    templates = Counter(item.template for item in items.values())
    yes = [item for item in items.values() if item.yes is not None]
    return {
        "version": VERSION,
        "about": ABOUT,
        "n": len(items),
        "templates": {name: templates[name] for name in sorted(templates)},
        "n_templates": len(templates),
        "n_small_templates": sum(size < LARGEST for size in templates.values()),
        "labels": {kind: _labels([item.labels[kind] for item in items.values()]) for kind in KINDS},
        "yes_no": {**_balance(yes), "by_template": _by_template(yes)},
        "counts": dict(counts),
    }


def _labels(labels: Sequence[Sequence[str]]) -> dict[str, Any]:
    found = donut(labels)
    sizes: list[int] = found["sizes"]
    total = sum(sizes)
    per_question = Counter(map(len, labels))
    return {
        "counts": [
            {"label": label, "n": size, "share": size / total}
            for label, size in zip(found["labels"], sizes, strict=True)
        ],
        "n_labels": total,
        "primary": dict(sorted(Counter(each[0] for each in labels if each).items())),
        "questions_by_number": {str(number): per_question[number] for number in sorted(per_question)},
    }


def _balance(items: Sequence[AskedItem]) -> dict[str, Any]:
    yes, n = sum(item.yes is True for item in items), len(items)
    if not n:
        return {"n": 0, "always_yes": NO_QUESTION, "always_no": NO_QUESTION}
    return {"n": n, "n_yes": yes, "n_no": n - yes, "always_yes": yes / n, "always_no": (n - yes) / n}


NO_QUESTION = {"missing": "no question is known to be one of yes or no"}


def _by_template(items: Sequence[AskedItem]) -> dict[str, Any]:
    names = sorted({item.template for item in items})
    return {name: _balance([item for item in items if item.template == name]) for name in names}


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the document `dataset`, numbers of questions by template and label, from `items`, `gold` and `counts`."""
    items = asked_items(rows.read(inputs["items"], Item), rows.read(inputs["gold"], Gold))
    counts: dict[str, Any] = {}
    for row in rows.read(inputs["counts"]) if "counts" in inputs else ():
        counts |= row
    rows.write_one(out / "dataset", dataset(items, counts))
