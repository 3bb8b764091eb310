"""Plans the study's analyses: the summary, the comparison of two models, the figure and the report page.

Handles steps, their names and parameters; reads no results.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.kit.ask import Asked
from harness.kit.report import MANIFEST
from harness.kit.study import Brief
from harness.steps import Ref, Source, Step
from harness.studies.questions.asking.plan import OWN
from harness.studies.questions.meaning import kind_of
from harness.studies.questions.pages.answers import TABLES
from harness.studies.questions.pages.page_facts import COMPARISON, FIGURES, REPORT, WORDINGS

HERE = "harness.studies.questions"
SUMMARY, COUNTS, ITEMS, GATED = "summary", "counts", "items", "gated"
OPTIONAL = frozenset((REPORT, *FIGURES))  # outputs that are made only if a manifest declares them


def analyse(asked: Asked, brief: Brief, outputs: Mapping[str, Ref]) -> dict[str, Ref]:
    """Add to a plan the steps that analyse a run's scores; return references to their outputs by name.

    `outputs` holds the run's joined tables: items, scores and counts.
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
    if pair := _pair(brief):
        both = {"models": pair, "scorers": params["scorers"]}
        shown[COMPARISON] = asked.add(_step(COMPARISON, f"measures.{COMPARISON}:write", both, scored, COMPARISON))
    shown |= {name: outputs[name] for name in TABLES if name in outputs}
    if gated := [dataset.name for dataset in brief.datasets if dataset.gated]:
        whole: dict[str, Source] = {name: shown[name] for name in (ITEMS, COUNTS)}
        asked.add(_step(GATED, "pages.gated:mark", {"gated": gated}, whole, ITEMS, COUNTS))
        shown |= {name: Ref(GATED, name) for name in (ITEMS, COUNTS)}
    page = asked.add(_step("page", "pages.report:write", {**facts, MANIFEST: {}}, shown, REPORT))
    return {SUMMARY: summary, **drawn, REPORT: page}


def _pair(brief: Brief) -> list[str]:
    """Return the two models that the page compares: the only two, or the only two that are no stand-ins."""
    asked = [model.name for model in brief.models if model.stand_in is None]
    found = asked if len(asked) == 2 else [model.name for model in brief.models]
    return found if len(found) == 2 else []


def _step(name: str, kind: str, params: Mapping[str, Any], inputs: Mapping[str, Source], *outputs: str) -> Step:
    return Step(name, f"{HERE}.{kind}", "analyses", params, inputs, outputs, derive=True)


def _facts(brief: Brief) -> dict[str, Any]:
    """Return the facts about a run that the page shows besides its results."""
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
