"""HTML fragments of cards and report: names of benchmark parts, small stacked bars, a note on the respondents.

Formats shares and words; computes no values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.kit.documents import number, section
from harness.kit.pages import BESIDE, NONE, Html, el, join
from harness.studies.reliability.pages.model_facts import SHARES

PART = {
    "target_only": "target word only",
    "true_target_kept": "true target kept",
    "runner_up_far": "runner-up below 0.8 of the target",
}
FEW = "§"  # marks an interval with too low coverage, since there are few items
MARKS = (
    "† degenerate: so by definition alone (all alike, one item, wording or difficulty); it enters no mean.",
    BESIDE,
    f"{FEW} few items: the interval holds the true value less often than in 95 % of cases, as said of intervals.",
    "undefined: in so many resamples the labels leave no value; the interval is of the others.",
)  # explanations of the marks that `value` puts behind a number
BAR, TALL = 4, 36  # units of a small stacked bar


def part(name: str) -> str:
    """Return the display name of a benchmark or of its part: `a:b` becomes `a: b`, with known parts spelled out."""
    whole, _, inside = name.partition(":")
    return f"{whole}: {PART.get(inside, inside)}" if inside else whole


def bars(bins: Sequence[Mapping[str, Any]], name: str) -> Html:
    """Return the shares of each bin as small stacked bars in SVG: from below correct, avoidant, incorrect.

    The easiest bin is on the left; `name` begins the text alternative. If no bin was scored, the result is a dash.
    """
    known = [[number(each.get(share)) for share in SHARES] for each in bins]
    scored = [triple for triple in known if None not in triple]
    if not scored:
        return join([NONE])
    drawn = []
    for place, triple in enumerate(known):
        top = float(TALL)
        for share, letter in zip(triple, "cai", strict=True):
            high = TALL * (share or 0.0)
            top -= high
            if high >= 0.05:
                size = {"x": str(BAR * place), "y": f"{max(top, 0):.1f}", "width": str(BAR), "height": f"{high:.1f}"}
                drawn.append(el("rect", class_=letter, **size))
    first, last = (
        ", ".join(f"{share or 0:.0%} {what}" for share, what in zip(triple, SHARES, strict=True))
        for triple in (scored[0], scored[-1])
    )
    wide = str(BAR * len(known))
    return el(
        "svg",
        *drawn,
        class_="bars",
        role="img",
        viewBox=f"0 0 {wide} {TALL}",
        width=wide,
        height=str(TALL),
        aria_label=f"{name}: easiest bin {first}; hardest bin {last}",
    )


def people(document: Mapping[str, Any]) -> str:
    """Return the note on the source of the answers in S1 and S2: none, simulated respondents, or people."""
    if not section(document, "s1") and not section(document, "s2"):
        return "No answers of people, real or simulated, are part of this run."
    if document.get("simulated") is True:
        return "Simulated respondents: no person took part; what they say proves the analysis and nothing about people."
    return "Answers of people who took part in the surveys that were given to this run."
