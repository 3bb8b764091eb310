"""The published p-values of units: how many are below .05, raw and corrected, and the family of their correction."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from harness.studies.brain.measures.families import ALPHA, UnitFamily, corrected
from harness.studies.brain.reanalysis.collection import DIFFERS, EXACT, ROUNDING, PublishedResults
from harness.studies.brain.reanalysis.people import in_order

WITH, ALONE = "with_model", "model_alone"
COLUMNS = {WITH: ("pval_orig", "pval"), ALONE: ("pval_LLM_sig_orig", "pval_LLM_sig")}
NO_TARGET = "implausible in Pereira and made of the wrong models in Fedorenko: no target (OURS)"
FAMILIES = ("participant", "all participants", "all poolings of a participant", "all poolings and participants")


def significance(found: PublishedResults) -> dict[str, Any]:
    """Return the numbers of significant units in published p-values, and within which families they were corrected."""
    document: dict[str, Any] = {}
    for row in found.tests:
        beside = [
            one
            for one in found.tests
            if (one["path"], one["split"], one["network"]) == (row["path"], row["split"], row["network"])
        ]
        entry: dict[str, Any] = {"file": row["path"], "units": len(row["participants"])}
        for name in COLUMNS:
            if told := _counts(row, beside, name):
                entry[name] = told
                if row["figure"].startswith("figure6") and name == ALONE:
                    told["note"] = NO_TARGET
                if "verdict" in told:
                    what = (
                        f"{name.replace('_', ' ')}, {row['pooling']}, {row['split']}: corrected within {told['family']}"
                    )
                    found.note(row["path"], row["path"], what, told["verdict"], told["difference"])
        at = document.setdefault(row["figure"], {}).setdefault(row["dataset"], {}).setdefault(row["split"], {})
        network = "" if row["network"] == "language" else f" in {row['network']}"
        at.setdefault(row["level"], {})[row["pooling"] + network] = entry
    return document


def _counts(row: Mapping[str, Any], beside: Sequence[Mapping[str, Any]], name: str) -> dict[str, Any] | None:
    """Count one pair of columns, overall and by participant; redo the correction if raw p-values are published."""
    raw_name, q_name = COLUMNS[name]
    people, raw, q = row["participants"], row.get(raw_name), row.get(q_name)
    if q is None and raw is None:
        return None
    values = None if raw is None else [float(one) for one in raw]
    entry: dict[str, Any] = {
        **_below(values, q),
        "participants": {
            one: {
                "units": people.count(one),
                **_below(
                    *(
                        [each for each, own in zip(column, people, strict=True) if own == one] if column else None
                        for column in (values, q)
                    )
                ),
            }
            for one in in_order({*people})
        },
    }
    if values is None or q is None:
        return {**entry, "family": None, "note": "no raw p-values were published: nothing to correct again"}
    tried = {family: _difference(row, beside, family, raw_name, q_name) for family in FAMILIES}
    family = min(tried, key=lambda each: tried[each])
    judged = EXACT if tried[family] <= ROUNDING else DIFFERS
    return {
        **entry,
        "undefined": sum(map(math.isnan, values)),
        "family": family,
        "difference": tried[family],
        "verdict": judged,
        "other_families": {one: tried[one] for one in FAMILIES if one != family},
    }


def _below(raw: Sequence[float] | None, q: Sequence[float] | None) -> dict[str, Any]:
    """Count values below .05, and their share in percent; None for a column that was not published."""
    told: dict[str, Any] = {}
    for name, column in (("raw", raw), ("fdr", q)):
        count = None if column is None else sum(one < ALPHA for one in column)
        told[name] = count
        told[f"{name}_percent"] = None if count is None or not column else 100 * count / len(column)
    return told


def _difference(
    row: Mapping[str, Any], beside: Sequence[Mapping[str, Any]], family: str, raw_name: str, q_name: str
) -> float:
    """Return the largest difference between the published correction and ours within this family."""
    rows = beside if "poolings" in family else [row]
    p = [float(one) for each in rows for one in each[raw_name]]
    q = [one for each in rows for one in each[q_name]]
    people = [one for each in rows for one in each["participants"]]
    groups: dict[str, list[int]] = {}
    for place, person in enumerate(people):
        groups.setdefault("" if "participants" in family else person, []).append(place)
    ours = corrected(p, [UnitFamily(name, "language", "", tuple(places)) for name, places in groups.items()])
    return max(abs((one or 0.0) - float(other)) for one, other in zip(ours, q, strict=True))
