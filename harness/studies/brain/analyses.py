"""The planning of the study's analyses: scores, choices, stars, omega, tests, their measured size, figures and page.

It knows steps, their names and parameters; it must never know a result.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.steps import Ref, Source, Step
from harness.studies.ask import Asked
from harness.studies.brain.pages import figures, run_basis
from harness.studies.brain.pages import outputs as named
from harness.studies.brain.planning import HERE, Fitted, tested_pairs
from harness.studies.brain.terms import SPLITS
from harness.studies.study import Brief


def analyse(asked: Asked, brief: Brief, fitted: Fitted) -> dict[str, Ref]:
    """Add the steps of every analysis of the fits, of figures and page; returns their outputs by name."""
    outputs: dict[str, Ref] = {}
    if not fitted.groups:
        return outputs
    request = {"generation": brief.settings["generation"], "groups": fitted.groups}
    abouts = [one.about() for one in fitted.recorded]
    stimuli, units = (tuple(one.ref(name) for one in fitted.recorded) for name in ("stimuli", "units"))
    named_fits = {**request, "datasets": [one.name for one in fitted.recorded]}
    fits: dict[str, Source] = {"fits": tuple(fitted.fits), "units": units}

    def add(name: str, kind: str, params: Mapping[str, Any], inputs: Mapping[str, Source]) -> None:
        outputs[name] = asked.add(Step(name, f"{HERE}.{kind}", "analyses", params, inputs, (name,), derive=True))

    for name in ("performance", "choices", "stars", "omega"):
        add(name, f"measures.{name}:analyse", named_fits, fits)
    generation = brief.settings["generation"]
    pairs = {
        one.name: {split: tested_pairs(generation, one.layout, split) for split in SPLITS} for one in fitted.recorded
    }
    errors: dict[str, Source] = {"errors": tuple(fitted.errors), "units": units, "stimuli": stimuli}
    add("tests", "measures.comparisons:analyse", {**request, "datasets": abouts, "pairs": pairs}, errors)
    noise = {"datasets": abouts, "families": brief.settings["families"], "seed": brief.seeds[0]}
    add("sizes", "nulls.sizes:analyse", noise, {"stimuli": stimuli})
    return {**outputs, **_shown(asked, brief, fitted, outputs)}


def _shown(asked: Asked, brief: Brief, fitted: Fitted, made: Mapping[str, Ref]) -> dict[str, Ref]:
    """Add the steps that draw figures and write the page; returns their outputs by name."""
    params = {
        "generation": brief.settings["generation"], "datasets": {one.name: one.about() for one in fitted.recorded},
        "models": {model.name: {"provider": model.provider} for model in brief.models}, "groups": fitted.groups,
    }  # fmt: skip
    files = named.figures()
    drawn: dict[str, Source] = {name: made[name] for name in figures.DOCUMENTS if name in made}
    drawn[figures.FITS] = tuple(fitted.fits)
    asked.add(Step("figures", f"{HERE}.pages.figures:draw", "analyses", params, drawn, files, derive=True))
    figured = {name: Ref("figures", name) for name in files}
    shown: dict[str, Source] = {name: made[name] for name in run_basis.DOCUMENTS if name in made}
    shown |= {name: ref for name, ref in figured.items() if name.endswith(".svg")}
    page = Step("page", f"{HERE}.pages.report:write", "analyses", params, shown, (named.REPORT,), derive=True)
    return {**figured, named.REPORT: asked.add(page)}
