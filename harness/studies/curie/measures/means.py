"""The document `means`: each model's metrics on each task, with counts and runs, and the average over ten tasks.

Paper mode computes means with zeros filled in, strict mode follows A1. Independent of how a score is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.kit.documents import number
from harness.kit.resample import LEVEL, RESAMPLES
from harness.studies.curie.measures.cells import COVERAGE, HEAVY, MEAN, MEDIAN, RecordDraws, cell
from harness.studies.curie.measures.meta_results import mean
from harness.studies.curie.measures.results import DISTANCES
from harness.studies.curie.measures.run_scores import RunScores, read
from harness.studies.curie.tasks import PAPER, TASKS, VERSION

PERCENT = ("rouge1", "rouge2", "rougeLsum")  # printed on 0 to 100; averages use 0 to 1
WITHOUT = "biogr"  # left out of the average over nine, since not every model sees images
ABOUT = {
    "value": "mean over records of each record's mean over runs; of a distance in strict mode the median",
    "N": "records with usable gold",
    "n": "records that have a value",
    "q25, median, q75": "spread of the records, not uncertainty",
    "runs": "one wording and sample each; `spread` is the standard deviation of their means",
}


def scale(metric: str) -> float:
    """Return the factor that brings a metric to the range 0 to 1."""
    return 0.01 if metric in PERCENT else 1.0


def drawn(found: RunScores, task: str, params: Mapping[str, Any]) -> RecordDraws:
    """Draw the bootstrap resamples of a task's records, the same in every analysis with the same seed."""
    again = params.get("seed", 0), params.get("resamples", RESAMPLES)
    return RecordDraws.of(found.items[task], TASKS[task].domain, *again)


def means(found: RunScores, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the mean of every metric of every model on every task with items, and the averages over tasks."""
    request = found.request
    tasks = {task: _task(found, task, params) for task in request.tasks if found.items[task]}
    absent = [task for task in TASKS if task not in tasks]
    return {
        "mode": request.mode,
        "version": VERSION,
        "about": ABOUT,
        "models": list(request.models),
        "strategies": list(request.strategies),
        "tasks": tasks,
        "absent": {"n": len(absent), "tasks": absent},
        "averages": _averages(found, tasks),
        "intervals": {
            "level": str(LEVEL),
            "resamples": params.get("resamples", RESAMPLES),
            "of": "records",
            "fixed": ["runs"],
            "simulated_coverage": {f"{size} records": list(held) for size, held in COVERAGE},
            "not_shown": {"metrics": list(DISTANCES), "simulated_coverage": list(HEAVY)},
        },
    }


def _task(found: RunScores, task: str, params: Mapping[str, Any]) -> dict[str, Any]:
    scorer, metric = found.request.primary[task]
    draws = drawn(found, task, params)
    return {
        "about": TASKS[task].about,
        "domain": TASKS[task].domain,
        "items": len(found.items[task]),
        "runs_of_the_paper": TASKS[task].runs,
        "primary": {"scorer": scorer, "metric": metric, "scale": scale(metric)},
        "gold_invalid": {name: found.unusable(task, name) for name in _scorers(found, task)},
        "models": {model: _model(found, task, model, draws) for model in found.request.everybody},
    }


def _scorers(found: RunScores, task: str) -> list[str]:
    return sorted({scorer for name, scorer, _ in found.counts if name == task})


def _model(found: RunScores, task: str, model: str, draws: RecordDraws) -> dict[str, Any]:
    metrics: dict[str, Any] = {}
    for scorer, metric in found.metrics(task):
        column = found.column(task, scorer, metric, model)
        metrics.setdefault(scorer, {})[metric] = _cell(found, metric, column, draws)
    counts = {scorer: found.counts[task, scorer, model].document() for scorer in _scorers(found, task)}
    return {"primary": cell(found.primary(task, model), MEAN, draws), "metrics": metrics, "states": counts}


def _cell(found: RunScores, metric: str, column: Any, draws: RecordDraws) -> dict[str, Any]:
    if metric not in DISTANCES:
        return cell(column, MEAN, draws)
    return cell(column, MEAN if found.request.mode == PAPER else MEDIAN, None)


def _averages(found: RunScores, tasks: Mapping[str, Any]) -> dict[str, Any]:
    """Average the primary metrics, on 0 to 1, over the averaged tasks, and over those without BIOGR."""
    averaged = found.request.averaged
    whole = {model: average(tasks, averaged, model) for model in found.request.everybody}
    fewer = [task for task in averaged if task != WITHOUT]
    part = {model: average(tasks, fewer, model) for model in found.request.everybody}
    return {
        "tasks": list(averaged),
        "ten": whole,
        "nine": part,
        "without": WITHOUT,
        "order": {"ten": _order(whole), "nine": _order(part)},
    }


def average(tasks: Mapping[str, Any], averaged: Any, model: str) -> dict[str, Any]:
    """Return the mean of a model's task means; a missing value unless every task has one."""
    values, lacking = [], []
    for task in averaged:
        known = number(tasks[task]["models"][model]["primary"]) if task in tasks else None
        if known is None:
            lacking.append(task)
        else:
            values.append(known * tasks[task]["primary"]["scale"])
    if lacking or not values:
        return {"value": {"missing": f"no mean of {', '.join(lacking) or 'any task'}"}, "n_tasks": len(values)}
    return {"value": mean(values), "n_tasks": len(values)}


def _order(given: Mapping[str, Any]) -> list[str]:
    known = {model: value for model, each in given.items() if (value := number(each)) is not None}
    return sorted(known, key=lambda model: (-known[model], model))


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the document `means`, mean metrics by task and model, from the inputs `items` and `scores`.

    Raises InputError as `run_scores.read` does.
    """
    rows.write_one(out / "means", means(read(params, inputs), params))
