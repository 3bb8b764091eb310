"""The parts of the page about how a run was made: scorers, models, how each was asked, answers by state, data counts.

Uses the manifest's facts and counts of answers; sees no questions or answers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from harness.kit.documents import number
from harness.kit.pages import Html, bullets, count, named, table, word_table
from harness.studies.questions.pages.fragments import at, place, who
from harness.studies.questions.pages.page_facts import QuestionsFacts
from harness.studies.questions.pages.tables_repeats import told

STATES: Mapping[str, str] = {
    "scored": "Scored",
    "missing": "No value",
    "error": "Errors",
    "judge_error": "Judge failed",
    "cut_off": "Cut off at the token limit",
}
DEEPEST = 3  # levels of a document that are shown
LONGEST = 300  # characters of one value that are shown
UNCERTIFIED = (
    "Certificates: none. How far these scorers agree with people was not measured; they say what their rules say."
)


def left_out(summary: Mapping[str, Any], counts: Mapping[str, Any]) -> list[Html]:
    """Return tables of the answers with and without a score, and of the rows left out of each dataset's file."""
    body = [
        [place(model, dataset, scorer), *(count(found.get(state)) for state in STATES)]
        for model, dataset, scorer, found in told(summary, "states")
    ]
    states = table("Answers by state", ["Model, dataset and scorer", *STATES.values()], body)
    data = [[named(name), spelled(found)] for name, found in counts.items()]
    return [states, *([word_table("Rows of the datasets", ["Dataset", "Counts"], data)] if data else [])]


def rests(run: QuestionsFacts, summary: Mapping[str, Any]) -> list[Html]:
    """Return the tables on how the run was asked and scored and how intervals were found; no scorer is certified."""
    scorers = [
        [named(name), meaning.about if (meaning := run.meaning(name)) else "", spelled(_switches(entry))]
        for name, entry in run.scorers.items()
    ]
    models = [[who(run, name), str(facts.get("provider", ""))] for name, facts in run.models.items()]
    return [
        word_table("Scorers", ["Scorer", "What it says", "Switches"], scorers),
        word_table("Models", ["Model", "Provider"], models),
        bullets([*_asking(run), *_intervals(summary), UNCERTIFIED]),
    ]


def _switches(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name not in ("scorer", "name")}


def _asking(run: QuestionsFacts) -> Iterator[str]:
    yield f"How the models were asked: {spelled(run.asking)}."
    for role, model in run.instruments.items():
        yield f"Instrument {role}: {model}."


def _intervals(summary: Mapping[str, Any]) -> Iterator[str]:
    about = at(summary, "intervals")
    yield (
        "Intervals are at 95 %. Of answers worth 0 or 1, one an item: Wilson's. Of others: percentiles of "
        f"{number(about.get('resamples')) or 0:,.0f} resamples of the items, each with all its answers."
    )
    for name, found in at(summary, "datasets").items():
        if clusters := number(at(summary, "datasets", name).get("clusters")):
            yield (
                f"The {found.get('items'):,} items of {name} come in {clusters:,.0f} clusters, and its intervals are "
                "of what varies between these (Liang and Zeger; of shares Korn and Graubard)."
            )


def spelled(found: Any, depth: int = 0) -> str:
    """Return a small document as text, `a: 1, b: (c: 2)`; parts that are nested too deeply or too long are cut.

    A text that a page would not show as it is, such as a line break, is quoted.
    """
    if isinstance(found, Mapping):
        if depth >= DEEPEST:
            return "…"
        parts = ", ".join(f"{name}: {spelled(each, depth + 1)}" for name, each in found.items())
        return f"({parts})" if depth else parts
    if isinstance(found, list | tuple):
        return ", ".join(spelled(each, depth + 1) for each in found)
    text = str(found)
    if not text.isprintable() or text != text.strip():
        text = json.dumps(text, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
