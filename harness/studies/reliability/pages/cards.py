"""Model cards: one HTML page per model, with its six indicators, breakdowns, warnings and the basis of the values.

Works on models' facts and values; sees no items, wordings or responses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from harness.kit.documents import documents, number
from harness.kit.documents import section as inside
from harness.kit.pages import Html, bullets, document, el, fill, join, mark_limited, named, section, text
from harness.studies.reliability.pages import outputs, tables, tables_means
from harness.studies.reliability.pages.fragments import MARKS, people
from harness.studies.reliability.pages.model_facts import SHAPED, STAND_IN, Basis, Facts, basis, family, kind
from harness.studies.reliability.pages.tables import Documents, TableLine

DOCUMENTS = ("indicators", "proportions", "sensitivity", "breakdowns", "people")
WARNINGS = (
    "Prudence is not accuracy: a model that never answers has a prudence of 100.",
    "Never publish the six numbers without the breakdowns below: the same means hide very different models.",
    "Models that are always right, or never, have a stability and a concordance of 100 by definition alone: these are "
    "marked † and enter no mean. Read others beside the proportion, the value of a flat curve and the range of "
    "difficulty.",
    "Stability is not zero for pure noise, and values of different numbers of wordings cannot be compared.",
)
OVERREACH = "Wrong if not right: i / (a + i), ultracrepidarianism."
COLOURS = "Bars: from below correct, avoidant, incorrect; the easiest items on the left."
CARD = """<main><header><p class="soft">Reliability card</p><h1>{{ model }}</h1><p>{{ about }}</p></header>\
<div class="note" role="note">{{ warnings }}</div>{{ shown }}{{ rests }}</main>"""


def write(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the card of every model in `params`, one HTML file each, from the analysis documents given as inputs."""
    given = documents(inputs, DOCUMENTS)
    rests = basis(params, given["indicators"])
    for model, name in outputs.card_names(params["models"]).items():
        made = card(model, params["models"][model], given, rests)
        (out / name).write_bytes(mark_limited(made, params))


def card(model: str, facts: Facts, given: Documents, rests: Basis) -> bytes:
    """Return one model's card: a self-contained HTML page."""
    lines = tables.lines_of_model(given["indicators"], model)
    warnings = bullets([rests.warning, *WARNINGS] if rests.planted else WARNINGS)
    shown = join(_tables(model, lines, given)) if lines else el("p", "No response of this model was scored.")
    filled = fill(
        CARD,
        model=named(model),
        about=join(about(facts)),
        warnings=warnings,
        shown=shown,
        rests=_rests(rests, given, lines),
    )
    return document(f"Reliability card: {model}", filled)


def _tables(model: str, lines: list[TableLine], given: Documents) -> Iterator[Html]:
    """Yield a card's tables: indicators, their means, results by difficulty, counts, and companions."""
    first, whole, means = "Benchmark", [line for line in lines if not line.inner], TableLine("Unweighted mean", model)
    yield tables.six(f"Six indicators, 0 to 100, with their intervals. {OVERREACH}", first, lines, given)
    over = tables.heads(inside(given["indicators"], "means"))
    yield tables.six(f"{tables_means.CAPTION} {tables_means.OVER}", "Over benchmarks", [means], given, over)
    yield from tables_means.footnotes(given["indicators"])
    yield tables.difficulty(f"Along difficulty, 0 to 100. {COLOURS}", first, lines, given)
    yield tables.asked("What was asked and what came back; kinds of avoidance as counts", first, lines, given)
    yield tables.companions("What stability and concordance are read against", first, whole, given)


def about(facts: Facts) -> list[Html]:
    """Return a sentence of HTML about a model: family, kind, and provider, size and compute if known."""
    what = kind(facts)
    words = {
        SHAPED: "shaped: tuned on instructions or by people's preferences, or moderated",
        STAND_IN: "a stand-in, not a model",
    }
    found = [join(["Family: ", named(family(facts)), "; "]), text(words.get(what, what))]
    for name, label in (
        ("provider", "answers from"),
        ("parameters", "parameters"),
        ("flops", "training compute, FLOPs"),
    ):
        if facts.get(name):
            spelled = _thousands(facts[name]) if name == "parameters" else str(facts[name])
            found.append(join([f"; {label}: ", named(spelled)]))
    return [*found, text(".")]


def _thousands(given: object) -> str:
    """Return a whole number with thousands separators; anything else as the manifest has it."""
    known = number(given)
    return str(given) if known is None or not known.is_integer() else f"{known:,.0f}"


def _rests(rests: Basis, given: Documents, lines: list[TableLine]) -> Html:
    discounts = ", ".join(sorted(inside(given["indicators"], "discount")))
    guessed = (
        f"A quarter of what does not avoid is taken off the concordance for guessing: {discounts}."
        if discounts
        else None
    )
    said = [
        rests.rules,
        rests.scale,
        rests.intervals,
        people(given["people"]),
        guessed,
        *MARKS,
    ]
    return section(
        "What this rests on", "rests", bullets(each for each in said if each), el("p", origin(rests), class_="soft")
    )


def origin(rests: Basis) -> str:
    """Return the note on origin: the paper followed, and whether data are our own or from the published dataset."""
    paper = "Zhou et al., Larger and more instructable language models become less reliable, Nature 634 (2024)"
    if rests.all_imported:
        return f"After {paper}, on the published dataset, imported by whoever may use it."
    own = f"After {paper}: a re-implementation with data and wordings of its own, not a replication."
    if rests.imported:
        return f"{own} From the published dataset, imported by whoever may use it: {', '.join(rests.imported)}."
    return own
