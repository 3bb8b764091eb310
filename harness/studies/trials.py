"""Trial steps: a study's step extracts programs from answers, and the runner executes them.

A study says in which step its programs are written; that step sees items and answers, and never the gold. What comes of
them is the table `trials`, which its scorers and judges read. It must never know what a program computes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness import rows, trial
from harness.errors import InputError
from harness.rowtypes import Item, Program, Response
from harness.steps import JUDGED, Ref, Source, Step, maker
from harness.studies.judge import AnswerShard
from harness.trial import PROGRAMS, TRIALS

KIND = "harness.trial:table"


@dataclass(frozen=True)
class TrialSpec:
    """One kind of trial: the step that extracts programs from answers, and the limits under which each runs."""

    name: str
    writes: str  # the step kind that takes programs out of answers (`written`)
    limits: trial.TrialLimits = field(default_factory=trial.TrialLimits)
    needs: tuple[str, ...] = ()  # further outputs of the maker that it reads; none that tells an answer
    params: Mapping[str, Any] = field(default_factory=dict)  # the study's own


def trial_steps(of: TrialSpec, answers: AnswerShard) -> Iterator[Step]:
    """Give the steps of a trial over a shard of answers; the first output of the last one are its outcomes."""
    name = f"{answers.dataset}/trials/{of.name}/{answers.model}/{answers.part}"
    given: dict[str, Source] = {each: answers.inputs[each] for each in ("items", "responses")}
    given |= {each: Ref(maker(answers.dataset), each) for each in of.needs}
    writes = Step(f"{name}/{PROGRAMS}", of.writes, JUDGED, dict(of.params), given, (PROGRAMS,))
    yield writes
    params = {"trial": of.name, "limits": of.limits.as_params()}
    yield Step(name, KIND, JUDGED, params, {PROGRAMS: Ref(writes.name, PROGRAMS)}, (TRIALS,), trial=True)


# Of an item and an answer: the program, or the program and what it reads; nothing where there is none to try.
Take = Callable[[Item, Response], str | tuple[str, str] | None]


def write_programs(inputs: Mapping[str, Path], out: Path, take: Take) -> None:
    """Write the programs extracted from answers; an answer that is an error, or holds none, has no trial.

    `take` gives the program of an item's answer, or None; InputError for a response to an unknown item.
    """
    items = {row["id"]: row for row in rows.read(inputs["items"], Item)}

    def found() -> Iterator[Program]:
        for row in rows.read(inputs["responses"], Response):
            if row["item"] not in items:
                raise InputError(f"a response to item {row['item']}, which is not in items", where="responses")
            taken = take(items[row["item"]], row) if row.get("error") is None else None
            if taken is None:
                continue
            program, stdin = (taken, "") if isinstance(taken, str) else taken
            about: Program = {
                "item": row["item"], "template": row["template"], "model": row["model"], "sample": row["sample"],
                "program": program,
            }  # fmt: skip
            if stdin:
                about["stdin"] = stdin
            yield about

    rows.write(out / PROGRAMS, found())
