"""The first part of the page: the rates of every model, and how its answers were counted.

Shows the document `performance`; computes no rate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.kit.documents import number, section
from harness.kit.pages import NONE, Html, bullets, count, el, folded, join, table, value
from harness.studies.biomed.pages.fragments import UNRELIABLE, about, plain, rated, warned, who
from harness.studies.biomed.pages.page_facts import QUANTITIES, PageFacts
from harness.studies.biomed.terms import ABSTAINED, ANSWERED, BLOCKED, ERROR, PAPER, UNGRADED

RATES = ("BioScore", "AR", "RQR", "SR", "answered_accuracy")
BESIDE = (BLOCKED, ERROR, UNGRADED)
COUNTS: Mapping[str, str] = {
    "n": "In the rates",
    "K": "Abstained",
    "good": "Good",
    "bad": "Bad",
    BLOCKED: "Blocked",
    ERROR: "Error",
    UNGRADED: "Ungraded",
}
NOBODY = "Nothing was graded."
READING = (
    "from 0 to 1, with their intervals (95 %). A dash: undefined, with the reason. In the order of the manifest: no "
    "single number ranks models"
)
EXPLAINED: Mapping[str, str] = {
    "rows": "A: interval for other answers to questions of these templates.",
    "templates": "T: interval for questions of other templates.",
    "official": "P: interval by the published recipe of each quantity, not cut at 0 and 1.",
}
NO_BETTER = (
    "SR is no higher than refusing as often at random would make it (values alone, without an interval): these models "
    "refuse, and do not seem to tell what they know from what they do not:"
)
LABELS: Mapping[str, str] = {
    "always": "Always yes, always no",
    "states": "Blocked, error, ungraded",
}
COVERED = "How often intervals over templates hold the truth, by simulation (OURS)"
COUNTED: Mapping[str, str] = {
    "strict": "How the answers were counted: n is abstained, good, bad and blocked ones; errors and ungraded ones are "
    "outside of every rate",
    PAPER: "How the answers were counted: n is every answer, as published; last, the states they really have",
}


def results(run: PageFacts, document: Mapping[str, Any]) -> list[Html]:
    """Return the headline table with its notes and counts, by the grader that counts; others are folded below it."""
    if not section(document, "graders", run.counting, "models"):
        return [el("p", NOBODY)]
    found = section(document, "graders", run.counting, "models")
    others = [
        folded(f"The same by {name}, {run.grader_title(name)}, which does not count here", *_tables(run, other, name))
        for name in run.graders[1:]
        if (other := section(document, "graders", name, "models"))
    ]
    return [
        *_tables(run, found, run.counting),
        *warned(NO_BETTER, list(_no_better(found))),
        *_notes(document, found),
        *others,
    ]


def _tables(run: PageFacts, found: Mapping[str, Any], grader: str) -> list[Html]:
    rates = [name for name in RATES if any(name in section(found, model, "rates") for model in run.models)] or RATES[:4]
    head = ["Model", *map(_heading, (*rates, "gain")), "Quadrant", *(COUNTS[name] for name in BESIDE)]
    body = []
    for model in run.models:
        own = section(found, model)
        quadrant = own.get("quadrant")
        body.append(
            [
                who(run, model),
                *(rated(section(own, "rates", name)) for name in rates),
                _gain(own),
                quadrant if isinstance(quadrant, str) else NONE,
                *(count(section(own, "states").get(name)) for name in BESIDE),
            ]
        )
    caption = f"The models, graded by {grader}, {run.grader_title(grader)}: {READING}"
    return [table(caption, head, body), _counts(run, found)]


def _heading(name: str) -> Html:
    short, _, words = QUANTITIES[name].partition(", ")
    return join([short, el("span", words, class_="why") if words else None])


def _gain(own: Mapping[str, Any]) -> Html:
    return join([plain(own.get("gain"))]) if number(own.get("gain")) is not None else value(own.get("gain"))


def _counts(run: PageFacts, found: Mapping[str, Any]) -> Html:
    states = (ANSWERED, ABSTAINED, *BESIDE) if run.mode == PAPER else ()
    head = ["Model", "Answers", *COUNTS.values(), *(f"State: {name}" for name in states)]
    body = [
        [
            who(run, model),
            count(section(found, model).get("answers")),
            *(count(section(found, model, "counts").get(name)) for name in COUNTS),
            *(count(section(found, model, "states").get(name)) for name in states),
        ]
        for model in run.models
    ]
    return table(COUNTED.get(run.mode, COUNTED["strict"]), head, body)


def _no_better(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each model that refuses some questions but gains nothing over refusing at random."""
    for model, own in found.items():
        gain, safety = number(own.get("gain")), number(section(own, "rates", "SR"))
        if gain is not None and safety is not None and gain <= 0 and number(section(own, "counts").get("K")):
            yield f"{model[:100]}: SR {safety:.3f}, gain {gain:z.3f}"


def _notes(document: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[Html]:
    cells = [rate for own in found.values() for rate in section(own, "rates").values() if isinstance(rate, Mapping)]
    said = [words for kind, words in EXPLAINED.items() if any(kind in rate for rate in cells)]
    reasons = {str(why) for rate in cells for why in section(rate, "templates").get("unreliable") or []}
    if reasons:
        said.append(f"{UNRELIABLE} Not to be trusted: {'; or '.join(sorted(reasons))}.")
    yield el("p", " ".join(said), class_="soft")
    told = {name: words for name, words in section(document, "about").items() if name not in EXPLAINED}
    yield about(told, {**QUANTITIES, **LABELS})
    coverage = {"what": "", **section(document, "coverage")}
    if coverage["what"] and any("templates" in rate for rate in cells):
        lines = [words if name in ("what", "rows") else f"{name}: {words}" for name, words in coverage.items()]
        yield folded(COVERED, bullets(map(str, lines)))
