"""Slices: primary metrics by difficulty and by the length of a protein.

Formats the document `slices`. Computes no values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.kit.documents import ends, number, reason, section
from harness.kit.pages import NONE, Html, count, el, folded, join, named, table, value
from harness.studies.curie.pages.run_facts import HUNDRED, METRICS, RunFacts, task_title

LEVELS = ("easy", "medium", "hard")


def slices(run: RunFacts, document: Mapping[str, Any], means: Mapping[str, Any]) -> list[Html]:
    """Return the tables by difficulty and by length; empty without the document."""
    if not document:
        return []
    return [*_difficulty(run, section(document, "difficulty"), means), *_length(run, document)]


def _difficulty(run: RunFacts, found: Mapping[str, Any], means: Mapping[str, Any]) -> Iterator[Html]:
    rows = [name for name in run.ranked(means) if _any(section(found, "pooled", name))]
    pooled, macro = section(found, "pooled"), section(found, "macro")
    head = ["Who", *(f"{level}: all records" for level in LEVELS), *(f"{level}: mean of domains" for level in LEVELS)]
    body = [
        [
            named(name),
            *(_level(section(pooled, name, level), "n", "") for level in LEVELS),
            *(_level(section(macro, name, level), "n_domains", " domains") for level in LEVELS),
        ]
        for name in rows
    ]
    yield table(
        "By difficulty, 0 to 100: all records of the averaged tasks together, where a DFT record counts thrice, and "
        "the mean of domains",
        head,
        body,
    )
    inside = [
        table(
            _caption(found, task),
            ["Who", *map(str.capitalize, LEVELS)],
            [
                [named(name), *(_level(section(found, "tasks", task, name, level), "n", "") for level in LEVELS)]
                for name in rows
                if _any(section(found, "tasks", task, name))
            ],
        )
        for task in run.tasks
        if section(found, "tasks", task)
    ]
    yield folded("By difficulty, task by task", *inside)


def _any(found: Mapping[str, Any]) -> bool:
    return any(number(section(found, level)) is not None for level in LEVELS)


def _level(found: Mapping[str, Any], counter: str, unit: str) -> Html:
    known = number(found)
    if known is None:
        return join([NONE])
    records = number(found.get(counter))
    words = "" if records is None else f"n {records:,.0f}" if not unit else f"{records:,.0f}{unit}"
    return join([f"{HUNDRED * known:z.1f}", el("span", words, class_="ci")])


def _caption(found: Mapping[str, Any], task: str) -> str:
    records = section(found, "records", task)
    told = ", ".join(f"{number(each) or 0:,.0f} {level}" for level, each in records.items())
    return f"{task_title(task)}: {told}"


def _length(run: RunFacts, document: Mapping[str, Any]) -> Iterator[Html]:
    found = section(document, "length")
    if not found:
        yield el("p", f"By length: {reason(document.get('length'))}.")
        return
    bins = found.get("bins") or []
    metric = METRICS.get(str(found.get("metric")), str(found.get("metric")))
    head = ["Residues", "Records", "All models: mean", "25th percentile", "Median", "75th percentile"]
    body = [
        [
            ends(each) or NONE,
            count(each.get("n_records")),
            *(value(each.get(name), 1, HUNDRED) for name in ("value", "q25", "median", "q75")),
        ]
        for each in bins
    ]
    without = number(found.get("without_length")) or 0
    caption = f"PDB by the length of the gold sequence: {metric}, 0 to 100; {without:,.0f} records without a length"
    yield table(caption, head, body)
    names = [name for name in run.everybody if any(number(section(each, "models", name)) is not None for each in bins)]
    rows = [
        [ends(each) or NONE, *(value(section(each, "models", name).get("value"), 1, HUNDRED) for name in names)]
        for each in bins
    ]
    inside = table("PDB by length, model by model: means", ["Residues", *map(named, names)], rows)
    yield folded("PDB by length, model by model", inside)
