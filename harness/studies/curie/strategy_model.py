"""The cheap strategies as one stand-in of a plan, which is asked as models are and answers by each of them.

Apart from the strategies themselves, since no step may load what a plan is made of. It does not know an item.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.kit.study import Model
from harness.models.provider import StandIn

NAME = "strategies"  # of the stand-in in names of steps; no row has it
PROVIDER = "strategy"  # no provider of that name exists: the study brings it along


@dataclass(frozen=True)
class StrategyModel(Model):
    """A stand-in whose step answers by every cheap strategy of a task; it sees gold."""

    @property
    def respond(self) -> str:
        """Return the step kind in which the strategies answer."""
        return "harness.studies.curie.strategies:respond"


def strategy_model(task: str) -> StrategyModel:
    """Return the stand-in for the prompts of one task."""
    return StrategyModel(NAME, PROVIDER, {"task": task}, stand_in=StandIn(sees_gold=True))
