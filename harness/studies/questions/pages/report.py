"""The HTML page of a run: what was asked, scores, groups, wordings, samples, answers, and how the run was made.

Puts parts together that other modules make. Date and id of a run are no inputs of the step, so they are not on the
page: `harness get RUN report.html` says them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.kit.documents import documents, number
from harness.kit.pages import join, mark_limited
from harness.kit.report import figure, head, report
from harness.studies.questions.asking.rendering import read_wordings
from harness.studies.questions.pages import answers, basis, compared_models, tables_repeats, tables_scores
from harness.studies.questions.pages.figures import TITLE as DRAWN
from harness.studies.questions.pages.fragments import at
from harness.studies.questions.pages.page_facts import COMPARISON, FIGURE, FIGURES, REPORT, WORDINGS, QuestionsFacts

DOCUMENTS = ("summary", "counts", COMPARISON)
LONGEST = 200  # characters of a wording in the head; the section on wordings has all


def write(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the report of the run as one HTML file, with the figure inlined."""
    run = QuestionsFacts.of(params)
    svg = inputs[FIGURES[0]].read_text(encoding="utf-8") if FIGURES[0] in inputs else ""
    if WORDINGS in inputs:
        run = replace(run, wordings=read_wordings(inputs[WORDINGS].read_bytes(), WORDINGS))
    asked = answers.read_answers(inputs, list(run.models), run.kinds())
    (out / REPORT).write_bytes(mark_limited(page(run, documents(inputs, DOCUMENTS), svg, asked), params))


def page(
    run: QuestionsFacts,
    given: Mapping[str, Mapping[str, Any]],
    svg: str,
    asked: answers.AnswerRows | None = None,
) -> bytes:
    """Return the report's HTML from a run's facts, documents, figure (an SVG text) and answers."""
    summary, counts = given["summary"], given["counts"]
    parts = {
        "Scores": tables_scores.scores(run, summary),
        "Figure": [figure(svg, FIGURE, DRAWN)] if svg else [],
        "Comparison": compared_models.comparison(run, given.get(COMPARISON, {})),
        "Perplexity": tables_repeats.perplexities(summary),
        "Groups": tables_scores.groups(run, summary),
        "Wordings": tables_repeats.wordings(run, summary),
        "Several answers": tables_repeats.samples(run, summary),
        "Items and answers": answers.answers(asked, list(run.models)),
        "What is left out": basis.left_out(summary, counts),
        "What this rests on": basis.rests(run, summary),
    }
    words = _wording(run)
    return report(
        f"Scores: {', '.join(at(summary, 'datasets'))}",
        _question(run, summary),
        parts,
        head=head(run.manifest, run.models, *([[join(["Wording"]), join([words])]] if words else [])),
        notes=_notes(run),
    )


def _wording(run: QuestionsFacts) -> str:
    """Return the first wording in one line, and how many more there are."""
    if not run.wordings:
        return ""
    first = run.wordings[0]
    turns = [f"{role}: {text}" for turn in first.get("turns", ()) for role, text in turn.items()]
    told = " ⏎ ".join(str(first.get("text") or " ⏎ ".join(turns)).splitlines())
    more = len(run.wordings) - 1
    return (told if len(told) <= LONGEST else f"{told[:LONGEST]}…") + (f" (and {more} more)" if more else "")


def _question(run: QuestionsFacts, summary: Mapping[str, Any]) -> str:
    """Return one line that names the datasets, the models and the scorers."""
    found = at(summary, "datasets")
    data = ", ".join(f"{name} ({number(of.get('items')) or 0:,.0f} items)" for name, of in found.items())
    return f"Asked: {data}. Models: {', '.join(run.models)}. Scored by: {', '.join(run.scorers)}."


def _notes(run: QuestionsFacts) -> Iterator[str]:
    stand_ins = [name for name in run.models if run.is_stand_in(name)]
    if stand_ins:
        words = "Stand-ins, which are no models: they answer by a rule, some of them from the gold"
        yield f"{words}: {', '.join(stand_ins)}."
