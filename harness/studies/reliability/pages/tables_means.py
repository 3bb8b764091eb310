"""The HTML of headline means: models and stand-ins separately, raw beside shaped models, and the benchmarks covered.

Uses the document `indicators`; computes no values and sees no single items.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from harness.kit.documents import section
from harness.kit.pages import Html, bullets, el, folded, join, named, table, text
from harness.studies.reliability.pages.model_facts import SIX, STAND_IN, Models, families, kind
from harness.studies.reliability.pages.tables import MEANS, Documents, TableLine, heads, six, stated

CAPTION = "Unweighted means, 0 to 100, with their intervals; shares in percent."
OVER = "Each is over the benchmarks that its column names: those where the value of every model is defined."
APART = "Stand-ins, apart: they choose no benchmark. Each mean is over the models' benchmarks, or there is none."
PAIRS = (
    "Two models are compared over the benchmarks where both are defined, so other models cannot turn the finding "
    "round. Differences of two pairs may be over different benchmarks: they are never ranked against each other."
)


def means(models: Models, given: Documents, overreach: str) -> list[Html]:
    """Return the means of models and of stand-ins, what was left out of them, and pairs; a note if there are none."""
    document = given["indicators"]
    lines = [TableLine(model, model) for members in families(models).values() for model in members]
    shown = [line for line in lines if line.entry(document)]
    real = [line for line in shown if kind(models[line.model]) != STAND_IN]
    apart = [line for line in shown if line not in real]
    if not shown:
        return [el("p", "Nothing was scored.")]
    over = heads(section(document, "means"))
    found = [six(f"{CAPTION} {OVER} {overreach}", "Model", real, given, over)] if real else []
    found += footnotes(document)
    found += [six(f"{APART} {overreach}", "Stand-in", apart, given, over)] if apart else []
    return [*found, *_pairs(models, document)]


def footnotes(document: Mapping[str, Any]) -> list[Html]:
    """Return which benchmarks the means leave out, and which model is undefined there and why; empty if none is."""
    said = [(sentence, MEANS[name]) for name in MEANS for sentence in _left_out(section(document, "means", name))]
    ordered = sorted(said, key=lambda each: str(each[0]))
    grouped = [(sentence, [name for _, name in names]) for sentence, names in groupby(ordered, lambda each: each[0])]
    return [bullets(join([f"{', '.join(names)}: ", sentence]) for sentence, names in grouped)] if grouped else []


def _left_out(found: Mapping[str, Any]) -> Iterator[Html]:
    for benchmark, who in section(found, "left_out").items():
        reasons = join((join([named(model), f" {why}"]) for model, why in who.items()), ", ")
        yield join([f"{benchmark} is left out (", reasons, ")."])
    for model, why in section(found, "dropped").items():
        yield join([named(model), f" has no mean: {why}."])


def _pairs(models: Models, document: Mapping[str, Any]) -> list[Html]:
    """Return each raw model and the one shaped from it over their own benchmarks, folded if there are several pairs."""
    twins = [(str(facts["raw_twin"]), name) for name, facts in models.items() if facts.get("raw_twin") in models]
    shown = [_pair(document, *pair) for pair in twins if section(document, "pairs", *pair)]
    if not shown:
        return []
    note = el("p", PAIRS)
    return [note, *shown] if len(shown) == 1 else [folded("Raw against shaped, pair by pair", note, *shown)]


def _pair(document: Mapping[str, Any], raw: str, shaped: str) -> Html:
    sides = {raw: section(document, "pairs", raw, shaped), shaped: section(document, "pairs", shaped, raw)}
    over = heads(sides[raw])
    body = [[named(model), *(stated(found.get(name)) for name in SIX)] for model, found in sides.items()]
    body.append(
        [text("the first less the second"), *(stated(section(sides[raw], name).get("difference")) for name in SIX)]
    )
    caption = f"{raw} and {shaped}: unweighted means, each over the benchmarks where both are defined"
    return join(
        [el("h3", named(raw), " and ", named(shaped)), table(caption, ["Model", *(over[name] for name in SIX)], body)]
    )
