"""Step scheduling by dependency count: which steps of a plan can begin, as results of others come in.

It knows a plan and results; it starts nothing, and never looks at a disk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from harness.run.workshop import StepResult
from harness.steps import Plan, Step


@dataclass
class StepSchedule:
    """The state of a plan under way: results so far, and how many inputs each step still waits for."""

    plan: Plan
    made: dict[tuple[str, str], str] = field(default_factory=dict)
    results: dict[str, StepResult] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Count the steps that each step waits for."""
        self.users: dict[str, list[Step]] = {}
        self.open: Counter[str] = Counter()
        for step in self.plan.steps:
            sources = {ref.step for ref in step.refs()}
            self.open[step.name] = len(sources)
            for name in sources:
                self.users.setdefault(name, []).append(step)

    def first(self) -> list[Step]:
        """Return the steps that read no output of another step, which can begin at once."""
        return [step for step in self.plan.steps if not self.open[step.name]]

    def done(self, step: Step, result: StepResult) -> Iterator[Step]:
        """Record the result of a step and yield the steps that waited for it last, which can begin now."""
        self.results[step.name] = result
        yield from self.foresee(step, {name: output.sha256 for name, output in result.entry.outputs.items()})

    def foresee(self, step: Step, outputs: Mapping[str, str]) -> Iterator[Step]:
        """Record the digests that a step's outputs have or will have, and yield the steps that can be keyed now."""
        for name, digest in outputs.items():
            self.made[step.name, name] = digest
        for user in self.users.get(step.name, ()):
            self.open[user.name] -= 1
            if not self.open[user.name]:
                yield user
