"""The head of the page: the manifest, each model as it was named, and how a question was worded.

Shows facts of the manifest only. Date and id of a run are no facts of it, and a page has the same bytes in each run.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.kit.pages import Html, el, join, named, word_table
from harness.studies.questions.pages.page_facts import QuestionsFacts

LONGEST = 200  # characters of a wording in the head; the section on wordings has all
MOST = 20  # models in the head
WHEN = "Run and date: `harness get RUN report.html -o FILE` says them; the page itself has the same bytes in each run."


def facts(run: QuestionsFacts) -> Html:
    """Return the table of the head: manifest, models, wording; without a manifest's name, the rest."""
    return join([word_table("What was run", ["What", "Which"], _rows(run)), el("p", WHEN, class_="soft")])


def _rows(run: QuestionsFacts) -> Iterator[list[Html]]:
    if name := run.manifest.get("name"):
        yield [join(["Manifest"]), named(str(name))]
    strings = run.manifest.get("models") or {}
    for name in list(run.models)[:MOST]:
        said = str(strings.get(name) or run.models[name].get("provider", ""))
        yield [join(["Model ", named(name)]), join([said[:LONGEST], " (stand-in)" if run.is_stand_in(name) else None])]
    if len(run.models) > MOST:
        yield [join(["Models"]), join([f"{len(run.models) - MOST} more"])]
    if words := _wording(run):
        yield [join(["Wording"]), join([words])]


def _wording(run: QuestionsFacts) -> str:
    """Return the first wording in one line, and how many more there are."""
    if not run.wordings:
        return ""
    first = run.wordings[0]
    turns = [f"{role}: {text}" for turn in first.get("turns", ()) for role, text in turn.items()]
    told = " ⏎ ".join(str(first.get("text") or " ⏎ ".join(turns)).splitlines())
    more = len(run.wordings) - 1
    return (told if len(told) <= LONGEST else f"{told[:LONGEST]}…") + (f" (and {more} more)" if more else "")
