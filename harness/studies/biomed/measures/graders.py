"""The document `graders`: agreement among repeats of one grader, and between two graders (OURS).

Agreement does not prove that a grader is right. The document therefore also states how far the paper's own grader and a
human analyst agreed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from harness import rows
from harness.kit.agreement import measures
from harness.kit.judged import Key, key
from harness.kit.resample import LEVEL, RESAMPLES, share
from harness.rowtypes import Item, Score
from harness.stats import kappa
from harness.studies.biomed.terms import ABSTAINED, ANSWERED, GOOD, NOT_KNOWN, VERSION

CLASSES = ("good", "bad", "abstained")
MOST = 50  # answers that are listed; all are counted
HALF = 0.5
LONGEST = 8  # characters of a grade
CEILING = {
    "what": "the paper's grader against an analyst on 100 answers, as published: no grader of ours is known better",
    "within_half_a_point": {"value": 0.86, "k": 86, "n": 100, "interval": [0.78, 0.91]},
    "kappa": 0.85,
    "source": "analyst_graded_bioscores.csv of NIH-CARD/biomedsql at 2424c055",
}
NO_REPEATS = "no answer has two readable repeats"
NO_ANSWER = "no answer was graded by both"
ABOUT = {
    "matrix": "rows: the first grader; columns: the second; good is a grade of at least 2",
    "kappa": "of three states; resamples treat answers as independent within a template",
    "within_half_a_point": "of grades from 0 to 3, an abstention taken as -1",
    "variance": "mean over answers of the variance of their repeats' grades, in points squared (divisor: repeats - 1)",
}


class GraderGrades(NamedTuple):
    """The grades that one grader gave one answer: one for each repeat that could be read, the first repeat first."""

    grades: tuple[float, ...]
    decided: bool  # whether the first repeat decided the answer's score


def state_of(grade: float) -> str:
    """Return what a grade says of an answer: good, bad or abstained."""
    return CLASSES[2] if grade == NOT_KNOWN else CLASSES[0] if grade >= GOOD else CLASSES[1]


def graders(
    scores: Iterable[Score], templates: Mapping[str, str], names: Sequence[str], seed: int, mode: str
) -> dict[str, Any]:
    """Return the agreement of each grader's repeats by model, and of every two graders.

    Only answers in the states answered and abstained are compared.
    """
    found: dict[str, dict[Key, GraderGrades]] = {name: {} for name in names}
    for row in scores:
        asked = row["scorer"] in found and row["item"] in templates and row["detail"].get("mode", mode) == mode
        if asked and row.get("outcome") in (ANSWERED, ABSTAINED):
            found[row["scorer"]][key(row)] = _grades(row)
    pairs = list(combinations(names, 2))
    return {
        "mode": mode,
        "version": VERSION,
        "about": ABOUT,
        "ceiling": CEILING,
        "interval": {"level": str(LEVEL), "resamples": RESAMPLES},
        "repeats": {name: dict(_repeats(own)) for name, own in found.items()},
        "pairs": [_pair(a, b, found, templates, seed) for a, b in pairs],
    }


def _grades(row: Score) -> GraderGrades:
    detail = row["detail"]
    given = detail.get("grades") or [detail.get("grade")]
    first = _grade(given[0])
    return GraderGrades(tuple(grade for each in given if (grade := _grade(each)) is not None), first is not None)


def _grade(text: Any) -> float | None:
    """Return a grade from a score's detail; None if it cannot be read."""
    if not isinstance(text, str) or len(text) > LONGEST:
        return None
    try:
        grade = Decimal(text)
    except InvalidOperation:
        return None
    return float(grade) if grade.is_finite() and NOT_KNOWN <= grade <= 3 else None


