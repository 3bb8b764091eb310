"""Paired tests of two models on the same items and wordings: McNemar, sign flips, intervals.

Rules (OURS): docs/reliability-rules.md#uncertainty. Wordings of one item are not independent draws. A test is therefore
made per wording or over items, never pooled over wordings. Works on labels, subsets and names; independent of responses
and rules.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.kit import resample
from harness.kit.resample import multiplicities, sign_flips
from harness.stats import holm, mcnemar, sign_flip_p
from harness.studies.reliability.measures.labelled import read, template_ids
from harness.studies.reliability.measures.table import Table, codes
from harness.studies.reliability.terms import UNSCORED

NO_PAIRS = "no item and wording was scored for both"
MEASURES: Mapping[str, Callable[[Any], Any]] = {
    "correctness": lambda codes: codes == ord("c"),
    "prudence": lambda codes: codes != ord("i"),
}


@dataclass(frozen=True)
class PairedDraws:
    """Bootstrap resamples and random sign flips of one table's items, the same for all pairs of models."""

    weights: Any
    flips: Any
    units: int  # items of the largest subset, within which items are resampled

    @staticmethod
    def of(strata: Mapping[str, Sequence[int]], what: str, seed: int, count: int) -> PairedDraws:
        """Draw `count` bootstrap resamples and sign flips from `seed`, for the purpose `what`.

        `strata` holds the positions of the items of each subset; subsets are resampled separately.
        """
        import numpy as np  # noqa: PLC0415

        flips = sign_flips(seed, count, what, sum(map(len, strata.values())))
        drawn = multiplicities(seed, count, strata)
        units = max(map(len, strata.values()), default=0)
        return PairedDraws(drawn.astype(np.float64), flips, units)  # integers as floats: their products stay exact


@dataclass(frozen=True)
class MeasureDifference:
    """Two models' difference in one measure on one table: as a document row, resampled, and by item."""

    row: dict[str, Any]
    value: float | None
    resampled: Any
    units: int


def compare(
    a: Sequence[str], b: Sequence[str], templates: Sequence[Any], draws: PairedDraws
) -> dict[str, MeasureDifference]:
    """Compare two models' correctness and prudence on the same items and wordings, by paired differences.

    Returns the difference in correctness and in prudence, first model minus second.
    """
    left, right = (codes(column, len(templates)) for column in (a, b))
    both = (left != ord(UNSCORED)) & (right != ord(UNSCORED))
    return {
        name: _measured(hit(left) & both, hit(right) & both, both, templates, draws) for name, hit in MEASURES.items()
    }


def _measured(left: Any, right: Any, both: Any, templates: Sequence[Any], draws: PairedDraws) -> MeasureDifference:
    import numpy as np  # noqa: PLC0415

    counted = zip((left & ~right).sum(axis=0).tolist(), (right & ~left).sum(axis=0).tolist(), strict=True)
    splits = list(counted)
    p = [mcnemar(*split) for split in splits]
    table = [
        {"template": template, "a_only": split[0], "b_only": split[1], "n": n, "p": each, "p_holm": adjusted}
        for template, split, n, each, adjusted in zip(
            templates, splits, both.sum(axis=0).tolist(), p, holm(p), strict=True
        )
    ]
    lead = left.sum(axis=1) - right.sum(axis=1).astype(np.int64)  # per item; integers, so that comparisons are exact
    pairs = both.sum(axis=1)
    total = int(pairs.sum())
    value = float(lead.sum() / total) if total else None
    resampled = resample.ratio(draws.weights @ lead, draws.weights @ pairs)
    row = {
        "templates": table,
        "difference": resample.beside(value, resampled, draws.units, NO_PAIRS),
        "sign_flip_p": sign_flip_p(draws.flips, lead) if total else {"missing": NO_PAIRS},
        "n_items": len(lead),
        "n_pairs": total,
        "degenerate": draws.units < resample.FEWEST or not total,
    }
    return MeasureDifference(row, value, resampled, draws.units)


def as_document(found: Mapping[str, MeasureDifference]) -> dict[str, Any]:
    """Return a comparison of two models as document fields; the measure prudence is nested under `prudence`."""
    return {**found["correctness"].row, "prudence": found["prudence"].row}


def overall(found: Sequence[Mapping[str, MeasureDifference]]) -> dict[str, Any]:
    """Return a pair of models' mean differences over benchmarks, unweighted, with intervals.

    Rule: docs/reliability-rules.md#aggregation.
    """
    row: dict[str, Any] = {"benchmarks": len(found)}
    for name in MEASURES:
        each = [measured[name] for measured in found if measured[name].value is not None]
        value = math.fsum(m.value or 0.0 for m in each) / len(each) if each else None
        mean = reduce(add, (m.resampled for m in each)) / len(each) if each else None
        units = min((m.units for m in each), default=0)
        row[name] = {"difference": resample.beside(value, mean, units, NO_PAIRS)}
    return row


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the document `comparisons`: each pair of models in `params`, by benchmark, by subset and overall.

    Raises InputError for a model without labels.
    """
    wanted = [tuple(pair) for pair in params["pairs"]]
    models = {model for pair in wanted for model in pair}
    labels = read(inputs["labels"])
    known = {model for table in labels.benchmarks.values() for model in table.labels}
    if lacking := sorted(models - known):
        raise InputError(f"no labels of the model {lacking[0]}", where="pairs", next="name models of this run")
    results: list[dict[str, Any]] = [{"a": a, "b": b, "benchmarks": {}, "parts": {}} for a, b in wanted]
    means: list[list[Mapping[str, MeasureDifference]]] = [[] for _ in wanted]
    for place, name, table in labels.groups():
        for number, found in _pairs(table, wanted, params, template_ids(inputs, table)):
            results[number][place][name] = as_document(found)
            if place == "benchmarks":
                means[number].append(found)
    for result, found_all in zip(results, means, strict=True):
        result["overall"] = overall(found_all)
    rows.write_one(out / "comparisons", {"pairs": results, "resamples": params.get("resamples", resample.RESAMPLES)})


def _pairs(
    table: Table, wanted: Sequence[Sequence[str]], params: Mapping[str, Any], templates: Sequence[Any]
) -> list[tuple[int, Mapping[str, MeasureDifference]]]:
    """Compare the pairs of which both models have labels in a table, on the same draws; return (number, result)."""
    met = [(number, a, b) for number, (a, b) in enumerate(wanted) if a in table.labels and b in table.labels]
    if not met:
        return []
    again = params.get("seed", 0), params.get("resamples", resample.RESAMPLES)
    draws = PairedDraws.of(table.strata(), table.name, *again)
    return [(number, compare(table.column(a), table.column(b), templates, draws)) for number, a, b in met]
