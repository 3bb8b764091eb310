"""The first part of the page: averages and primary metrics of models and, beside them, of cheap strategies.

It knows the shape of the document `means`; it must never know a record, nor compute a value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.studies.cells import NONE, value
from harness.studies.curie.pages.fragments import marks_note, measured
from harness.studies.curie.pages.run_facts import (
    HUNDRED, METRICS, RunFacts, factor, measured_by, primary, task_title,
)  # fmt: skip
from harness.studies.documents import number, resampled, section
from harness.studies.pages import Html, bullets, el, join, named, table

AVERAGES: Mapping[str, str] = {"ten": "Average over ten tasks", "nine": "over nine, without BIOGR"}
RIGHT = 0.99  # on 0 to 1: below it a score does not know a right answer in another form
NOBODY = "Nothing was scored."
REACHED = (
    "A cheap strategy, which understands nothing, reaches a model. On these tasks the metric, or the model, tells little "
    "or nothing apart:"
)
MISSED = "Answers that are the ground truth itself, in another form, are not scored as right:"
READING = (
    "Primary metric of each task, 0 to 100, its interval, and of how many records (n of N, those with usable gold). A "
    "dash: nobody has a value there. Models first, then the cheap strategies (OURS), which are no models."
)


def results(run: RunFacts, means: Mapping[str, Any]) -> list[Html]:
    """Make the headline table with the notes to it, or a note that nothing was scored."""
    tasks = [task for task in run.tasks if section(means, "tasks", task)]
    if not tasks:
        return [el("p", NOBODY)]
    found = section(means, "intervals")
    rows = run.ranked(means)
    shown = table(
        READING, ["Who", *AVERAGES.values(), *(_head(means, task) for task in tasks)],
        [[named(name), *_averages(run, means, name), *_cells(run, means, tasks, name)] for name in rows],
        parts=[at for at, name in enumerate(rows) if name in run.strategies],
    )  # fmt: skip
    said = el("p", f"{resampled(found)} {marks_note(found)}", class_="soft")
    return [shown, *_reached(run, means, tasks), *_missed(run, means, tasks), *_strategies(run), said]


def _head(means: Mapping[str, Any], task: str) -> Html:
    words, scorer = measured_by(means, task)
    return join([task_title(task), el("span", f"{words}, by {scorer}", class_="why")])


def _averages(run: RunFacts, means: Mapping[str, Any], name: str) -> Iterator[Html]:
    for kind in AVERAGES:
        found = section(means, "averages", kind, name)
        if number(found) is not None or name in run.strategies:
            yield join([NONE]) if number(found) is None else value(found, 1, HUNDRED)
        else:
            tasks = number(found.get("n_tasks")) or 0
            yield join([NONE, el("span", f"{tasks:.0f} tasks have a mean", class_="why")])


def _cells(run: RunFacts, means: Mapping[str, Any], tasks: list[str], name: str) -> Iterator[Html]:
    for task in tasks:
        cell = primary(means, task, name)
        silent = name in run.strategies and number(cell) is None
        yield join([NONE]) if silent else measured(cell, factor(means, task))


def _reached(run: RunFacts, means: Mapping[str, Any], tasks: list[str]) -> Iterator[Html]:
    """Warn of each strategy without gold that scores at least as high as a model that is no stand-in."""
    lines = []
    for task in tasks:
        models = {name: _known(means, task, name) for name in run.models if not run.is_stand_in(name)}
        for name in run.strategies:
            own = _known(means, task, name)
            below = [f"{model} ({_shown(value)})" for model, value in models.items()
                     if own is not None and value is not None and value <= own]  # fmt: skip
            if below and name not in run.oracles:
                lines.append(f"{task_title(task)}: {name} ({_shown(own)}) reaches {', '.join(below)}")
    if lines:
        yield el("div", el("p", el("strong", REACHED)), bullets(lines), class_="note", role="note")


def _missed(run: RunFacts, means: Mapping[str, Any], tasks: list[str]) -> Iterator[Html]:
    lines = [
        f"{task_title(task)}: {name} has {_shown(own)}"
        for task in tasks
        for name in run.oracles
        if (own := _known(means, task, name)) is not None and own < RIGHT * HUNDRED
    ]
    if lines:
        yield el("div", el("p", el("strong", MISSED)), bullets(lines), class_="note", role="note")


def _known(means: Mapping[str, Any], task: str, name: str) -> float | None:
    found = number(primary(means, task, name))
    return None if found is None else factor(means, task) * found


def _shown(found: float | None) -> str:
    return NONE if found is None else f"{found:z.1f}"


def _strategies(run: RunFacts) -> Iterator[Html]:
    if run.strategies:
        yield el("p", "The cheap strategies (OURS; the paper has none):")
        yield bullets(join([el("b", named(name)), f": {about}."]) for name, about in run.strategies.items())


def metrics_words(means: Mapping[str, Any], run: RunFacts) -> list[str]:
    """Say which metric is primary for which tasks."""
    found: dict[str, list[str]] = {}
    for task in run.tasks:
        metric = str(section(means, "tasks", task, "primary").get("metric", ""))
        if metric:
            found.setdefault(METRICS.get(metric, metric), []).append(task_title(task))
    return [f"{words}: {', '.join(tasks)}" for words, tasks in found.items()]
