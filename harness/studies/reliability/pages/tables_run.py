"""The HTML tables of the report only: scorer checks, kinds of avoidance, model pairs, training compute, people.

Uses the analyses' documents; computes no values and sees no single items.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.kit.documents import number, section
from harness.kit.pages import NONE, Html, count, el, join, named, percent, table, value
from harness.studies.reliability.pages.fragments import part
from harness.studies.reliability.pages.fragments import people as said_of_people
from harness.studies.reliability.pages.tables import Documents
from harness.studies.reliability.terms import SUBTYPES

LEVEL = 0.05
RATES: Mapping[str, str] = {
    "incorrect_to_correct_over_nonavoidant": "incorrect → correct, of what does not avoid",
    "incorrect_to_correct_over_incorrect": "incorrect → correct, of incorrect",
    "correct_to_incorrect_over_correct": "correct → incorrect, of correct",
    "supervision_accuracy": "verdict agrees with the label",
    "unsure_rate": "unsure",
}
MEASURES: Mapping[str, str] = {
    "avoidant": "avoidant (a)",
    "incorrect": "incorrect (i)",
    "ultracrepidarianism": "i / (a + i)",
}
EXPECTED = {"all": "always right", "none": "never right", None: "nothing: reported"}


def soundness(given: Documents) -> list[Html]:
    """Return the table of the scorers' sanity checks by stand-ins, or a note that the run has no stand-ins."""
    checks = section(given["checks"], "benchmarks")
    body = [
        [
            name,
            named(model),
            EXPECTED.get(row.get("expected"), NONE),
            percent(row.get("correct"), 2),
            count(row.get("n")),
            count(row.get("errors")),
            str(row.get("verdict", NONE)),
        ]
        for name in sorted(checks)
        for model, row in sorted(section(checks, name).items())
        if row.get("verdict") != "reported" or row.get("adversarial") is True
    ]
    found = [el("p", "No stand-in was part of this run: nothing here proves the rules.")]
    if body:
        head = ["Benchmark", "Stand-in", "Must be", "Correct", "Scored", "In error", "Verdict"]
        verdict = str(given["checks"].get("verdict", "not said"))
        found = [
            el("p", "Stand-ins must be right always, or never. All together: ", el("strong", verdict), "."),
            table("What stand-ins reach, and what a sound set of rules gives them", head, body),
        ]
    return found


def avoidance(given: Documents) -> list[Html]:
    """Return the table of kinds of avoidance, pooled over raw and over shaped models; empty if there are none."""
    groups = section(given["breakdowns"], "avoidance_by_group")
    head = ["Models", "Avoidant responses", "Ethical", "Epistemic", "Non-conforming"]
    body = [
        [
            name,
            count(row.get("n")),
            *(percent(section(row, "shares").get(kind)) for kind in SUBTYPES),
        ]
        for name, row in sorted(groups.items())
    ]
    return (
        [table("Kinds of avoidance, as shares of the avoidant responses, all benchmarks pooled", head, body)]
        if body
        else []
    )


def comparisons(given: Documents) -> list[Html]:
    """Return a table for each compared pair of models: differences, sign-flip p, and how many wordings differ."""
    pairs = given["comparisons"].get("pairs") or []
    return [_pair(pair) for pair in pairs if isinstance(pair, Mapping)]


def _pair(pair: Mapping[str, Any]) -> Html:
    a, b = str(pair.get("a")), str(pair.get("b"))
    head = [
        "Benchmark",
        "Correct: difference",
        "p, signs flipped",
        f"Wordings that differ (of all), Holm {LEVEL}",
        "Prudent: difference",
        "p, signs flipped",
        f"Wordings that differ (of all), Holm {LEVEL}",
    ]
    groups = {**section(pair, "benchmarks"), **section(pair, "parts")}
    body = [[part(name), *_compared(row), *_compared(section(row, "prudence"))] for name, row in sorted(groups.items())]
    overall = section(pair, "overall")
    if overall:
        ends = [
            [value(section(overall, side).get("difference"), 1, 100), NONE, NONE]
            for side in ("correctness", "prudence")
        ]
        body.append(["All benchmarks, unweighted mean", *ends[0], *ends[1]])
    caption = f"{a} minus {b}, in percentage points of the responses scored for both"
    return join([el("h3", named(a), " against ", named(b)), table(caption, head, body)])


def _compared(row: Mapping[str, Any]) -> list[Html]:
    wordings = [number(each.get("p_holm")) for each in row.get("templates") or []]
    apart = sum(p is not None and p < LEVEL for p in wordings)
    return [
        value(row.get("difference"), 1, 100),
        value(row.get("sign_flip_p"), 4),
        join([f"{apart} of {len(wordings)}"]),
    ]


def scaling(given: Documents) -> list[Html]:
    """Return the table of lines fitted over training compute, and the number of models left out; or a note."""
    fits = section(given["scaling"], "fits")
    head = ["Models", "Share", "Slope a decade of FLOPs", "Intercept", "n"]
    body = [
        [group, words, value(row.get("slope_per_decade"), 4), value(row.get("intercept"), 4), count(row.get("n"))]
        for group in sorted(fits)
        for measure, words in MEASURES.items()
        if (row := section(fits, group, measure))
    ]
    if not given["scaling"].get("points"):
        return [el("p", "No model of this run has a known amount of training compute: there is no line to fit.")]
    left = len(given["scaling"].get("excluded") or [])
    return [
        table("Lines by ordinary least squares on log10 of training compute", head, body),
        el("p", f"Left out, as stand-ins or since compute or tuning is not known: {left} models.", class_="soft"),
    ]


def people(given: Documents) -> list[Html]:
    """Return the tables of S1 (expectations of items) and S2 (verdicts on outputs), each if it has results.

    The first paragraph says whether people or simulated respondents answered, or no one.
    """
    found = given["people"]
    first, second = section(found, "s1", "benchmarks"), section(found, "s2", "benchmarks")
    made = [el("p", el("strong", said_of_people(found)))]
    if first:
        head = [
            "Benchmark",
            "Participants",
            "Items",
            "Ratings",
            "Difficulty function",
            "Expected against actual failure: Spearman",
        ]
        body = [
            [
                part(name),
                count(row.get("participants")),
                count(row.get("items")),
                count(row.get("ratings")),
                _selected(row),
                value(section(row, "perceived").get("spearman"), 2),
            ]
            for name, row in sorted({**first, **section(found, "s1", "parts")}.items())
        ]
        made.append(table("Study S1: how hard people think items are", head, body))
    if second:
        head = ["Benchmark", "Participants", "Verdicts", *RATES.values()]
        rows = dict(sorted({**second, **section(found, "s2", "parts")}.items()))
        rows["all benchmarks"] = section(found, "s2", "all")
        body = [
            [
                part(name),
                count(row.get("participants")),
                count(row.get("n")),
                *(percent(row.get(rate)) for rate in RATES),
            ]
            for name, row in rows.items()
        ]
        made.append(table("Study S2: what people make of outputs, cells named model → human", head, body))
    return made


def _selected(row: Mapping[str, Any]) -> str:
    chosen = section(row, "selection").get("selected")
    return chosen if isinstance(chosen, str) else NONE
