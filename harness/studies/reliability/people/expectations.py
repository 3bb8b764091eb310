"""Study S1: the failure people expect against their own observed failure, and their confidence.

Rule: docs/reliability-rules.md#people. Chooses the difficulty function by |Spearman| with the mean expected failure,
and fits the logistic calibration. Works on people's numbers and items' measures; treats simulated people like real
ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.digest import canonical_json, sha256
from harness.errors import InputError
from harness.stats import is_number
from harness.studies.reliability.measures.bins import cut
from harness.studies.reliability.measures.calibration import fit
from harness.studies.reliability.measures.calibration_rows import fit_rows
from harness.studies.reliability.people.ratings import CONSTANT, Rating, RatingArrays

BINS = 10
Candidates = Mapping[str, Mapping[str, float]]  # function -> item -> value


def summary(
    given: Sequence[Rating], candidates: Candidates, difficulty: Mapping[str, float] | None, seed: int, draws: int
) -> dict[str, Any]:
    """Return the results of study S1 (expected failures) on a benchmark or subset; failures and confidence in per cent.

    The results are the chosen difficulty function, its logistic calibration, expected against observed failure of
    participants, their confidence, and, if difficulties are given, curves over bins. Without ratings the result is
    `missing`.
    """
    if not given:
        return {"missing": "no survey rows"}
    sheet = RatingArrays(given, seed, draws)
    expected, failed, sure = (sheet.means(each) for each in (sheet.expected, sheet.failed, sheet.sure))
    selection = _selection(sheet, candidates, expected)
    chosen = selection["selected"]
    fitted: dict[str, Any] = {"missing": "no function was selected"}
    if isinstance(chosen, str):
        fitted = _calibration(sheet, given, chosen, candidates[chosen])
    all_expected, all_failed, all_sure = (sheet.mean(each) for each in (sheet.expected, sheet.failed, sheet.sure))
    right, wrong = sheet.there * (sheet.failed == 0), sheet.there * (sheet.failed > 0)
    return {
        "participants": len(sheet.people),
        "items": len(sheet.items),
        "ratings": len(given),
        "degenerate": len(sheet.people) < 2 or len(sheet.items) < 2,
        "selection": selection,
        "calibration": fitted,
        "perceived": {
            "spearman": sheet.spearman(expected, failed),
            "expected_failure": sheet.shown(*all_expected),
            "actual_failure": sheet.shown(*all_failed),
            "difference": sheet.difference(all_expected, all_failed),
        },
        "confidence": {
            "mean": sheet.shown(*all_sure),
            "when_correct": sheet.shown(*sheet.mean(sheet.sure, right)),
            "when_not_correct": sheet.shown(*sheet.mean(sheet.sure, wrong)),
            "overconfidence": sheet.difference(all_sure, (_rest(all_failed[0]), 100 - all_failed[1])),
            "spearman_with_correctness": sheet.spearman(sure, (100 - failed[0], 100 - failed[1])),
            "spearman_with_expected_failure": sheet.spearman(sure, expected),
        },
        "curve": _curve(sheet, difficulty) if difficulty is not None else [],
    }


def _rest(value: float | None) -> float | None:
    return None if value is None else 100 - value


def _selection(sheet: RatingArrays, candidates: Candidates, expected: tuple[Any, Any]) -> dict[str, Any]:
    """Choose the difficulty function by the largest |Spearman| with the items' mean expected failure (OURS)."""
    import numpy as np  # noqa: PLC0415

    found: dict[str, Any] = {}
    for name in sorted(candidates):
        at = [place for place, item in enumerate(sheet.items) if item in candidates[name]]
        values = np.array([candidates[name][sheet.items[place]] for place in at], float)
        told = sheet.spearman((values, values[None, :]), (expected[0][at], expected[1][:, at]))
        found[name] = {"spearman": told, "n_items": len(at)}
    defined = [name for name, row in found.items() if is_number(row["spearman"]["value"])]
    best = max(defined, key=lambda name: abs(found[name]["spearman"]["value"]), default=None)  # ties: the first name
    return {"selected": best or {"missing": CONSTANT}, "candidates": found}


def _calibration(sheet: RatingArrays, given: Sequence[Rating], name: str, known: Mapping[str, float]) -> dict[str, Any]:
    """Fit the logistic to the items' mean expected failure, weighted by their number of ratings.

    Rule: docs/reliability-rules.md#calibration. The result is `missing` if the points admit no fit.
    """
    at = [place for place, item in enumerate(sheet.items) if item in known]
    f = [known[sheet.items[place]] for place in at]
    counts = sheet.there.sum(axis=0)[at]
    y, resampled = sheet.means(sheet.expected)
    try:
        found = fit(f, (y[at] / 100).tolist(), counts.tolist())
    except InputError as bad:  # separable or constant data; the report gives the reason
        return {"missing": bad.what}
    alphas, betas = fit_rows(f, resampled[:, at] / 100, sheet.rated[:, at])
    used = sorted((each for each in given if each.item in known), key=lambda each: (each.item, each.person))
    data = sha256(b"".join(canonical_json(each.row()) + b"\n" for each in used))
    return {
        **found.row(),
        "function": name,
        "alpha": sheet.shown(found.alpha, alphas),
        "beta": sheet.shown(found.beta, betas),
        "block": found.block(len(used), data),
    }


def _curve(sheet: RatingArrays, difficulty: Mapping[str, float]) -> list[dict[str, Any]]:
    """Return people's expected and observed failure and confidence in bins of equally many items, by difficulty."""
    import numpy as np  # noqa: PLC0415

    found = cut(sheet.items, [difficulty[item] for item in sheet.items], BINS)
    place = np.array(found.of_item)
    table = []
    for number, members in enumerate(found.members):
        inside = sheet.there * (place == number)
        row: dict[str, Any] = {**found.span(number), "items": len(members), "n": int(inside.sum())}
        for name, values in (
            ("expected_failure", sheet.expected),
            ("actual_failure", sheet.failed),
            ("confidence", sheet.sure),
        ):
            row[name] = sheet.shown(*sheet.mean(values, inside))
        table.append(row)
    return table
