"""Task by task: spread, runs, outcomes and states, and every metric of every scorer.

Formats the documents `means` and `breakdowns`. Computes no values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.kit.documents import number, section
from harness.kit.pages import NONE, Html, count, el, fill, join, named, percent, table, value
from harness.studies.curie.pages.fragments import counted, measured, within
from harness.studies.curie.pages.run_facts import RunFacts, factor, measured_by, primary, task_title

TASK = """<h3>{{ title }}: {{ about }}</h3><p>{{ words }}</p>{{ first }}\
<details><summary>{{ title }}: outcomes of every scorer, and all metrics</summary>{{ more }}</details>"""
STATES: Mapping[str, str] = {
    "scored": "scored",
    "missing": "without a value",
    "error": "in error",
    "judge_error": "judge unreadable",
}
OUTCOMES: Mapping[str, str] = {
    "valid": "valid",
    "invalid": "invalid",
    "missing": "blank",
    "gold_invalid": "gold unusable",
}
SPREAD = "quartiles are spread and not uncertainty"


def tasks(run: RunFacts, means: Mapping[str, Any], breakdowns: Mapping[str, Any]) -> list[Html]:
    """Return a part for each task that has items."""
    return [_task(run, task, means, breakdowns) for task in run.tasks if section(means, "tasks", task)]


def _task(run: RunFacts, task: str, means: Mapping[str, Any], breakdowns: Mapping[str, Any]) -> Html:
    found, title = section(means, "tasks", task), task_title(task)
    rows = [name for name in run.ranked(means) if _present(run, found, name)]
    metrics = [_metrics(title, scorer, rows, found) for scorer in _scorers(found)]
    more = [_states(f"{title}: outcomes and states, by scorer", rows, found, _scorers(found)), *metrics]
    words = _words(means, task, found)
    first = _spread(task, rows, means, section(breakdowns, "unusable", task))
    return fill(TASK, title=title, about=str(found.get("about", "")), words=words, first=first, more=join(more))


def _present(run: RunFacts, found: Mapping[str, Any], name: str) -> bool:
    return name in run.models or number(section(found, "models", name, "primary")) is not None


def _scorers(found: Mapping[str, Any]) -> list[str]:
    first = str(section(found, "primary").get("scorer", ""))
    models = section(found, "models")
    others = {scorer for name in models for scorer in within(models, name, "states")} - {first}
    return [first, *sorted(others)]


def _words(means: Mapping[str, Any], task: str, found: Mapping[str, Any]) -> str:
    metric, scorer = measured_by(means, task)
    runs = number(found.get("runs_of_the_paper")) or 1
    unusable = number(section(found, "gold_invalid").get(scorer)) or 0
    said = [f"{number(found.get('items')) or 0:,.0f} records; primary metric: {metric}, by {scorer}, 0 to 100."]
    if unusable:
        said.append(f"The gold of {unusable:,.0f} of them cannot be used: these are outside of every mean.")
    if runs > 1:
        said.append(f"The paper made {runs:.0f} runs of each model here.")
    return " ".join(said)


def _spread(task: str, rows: list[str], means: Mapping[str, Any], unusable: Mapping[str, Any]) -> Html:
    """Return the table of the primary metric: value, quartiles, runs, and outcomes of answers with its scorer."""
    scorer, scale = measured_by(means, task)[1], factor(means, task)
    head = [
        "Who",
        "Mean",
        "25th percentile",
        "Median",
        "75th percentile",
        "Runs: their means, and the spread of these",
        "Unusable",
        "Outcomes",
        "States",
        "Flags and counts",
    ]
    body = []
    for name in rows:
        cell, states = primary(means, task, name), within(means, "tasks", task, "models", name, "states", scorer)
        body.append(
            [
                named(name),
                measured(cell, scale),
                *(value(cell.get(each), 1, scale) for each in ("q25", "median", "q75")),
                _runs(cell, scale),
                percent(section(unusable, name).get("share")),
                *_fared(states),
            ]
        )
    return table(f"{task_title(task)}: the primary metric; {SPREAD}", head, body)


def _runs(cell: Mapping[str, Any], scale: float) -> str:
    found = section(cell, "runs")
    means = [each for one in found.get("means", []) if (each := number(one)) is not None]
    if not means:
        return "one"
    spread = number(found.get("spread"))
    beside = "" if spread is None else f"; spread {scale * spread:.1f}"
    return f"{len(means)}: {', '.join(f'{scale * each:z.1f}' for each in means)}{beside}"


def _fared(states: Mapping[str, Any]) -> list[str]:
    outcomes = {OUTCOMES.get(name, name): each for name, each in within(states, "outcomes").items()}
    shown = {words: states.get(name) for name, words in STATES.items()}
    more = {**within(states, "flags"), **within(states, "sums")}
    return [counted(outcomes), counted(shown), counted(more)]


def _states(caption: str, rows: list[str], found: Mapping[str, Any], scorers: list[str]) -> Html:
    body = [
        [named(name), scorer, *_fared(states)]
        for name in rows
        for scorer in scorers
        if (states := within(found, "models", name, "states", scorer)) and any(map(states.get, STATES))
    ]
    return table(caption, ["Who", "Scorer", "Outcomes", "States", "Flags and counts"], body)


def _metrics(title: str, scorer: str, rows: list[str], found: Mapping[str, Any]) -> Html:
    """Return the table of every metric of one scorer, each on its own scale."""
    given = {name: section(found, "models", name, "metrics", scorer) for name in rows}
    metrics = sorted({metric for each in given.values() for metric in each} - {"value"})
    if not metrics:
        return join([])
    body = [
        [named(name), *(_metric(section(given[name], metric)) for metric in metrics)]
        for name in rows
        if any(section(given[name], metric).get("n") for metric in metrics)
    ]
    medians = list(_medians(given, metrics))
    caption = f"{title}, {scorer}: every metric, on its own scale" + (f"; median: {', '.join(medians)}" * bool(medians))
    return table(caption, ["Who", *metrics], body)


def _metric(cell: Mapping[str, Any]) -> Html:
    return measured(cell, 1, 3) if number(cell) is not None or cell.get("n") else join([NONE])


def _medians(given: Mapping[str, Mapping[str, Any]], metrics: list[str]) -> Iterator[str]:
    for metric in metrics:
        if any(section(each, metric).get("statistic") == "median" for each in given.values()):
            yield metric


def programs(run: RunFacts, breakdowns: Mapping[str, Any]) -> list[Html]:
    """Return the table of answers that held a program, and how the programs ended; a note if no answer held one."""
    found = section(breakdowns, "programs")
    body = [
        [
            named(name),
            task_title(task),
            count(row.get("n")),
            percent(row.get("share")),
            counted(within(row, "outcomes")),
        ]
        for task in run.tasks
        for name in run.everybody
        if (row := section(found, task, name))
    ]
    if not body:
        return [el("p", "No answer of this run held a program that was tried.")]
    head = ["Who", "Task", "Answers with a program", "Share of all", "How the programs ended"]
    return [table("Programs in answers; each was run in a sandbox, apart from the harness", head, body)]
