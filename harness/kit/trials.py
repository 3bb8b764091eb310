"""Planning of trials: a study's step extracts programs from answers, and the runner executes them.

A study names the step that writes its programs; that step sees items and answers, and never the gold. The results are
the table `trials`, which the study's scorers and judges read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from harness import trial
from harness.kit.judge import AnswerShard
from harness.steps import JUDGED, Ref, Source, Step, maker_step_name
from harness.trial import PROGRAMS, TRIALS

KIND = "harness.trial:table"


@dataclass(frozen=True)
class TrialSpec:
    """One kind of code trial: the step that extracts programs from answers, and the limits under which each runs."""

    name: str
    writes: str  # the step kind that extracts programs from answers (`written`)
    limits: trial.TrialLimits = field(default_factory=trial.TrialLimits)
    needs: tuple[str, ...] = ()  # further outputs of the maker that it reads; none that contains answers
    params: Mapping[str, Any] = field(default_factory=dict)  # the study's own


def trial_steps(of: TrialSpec, answers: AnswerShard) -> Iterator[Step]:
    """Yield the steps that run the programs in a shard of answers; the last step's first output is their outcomes."""
    name = f"{answers.dataset}/trials/{of.name}/{answers.model}/{answers.part}"
    given: dict[str, Source] = {each: answers.inputs[each] for each in ("items", "responses")}
    given |= {each: Ref(maker_step_name(answers.dataset), each) for each in of.needs}
    writes = Step(f"{name}/{PROGRAMS}", of.writes, JUDGED, dict(of.params), given, (PROGRAMS,))
    yield writes
    params = {"trial": of.name, "limits": of.limits.as_params()}
    yield Step(name, KIND, JUDGED, params, {PROGRAMS: Ref(writes.name, PROGRAMS)}, (TRIALS,), trial=True)
