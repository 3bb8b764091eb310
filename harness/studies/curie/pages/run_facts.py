"""Facts of a run that its page and figures rest on: mode, tasks, models, cheap strategies, instruments.

It knows names and words; it must never know a value of a record, nor how it is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from harness.kit.documents import number, section
from harness.studies.curie.tasks import PAPER, STRICT

PREFIX = "strategy: "  # of the names of strategies in the rows
METRICS: Mapping[str, str] = {
    "f1": "LLMSim F1",
    "facts_f1": "fact score F1 (OURS)",
    "rougeLsum": "ROUGE-L",
    "iou": "IoU",
    "identity_ratio": "identity ratio",
    "chance_corrected": "identity above chance (OURS)",
}
MODE: Mapping[str, str] = {
    STRICT: "Strict mode: scored as the paper describes, by rules that are OURS where it leaves them open. Its values "
    "are not those that the paper prints.",
    PAPER: "Paper mode: scored as the published notebooks would, their defects included.",
}
HUNDRED = 100.0  # the page shows what lies on 0 to 1 on 0 to 100


@dataclass(frozen=True)
class RunFacts:
    """The facts of a run: what was asked of whom, what was beside the models, and who measured."""

    mode: str
    tasks: tuple[str, ...]
    models: Mapping[str, Mapping[str, Any]]  # facts by name
    strategies: Mapping[str, str]  # what each does, by name
    oracles: tuple[str, ...]  # the strategies that answer with the gold of the very record
    instruments: Mapping[str, str]  # models by role

    @staticmethod
    def of(params: Mapping[str, Any]) -> RunFacts:
        """Read a step's parameters."""
        return RunFacts(
            str(params["mode"]),
            tuple(params["tasks"]),
            params["models"],
            params.get("strategies", {}),
            tuple(params.get("oracles", ())),
            params.get("instruments", {}),
        )

    @property
    def everybody(self) -> tuple[str, ...]:
        """Give models and strategies, in this order."""
        return (*self.models, *self.strategies)

    def is_stand_in(self, name: str) -> bool:
        """Whether a model of this name is a stand-in, which answers by a rule."""
        return self.models.get(name, {}).get("stand_in") is True

    def ranked(self, means: Mapping[str, Any]) -> list[str]:
        """List models by their average over ten tasks, the highest first, then the others, then the strategies."""
        order = [name for name in _order(means) if name in self.models]
        return [*order, *(name for name in self.models if name not in order), *self.strategies]


def _order(means: Mapping[str, Any]) -> Iterable[str]:
    given = section(means, "averages", "order")
    found = given.get("ten") or given.get("nine")
    return found if isinstance(found, list) else []


def task_title(task: str) -> str:
    """Give a task's name as the page shows it."""
    return task.upper()


def short(strategy: str) -> str:
    """Give a strategy's name without what all of them begin with."""
    return strategy.removeprefix(PREFIX)


def factor(means: Mapping[str, Any], task: str) -> float:
    """Give the factor that brings a task's primary metric to 0 to 100."""
    return HUNDRED * (number(section(means, "tasks", task, "primary").get("scale")) or 1.0)


def primary(means: Mapping[str, Any], task: str, name: str) -> Mapping[str, Any]:
    """Give the cell of a model's or strategy's primary metric on a task; empty where there is none."""
    return section(means, "tasks", task, "models", name, "primary")


def measured_by(means: Mapping[str, Any], task: str) -> tuple[str, str]:
    """Give the words for a task's primary metric, and the name of its scorer."""
    found = section(means, "tasks", task, "primary")
    metric = str(found.get("metric", ""))
    return METRICS.get(metric, metric), str(found.get("scorer", ""))
