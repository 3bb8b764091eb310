"""Facts of a run for its page and figures: mode, tasks, models, cheap strategies, instruments.

Handles names and texts, no values of records.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.kit.documents import number, section
from harness.kit.report import MANIFEST
from harness.studies.curie.tasks import PAPER, STRICT

PREFIX = "strategy: "  # prefix of the names of strategies in the rows
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
HUNDRED = 100.0  # values on 0 to 1 are shown on 0 to 100


@dataclass(frozen=True)
class RunFacts:
    """The facts of a run: its mode, tasks, models, strategies, and the models used as instruments."""

    mode: str
    tasks: tuple[str, ...]
    models: Mapping[str, Mapping[str, Any]]  # facts by name
    strategies: Mapping[str, str]  # what each does, by name
    oracles: tuple[str, ...]  # strategies that see the gold answer of the record they answer
    instruments: Mapping[str, str]  # models by role
    layer: int | None = None  # of the encoder, if the settings name one
    manifest: Mapping[str, Any] = field(default_factory=dict)  # its name and its models, as planning fills it in

    @staticmethod
    def of(params: Mapping[str, Any]) -> RunFacts:
        """Read the parameters of a step."""
        return RunFacts(
            str(params["mode"]),
            tuple(params["tasks"]),
            params["models"],
            params.get("strategies", {}),
            tuple(params.get("oracles", ())),
            params.get("instruments", {}),
            params.get("layer"),
            params.get(MANIFEST) or {},
        )

    @property
    def everybody(self) -> tuple[str, ...]:
        """The models, then the strategies."""
        return (*self.models, *self.strategies)

    def is_stand_in(self, name: str) -> bool:
        """Whether the model with this name is a stand-in, which answers by a rule."""
        return self.models.get(name, {}).get("stand_in") is True

    def ranked(self, means: Mapping[str, Any]) -> list[str]:
        """List models by their average, highest first, then models without one, then the strategies."""
        order = [name for name in _order(means) if name in self.models]
        return [*order, *(name for name in self.models if name not in order), *self.strategies]


def _order(means: Mapping[str, Any]) -> Iterable[str]:
    given = section(means, "averages", "order")
    found = given.get("ten") or given.get("nine")
    return found if isinstance(found, list) else []


def task_title(task: str) -> str:
    """Return a task's name as shown on the page."""
    return task.upper()


def short(strategy: str) -> str:
    """Return a strategy's name without the prefix of all strategies."""
    return strategy.removeprefix(PREFIX)


def factor(means: Mapping[str, Any], task: str) -> float:
    """Return the factor that brings a task's primary metric to 0 to 100."""
    return HUNDRED * (number(section(means, "tasks", task, "primary").get("scale")) or 1.0)


def primary(means: Mapping[str, Any], task: str, name: str) -> Mapping[str, Any]:
    """Return the cell of a model's or strategy's primary metric on a task; empty if there is none."""
    return section(means, "tasks", task, "models", name, "primary")


def measured_by(means: Mapping[str, Any], task: str) -> tuple[str, str]:
    """Return the name of a task's primary metric, and the name of its scorer."""
    found = section(means, "tasks", task, "primary")
    metric = str(found.get("metric", ""))
    return METRICS.get(metric, metric), str(found.get("scorer", ""))
