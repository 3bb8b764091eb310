"""The document `comparisons`: paired differences of two models on the same records, task by task (OURS).

Handles values by record, no answers and no rules.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import combinations
from operator import add
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.kit import resample
from harness.studies.curie.measures.cells import COVERAGE, NO_INTERVAL, RecordDraws, coverage, median, plain
from harness.studies.curie.measures.means import WITHOUT, drawn, scale
from harness.studies.curie.measures.meta_results import mean
from harness.studies.curie.measures.results import DISTANCES
from harness.studies.curie.measures.run_scores import RunScores, read
from harness.studies.curie.tasks import PAPER, VERSION

NO_PAIRS = "no record has a value of both"
NOT_FINITE = {"missing": "a value is not finite"}
NOT_ALL = "not every averaged task has records with a value of both"
UNSIMULATED = {"missing": "not simulated for an average of tasks"}
ABOUT = {
    "difference": "mean over records, with a value of both, of the first's less the second's mean over runs",
    "interval": "percentiles of resamples of the records; runs are held fixed",
    "averages": "mean of the tasks' differences on 0 to 1; tasks of one domain share their resamples",
}


def comparisons(found: RunScores, pairs: Sequence[tuple[str, str]], params: Mapping[str, Any]) -> dict[str, Any]:
    """Return paired differences of each two models on each task's primary metric, and on the average over tasks."""
    tasks = [task for task in found.request.tasks if found.items[task]]
    draws = {task: drawn(found, task, params) for task in tasks}
    return {
        "mode": found.request.mode,
        "version": VERSION,
        "about": ABOUT,
        "level": str(resample.LEVEL),
        "resamples": params.get("resamples", resample.RESAMPLES),
        "simulated_coverage": {f"{size} records": list(held) for size, held in COVERAGE},
        "pairs": [_pair(found, a, b, draws) for a, b in pairs],
    }


def _pair(found: RunScores, a: str, b: str, draws: Mapping[str, RecordDraws]) -> dict[str, Any]:
    apart = {task: _differences(found, task, a, b) for task in draws}
    return {
        "a": a,
        "b": b,
        "tasks": {
            task: {"metric": found.request.primary[task][1], **_compared(apart[task], draws[task])} for task in draws
        },
        "distances": dict(_distances(found, a, b)),
        "averages": {name: _averaged(found, apart, draws, tasks) for name, tasks in _parts(found)},
    }


def _parts(found: RunScores) -> Iterator[tuple[str, list[str]]]:
    averaged = found.request.averaged
    yield "ten", list(averaged)
    yield "nine", [task for task in averaged if task != WITHOUT]


def _differences(found: RunScores, task: str, a: str, b: str) -> dict[str, float]:
    return _less(found.primary(task, a).by_record(), found.primary(task, b).by_record())


def _less(one: Mapping[str, float], other: Mapping[str, float]) -> dict[str, float]:
    return {item: value - other[item] for item, value in one.items() if item in other}


def _compared(apart: Mapping[str, float], draws: RecordDraws) -> dict[str, Any]:
    counts = {"n": len(apart), **_wins(apart.values())}
    if not apart:
        return {"difference": resample.absent(NO_PAIRS), **counts}
    value = mean(apart.values())
    if not all(map(math.isfinite, apart.values())):
        return {"difference": {"value": plain(value), "interval": NOT_FINITE}, **counts}
    told = resample.beside(value, draws.means(apart), len(apart), NO_PAIRS)
    return {"difference": told, **counts, "coverage": coverage(len(apart))}


def _wins(apart: Iterable[float]) -> dict[str, int]:
    """Count the records on which the first model has the larger value, the second has, and both are equal."""
    signs = [(each > 0) - (each < 0) for each in apart]
    return {"n_a_larger": signs.count(1), "n_b_larger": signs.count(-1), "n_equal": signs.count(0)}


def _distances(found: RunScores, a: str, b: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the differences of the distances, without an interval, since their tails are too heavy for one."""
    if not found.items.get(WITHOUT):
        return
    scorer = found.request.primary[WITHOUT][0]
    for metric in DISTANCES:
        one, other = (found.column(WITHOUT, scorer, metric, model).by_record() for model in (a, b))
        apart = _less(one, other)
        middle = mean if found.request.mode == PAPER else median
        value: Any = plain(middle(list(apart.values()))) if apart else {"missing": NO_PAIRS}
        yield (
            metric,
            {"difference": {"value": value, "interval": NO_INTERVAL}, "n": len(apart), **_wins(apart.values())},
        )


def _averaged(
    found: RunScores, apart: Mapping[str, Mapping[str, float]], draws: Mapping[str, RecordDraws], tasks: Sequence[str]
) -> dict[str, Any]:
    """Average the differences of the tasks; missing unless every task has one."""
    finite = [task for task in tasks if apart.get(task) and all(map(math.isfinite, apart[task].values()))]
    if len(finite) < len(tasks) or not tasks:
        return {"difference": resample.absent(NOT_ALL), "n_tasks": len(finite)}
    factors = {task: scale(found.request.primary[task][1]) for task in tasks}
    value = mean([factors[task] * mean(apart[task].values()) for task in tasks])
    again = reduce(add, (factors[task] * draws[task].means(apart[task]) for task in tasks)) / len(tasks)
    units = min(len(apart[task]) for task in tasks)
    told = resample.beside(value, again, units, NOT_ALL)
    return {"difference": told, "n_tasks": len(tasks), "coverage": UNSIMULATED}


def pairs_of(params: Mapping[str, Any], models: Sequence[str], strategies: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of models to compare that parameters name; by default all pairs, and models with strategies.

    Raises InputError if a name in a pair is neither a model nor a strategy.
    """
    if "pairs" not in params:
        return [*combinations(models, 2), *((model, strategy) for model in models for strategy in strategies)]
    pairs = [(str(a), str(b)) for a, b in params["pairs"]]
    if strange := sorted({name for pair in pairs for name in pair} - {*models, *strategies}):
        raise InputError(f"a pair names {strange[0]!r}", where="pairs", next="name models of this run")
    return pairs


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the document `comparisons`, paired differences of models, from the inputs `items` and `scores`.

    Raises InputError for a pair with an unknown model, and as `run_scores.read` does.
    """
    found = read(params, inputs)
    pairs = pairs_of(params, found.request.models, found.request.strategies)
    rows.write_one(out / "comparisons", comparisons(found, pairs, params))
