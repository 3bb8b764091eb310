"""The planning of the study's analyses: means, slices, comparisons, tables, figures and the page.

Handles steps, their names and parameters, and no results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.kit.ask import Asked
from harness.kit.encoder_layer import layer_of
from harness.kit.report import MANIFEST
from harness.kit.resample import RESAMPLES
from harness.kit.study import Brief
from harness.steps import Ref, Source, Step
from harness.studies.curie.asking import BY_JUDGE, BY_RULE, HERE, JUDGE, LLMSIM, primary
from harness.studies.curie.pages import figures, figures_benchmarks, report
from harness.studies.curie.pages import outputs as named
from harness.studies.curie.strategies import PREFIX, STRATEGIES, names
from harness.studies.curie.tasks import AVERAGED
from harness.trial import TRIALS

PUBLISHED = "curie/published@1"
CERTIFIED = "curie.llmsim_rule"  # the grader whose certificate the page shows
ORACLES = (f"{PREFIX}pretty-printed gold",)  # strategies that see the gold answer of the record they answer


def analyse(asked: Asked, brief: Brief, tables: Mapping[str, Ref], tasks: Sequence[str]) -> dict[str, Ref]:
    """Add to a plan the steps of all analyses, the figures and the page; return their outputs by name.

    `tables` holds the joined outputs of the run by name, `tasks` the tasks of its datasets.
    """
    cheap = list(dict.fromkeys(name for task in tasks for name in names(task)))
    request = {
        "mode": brief.settings["mode"],
        "tasks": list(tasks),
        "primary": primary(brief, tasks),
        "models": [model.name for model in brief.models],
        "strategies": cheap,
        "averaged": list(AVERAGED),
    }
    again = {**request, "resamples": RESAMPLES, "seed": brief.seeds[0]}
    scores: dict[str, Source] = {name: tables[name] for name in ("items", "scores")}
    gold: dict[str, Source] = {"gold": tables["gold"]}
    tried: dict[str, Source] = {TRIALS: tables[TRIALS]} if TRIALS in tables else {}
    outputs: dict[str, Ref] = {}

    def add(name: str, kind: str, params: Mapping[str, Any], inputs: Mapping[str, Source]) -> None:
        step = Step(name, f"{HERE}.measures.{kind}:analyse", "analyses", params, inputs, (name,), derive=True)
        outputs[name] = asked.add(step)

    add("means", "means", again, scores)
    add("slices", "slices", request, {**scores, **gold})
    add("comparisons", "comparisons", again, scores)
    add("tables", "run_tables", request, scores)
    add("breakdowns", "breakdowns", request, {**scores, **gold, **tried})
    add("lengths", "lengths", {"tasks": list(tasks)}, {"items": tables["items"], **gold})
    if PUBLISHED in brief.tables:  # a lock pins the table if the manifest names that output or the page
        add("published", "published", {}, {"published": brief.tables[PUBLISHED]})
    if JUDGE in brief.instruments and set(tasks) & set(LLMSIM):
        add("agreement", "agreement", {"rule": BY_RULE, "judge": BY_JUDGE, "seed": brief.seeds[0]}, scores)
    return {**outputs, **_shown(asked, brief, outputs, tables, tasks)}


def _shown(
    asked: Asked, brief: Brief, made: Mapping[str, Ref], tables: Mapping[str, Ref], tasks: Sequence[str]
) -> dict[str, Ref]:
    """Add the steps that draw the figures and write the page; return their outputs by name."""
    roles = {role: each.model.name for role, each in brief.instruments.items()}
    cheap = {
        f"{PREFIX}{name}": strategy.about for name, strategy in STRATEGIES.items() if set(strategy.tasks) & set(tasks)
    }
    params = {
        "mode": brief.settings["mode"],
        "tasks": list(tasks),
        "strategies": cheap,
        "instruments": roles,
        "models": {
            model.name: {
                "family": model.facts.get("family", ""),
                "provider": model.provider,
                "stand_in": model.stand_in is not None,
            }
            for model in brief.models
        },
        "oracles": list(ORACLES),
        **layer_of(brief),
    }
    files = named.figures(tasks, roles)
    drawn: dict[str, Source] = {name: made[name] for name in figures.DOCUMENTS}
    asked.add(Step("figures", f"{HERE}.pages.figures:draw", "analyses", params, drawn, files, derive=True))
    figured = {name: Ref("figures", name) for name in files}
    if "published" in made:
        files, kind = named.benchmarks(), f"{HERE}.pages.figures_benchmarks:draw"
        beside: dict[str, Source] = {name: made[name] for name in figures_benchmarks.DOCUMENTS}
        asked.add(Step(named.BENCHMARKS, kind, "analyses", params, beside, files, derive=True))
        figured |= {name: Ref(named.BENCHMARKS, name) for name in files}
    shown: dict[str, Source] = {name: made[name] for name in report.DOCUMENTS if name in made}
    shown |= {"counts": tables["counts"], **{name: ref for name, ref in figured.items() if name.endswith(".svg")}}
    if CERTIFIED in brief.certificates:
        shown[report.CERTIFICATE] = brief.certificates[CERTIFIED]
    told = {**params, MANIFEST: {}}
    page = Step("page", f"{HERE}.pages.report:write", "analyses", told, shown, (named.REPORT,), derive=True)
    return {**figured, named.REPORT: asked.add(page)}
