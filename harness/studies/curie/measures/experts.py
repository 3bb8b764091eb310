"""Experts' ratings of answers, and their precision and recall, beside the scorers of a run (OURS).

The paper's experts called answers good, okay or bad (the labels of its LMScore), and counted right predictions and
found gold items of some answers (section 4.2). Neither was published, so both are brought. Experts' ratings are taken
as given: nothing here says that an expert is right.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from harness.errors import InputError
from harness.kit.agreement import measures
from harness.stats import is_number, spearman
from harness.studies.curie.tasks import TASKS

RATINGS: Mapping[str, float] = {"good": 1.0, "okay": 0.5, "bad": 0.0}  # with the weights that LMScore gives them
FEWEST = 3  # fewest answers for which a correlation is computed
MEASURES = ("precision", "recall", "f1")
Answer = tuple[str, str]  # item, model


@dataclass(frozen=True)
class Rating:
    """One human rater's rating of one answer: good, okay or bad."""

    item: str
    model: str
    rater: str
    rating: str


@dataclass(frozen=True)
class Counted:
    """One expert's counts on one answer: predictions, right ones, gold items, found ones."""

    item: str
    model: str
    rater: str
    predicted: int
    right: int
    gold: int
    found: int

    def measures(self) -> dict[str, float]:
        """Return precision, recall and F1; an answer without predictions has 0 in all three (L3)."""
        precision = self.right / self.predicted if self.predicted else 0.0
        recall = self.found / self.gold
        both = precision + recall
        return {"precision": precision, "recall": recall, "f1": 2 * precision * recall / both if both else 0.0}


@dataclass(frozen=True)
class Scored:
    """One automatic score of an answer: the scorer, its value, and its further metrics."""

    item: str
    model: str
    scorer: str
    value: float
    metrics: Mapping[str, Any]


def task_of(item: str) -> str:
    """Return the task of an item by its id, `TASK-RECORD`; raises InputError for an id of no task."""
    met = [task for task in TASKS if item.startswith(f"{task}-")]
    if not met:
        raise InputError(f"{item[:80]!r} is no item of a task of this study", where="item", next="write TASK-RECORD")
    return max(met, key=len)


def expert_ratings(
    ratings: Sequence[Rating], counted: Sequence[Counted], scores: Sequence[Scored], seed: int = 0
) -> dict[str, Any]:
    """Return experts' ratings by task and model, raters' agreement, and both beside each automatic scorer.

    An answer's rating is the mean over its raters of 1, 0.5 and 0, as LMScore weighs good, okay and bad; a scorer's
    value is the mean over its samples. Resamples of kappa are drawn by task.

    Raises InputError for two ratings of one answer by one rater, and for counts that cannot be.
    """
    _require_once([(one.item, one.model, one.rater) for one in ratings], "ratings")
    _require_once([(one.item, one.model, one.rater) for one in counted], "counted")
    for one in counted:
        if not (one.right <= one.predicted and one.found <= one.gold and one.gold):
            where = f"counted: {one.item[:60]} of {one.model[:60]}"
            raise InputError("more is right than there is, or there is no gold item", where=where, next="count again")
    by_answer = _by_answer(ratings)
    values = _values(scores)
    return {
        "ratings": _rated(ratings, by_answer),
        "raters": [_pair(a, b, ratings, seed) for a, b in combinations(sorted({one.rater for one in ratings}), 2)],
        "scorers": {name: _beside(by_answer, found) for name, found in sorted(values.items())},
        "retrieval": _retrieval(counted, scores),
    }


def _require_once(keys: Sequence[tuple[str, ...]], where: str) -> None:
    for key, times in Counter(keys).items():
        if times > 1:
            what = f"{key[2][:60]!r} has {times} rows about the answer of {key[1][:60]!r} to {key[0][:60]!r}"
            raise InputError(what, where=where, next="keep one of them")


def _by_answer(ratings: Iterable[Rating]) -> dict[Answer, list[str]]:
    found: dict[Answer, list[str]] = defaultdict(list)
    for one in ratings:
        found[one.item, one.model].append(one.rating)
    return found


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return math.fsum(found) / len(found)


def _weight(given: Sequence[str]) -> float:
    return _mean(RATINGS[rating] for rating in given)


def _rated(ratings: Sequence[Rating], by_answer: Mapping[Answer, Sequence[str]]) -> dict[str, Any]:
    counts = Counter(one.rating for one in ratings)
    told: dict[str, dict[str, dict[str, Any]]] = {}
    cells: dict[tuple[str, str], list[float]] = defaultdict(list)
    for (item, model), given in sorted(by_answer.items()):
        cells[task_of(item), model].append(_weight(given))
    for (task, model), weights in cells.items():
        told.setdefault(task, {})[model] = {"n": len(weights), "mean": _mean(weights)}
    return {
        "n": len(ratings),
        "answers": len(by_answer),
        "raters": len({one.rater for one in ratings}),
        "counts": {name: counts[name] for name in RATINGS},
        "by_task": told,
    }


