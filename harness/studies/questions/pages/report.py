"""The HTML page of a run: what was asked, scores, groups, wordings, samples, answers, and how the run was made.

Puts parts together that other modules make. Date and id of a run are no inputs of the step, so they are not on the
page: `harness get RUN report.html` says them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.kit import pages
from harness.kit.documents import documents, number
from harness.kit.pages import Html, document, fill, inline_svg, join, mark_limited
from harness.studies.questions.asking.rendering import read_wordings
from harness.studies.questions.pages import answers, basis, compared_models, head, tables_repeats, tables_scores
from harness.studies.questions.pages.figures import TITLE as DRAWN
from harness.studies.questions.pages.fragments import at
from harness.studies.questions.pages.page_facts import COMPARISON, FIGURES, REPORT, WORDINGS, QuestionsFacts

DOCUMENTS = ("summary", "counts", COMPARISON)
PAGE = """<header><h1>{{ title }}</h1><p>{{ question }}</p>{{ facts }}</header>\
{% if note %}<div class="note" role="note"><p>{{ note }}</p></div>{% endif %}
<nav aria-label="Parts of this page"><ul>\
{% for anchor, title in anchors %}<li><a href="#{{ anchor }}">{{ title }}</a></li>{% endfor %}\
</ul></nav>
<main>{{ parts }}</main>"""
FIGURE = """<figure>{{ drawn }}<figcaption>{{ words }}. File: {{ name }}</figcaption></figure>"""


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
        "Figure": [_figure(svg)] if svg else [],
        "Comparison": compared_models.comparison(run, given.get(COMPARISON, {})),
        "Perplexity": tables_repeats.perplexities(summary),
        "Groups": tables_scores.groups(run, summary),
        "Wordings": tables_repeats.wordings(run, summary),
        "Several answers": tables_repeats.samples(run, summary),
        "Items and answers": answers.answers(asked, list(run.models)),
        "What is left out": basis.left_out(summary, counts),
        "What this rests on": basis.rests(run, summary),
    }
    shown = {title: pages.section(title, _anchor(title), *inside) for title, inside in parts.items() if inside}
    title = f"Scores: {', '.join(at(summary, 'datasets'))}"
    filled = fill(
        PAGE,
        title=title,
        question=_question(run, summary),
        facts=head.facts(run),
        note=_note(run),
        parts=join(shown.values()),
        anchors=[(_anchor(title), title) for title in shown],
    )
    return document(title, filled)


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


def _question(run: QuestionsFacts, summary: Mapping[str, Any]) -> str:
    """Return one line that names the datasets, the models and the scorers."""
    found = at(summary, "datasets")
    data = ", ".join(f"{name} ({number(of.get('items')) or 0:,.0f} items)" for name, of in found.items())
    return f"Asked: {data}. Models: {', '.join(run.models)}. Scored by: {', '.join(run.scorers)}."


def _note(run: QuestionsFacts) -> str:
    stand_ins = [name for name in run.models if run.is_stand_in(name)]
    if not stand_ins:
        return ""
    return f"Stand-ins, which are no models: they answer by a rule, some of them from the gold: {', '.join(stand_ins)}."


def _figure(svg: str) -> Html:
    return fill(FIGURE, drawn=inline_svg(svg, "figure-scores", DRAWN), words=DRAWN, name=FIGURES[0])
