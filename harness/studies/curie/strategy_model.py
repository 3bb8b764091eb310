"""The cheap strategies as one stand-in of a plan, which is asked as models are and answers by each strategy.

A module of its own, because no step may load the modules that a plan is made of.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.kit.study import Model
from harness.models.provider import StandIn

NAME = "strategies"  # name of the stand-in in step names; does not occur in rows
PROVIDER = "strategy"  # the study provides it; no model provider has that name


@dataclass(frozen=True)
class StrategyModel(Model):
    """A stand-in model that answers by every baseline strategy of a task, and sees the gold answers."""

    @property
    def respond(self) -> str:
        """The step kind in which the baseline strategies answer."""
        return "harness.studies.curie.strategies:respond"


def strategy_model(task: str) -> StrategyModel:
    """Return the stand-in model of baseline strategies for the prompts of one task."""
    return StrategyModel(NAME, PROVIDER, {"task": task}, stand_in=StandIn(sees_gold=True))
