"""Differences between models on the same answers, with intervals over templates and sign flips.

Shows the document `comparisons`; computes no difference.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.kit.documents import interval, number, section
from harness.kit.pages import Html, count, el, folded, join, named, table, value
from harness.studies.biomed.pages.fragments import DIGITS, UNRELIABLE, about, plain
from harness.studies.biomed.pages.page_facts import QUANTITIES, PageFacts

SHOWN = ("RQR", "SR", "AR", "answered_accuracy", "BioScore")
FEW = 3  # up to this many models, no pairs are folded
READING = (
    "The first model less the second, on the answers that both have in a usable state. Bold: the interval does not "
    "hold 0. p by sign flips of templates, then corrected by Holm over the pairs"
)
LONELY = "There is one model: nothing to compare it with."
Pair = Mapping[str, Any]


def pairs(run: PageFacts, document: Mapping[str, Any]) -> list[Html]:
    """Return the table of differences by the grader that counts; a note if there is one model."""
    if not document:
        return []
    given = [pair for pair in section(document, "graders", run.counting).get("pairs") or [] if isinstance(pair, dict)]
    if not given:
        return [el("p", LONELY)]
    real = [pair for pair in given if not (run.is_stand_in(str(pair.get("a"))) or run.is_stand_in(str(pair.get("b"))))]
    beside = [pair for pair in given if pair not in real]
    found = [_differences(real, READING)] if real else []
    if beside:
        shown = _differences(beside, f"With stand-ins. {READING}")
        found.append(shown if len(run.models) <= FEW else folded(f"{len(beside):,} pairs with stand-ins", shown))
    reasons = sorted({str(why) for pair in given for why in pair.get("unreliable") or []})
    if reasons:
        found.append(el("p", f"{UNRELIABLE} Not to be trusted: {'; '.join(reasons)}.", class_="soft"))
    resamples, seed = number(document.get("resamples")) or 0, plain(document.get("seed"), 0)
    drawn = el("p", f"{resamples:,.0f} resamples of templates, seed {seed}.", class_="soft")
    return [*found, drawn, about(section(document, "about"), {})]


def _differences(given: list[Any], caption: str) -> Html:
    head = ["Pair", *(QUANTITIES[name] for name in SHOWN), "Answers of both", "Templates", "Unusable: first, second"]
    body = [
        [
            _pair(pair),
            *(_difference(section(pair, "quantities", name), pair) for name in SHOWN),
            count(pair.get("n")),
            count(pair.get("n_templates")),
            ", ".join(plain(pair.get(f"n_unusable_{side}"), 0) for side in "ab"),
        ]
        for pair in given
    ]
    return table(caption, head, body)


def _pair(pair: Pair) -> Html:
    mark = f" {UNRELIABLE}" if pair.get("unreliable") else ""
    return join([named(str(pair.get("a"))), " less ", named(str(pair.get("b"))), mark])


def _difference(found: Mapping[str, Any], pair: Pair) -> Html:
    if number(found) is None:
        return value(found)
    ends, shown = interval(found), value(found, DIGITS)
    sure = ends is not None and not ends[0] <= 0 <= ends[1]
    tests = [f"{words} {_p(found[name])}" for name, words in (("p", "p"), ("p_holm", "Holm")) if name in found]
    return join([el("strong", shown) if sure else shown, el("span", ", ".join(tests), class_="ci")])


def _p(found: Any) -> str:
    known = number(found)
    return plain(found) if known is None or known >= 0.001 else f"{known:.1g}"
