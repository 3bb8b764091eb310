"""Answers of models in a run: how many there are, how many are errors, the first error, how many are allowed.

It reads rows that steps have written, and never asks a model.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.run.executing.workshop import StepResult
from harness.steps import Plan, Ref, Step
from harness.store.store import Entry, Store

ERROR = b'{"error":'  # how a row begins that is no answer: names stand in order


@dataclass(frozen=True)
class AnswerErrors:
    """The error rows of one model: how many of how many, and the text of the first."""

    model: str
    rows: int
    errors: int
    said: str

    def __str__(self) -> str:
        """Describe them in one line."""
        return f"{self.model} left {self.errors} of {self.rows} rows without an answer; the first: {self.said}"


@dataclass(frozen=True)
class ErrorLimit:
    """The limit on a model's error rows: a count, or a share of its rows; without either, none is allowed."""

    count: int | None = None
    share: Decimal | None = None

    @property
    def all(self) -> bool:
        """Whether any number of errors is allowed."""
        return self.share == 1

    def allows(self, gap: AnswerErrors) -> bool:
        """Whether the error rows of one model are within the limit."""
        if self.count is not None:
            return gap.errors <= self.count
        return self.share is not None and gap.errors <= self.share * gap.rows


NO_ERRORS = ErrorLimit(count=0)


def read_error_limit(text: str) -> ErrorLimit | None:
    """Parse `--max-errors`: a count such as `12`, or a share such as `5%` or `0.05`; None if empty; refuse others."""
    if not text:
        return None
    found = re.fullmatch(r"([0-9]{1,9})|(0?\.[0-9]{1,9}|[01]\.[0-9]{1,9})|([0-9]{1,3}(?:\.[0-9]{1,9})?)%", text.strip())
    share = Decimal(found[2] or found[3]) / (100 if found[3] else 1) if found and not found[1] else None
    if not found or (share is not None and share > 1):
        raise InputError(
            f"{text!r} is no number of errors", where="--max-errors", next="write a count such as 12, or a share: 5%"
        )
    return ErrorLimit(int(found[1])) if found[1] else ErrorLimit(share=share)


def count_errors(store: Store, answers: Iterable[tuple[Mapping[str, Any], Entry]]) -> list[AnswerErrors]:
    """Count the error rows in the outputs of answering steps, by model; models without any are left out."""
    rows: dict[str, list[int]] = {}
    words: dict[str, str] = {}
    for params, entry in answers:
        if "responses" not in entry.outputs or "model" not in params:  # what gathers them is no model
            continue
        model = str(params["model"])
        counted = rows.setdefault(model, [0, 0])
        with open(store.blobs.deliver(entry.outputs["responses"].sha256), "rb") as lines:
            for line in lines:
                counted[0] += 1
                if line.startswith(ERROR):
                    counted[1] += 1
                    if model not in words:
                        words[model] = str(json.loads(line)["error"])
    return [AnswerErrors(model, whole, lost, words[model]) for model, (whole, lost) in sorted(rows.items()) if lost]


def over_limit(found: Iterable[AnswerErrors], allowed: ErrorLimit | None) -> list[AnswerErrors]:
    """Return those of `found` that are over the limit; without a limit, those whose rows are all errors."""
    return [gap for gap in found if (not allowed.allows(gap) if allowed else gap.errors == gap.rows)]


ANSWERS = "answers"  # the state under which a verb's watcher is told of answers, not of steps
CENT = Decimal("0.01")
MINUTE, HOUR = 60, 3600


@dataclass(frozen=True)
class AnswerProgress:
    """The number of answers of a run so far, of how many, with those from earlier runs, errors, time and cost."""

    done: int  # rows that are there, errors among them
    total: int  # rows that are known to be asked for
    kept: int = 0  # of those done: what an earlier run had left
    errors: int = 0
    seconds: float = 0.0  # since the first question of this run
    dollars: Decimal | None = None  # spent by this run; None where no model has a price


def progress_text(asked: AnswerProgress) -> str:
    """Format the progress in one line: answers of how many, rate, time left, errors, cost."""
    parts = [f"{asked.done:,} of {asked.total:,} answers"]
    rate = (asked.done - asked.kept) / asked.seconds if asked.seconds > 0 else 0.0
    if rate > 0:
        parts.append(_rate_text(rate))
        if asked.done < asked.total:
            parts.append(f"{_time_text((asked.total - asked.done) / rate)} left")
    if asked.errors:
        parts.append(f"{asked.errors:,} error{'s' * (asked.errors > 1)}")
    if asked.dollars is not None:
        parts.append("under $0.01" if 0 < asked.dollars < CENT else f"${asked.dollars:,.2f}")
    return ", ".join(parts)


