"""Plan the study's analyses: rates, comparisons, categories, texts, costs, graders, figures and the page.

Adds the steps with their names and parameters; reads no results.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.kit.ask import Asked
from harness.kit.report import MANIFEST
from harness.kit.resample import RESAMPLES
from harness.kit.study import Brief
from harness.steps import Ref, Source, Step
from harness.studies.biomed.asking import BY_GRADER, GRADER, HERE, graders
from harness.studies.biomed.pages import figures, report
from harness.studies.biomed.pages import outputs as named

PUBLISHED, DEFECTS = "biomed/published@1", "biomed/defects@1"
CERTIFIED = "biomed.bioscore_rule"  # the grader whose certificate the page shows
PRICED_AS = "priced_as"  # the fact of a model that names the published prices that apply to it


def analyse(asked: Asked, brief: Brief, tables: Mapping[str, Ref]) -> dict[str, Ref]:
    """Add to a plan the steps of every analysis, of the figures and of the page; return their outputs by name."""
    request = {
        "mode": brief.settings["mode"],
        "models": [model.name for model in brief.models],
        "graders": graders(brief),
    }
    again = {**request, "resamples": RESAMPLES, "seed": brief.seeds[0]}
    graded: dict[str, Source] = {name: tables[name] for name in ("items", "gold", "scores")}
    said: dict[str, Source] = {name: tables[name] for name in ("items", "gold", "responses")}
    outputs: dict[str, Ref] = {}

    def add(name: str, params: Mapping[str, Any], inputs: Mapping[str, Source]) -> None:
        step = Step(name, f"{HERE}.measures.{name}:analyse", "analyses", params, inputs, (name,), derive=True)
        outputs[name] = asked.add(step)

    add("performance", request, graded)
    add("comparisons", again, graded)
    add("categories", request, graded)
    add("texts", request, graded)
    add("graders", again, graded)
    if GRADER in brief.instruments:
        add("deductions", {"grader": BY_GRADER, "models": request["models"]}, {"scores": tables["scores"]})
    add("dataset", {}, {"items": tables["items"], "gold": tables["gold"], "counts": tables["counts"]})
    add("tokens", request, said)
    if PUBLISHED in brief.tables:  # a lock pins this table if the manifest names an analysis that reads it
        published: dict[str, Source] = {"published": brief.tables[PUBLISHED]}
        add("published", {}, published)
        priced = {model.name: model.facts[PRICED_AS] for model in brief.models if PRICED_AS in model.facts}
        asks: dict[str, Source] = {"items": tables["items"], "rendered": tables["prompts"]}
        add("costs", {**request, "prices": priced}, {**asks, "responses": tables["responses"], **published})
    if DEFECTS in brief.tables:
        add("defects", request, {**graded, "defects": brief.tables[DEFECTS]})
    return {**outputs, **_shown(asked, brief, outputs, tables)}


def _shown(asked: Asked, brief: Brief, made: Mapping[str, Ref], tables: Mapping[str, Ref]) -> dict[str, Ref]:
    """Add the steps that draw the figures and write the page; return their outputs by name."""
    params = {
        "mode": brief.settings["mode"],
        "graders": graders(brief),
        "instruments": {role: each.model.name for role, each in brief.instruments.items()},
        "models": {
            model.name: {
                "family": model.facts.get("family", ""),
                "provider": model.provider,
                "stand_in": model.stand_in is not None,
            }
            for model in brief.models
        },
    }
    files = named.figures()
    drawn: dict[str, Source] = {name: made[name] for name in figures.DOCUMENTS if name in made}
    asked.add(Step("figures", f"{HERE}.pages.figures:draw", "analyses", params, drawn, files, derive=True))
    figured = {name: Ref("figures", name) for name in files}
    shown: dict[str, Source] = {name: made[name] for name in report.READ if name in made}
    shown |= {"counts": tables["counts"], **{name: ref for name, ref in figured.items() if name.endswith(".svg")}}
    if CERTIFIED in brief.certificates:
        shown[report.CERTIFICATE] = brief.certificates[CERTIFIED]
    told = {**params, MANIFEST: {}}
    page = Step("page", f"{HERE}.pages.report:write", "analyses", told, shown, (named.REPORT,), derive=True)
    return {**figured, named.REPORT: asked.add(page)}
