"""The study `brain` (what language models map to in the brain, 2024): its makers, settings, plan and analyses.

Works with names of steps and their inputs; reads no recordings, features or scores.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from harness.kit.ask import Asked, make
from harness.kit.study import Brief, Maker, Study, Switches
from harness.models.provider import Line
from harness.steps import Plan, Ref, maker_step_name
from harness.studies.brain.analyses import analyse
from harness.studies.brain.asked_models import ALL
from harness.studies.brain.data.makers import MAKERS
from harness.studies.brain.planning import fit_all
from harness.studies.brain.reanalysis.planning import reanalyse
from harness.studies.brain.terms import MOST_GAMMAS

if TYPE_CHECKING:
    from harness.scorers.tool import Tool


@dataclass(frozen=True, kw_only=True)
class BrainSettings(Switches):
    """The manifest settings of the study: which version of the method (P or H), and how wide the searches are."""

    generation: Literal["P", "H"] = "P"
    fedorenko_inner_rows: Literal["48", "32"] = "48"
    iterations: int = MOST_GAMMAS  # the most weightings of bands that a search tries
    sigmas: Line = ALL  # of the features of time alone, comma-separated
    simple: Line = ""  # the simple spaces of layouts, instead of the generation's own
    pool: Literal["sum", "last", "mean"] = "sum"  # the pooling of a sentence's tokens
    dtype: Literal["float32", "float64"] = "float32"  # the numbers in which a search scores its candidates
    solver: Literal["ours", "himalaya", "himalaya-torch"] = "ours"  # whose arithmetic fits; the last uses torch
    families: int = 200  # families of simulated noise, by which the tests are measured


class Brain(Study):
    """The study of how well language models, and simpler features, predict brain responses."""

    name = "brain"
    needs: tuple[str, ...] = ()  # a simulation has only its own models, and no model is queried
    makers: Mapping[str, Maker] = MAKERS
    settings_type = BrainSettings

    @property
    def analyses(self) -> Mapping[str, Tool]:
        """The study's standalone analyses by name; their pydantic models are loaded on first use."""
        from harness.studies.brain.standalone.catalogue import ANALYSES  # noqa: PLC0415

        return ANALYSES

    def plan(self, brief: Brief) -> Plan:
        """Plan the steps of a brief: data, hidden states, fits, analyses, figures and the page."""
        asked = Asked()
        for dataset in brief.datasets:
            made = self.makers[dataset.make]
            make(asked, dataset, made.kind, made.outputs)
        fitted = fit_all(asked, brief)
        analyses = analyse(asked, brief, fitted)
        counts = {f"{one.name}.counts": Ref(maker_step_name(one.name), "counts") for one in brief.datasets}
        outputs = {**counts, **analyses, **reanalyse(asked, brief)}
        return asked.plan(outputs)


STUDY = Brain()
