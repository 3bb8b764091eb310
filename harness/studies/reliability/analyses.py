"""Plans the study's analysis steps: what is computed from labels, and the figures, model cards and report.

Handles steps, their names and parameters; reads no results.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.answers.result import V1
from harness.kit.ask import Asked
from harness.kit.report import MANIFEST
from harness.kit.resample import RESAMPLES
from harness.kit.study import Brief, Model
from harness.steps import Ref, Source, Step
from harness.studies.reliability.benchmarks import BENCHMARKS, RULES, rule_set
from harness.studies.reliability.pages import cards, figures, report
from harness.studies.reliability.pages import outputs as named
from harness.studies.reliability.pages.certificate import CERTIFICATE, CERTIFIED
from harness.studies.reliability.terms import BINS, GUESSED

HERE = "harness.studies.reliability"
DISCOUNT = {benchmark: str(part) for benchmark, part in GUESSED.items()}  # used for concordance only


def analyse(
    asked: Asked, brief: Brief, tables: Mapping[str, Ref], places: tuple[Ref, ...], people: Mapping[str, Source]
) -> dict[str, Ref]:
    """Add to a plan the steps of every analysis of the labels, figures, cards and report; return their outputs by name.

    `tables` holds the run's joined outputs, `places` the documents about template places. `people` holds the inputs of
    the human studies; if it is empty, the analysis `people` is left out.
    """
    table: dict[str, Source] = {"labels": tables["labels"]}
    facts = {"models": {model.name: _facts(model) for model in brief.models}}
    named_rules = rule_set(brief)
    rules = {"bins": BINS, "rule_set": named_rules, "discount": DISCOUNT}
    again = {"resamples": RESAMPLES, "seed": brief.seeds[0]}
    outputs: dict[str, Ref] = {}

    def add(name: str, kind: str, params: Mapping[str, Any], inputs: Mapping[str, Source]) -> Ref:
        outputs[name] = asked.add(Step(name, f"{HERE}.{kind}", "analyses", params, inputs, (name,), derive=True))
        return outputs[name]

    templates = add("templates", "measures.labels:templates", {"rule_set": named_rules}, {"places": places})
    proportions = add("proportions", "measures.proportions:analyse", rules, table)
    add("checks", "measures.checks:analyse", {"behaviours": _behaviours(brief)}, {"proportions": proportions})
    add("indicators", "measures.indicators:analyse", {**facts, **rules, **again}, table)
    add("sensitivity", "measures.sensitivity:analyse", rules, {**table, "templates": templates})
    add("breakdowns", "measures.breakdowns:analyse", {**facts, **rules}, table)
    add("comparisons", "measures.paired:analyse", {"pairs": _pairs(brief), **again}, {**table, "templates": templates})
    add("scaling", "measures.scaling:analyse", facts, table)
    if people:
        asks = {"questions": tables["items"], "gold": tables["gold"], "templates": templates}
        add("people", "people.studies:analyse", {**facts, **again}, {**table, **people, **asks})
    published = "reliability.published_"
    imported = sorted(each.make.removeprefix(published) for each in brief.datasets if each.make.startswith(published))
    _drawn(asked, outputs, facts["models"], imported, brief.certificates)
    return outputs


def _drawn(
    asked: Asked,
    outputs: dict[str, Ref],
    models: Mapping[str, Mapping[str, Any]],
    imported: list[str],
    certificates: Mapping[str, Source],
) -> None:
    """Add the steps of the figures, the model cards, and the report, which shows the figures and links to the cards."""
    planted = any(facts["family"] == "tiny" for facts in models.values())
    params = {"models": models, "planted": planted, "imported": imported}

    def step(name: str, kind: str, reads: tuple[str, ...], more: Mapping[str, Source], files: tuple[str, ...]) -> Step:
        documents: dict[str, Source] = {each: outputs[each] for each in reads if each in outputs}
        told = {**params, MANIFEST: {}} if named.REPORT in files else params
        made = Step(name, f"{HERE}.pages.{kind}", "analyses", told, {**documents, **more}, files, derive=True)
        asked.add(made)
        outputs.update({file: Ref(name, file) for file in files})
        return made

    drawn = step("figures", "figures:draw", figures.DOCUMENTS, {}, named.figures(models))
    written = step("cards", "cards:write", cards.DOCUMENTS, {}, named.cards(models))
    shown: dict[str, Source] = {
        **{name: Ref(drawn.name, name) for name in drawn.outputs if name.endswith(".svg")},
        "cards": tuple(Ref(written.name, name) for name in written.outputs),  # the report links to all of them
    }
    if CERTIFIED in certificates:
        shown[CERTIFICATE] = certificates[CERTIFIED]
    step("page", "report:write", report.DOCUMENTS, shown, (named.REPORT,))


def _facts(model: Model) -> dict[str, Any]:
    """Return what the analyses may use of a model: some facts, its provider, and whether it is a stand-in."""
    known = {name: model.facts[name] for name in ("shaped", "parameters", "flops", "raw_twin") if name in model.facts}
    family = model.facts.get("family", "stand-ins" if model.stand_in else "others")
    return {"family": family, "provider": model.provider, "stand_in": model.stand_in is not None, **known}


def _pairs(brief: Brief) -> list[list[str]]:
    """Return the pairs [raw model, the model shaped from it] that are both in the brief, by the fact `raw_twin`."""
    names = {model.name for model in brief.models}
    twins = sorted((model.facts.get("raw_twin", ""), model.name) for model in brief.models)
    return [[raw, shaped] for raw, shaped in twins if raw in names]


def _behaviours(brief: Brief) -> dict[str, Any]:
    """Return what each stand-in must reach; for one that reads a table, only on benchmarks made from that table."""
    return {
        model.name: {
            "expected": model.stand_in.expected,
            "adversarial": model.stand_in.adversarial,
            **_on(model, brief),
        }
        for model in brief.models
        if model.stand_in
    }


def _on(model: Model, brief: Brief) -> dict[str, Any]:
    foretold = dict(model.stand_in.expected_on) if model.stand_in else {}
    made = [(BENCHMARKS[each.make].task, each) for each in brief.datasets if each.make in BENCHMARKS]
    for task, dataset in made:
        if dataset.make != f"reliability.{task}" or "cities" in dataset.files or dataset.params.get(RULES) == V1:
            foretold.pop(task, None)
    return {"expected_on": foretold} if foretold else {}
