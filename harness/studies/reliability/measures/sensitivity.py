"""Prompt sensitivity: shares of labels over bins for each wording by itself, their spread, and which follow no trend.

Rule: docs/reliability-rules.md#bins. Works on labels, difficulties and template ids; independent of template texts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from harness import rows, stats
from harness.studies.reliability.measures.bins import cut
from harness.studies.reliability.measures.labelled import read, template_ids
from harness.studies.reliability.measures.table import Table, codes
from harness.studies.reliability.terms import BINS, LABELS, NAMES, NONE_SCORED, shares

PAIRS = 3.857  # the normal quantile of 95 % for the 435 pairs of thirty bins together


def curves(
    columns: Sequence[str], templates: Sequence[Any], bins: Sequence[int], difficulty: Sequence[float]
) -> dict[str, Any]:
    """Return one model's label shares over difficulty for each prompt wording, and their spread over wordings.

    `bins` has the bin of each item, `difficulty` the mean of each bin.
    """
    counts = _counts(columns, bins, len(difficulty), len(templates))
    found: dict[str, Any] = {}
    for template in dict.fromkeys(templates):
        places = [place for place, each in enumerate(templates) if each == template]
        inside = counts[:, places].sum(axis=1)
        triples: list[list[int]] = inside.tolist()
        table = [{"difficulty": at, **shares(triple)} for at, triple in zip(difficulty, triples, strict=True)]
        found[str(template)] = {**shares(inside.sum(axis=0).tolist()), "bins": table, **trend(triples, difficulty)}
    rising = [name for name, each in found.items() if each["rises"] is True]
    return {
        "templates": found,
        "spread": spread(found),
        "rising": {"wordings": rising, "of": sum(each["rises"] is not None for each in found.values())},
        "degenerate": len(columns) < 2 or len(found) < 2,
    }


def trend(counts: Sequence[Sequence[int]], difficulty: Sequence[float]) -> dict[str, Any]:
    """Return each label's correlation with difficulty for one wording, and whether correctness rises between bins.

    OURS, for the finding that some wordings do not follow the average: `rises` says that in some harder bin the share
    correct is higher than in an easier one by more than chance gives (their intervals do not meet; Wilson's, at 95 %
    for all pairs of thirty bins together). None where fewer than two bins have a response.
    """
    known = [(at, triple) for at, triple in zip(difficulty, counts, strict=True) if sum(triple)]
    ranks: dict[str, Any] = {}
    for place, name in enumerate(NAMES.values()):
        value = stats.spearman([at for at, _ in known], [triple[place] / sum(triple) for _, triple in known])
        ranks[name] = {"missing": "constant over the bins"} if value is None else value
    if len(known) < 2:
        return {"spearman": ranks, "rises": None}
    ends = [_wilson_ends(triple[0], sum(triple)) for _, triple in known]
    rises = any(later[0] > earlier[1] for earlier, later in combinations(ends, 2))
    return {"spearman": ranks, "rises": rises}


def _wilson_ends(count: int, of: int) -> tuple[float, float]:
    """Return Wilson's interval of a share, wide enough for all pairs of bins together."""
    centre, half = count + PAIRS * PAIRS / 2, PAIRS * math.sqrt(count * (of - count) / of + PAIRS * PAIRS / 4)
    return (centre - half) / (of + PAIRS * PAIRS), (centre + half) / (of + PAIRS * PAIRS)


def _counts(columns: Sequence[str], bins: Sequence[int], n_bins: int, prompts: int) -> Any:
    """Return label counts as an array of bins x prompts x labels."""
    found = codes(columns, prompts)
    counts: Any = np.zeros((n_bins, prompts, len(LABELS)), np.int64)
    for place, label in enumerate(LABELS):
        np.add.at(counts[:, :, place], np.asarray(bins, np.intp), found == ord(label))
    return counts


def spread(found: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return for each label its lowest and highest share among the prompt wordings, over all items."""
    ends: dict[str, Any] = {}
    for name in NAMES.values():
        known = [each[name] for each in found.values() if not isinstance(each[name], Mapping)]
        ends[name] = [min(known), max(known)] if known else NONE_SCORED
    return ends


def table_of(table: Table, templates: Sequence[Any], bins: int) -> dict[str, Any]:
    """Return the label shares by wording of every model of one table; difficulty bins are the same for all."""
    found = cut(table.ids, table.difficulties, bins)
    return {model: curves(table.column(model), templates, found.of_item, found.difficulty) for model in table.labels}


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the document `sensitivity`: curves by wording of every model, by benchmark and by subset."""
    document: dict[str, Any] = {"benchmarks": {}, "parts": {}}
    for place, name, table in read(inputs["labels"]).groups():
        document[place][name] = table_of(table, template_ids(inputs, table), params.get("bins", BINS))
    rows.write_one(out / "sensitivity", document)
