"""The stacked curve of each wording by itself: how far a result hangs on how the question was put (reliability 6.1).

It knows labels, difficulties and template ids; it must never know a template's text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import rows
from harness.stats import bin_mean
from harness.studies.reliability import labelled

BINS = 30
NAMES = tuple(labelled.NAMES.values())


def curves(
    columns: Sequence[str], templates: Sequence[Any], bins: Sequence[int], difficulty: Sequence[float]
) -> dict[str, Any]:
    """Give the curve of every wording of one model, and how far they lie apart; `difficulty` is one a bin."""
    counts = _counts(columns, bins, len(difficulty), len(templates))
    found: dict[str, Any] = {}
    for template in dict.fromkeys(templates):
        places = [place for place, each in enumerate(templates) if each == template]
        inside = counts[:, places].sum(axis=1)
        table = [{"difficulty": at, **_shares(triple)} for at, triple in zip(difficulty, inside.tolist(), strict=True)]
        found[str(template)] = {**_shares(inside.sum(axis=0).tolist()), "bins": table}
    return {"templates": found, "spread": spread(found), "degenerate": len(columns) < 2 or len(found) < 2}


def _counts(columns: Sequence[str], bins: Sequence[int], n_bins: int, prompts: int) -> Any:
    """Count labels as an array of bins x prompts x labels."""
    import numpy as np  # noqa: PLC0415

    codes = np.frombuffer("".join(columns).encode(), np.uint8).reshape(len(columns), prompts)
    counts: Any = np.zeros((n_bins, prompts, len(labelled.LABELS)), np.int64)
    for place, label in enumerate(labelled.LABELS):
        np.add.at(counts[:, :, place], np.asarray(bins, np.intp), codes == ord(label))
    return counts


def _shares(triple: Sequence[int]) -> dict[str, Any]:
    return labelled.shares(dict(zip(labelled.LABELS, triple, strict=True)))


def spread(found: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Give the lowest and the highest share among the wordings that have one."""
    ends: dict[str, Any] = {}
    for name in NAMES:
        known = [each[name] for each in found.values() if not isinstance(each[name], Mapping)]
        ends[name] = [min(known), max(known)] if known else labelled.NONE_SCORED
    return ends


def table_of(table: labelled.Table, templates: Sequence[Any], bins: int) -> dict[str, Any]:
    """Give the curves of every model on one benchmark; the bins are the same for all."""
    items = table.items
    places = table.bins(items, bins)
    members: list[list[float]] = [[] for _ in range(max(places, default=-1) + 1)]
    for item, place in zip(items, places, strict=True):
        members[place].append(table.difficulties[item])
    difficulty = [bin_mean(each) for each in members]
    return {model: curves(table.column(model, items), templates, places, difficulty) for model in sorted(table.labels)}


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the curves per wording of every benchmark and model, subsets apart beside them."""
    tables = labelled.gather(labelled.read(inputs["labels"]))
    bins = params.get("bins", BINS)
    document = {
        place: {name: table_of(table, labelled.template_ids(inputs, table), bins) for name, table in group.items()}
        for place, group in (("benchmarks", tables), ("parts", labelled.parts(tables)))
    }
    rows.write_one(out / "sensitivity", document)