def _rate_text(rate: float) -> str:
    if rate >= 10:
        return f"{rate:,.0f}/s"
    return f"{rate:.1f}/s" if rate >= 1 else f"{rate * MINUTE:.1f}/min"


def _time_text(seconds: float) -> str:
    if seconds < 2 * MINUTE:
        return f"{seconds:.0f} s"
    if seconds < 2 * HOUR:
        return f"{seconds / MINUTE:.0f} min"
    return f"{seconds / HOUR:.0f} h"


Counts = Callable[[], Mapping[str, Any]]  # what the gateway has done, a model at a time


@dataclass
class AnswerCounter:
    """Counts the answers of one run while it goes; the count never goes back, and no file is counted twice."""

    plan: Plan
    store: Store
    counts: Counts = dict
    priced: bool = False
    _steps: dict[str, Step] = field(init=False)
    _wanted: dict[str, int] = field(default_factory=dict)  # rows by step, as soon as its prompts are made
    _under_way: set[str] = field(default_factory=set)
    _ended: dict[str, tuple[int, int]] = field(default_factory=dict)  # rows and errors by step
    _kept: set[str] = field(default_factory=set)  # what was in the store
    _lines: dict[str, int] = field(default_factory=dict)
    _most: int = 0
    _began: float | None = None

    def __post_init__(self) -> None:
        """Collect the steps in which models answer, local or at a provider; steps of stand-ins are not counted."""
        self._steps = {step.name: step for step in self.plan.steps if _answers(step)}

    @property
    def asking(self) -> bool:
        """Whether a model is answering now."""
        return bool(self._under_way)

    def begins(self, step: Step) -> None:
        """Note that a step has begun, if a model answers in it."""
        if step.name in self._steps:
            self._under_way.add(step.name)
            self._began = self._began or time.monotonic()

    def ends(self, step: Step, result: StepResult) -> bool:
        """Count the answers and errors of a finished step; return whether this run asked for them."""
        if step.name not in self._steps:
            return False
        path = self.store.blobs.path(result.entry.outputs["responses"].sha256)
        with open(path, "rb") as lines:
            flags = [line.startswith(ERROR) for line in lines]
        self._under_way.discard(step.name)
        self._wanted[step.name], self._ended[step.name] = len(flags), (len(flags), sum(flags))
        if result.state == "cached":
            self._kept.add(step.name)
        return result.state != "cached"

    def now(self, made: Mapping[tuple[str, str], str]) -> AnswerProgress:
        """Return the progress so far; `made` gives the digests of outputs, so that prompts can be counted.

        The number of answers never decreases.
        """
        for name, step in self._steps.items():
            prompts = step.inputs["prompts"]
            if name not in self._wanted and isinstance(prompts, Ref) and (prompts.step, prompts.output) in made:
                rows = self._rows(self.store.blobs.path(made[prompts.step, prompts.output]))
                self._wanted[name] = rows * len(step.params["seeds"])
        total, told = sum(self._wanted.values()), self.counts()
        live, wrong = self._live(told)
        self._most = min(total, max(self._most, sum(rows for rows, _ in self._ended.values()) + live))
        return AnswerProgress(
            done=self._most,
            total=total,
            kept=sum(self._ended[name][0] for name in self._kept),
            errors=sum(errors for _, errors in self._ended.values()) + wrong,
            seconds=time.monotonic() - self._began if self._began else 0.0,
            dollars=sum((Decimal(one["dollars"]) for one in told.values()), Decimal(0)) if self.priced else None,
        )

    def _live(self, told: Mapping[str, Any]) -> tuple[int, int]:
        """Say what the gateway answered beyond what has ended, and how many errors are among that."""
        ended = [self._ended[name] for name in self._ended.keys() - self._kept if self._steps[name].calls]
        wrong = sum(int(many) for one in told.values() for many in one["errors"].values())
        answered = wrong + sum(int(one["replayed"] + one["live"]) for one in told.values())
        room = sum(self._wanted.get(name, 0) for name in self._under_way if self._steps[name].calls)
        live = min(room, max(0, answered - sum(rows for rows, _ in ended)))
        return live, min(live, max(0, wrong - sum(errors for _, errors in ended)))

    def _rows(self, path: Path) -> int:
        """Count the rows of a blob, which many models may share, once."""
        if path.name not in self._lines:
            with open(path, "rb") as lines:
                self._lines[path.name] = sum(1 for _ in lines)
        return self._lines[path.name]


def _answers(step: Step) -> bool:
    asks = step.calls or step.infers
    return asks and "responses" in step.outputs and "prompts" in step.inputs and "seeds" in step.params