def _repeats(known: Mapping[Key, GraderGrades]) -> Iterator[tuple[str, dict[str, Any]]]:
    by_model: dict[str, list[tuple[float, ...]]] = {}
    for (_, _, model, _), own in sorted(known.items()):
        by_model.setdefault(model, [])
        if len(own.grades) > 1:
            by_model[model].append(own.grades)
    for model, repeated in by_model.items():
        yield model, _repeated(repeated)


def _repeated(answers: Sequence[tuple[float, ...]]) -> dict[str, Any]:
    if not answers:
        return {"n": 0, "variance": {"missing": NO_REPEATS}, "kappa": {"missing": NO_REPEATS}}
    pairs = [pair for grades in answers for pair in combinations(grades, 2)]
    told = kappa(_matrix((state_of(a), state_of(b)) for a, b in pairs))
    return {
        "n": len(answers),
        "n_pairs": len(pairs),
        "variance": math.fsum(map(_variance, answers)) / len(answers),
        "same_grade": sum(len(set(grades)) == 1 for grades in answers) / len(answers),
        "same_state": sum(len(set(map(state_of, grades))) == 1 for grades in answers) / len(answers),
        "within_half_a_point": sum(abs(a - b) <= HALF for a, b in pairs) / len(pairs),
        "kappa": {"missing": "one state throughout"} if told is None else told,
    }


def _variance(grades: Sequence[float]) -> float:
    mean = math.fsum(grades) / len(grades)
    return math.fsum((each - mean) ** 2 for each in grades) / (len(grades) - 1)


def _matrix(pairs: Iterable[tuple[str, str]]) -> list[list[int]]:
    found = [[0] * len(CLASSES) for _ in CLASSES]
    for one, other in pairs:
        found[CLASSES.index(one)][CLASSES.index(other)] += 1
    return found


def _pair(
    a: str, b: str, found: Mapping[str, Mapping[Key, GraderGrades]], templates: Mapping[str, str], seed: int
) -> dict[str, Any]:
    """Compare two graders by the grades of their first repeats."""
    firsts = [{at: own.grades[0] for at, own in found[name].items() if own.decided} for name in (a, b)]
    both = sorted(firsts[0].keys() & firsts[1].keys())
    grades = {each: (firsts[0][each], firsts[1][each]) for each in both}
    strata: dict[str, list[tuple[str, str]]] = {}
    for each, (one, other) in grades.items():
        strata.setdefault(templates[each[0]], []).append((state_of(one), state_of(other)))
    near = sum(abs(one - other) <= HALF for one, other in grades.values())
    parted = sorted((each for each in both if _apart(*grades[each])), key=lambda each: _order(each, *grades[each]))
    return {
        "a": a,
        "b": b,
        "n": len(both),
        "n_a_only": len(firsts[0]) - len(both),
        "n_b_only": len(firsts[1]) - len(both),
        "states": measures({name: _matrix(own) for name, own in strata.items()}, CLASSES, seed)
        if both
        else {"missing": NO_ANSWER},
        "within_half_a_point": share(near, len(both), NO_ANSWER),
        "n_disagreements": len(parted),
        "disagreements": [_listed(each, *grades[each]) for each in parted[:MOST]],
    }


def _apart(one: float, other: float) -> bool:
    return state_of(one) != state_of(other) or abs(one - other) > HALF


def _order(each: Key, one: float, other: float) -> tuple[Any, ...]:
    """Return a sort key: answers with different states first, then those whose grades differ most."""
    return state_of(one) == state_of(other), -abs(one - other), each


def _listed(each: Key, one: float, other: float) -> dict[str, Any]:
    item, template, model, sample = each
    return {"item": item, "template": template, "model": model, "sample": sample, "a": one, "b": other}


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the document `graders`, agreement of repeated grades and of graders, from `items` and `scores`."""
    templates = {row["id"]: str(row["meta"]["template"]) for row in rows.read(inputs["items"], Item)}
    found = graders(
        rows.read(inputs["scores"], Score), templates, params["graders"], params.get("seed", 0), params["mode"]
    )
    rows.write_one(out / "graders", found)
