"""The planning of the study's analyses: the summary, the figure and the page.

It knows steps, their names and parameters; it does not know a result.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.kit.ask import Asked
from harness.kit.study import Brief
from harness.steps import Ref, Source, Step
from harness.studies.questions.asking.plan import OWN
from harness.studies.questions.meaning import kind_of
from harness.studies.questions.pages.page_facts import FIGURES, REPORT, WORDINGS

HERE = "harness.studies.questions"
SUMMARY, COUNTS = "summary", "counts"
OPTIONAL = frozenset((REPORT, *FIGURES))  # outputs that are made only where a manifest declares them


def analyse(asked: Asked, brief: Brief, outputs: Mapping[str, Ref]) -> dict[str, Ref]:
    """Add the steps of the analyses of a run's scores; returns their outputs by name.

    `outputs` names the run's joined tables: items, scores and counts.
    """
    params = {
        "models": [model.name for model in brief.models],
        "scorers": {entry["name"]: kind_of(entry) for entry in brief.settings["score"]},
    }
    scored: dict[str, Source] = {name: outputs[name] for name in ("items", "scores")}
    summary = asked.add(_step(SUMMARY, "measures.summary:write", params, scored, SUMMARY))
    facts = _facts(brief)
    asked.add(_step("figures", "pages.figures:draw", facts, {SUMMARY: summary}, *FIGURES))
    drawn = {name: Ref("figures", name) for name in FIGURES}
    shown: dict[str, Source] = {SUMMARY: summary, COUNTS: outputs[COUNTS], FIGURES[0]: drawn[FIGURES[0]]}
    if OWN in brief.templates:
        shown[WORDINGS] = brief.templates[OWN].pinned
    page = asked.add(_step("page", "pages.report:write", facts, shown, REPORT))
    return {SUMMARY: summary, **drawn, REPORT: page}


def _step(name: str, kind: str, params: Mapping[str, Any], inputs: Mapping[str, Source], *outputs: str) -> Step:
    return Step(name, f"{HERE}.{kind}", "analyses", params, inputs, outputs, derive=True)


def _facts(brief: Brief) -> dict[str, Any]:
    """Return what the page says of a run besides its results."""
    return {
        "models": {
            model.name: {"provider": model.provider, "stand_in": model.stand_in is not None} for model in brief.models
        },
        "scorers": {entry["name"]: dict(entry) for entry in brief.settings["score"]},
        "wordings": [] if OWN in brief.templates else [dict(one) for one in brief.wordings],
        "asking": {
            "seeds": list(brief.seeds),
            "samples": brief.settings["samples"],
            "generation": dict(brief.generation),
        },
        "instruments": {role: each.model.name for role, each in brief.instruments.items()},
    }
