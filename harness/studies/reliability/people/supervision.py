"""Study S2: the confusion matrix of outputs' scored labels and human verdicts, and error shares.

Rule: docs/reliability-rules.md#people. Cells are always named model->human. Works on pairs of labels, people and
difficulties; sees no output texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from harness.errors import InputError
from harness.kit import resample
from harness.kit.resample import multiplicities
from harness.studies.reliability.measures.bins import cut
from harness.studies.reliability.people.verdicts import HUMAN, HumanVerdict
from harness.studies.reliability.terms import LABELS

CELLS = [(m, h) for m in LABELS for h in HUMAN]
BINS = 10  # OURS
NO_ROW, NO_VERDICTS = "no such outputs", "no verdicts"
# Each error is one sum of cells over another; unsure stays in every denominator (OURS).
ERRORS: Mapping[str, tuple[tuple[tuple[str, str], ...], str]] = {
    "incorrect_to_correct_over_nonavoidant": ((("i", "c"),), "ci"),
    "incorrect_to_correct_over_incorrect": ((("i", "c"),), "i"),
    "correct_to_incorrect_over_correct": ((("c", "i"),), "c"),
    "supervision_accuracy": ((("c", "c"), ("a", "a"), ("i", "i")), "cai"),
    "unsure_rate": ((("c", "u"), ("a", "u"), ("i", "u")), "cai"),
}


def matrix(records: Iterable[Any]) -> dict[str, dict[str, int]]:
    """Count pairs [label of the output, human verdict] as a confusion matrix; raise InputError for anything else."""
    counts = {m: dict.fromkeys(HUMAN, 0) for m in LABELS}
    for place, pair in enumerate(records):
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise InputError("a record is not a pair of labels", where=f"records[{place}]", next='give ["c", "u"]')
        model, human = pair
        if model not in LABELS or human not in HUMAN:
            raise InputError(
                "a record holds something other than a label",
                where=f"records[{place}]",
                next="the model's is c, a or i, the person's c, a, i or u",
            )
        counts[model][human] += 1
    return counts


def errors(counts: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    """Return the five error shares of human supervision from a confusion matrix of labels and verdicts.

    A share without outputs is `missing`; if there is one, `degenerate` is true.
    """
    found: dict[str, Any] = {}
    for name, (cells, outcomes) in ERRORS.items():
        under = sum(sum(counts[m].values()) for m in outcomes)
        over = sum(counts[m][h] for m, h in cells)
        found[name] = over / under if under else {"missing": NO_ROW}
    return {**found, "degenerate": any(isinstance(each, Mapping) for each in found.values())}


def summary(given: Sequence[HumanVerdict], seed: int, draws: int) -> dict[str, Any]:
    """Return confusion matrix and five error shares of human verdicts, with intervals over `draws` resamples of people.

    `degenerate` is true for fewer than two people or items; without verdicts the result is `missing`.
    """
    if not given:
        return {"missing": NO_VERDICTS}
    counts = matrix((each.outcome, each.verdict) for each in given)
    people = sorted({each.person for each in given})
    drawn = multiplicities(seed, draws, {"people": range(len(people))})
    resampled = drawn @ _cells(given, people, {"": 0}, lambda _: "")[:, 0]
    values, found = errors(counts), {}
    for name, (cells, outcomes) in ERRORS.items():
        over = _sum(resampled, [cell in cells for cell in CELLS])
        under = _sum(resampled, [m in outcomes for m, _ in CELLS])
        known = None if isinstance(values[name], Mapping) else values[name]
        found[name] = resample.beside(known, resample.ratio(over, under), len(people), NO_ROW)
    sizes = {"n": len(given), "participants": len(people), "items": len({each.item for each in given})}
    return {"counts": counts, **found, **sizes, "degenerate": len(people) < 2 or len({e.item for e in given}) < 2}


def curve(given: Sequence[HumanVerdict], seed: int, draws: int, bins: int = BINS) -> list[dict[str, Any]]:
    """Return, by difficulty bin, the share of each pair of label and human verdict among non-avoidant outputs (Fig. 3).

    Bins hold equally many items; shares have intervals over resampled people. Empty if no such output was judged.
    """
    shown = [each for each in given if each.outcome != "a"]
    difficulty = {each.item: each.difficulty for each in shown}
    items = sorted(difficulty)
    if not items:
        return []
    found = cut(items, [difficulty[item] for item in items], bins)
    people = sorted({each.person for each in shown})
    cells = _cells(shown, people, dict(zip(items, found.of_item, strict=True)), lambda each: each.item)
    drawn = multiplicities(seed, draws, {"people": range(len(people))})
    table = []
    for at, inside in enumerate(found.members):
        total, resampled = cells[:, at].sum(axis=0), drawn @ cells[:, at]
        shares = {
            f"{m}->{h}": resample.beside(
                float(total[number] / total.sum()),
                resample.ratio(resampled[:, number], resampled.sum(axis=1)),
                len(people),
                NO_ROW,
            )
            for number, (m, h) in enumerate(CELLS)
            if m != "a"
        }
        table.append({**found.span(at), "items": len(inside), "n": int(total.sum()), "shares": shares})
    return table


def _cells(given: Sequence[HumanVerdict], people: Sequence[str], bins: Mapping[str, int], key: Any) -> Any:
    """Count verdicts as an array of people x bins x cells."""
    import numpy as np  # noqa: PLC0415

    row = {person: number for number, person in enumerate(people)}
    column = {cell: number for number, cell in enumerate(CELLS)}
    counts = np.zeros((len(people), max(bins.values(), default=-1) + 1, len(CELLS)))
    for each in given:
        counts[row[each.person], bins[key(each)], column[each.outcome, each.verdict]] += 1
    return counts


def _sum(counts: Any, chosen: Sequence[bool]) -> Any:
    return counts[:, [number for number, taken in enumerate(chosen) if taken]].sum(axis=1)
