"""The part of the page about graders: rule and certificate, or grading model; repeats and disagreements.

Treats no grader as the right one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.kit.certificate import LEAST, Trust
from harness.kit.documents import number, section, span
from harness.kit.pages import NONE, Html, bullets, count, el, folded, named, percent, table, value
from harness.studies.biomed.judging import rule as _rule  # noqa: F401 - the page says what becomes of its certificate
from harness.studies.biomed.pages.fragments import about, plain
from harness.studies.biomed.pages.page_facts import BY_MODEL, BY_RULE, PageFacts
from harness.studies.biomed.terms import PAPER

CLASSES = ("good", "bad", "abstained")
RULE = (
    "The rule (OURS) reads facts from an answer, names, numbers and verdicts, and holds them against those of the gold "
    "answer. It asks no model and weighs no wording. The paper's grader is a language model, which this is not."
)
ALONE = "One grader graded this run: there is nothing to hold it against."
CEILING = (
    "For comparison, the paper's grader against an analyst, as published: within half a point on {near} of {n} answers "
    "{ends}, kappa {kappa} on three states. An agreement here is to be read against that, not against 1."
)


def who_graded(run: PageFacts, counts: Mapping[str, Any], rule: Trust) -> Iterator[str]:
    """Yield one sentence per grader, the one that counts first; the rule's sentence includes its certificate."""
    for place, name in enumerate(run.graders):
        role = "The grades that count are" if place == 0 else "Beside them stand those"
        if name == BY_RULE:
            yield f"{role} by {name}: a rule (OURS), not the paper's grader. Certificate: {rule.verdict} ({rule.line})."
        else:
            yield f"{role} by {name}: {run.grader_title(name)[:100]}, {_wording(run, name, counts)}."


def _wording(run: PageFacts, name: str, counts: Mapping[str, Any]) -> str:
    if name != BY_MODEL:
        return "of which nothing is known here"
    published = run.mode == PAPER and counts.get("system_prompt") == "published"
    return "asked in the published wording" if published else "asked in our own wording (OURS), not the published one"


def graders(run: PageFacts, document: Mapping[str, Any], counts: Mapping[str, Any], rule: Trust) -> list[Html]:
    """Return who graded, what the rule's certificate says, and how far repeats and two graders agree."""
    found: list[Html] = [bullets(who_graded(run, counts, rule))] if run.graders else []
    if BY_RULE in run.graders:
        asked = f"Asked of the rule: kappa of at least {LEAST} at the lower end of its interval, on labels by others."
        kind = {} if rule.usable else {"class_": "note"}
        sets = [bullets(rule.sets)] if rule.sets else []
        found.append(el("div", el("p", RULE), el("p", asked), *sets, **kind))
    if not document:
        return found
    pairs = [pair for pair in document.get("pairs") or [] if isinstance(pair, Mapping)]
    for pair in pairs:
        found += _pair(pair)
    if not pairs:
        found.append(el("p", ALONE))
    return [
        *found,
        *_repeats(document),
        *_ceiling(section(document, "ceiling")),
        about(section(document, "about"), {"within_half_a_point": "within half a point"}),
    ]


def _pair(pair: Mapping[str, Any]) -> Iterator[Html]:
    a, b = str(pair.get("a")), str(pair.get("b"))
    yield el(
        "p",
        f"{a} and {b}: {number(pair.get('n')) or 0:,.0f} answers graded by both, "
        f"{number(pair.get('n_a_only')) or 0:,.0f} by the first alone, {number(pair.get('n_b_only')) or 0:,.0f} "
        "by the second alone. Neither is taken for right.",
    )
    states = section(pair, "states")
    head = ["", "Kappa of three states", "Same state", "Within half a point", "Answers on which they part"]
    row = [
        "All models",
        value(states.get("kappa"), 2),
        percent(states.get("accuracy")),
        percent(pair.get("within_half_a_point")),
        count(pair.get("n_disagreements")),
    ]
    yield table(f"How far {a} and {b} agree", head, [row])
    if states:
        body = [
            [f"{a}: {name}", *(count(section(states, "matrix", name).get(each)) for each in CLASSES)]
            for name in CLASSES
        ]
        yield table(f"States by {a} (rows) and {b} (columns)", ["", *(f"{b}: {each}" for each in CLASSES)], body)
    yield from _listed(pair, a, b)


def _listed(pair: Mapping[str, Any], a: str, b: str) -> Iterator[Html]:
    listed = [row for row in pair.get("disagreements") or [] if isinstance(row, Mapping)]
    if not listed:
        return
    body = [
        [
            named(str(row.get("item", NONE))),
            named(str(row.get("model", NONE))),
            count(row.get("sample")),
            plain(row.get("a"), 1),
            plain(row.get("b"), 1),
        ]
        for row in listed
    ]
    whole = number(pair.get("n_disagreements")) or len(listed)
    title = f"Answers on which they part: {len(listed):,} of {whole:,.0f}"
    caption = "Of unlike states, or more than half a point apart; grades from 0 to 3, -1 for an abstention"
    yield folded(title, table(caption, ["Item", "Model", "Sample", a, b], body))


def _repeats(document: Mapping[str, Any]) -> Iterator[Html]:
    body = [
        [
            grader,
            named(model),
            count(row.get("n")),
            plain(row.get("variance")),
            *(
                percent(row.get(name)) if name in row else NONE
                for name in ("same_grade", "same_state", "within_half_a_point")
            ),
            value(row.get("kappa"), 2),
        ]
        for grader, models in section(document, "repeats").items()
        for model, row in models.items()
        if number(row.get("n"))
    ]
    if not body:
        yield el("p", "No answer was graded more than once by the same grader: of its repeats nothing is known.")
        return
    head = [
        "Grader",
        "Model",
        "Answers with repeats",
        "Variance, points squared",
        "Same grade",
        "Same state",
        "Within half a point, pairs",
        "Kappa",
    ]
    yield table("Repeats: how far a grader agrees with itself", head, body)


def _ceiling(found: Mapping[str, Any]) -> Iterator[Html]:
    share = section(found, "within_half_a_point")
    ends = span(share.get("interval"))
    if share and ends:
        words = CEILING.format(
            near=plain(share.get("k"), 0),
            n=plain(share.get("n"), 0),
            kappa=plain(found.get("kappa"), 2),
            ends=f"[{ends[0]:.2f}, {ends[1]:.2f}]",
        )
        yield el("p", f"{words} Source: {found.get('source', NONE)}.")