def _pair(a: str, b: str, ratings: Sequence[Rating], seed: int) -> dict[str, Any]:
    names = list(RATINGS)
    said = {name: {(one.item, one.model): one.rating for one in ratings if one.rater == name} for name in (a, b)}
    strata: dict[str, list[list[int]]] = {}
    for answer in sorted(said[a].keys() & said[b].keys()):
        matrix = strata.setdefault(task_of(answer[0]), [[0] * len(names) for _ in names])
        matrix[names.index(said[a][answer])][names.index(said[b][answer])] += 1
    if not strata:
        return {"a": a, "b": b, "n": 0, "agreement": {"missing": "no answer was rated by both"}}
    agreed = measures(strata, names, seed)
    told = {name: agreed[name] for name in ("matrix", "accuracy", "kappa")}
    return {"a": a, "b": b, "n": agreed["n"], "agreement": told}


def _values(scores: Iterable[Scored]) -> dict[str, dict[Answer, float]]:
    found: dict[str, dict[Answer, list[float]]] = {}
    for one in scores:
        found.setdefault(one.scorer, {}).setdefault((one.item, one.model), []).append(one.value)
    return {name: {answer: _mean(each) for answer, each in values.items()} for name, values in found.items()}


def _beside(by_answer: Mapping[Answer, Sequence[str]], values: Mapping[Answer, float]) -> dict[str, Any]:
    both = sorted(by_answer.keys() & values.keys())
    by_task: dict[str, list[Answer]] = {}
    for answer in both:
        by_task.setdefault(task_of(answer[0]), []).append(answer)
    by_rating: dict[str, list[float]] = {name: [] for name in RATINGS}
    for answer in both:
        if (most := _most(by_answer[answer])) is not None:
            by_rating[most].append(values[answer])

    def ranked(answers: Sequence[Answer]) -> dict[str, Any]:
        return {"n": len(answers), "spearman": _spearman([(_weight(by_answer[at]), values[at]) for at in answers])}

    return {
        **ranked(both),
        "by_task": {task: ranked(answers) for task, answers in by_task.items()},
        "mean_by_rating": {
            name: {"n": len(each), "value": _mean(each) if each else {"missing": "no answer has it"}}
            for name, each in by_rating.items()
        },
    }


def _most(given: Sequence[str]) -> str | None:
    """Return the rating that most raters gave; None if two ratings were given as often."""
    [(name, times), *others] = Counter(given).most_common()
    return None if others and others[0][1] == times else name


def _spearman(pairs: Sequence[tuple[float, float]]) -> float | dict[str, str]:
    if len(pairs) < FEWEST:
        return {"missing": f"fewer than {FEWEST} answers have both"}
    found = spearman([one for one, _ in pairs], [other for _, other in pairs])
    return {"missing": "one of the two is constant"} if found is None else found


def _retrieval(counted: Sequence[Counted], scores: Sequence[Scored]) -> dict[str, Any]:
    """Return the experts' precision, recall and F1, and how far the scorers that have these metrics are from them."""
    each: dict[Answer, list[dict[str, float]]] = defaultdict(list)
    for one in counted:
        task_of(one.item)
        each[one.item, one.model].append(one.measures())
    experts = {answer: {name: _mean(row[name] for row in found) for name in MEASURES} for answer, found in each.items()}
    if not experts:
        return {"n": 0, "experts": {"missing": "no answer was counted"}, "scorers": {}}
    told = {name: _mean(row[name] for row in experts.values()) for name in MEASURES}
    found: dict[str, dict[Answer, list[Mapping[str, Any]]]] = {}
    for score in scores:
        if all(is_number(score.metrics.get(name)) for name in MEASURES) and (score.item, score.model) in experts:
            found.setdefault(score.scorer, {}).setdefault((score.item, score.model), []).append(score.metrics)
    return {"n": len(experts), "experts": told, "scorers": dict(_distances(experts, found))}


def _distances(
    experts: Mapping[Answer, Mapping[str, float]], found: Mapping[str, Mapping[Answer, Sequence[Mapping[str, Any]]]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    for scorer, answers in sorted(found.items()):
        told: dict[str, Any] = {"n": len(answers)}
        for name in MEASURES:
            ours = {at: _mean(float(row[name]) for row in rows) for at, rows in answers.items()}
            less = [ours[at] - experts[at][name] for at in sorted(ours)]
            told[name] = {
                "value": _mean(ours.values()),
                "less": _mean(less),
                "size": _mean(map(abs, less)),
                "spearman": _spearman([(experts[at][name], ours[at]) for at in sorted(ours)]),
            }
        yield scorer, told
