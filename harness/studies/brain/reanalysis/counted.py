"""The derived counts of Pereira's p-values: their shares, and whether they match the p-values if these are present.

The counts were derived from the authors' files; the authors published no such table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from harness.studies.brain.measures.families import ALPHA
from harness.studies.brain.reanalysis.collection import DIFFERS, EXACT, PublishedResults
from harness.studies.brain.reanalysis.significance import ALONE, COLUMNS, WITH
from harness.studies.brain.terms import LANGUAGE

NOTE = "counted from the authors' p-values; the authors published no such table"
NOT_HERE = "nothing to hold it against: the p-values are not here"
COUNTS = ("raw", "fdr", "alone_fdr")
PRINTED = 5.1e-7  # half of the last digit of a median, plus float rounding


def counted(found: PublishedResults) -> dict[str, Any]:
    """Return how many units the authors counted as significant, with shares, compared with published p-values."""
    document: dict[str, Any] = {}
    for row in found.counts:
        people: Mapping[str, Mapping[str, Any]] = row["participants"]
        whole = {name: sum(int(own[name]) for own in people.values()) for name in ("units", *COUNTS)}
        entry = {
            "file": row["path"],
            "counted": row["counted"],
            "note": NOTE,
            **_shared(whole),
            "participants": {who: {**_shared(own), "median_raw": own["median_raw"]} for who, own in people.items()},
            **_held(found, row),
        }
        at = document.setdefault(row["figure"], {}).setdefault(row["dataset"], {}).setdefault(row["level"], {})
        at[row["pooling"]] = entry
    return document


def _shared(counts: Mapping[str, int]) -> dict[str, Any]:
    told: dict[str, Any] = {"units": counts["units"]}
    for name in COUNTS:
        told |= {name: counts[name], f"{name}_percent": 100 * counts[name] / counts["units"]}
    return told


def _held(found: PublishedResults, row: Mapping[str, Any]) -> dict[str, Any]:
    """Compare counts with p-values of the same figure, level and pooling, in any split."""
    same = ("figure", "dataset", "level", "pooling")
    verdicts = []
    for one in found.tests:
        if one["network"] == LANGUAGE and all(one[name] == row[name] for name in same):
            wrong = [who for who, own in row["participants"].items() if _differs(own, _counts(one, who))]
            verdicts.append(
                {"split": one["split"], "from": one["path"], "differs": wrong, "verdict": DIFFERS if wrong else EXACT}
            )
    if not verdicts:
        return {"verdict": NOT_HERE}
    best = min(verdicts, key=lambda each: len(each["differs"]))
    what = f"counts of {row['counted']}, {row['pooling']}"
    found.note(row["path"], best["from"], what, best["verdict"])
    return best


def _counts(test: Mapping[str, Any], who: str) -> dict[str, float | None]:
    """Count a participant's p-values as the table does; None for a column that was not published."""
    (raw_name, q_name), (_, alone_name) = COLUMNS[WITH], COLUMNS[ALONE]
    raw, q, alone = (_own(test, name, who) for name in (raw_name, q_name, alone_name))
    defined = None if raw is None else [one for one in raw if not math.isnan(one)]
    return {
        "units": test["participants"].count(who),
        "raw": _below(raw),
        "fdr": _below(q),
        "alone_fdr": _below(alone),
        "median_raw": median(defined) if defined else None,
    }


def _own(test: Mapping[str, Any], column: str, who: str) -> list[float] | None:
    if column not in test:
        return None
    return [float(one) for one, person in zip(test[column], test["participants"], strict=True) if person == who]


def _below(values: Sequence[float] | None) -> int | None:
    return None if values is None else sum(one < ALPHA for one in values)


def _differs(told: Mapping[str, Any], own: Mapping[str, float | None]) -> bool:
    """Return whether any value that both have differs; medians are compared to the printed digits."""
    apart = {name: abs(told[name] - value) for name, value in own.items() if value is not None}
    return any(value > (PRINTED if name == "median_raw" else 0) for name, value in apart.items())
