"""Prompt sensitivity: shares of labels over bins for each wording by itself, and their spread.

Rule: docs/reliability-rules.md#bins. It knows labels, difficulties and template ids; it must never know a template's
text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import rows
from harness.studies.reliability.measures.bins import cut
from harness.studies.reliability.measures.labelled import read, template_ids
from harness.studies.reliability.measures.table import Table, codes
from harness.studies.reliability.terms import BINS, LABELS, NAMES, NONE_SCORED, shares


def curves(
    columns: Sequence[str], templates: Sequence[Any], bins: Sequence[int], difficulty: Sequence[float]
) -> dict[str, Any]:
    """Give each wording's shares in each bin and overall, from one model's label texts, and the spread over wordings.

    `bins` has the bin of each item, `difficulty` the mean of each bin.
    """
    counts = _counts(columns, bins, len(difficulty), len(templates))
    found: dict[str, Any] = {}
    for template in dict.fromkeys(templates):
        places = [place for place, each in enumerate(templates) if each == template]
        inside = counts[:, places].sum(axis=1)
        table = [{"difficulty": at, **shares(triple)} for at, triple in zip(difficulty, inside.tolist(), strict=True)]
        found[str(template)] = {**shares(inside.sum(axis=0).tolist()), "bins": table}
    return {"templates": found, "spread": spread(found), "degenerate": len(columns) < 2 or len(found) < 2}


def _counts(columns: Sequence[str], bins: Sequence[int], n_bins: int, prompts: int) -> Any:
    """Count labels as an array of bins x prompts x labels."""
    import numpy as np  # noqa: PLC0415

    found = codes(columns, prompts)
    counts: Any = np.zeros((n_bins, prompts, len(LABELS)), np.int64)
    for place, label in enumerate(LABELS):
        np.add.at(counts[:, :, place], np.asarray(bins, np.intp), found == ord(label))
    return counts


def spread(found: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Give, for each label, the lowest and the highest share over all items among the wordings that have one."""
    ends: dict[str, Any] = {}
    for name in NAMES.values():
        known = [each[name] for each in found.values() if not isinstance(each[name], Mapping)]
        ends[name] = [min(known), max(known)] if known else NONE_SCORED
    return ends


def table_of(table: Table, templates: Sequence[Any], bins: int) -> dict[str, Any]:
    """Give the curves by wording of every model of one label table; the bins are the same for all."""
    found = cut(table.ids, table.difficulties, bins)
    return {model: curves(table.column(model), templates, found.of_item, found.difficulty) for model in table.labels}


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the document `sensitivity`: curves by wording of every model, by benchmark and by subset."""
    document: dict[str, Any] = {"benchmarks": {}, "parts": {}}
    for place, name, table in read(inputs["labels"]).groups():
        document[place][name] = table_of(table, template_ids(inputs, table), params.get("bins", BINS))
    rows.write_one(out / "sensitivity", document)
