"""Plans the steps of the study's analyses: scores, choices, stars, omega, tests, test sizes, figures and the page.

Works with step names and parameters; reads no result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import takewhile
from typing import Any

from harness.kit.ask import Asked
from harness.kit.report import MANIFEST
from harness.kit.study import Brief, Model
from harness.models.local.load import UNTRAINED
from harness.steps import Ref, Source, Step
from harness.studies.brain.nulls.sizes import NullDesign
from harness.studies.brain.pages import figures, run_basis
from harness.studies.brain.pages import outputs as named
from harness.studies.brain.planning import HERE, Fitted
from harness.studies.brain.recorded import Recorded

LENGTHS = "length_check"


def analyse(asked: Asked, brief: Brief, fitted: Fitted) -> dict[str, Ref]:
    """Add the steps of every analysis, of the figures and of the page; return their outputs by name.

    Raises InputError if the number of simulated families is out of range.
    """
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

    drawn = {"untrained": sets} if (sets := drawn_sets(brief.models)) else {}
    for name in ("performance", "choices", "stars", "omega"):
        more = drawn if name == "choices" else {}
        add(name, f"measures.{name}:analyse", {**named_fits, **more}, fits)
    errors: dict[str, Source] = {"errors": tuple(fitted.errors), "units": units, "stimuli": stimuli}
    add("tests", "measures.comparisons:analyse", {**request, "datasets": abouts, "pairs": fitted.pairs}, errors)
    best: dict[str, Source] = {"choices": outputs["choices"], "tests": outputs["tests"], "chosen": tuple(fitted.chosen)}
    add("findings", "measures.findings:analyse", {**named_fits, **drawn, "best": fitted.best}, {**fits, **best})
    noise = {"datasets": abouts, "families": brief.settings["families"], "seed": brief.seeds[0]}
    NullDesign(families=noise["families"])  # raises the step's InputError at planning time
    add("sizes", "nulls.sizes:analyse", noise, {"stimuli": stimuli})
    if any(UNTRAINED in model.settings for model in brief.models):
        check = Step(LENGTHS, f"{HERE}.nulls.length_check:check", "analyses", {}, {}, (LENGTHS,), infers=True)
        outputs[LENGTHS] = asked.add(check)
    return {**outputs, **_shown(asked, brief, fitted, outputs)}


def drawn_sets(models: Iterable[Model]) -> dict[str, list[str]]:
    """Return the sets of two or more untrained models that differ only in the seed of their weights, by set name.

    The name of a set starts with the common prefix of its models' names. Of several models with the same seed, only the
    first is in the set.
    """
    found: dict[str, dict[int, str]] = {}
    for model in models:
        settings = dict(model.settings)
        if (seed := settings.pop(UNTRAINED, None)) is not None:
            parts = (settings, model.weights, model.facts)
            like = repr((model.provider, *(sorted(part.items()) for part in parts)))
            found.setdefault(like, {}).setdefault(seed, model.name)
    sets: dict[str, list[str]] = {}
    for seeds in found.values():
        names = [*seeds.values()]
        alike = takewhile(lambda letters: len({*letters}) == 1, zip(*names, strict=False))
        shared = "".join(letters[0] for letters in alike).rstrip("-_.")
        name = f"{shared or names[0]}-{UNTRAINED}"
        if len(names) > 1:
            sets[name if name not in sets else f"{names[0]}-{UNTRAINED}"] = names
    return sets


def _shown(asked: Asked, brief: Brief, fitted: Fitted, made: Mapping[str, Ref]) -> dict[str, Ref]:
    """Add the steps that draw the figures and write the page; return their outputs by name."""
    params = {
        "generation": brief.settings["generation"],
        "datasets": {one.name: _shown_of(one) for one in fitted.recorded},
        "models": {model.name: _about(model) for model in brief.models},
        "groups": fitted.groups,
    }
    files = named.figures()
    drawn: dict[str, Source] = {name: made[name] for name in figures.DOCUMENTS if name in made}
    drawn[figures.FITS] = tuple(fitted.fits)
    drawn[figures.UNITS] = tuple(one.ref("units") for one in fitted.recorded)
    asked.add(Step("figures", f"{HERE}.pages.figures:draw", "analyses", params, drawn, files, derive=True))
    figured = {name: Ref("figures", name) for name in files}
    shown: dict[str, Source] = {name: made[name] for name in run_basis.DOCUMENTS if name in made}
    shown |= {name: ref for name, ref in figured.items() if name.endswith(".svg")}
    told = {**params, MANIFEST: {}}
    page = Step("page", f"{HERE}.pages.report:write", "analyses", told, shown, (named.REPORT,), derive=True)
    return {**figured, named.REPORT: asked.add(page)}


def _about(model: Model) -> dict[str, Any]:
    """Return what the page says about a text model: its provider and, if it is untrained, the seed of its weights."""
    drawn = model.settings.get(UNTRAINED)
    return {"provider": model.provider, **({} if drawn is None else {UNTRAINED: drawn})}


def _shown_of(one: Recorded) -> dict[str, Any]:
    """Return what the page says about a dataset, including the simulation weights that the manifest changed."""
    return {**one.about(), **({"weights": dict(one.weights)} if one.weights else {})}
