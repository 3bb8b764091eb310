"""Tables by template: RQR beside what always yes or always no would get right, then AR, SR, gain and counts.

Shows the document `performance` and the catalogue's descriptions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.kit.documents import number, section
from harness.kit.pages import NONE, Html, count, folded, join, named, table, word_table
from harness.studies.biomed.pages.fragments import plain, warned
from harness.studies.biomed.pages.page_facts import QUANTITIES, PageFacts
from harness.studies.biomed.templates.catalogue import TEMPLATES

FOLDED = ("AR", "SR", "gain")
STATES = ("K", "good", "bad", "blocked", "error", "ungraded")
READING = (
    "RQR by template, from 0 to 1. Always yes, always no: the share of its questions of yes or no that this word "
    "throughout would get right. A dash: nothing to divide by, or no question of yes or no"
)
REACHED = "One word throughout is right as often as these models' answers are good:"
BY_SEED = {template.seed: template for template in TEMPLATES.values()}


def templates(run: PageFacts, document: Mapping[str, Any]) -> list[Html]:
    """Return the tables by template, by the grader that counts; empty without items."""
    items = section(document, "templates")
    found = section(document, "graders", run.counting, "models")
    if not items or not found:
        return []
    head = ["Template", "Questions", "Always yes", "Always no", *(named(model) for model in run.models)]
    body = [
        [
            name,
            count(own.get("n_items")),
            plain(own.get("always_yes")),
            plain(own.get("always_no")),
            *(plain(section(found, model, "by_template", name).get("RQR")) for model in run.models),
        ]
        for name, own in items.items()
    ]
    return [
        table(READING, head, body),
        *warned(REACHED, list(_reached(run, items, found))),
        *(_folded(run, items, found, rate) for rate in FOLDED),
        _counts(run, items, found),
        folded(
            "What the templates ask",
            word_table(
                "The templates, in words of our own",
                ["Template", "It asks for"],
                [[name, template_words(name)] for name in items],
            ),
        ),
    ]


def template_words(name: str) -> str:
    """Return what a template asks, by our name for the template or by that of its seed; a dash for any other name."""
    template = TEMPLATES.get(name) or BY_SEED.get(name)
    return template.about if template else NONE


def _reached(run: PageFacts, items: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[str]:
    """Yield for each model that is not a stand-in the templates where always yes or always no reaches its RQR."""
    for model in run.models:
        if run.is_stand_in(model):
            continue
        told = []
        for name, own in items.items():
            best = max(
                (each for word in ("always_yes", "always_no") if (each := number(own.get(word))) is not None),
                default=None,
            )
            rqr = number(section(found, model, "by_template", name).get("RQR"))
            if best is not None and rqr is not None and best >= rqr:
                told.append(f"{name} ({rqr:.3f} against {best:.3f})")
        if told:
            yield f"{model[:100]}: {', '.join(told)}"


def _folded(run: PageFacts, items: Mapping[str, Any], found: Mapping[str, Any], rate: str) -> Html:
    body = [
        [name, *(plain(section(found, model, "by_template", name).get(rate)) for model in run.models)] for name in items
    ]
    shown = table(f"{QUANTITIES[rate]}, by template", ["Template", *(named(model) for model in run.models)], body)
    return folded(f"{QUANTITIES[rate]}, by template", shown)


def _counts(run: PageFacts, items: Mapping[str, Any], found: Mapping[str, Any]) -> Html:
    """Return the folded counts of each template and model: abstained, good, bad, blocked, error, ungraded."""
    body = [
        [name, *(_spelled(section(found, model, "by_template", name, "counts")) for model in run.models)]
        for name in items
    ]
    words = "Abstained, good, bad, blocked, error, ungraded, by template"
    return folded(words, table(words, ["Template", *(named(model) for model in run.models)], body))


def _spelled(counts: Mapping[str, Any]) -> Html:
    return join([" ".join(f"{number(counts.get(name)) or 0:.0f}" for name in STATES) if counts else NONE])
