"""The section on judges: the judge behind LLMSim, the rule judge and its certificate, and where the two disagree.

Uses names of judges and measures of their agreement, not the texts of items, and does not say which judge is right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.kit.certificate import LEAST, Trust
from harness.kit.documents import number, section
from harness.kit.pages import NONE, Html, bullets, count, el, folded, named, table, value
from harness.studies.curie.judging import rule as _rule  # noqa: F401 - the page says what becomes of its certificate
from harness.studies.curie.pages.run_facts import RunFacts, measured_by, task_title

SHOWN = 50  # most answers with disagreement that are listed
BY_RULE = "llmsim-rule"  # the scorer that uses the rule judge
JUDGE, GRADER, ENCODER = "judge", "grader", "encoder"  # roles
RULE = (
    "The rule judge (OURS) compares facts: it takes a gold and a predicted item apart into names, values, units and "
    "settings, and calls them the same where all that both say agrees. It weighs no wording, and asks no model."
)
ALONE = "No LLM judge is part of this run: there is nothing to hold the rule judge against."


def warning(run: RunFacts, means: Mapping[str, Any], trust: Trust) -> Iterator[str]:
    """Yield a warning if a primary metric comes from the rule judge and that judge is not usable."""
    tasks = [task_title(task) for task in run.tasks if measured_by(means, task)[1] == BY_RULE]
    if tasks and not trust.usable:
        yield f"LLMSim of {', '.join(tasks)} is by the rule judge (OURS), which is {trust.verdict}: {trust.line}."


def judges(run: RunFacts, means: Mapping[str, Any], agreement: Mapping[str, Any], trust: Trust) -> list[Html]:
    """Return who judged, what the certificate says about the rule judge, and how far it agrees with the LLM judge.

    Empty if no task is judged and there is no grader.
    """
    sources = list(_sources(run, means))
    if not sources:
        return []
    verdict = el(
        "p",
        "Certificate of the rule judge: ",
        el("strong", trust.verdict),
        f" ({trust.line}). ",
        f"Asked for: kappa of at least {LEAST} at the lower end of its interval, on labels by others.",
    )
    sets = [bullets(trust.sets)] if trust.sets else []
    kind = {} if trust.usable else {"class_": "note"}
    found = [bullets(sources), el("div", el("p", RULE), verdict, *sets, **kind)]
    if not agreement:
        return [*found, el("p", ALONE)]
    return [*found, *_agreement(agreement)]


def _sources(run: RunFacts, means: Mapping[str, Any]) -> Iterator[str]:
    by_scorer: dict[str, list[str]] = {}
    for task in run.tasks:
        words, scorer = measured_by(means, task)
        if words.startswith("LLMSim"):
            by_scorer.setdefault(scorer, []).append(task_title(task))
    for scorer, tasks in by_scorer.items():
        yield f"The primary LLMSim of {', '.join(tasks)} is that of {scorer}."
    if JUDGE in run.instruments:
        yield f"LLM judge: {run.instruments[JUDGE]}."
    if GRADER in run.instruments:
        yield f"LMScore is graded by {run.instruments[GRADER]}; its prompt is OURS, since the paper's is not published."


def _agreement(found: Mapping[str, Any]) -> Iterator[Html]:
    answers, together = section(found, "answers"), section(found, "together")
    words = {
        "n": "judged by both",
        "n_parted": "decided otherwise",
        "n_other_gold": "with another count of gold items",
        "n_rule_only": "by the rule alone",
        "n_judge_only": "by the LLM judge alone",
    }
    told = "; ".join(f"{words[name]}: {number(answers.get(name)) or 0:,.0f}" for name in words)
    yield el("p", f"Answers {told}. Neither judge is taken for right: a kappa says how far they agree.")
    rows = {**{task_title(name): each for name, each in section(found, "tasks").items()}, "all together": together}
    body = [
        [name, count(row.get("n")), value(row.get("kappa"), 2), value(row.get("accuracy"), 2), *_matrix(row)]
        for name, row in rows.items()
    ]
    head = ["Task", "Decisions", "Kappa", "Same decision", "Both found it", "LLM judge alone", "Rule alone", "Neither"]
    yield table("Rule and LLM judge: is a gold item stated by a prediction?", head, body)
    yield from _parted(found)


def _matrix(row: Mapping[str, Any]) -> list[Html]:
    cells = section(row, "matrix")
    places = (("matched", "matched"), ("matched", "unmatched"), ("unmatched", "matched"), ("unmatched", "unmatched"))
    return [count(section(cells, judge).get(rule)) for judge, rule in places]


def _parted(found: Mapping[str, Any]) -> Iterator[Html]:
    listed = [row for row in found.get("parted") or [] if isinstance(row, Mapping)]
    if not listed:
        return
    body = [
        [
            named(str(row.get("item", NONE))),
            named(str(row.get("model", NONE))),
            count(row.get("gold")),
            _places(row.get("rule_only")),
            _places(row.get("judge_only")),
            value(row.get("rule_value"), 2),
            value(row.get("judge_value"), 2),
        ]
        for row in listed[:SHOWN]
    ]
    whole = number(section(found, "answers").get("n_parted")) or len(listed)
    title = f"Answers on which they part: {len(body):,} of {whole:,.0f}; all are in the document agreement"
    head = [
        "Item",
        "Who",
        "Gold items",
        "Found by the rule alone",
        "Found by the LLM judge alone",
        "LLMSim by rule",
        "LLMSim by LLM judge",
    ]
    caption = "Places of gold items, counted from 0"
    yield folded(title, table(caption, head, body))


def _places(found: Any) -> str:
    return ", ".join(str(each) for each in found) if isinstance(found, list) and found else NONE
