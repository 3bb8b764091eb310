"""The first part of the page: averages and primary metrics of models and, beside them, of cheap strategies.

Formats the document `means`. Computes no values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.kit.documents import number, resampled, section
from harness.kit.pages import NONE, Html, bullets, el, join, named, table
from harness.studies.curie.pages.fragments import marks_note, measured, who
from harness.studies.curie.pages.run_facts import (
    HUNDRED,
    METRICS,
    RunFacts,
    factor,
    measured_by,
    primary,
    short,
    task_title,
)
from harness.studies.curie.tasks import TASKS

AVERAGE = "Average over ten tasks, and over nine"
RIGHT = 0.99  # on 0 to 1: a lower score means that the metric misses a right answer in another form
NOBODY = "Nothing was scored."
REACHED = (
    "A cheap strategy, which understands nothing, reaches a model. On these tasks the metric, or the model, tells "
    "little or nothing apart:"
)
MISSED = "Answers that are the ground truth itself, in another form, are not scored as right:"
READING = (
    "Primary metric of each task, 0 to 100, its interval, and of how many records (n of N, those with usable gold). A "
    "dash: no value. Models first, then the cheap strategies (OURS), which are no models."
)
ORACLE = " It is right, and says how a score treats a right answer in another form."
VARIANTS = "Variants of tasks, which are part of no average; as above"


def results(run: RunFacts, means: Mapping[str, Any]) -> list[Html]:
    """Return the headline table with its notes, or a note that nothing was scored."""
    tasks = [task for task in run.tasks if section(means, "tasks", task)]
    if not tasks:
        return [el("p", NOBODY)]
    counted = [task for task in tasks if TASKS[task].averaged]
    variants = [task for task in tasks if task not in counted]
    found = section(means, "intervals")
    said = el("p", f"{resampled(found)} {marks_note(found)}", class_="soft")
    return [
        _table(run, means, counted, READING, averages=True),
        *([_table(run, means, variants, VARIANTS, averages=False)] if variants else []),
        said,
        *_orders(run, means),
        *_reached(run, means, tasks),
        *_missed(run, means, tasks),
        *_strategies(run),
    ]


def _table(run: RunFacts, means: Mapping[str, Any], tasks: list[str], caption: str, *, averages: bool) -> Html:
    rows = [
        name
        for name in run.ranked(means)
        if averages or name in run.models or any(_known(means, task, name) is not None for task in tasks)
    ]
    head = ["Who", *([AVERAGE] if averages else []), *(_head(means, task) for task in tasks)]
    body = [
        [who(run, name), *([_averages(run, means, name)] if averages else []), *_cells(run, means, tasks, name)]
        for name in rows
    ]
    return table(caption, head, body, parts=[at for at, name in enumerate(rows) if name in run.strategies])


def _head(means: Mapping[str, Any], task: str) -> Html:
    words, scorer = measured_by(means, task)
    return join([task_title(task), el("span", f"{words}, by {scorer}", class_="why")])


def _averages(run: RunFacts, means: Mapping[str, Any], name: str) -> Html:
    """Format the average over ten tasks, with the one over nine below, or the number of tasks that have a mean."""
    ten, nine = (section(means, "averages", kind, name) for kind in ("ten", "nine"))
    whole, part = number(ten), number(nine)
    words = "" if part is None else f"{HUNDRED * part:z.1f} without BIOGR"
    if whole is None and part is None and name in run.models:
        words = f"{number(ten.get('n_tasks')) or 0:.0f} tasks have a mean"
    shown = NONE if whole is None else f"{HUNDRED * whole:z.1f}"
    return join([shown, el("span", words, class_="why")])


def _orders(run: RunFacts, means: Mapping[str, Any]) -> Iterator[Html]:
    """Yield the order of the models without BIOGR, if it differs."""
    ten, nine = (
        [name for name in section(means, "averages", "order").get(kind) or [] if name in run.models]
        for kind in ("ten", "nine")
    )
    if ten and nine != ten:
        yield el("p", f"Without BIOGR, which not every model can see, the order is: {', '.join(nine)}.")


def _cells(run: RunFacts, means: Mapping[str, Any], tasks: list[str], name: str) -> Iterator[Html]:
    for task in tasks:
        cell = primary(means, task, name)
        silent = name in run.strategies and number(cell) is None
        yield join([NONE]) if silent else measured(cell, factor(means, task))


def _reached(run: RunFacts, means: Mapping[str, Any], tasks: list[str]) -> Iterator[Html]:
    """Yield a warning for tasks on which a strategy without gold reaches the score of a model that is no stand-in."""
    lines = []
    for task in tasks:
        by_strategy = {
            name: value
            for name in run.strategies
            if name not in run.oracles and (value := _known(means, task, name)) is not None
        }
        for model in run.models:
            own = _known(means, task, model)
            if own is None or run.is_stand_in(model):
                continue
            above = [f"{short(name)} ({value:.1f})" for name, value in by_strategy.items() if value >= own]
            if above:
                lines.append(f"{task_title(task)}: {model} ({own:.1f}) is reached by {', '.join(above)}")
    yield from _warning(REACHED, lines)


def _missed(run: RunFacts, means: Mapping[str, Any], tasks: list[str]) -> Iterator[Html]:
    lines = []
    for name in run.oracles:
        values = {task_title(task): value for task in tasks if (value := _known(means, task, name)) is not None}
        below = [f"{title} {value:.1f}" for title, value in values.items() if value < RIGHT * HUNDRED]
        lines += [f"{short(name)}: {', '.join(below)}"] if below else []
    yield from _warning(MISSED, lines)


def _warning(words: str, lines: list[str]) -> Iterator[Html]:
    if lines:
        yield el("div", el("p", el("strong", words)), bullets(lines), class_="note", role="note")


def _known(means: Mapping[str, Any], task: str, name: str) -> float | None:
    found = number(primary(means, task, name))
    return None if found is None else factor(means, task) * found


def _strategies(run: RunFacts) -> Iterator[Html]:
    if run.strategies:
        yield el("p", "The cheap strategies (OURS; the paper has none):")
        yield bullets(
            join([el("b", named(name)), f": {about}.", ORACLE if name in run.oracles else None])
            for name, about in run.strategies.items()
        )


def metrics_words(run: RunFacts, means: Mapping[str, Any]) -> list[str]:
    """Return the primary metrics, each with its tasks."""
    found: dict[str, list[str]] = {}
    for task in run.tasks:
        metric = str(section(means, "tasks", task, "primary").get("metric", ""))
        if metric:
            found.setdefault(METRICS.get(metric, metric), []).append(task_title(task))
    return [f"{words}: {', '.join(tasks)}" for words, tasks in found.items()]
