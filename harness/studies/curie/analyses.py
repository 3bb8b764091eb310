"""The planning of the study's analyses: means, slices, comparisons, tables, figures and the page.

It knows steps, their names and parameters; it must never know a result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.steps import Ref, Source, Step
from harness.studies.ask import Asked
from harness.studies.curie.asking import BY_JUDGE, BY_RULE, HERE, JUDGE, LLMSIM, primary
from harness.studies.curie.strategies import names
from harness.studies.curie.tasks import AVERAGED
from harness.studies.intervals import RESAMPLES
from harness.studies.study import Brief
from harness.trial import TRIALS

PUBLISHED = "curie/published@1"


def analyse(asked: Asked, brief: Brief, tables: Mapping[str, Ref], tasks: Sequence[str]) -> dict[str, Ref]:
    """Add the steps of every analysis of the scores; returns their outputs by name.

    `tables` names the run's joined outputs, `tasks` the tasks of its datasets.
    """
    cheap = list(dict.fromkeys(name for task in tasks for name in names(task)))
    request = {
        "mode": brief.settings["mode"], "tasks": list(tasks), "primary": primary(brief, dict.fromkeys(tasks)),
        "models": [model.name for model in brief.models], "strategies": cheap, "averaged": list(AVERAGED),
    }  # fmt: skip
    again = {**request, "resamples": RESAMPLES, "seed": brief.seeds[0]}
    scores: dict[str, Source] = {name: tables[name] for name in ("items", "scores")}
    gold: dict[str, Source] = {"gold": tables["gold"]}
    tried: dict[str, Source] = {TRIALS: tables[TRIALS]} if TRIALS in tables else {}
    outputs: dict[str, Ref] = {}

    def add(name: str, kind: str, params: Mapping[str, Any], inputs: Mapping[str, Source]) -> None:
        outputs[name] = asked.add(
            Step(name, f"{HERE}.measures.{kind}:analyse", "analyses", params, inputs, (name,), derive=True)
        )

    add("means", "means", again, scores)
    add("slices", "slices", request, {**scores, **gold})
    add("comparisons", "comparisons", again, scores)
    add("tables", "run_tables", request, scores)
    add("breakdowns", "breakdowns", request, {**scores, **gold, **tried})
    if PUBLISHED in brief.tables:  # a lock pins it where the manifest names that output
        add("published", "published", {}, {"published": brief.tables[PUBLISHED]})
    if JUDGE in brief.instruments and set(tasks) & set(LLMSIM):
        add("agreement", "agreement", {"rule": BY_RULE, "judge": BY_JUDGE, "seed": brief.seeds[0]}, scores)
    return outputs
