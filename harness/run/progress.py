"""Progress of a run: its steps and programs, its answers and those that are errors, and its shutdown on a signal.

Each finished step is reported at once, answers and programs under way at most once a second. Answers are counted from
what the gateway has done and from rows that steps have written; no model is asked. Nothing here is written to the
journal. The first SIGINT or SIGTERM sets an event, at which work ends between two actions; it never interrupts a write.
A second signal ends the process at once.
"""

from __future__ import annotations

import json
import os
import re
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from types import FrameType
from typing import Any

from harness.errors import InputError, Interrupted
from harness.kit.progress import StepProgress
from harness.run.executing.workshop import StepResult
from harness.steps import Plan, Ref, Step
from harness.store.store import Entry, Store

ERROR = b'{"error":'  # start of a row without an answer; keys are sorted


@dataclass(frozen=True)
class AnswerErrors:
    """The error rows of one model: how many of how many, and the text of the first."""

    model: str
    rows: int
    errors: int
    said: str

    def __str__(self) -> str:
        """Describe the errors in one line."""
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
    """Parse `--max-errors`: a count such as `12`, or a share such as `5%` or `0.05`; None if the text is empty.

    Raises InputError for any other text.
    """
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
    """Count the error rows in the outputs of answering steps, by model; models without errors are left out."""
    rows: dict[str, list[int]] = {}
    words: dict[str, str] = {}
    for params, entry in answers:
        if "responses" not in entry.outputs or "model" not in params:  # a step that gathers answers has no model
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


def errors_over_limit(found: Iterable[AnswerErrors], allowed: ErrorLimit | None) -> list[AnswerErrors]:
    """Return those of `found` that are over the limit; without a limit, those whose rows are all errors."""
    return [gap for gap in found if (not allowed.allows(gap) if allowed else gap.errors == gap.rows)]


ANSWERS = "answers"  # the state by which a verb's watcher is told of answers, not of steps
CENT = Decimal("0.01")
MINUTE, HOUR = 60, 3600


@dataclass(frozen=True)
class AnswerProgress:
    """The progress of a run's answers: done, total, kept from earlier runs, errors, time and cost."""

    done: int  # rows that exist, including errors, which are no answers
    total: int  # rows that are known to be asked for
    kept: int = 0  # the done rows that are from earlier runs
    errors: int = 0
    kept_errors: int = 0  # the errors that are from earlier runs
    seconds: float = 0.0  # since the first question of this run
    dollars: Decimal | None = None  # spent by this run; None if no model has a price

    @property
    def answered(self) -> int:
        """The number of answers: rows without an error."""
        return self.done - self.errors

    @property
    def fresh(self) -> int:
        """The number of answers that this run got."""
        return self.answered - (self.kept - self.kept_errors)


def progress_text(asked: AnswerProgress) -> str:
    """Format the progress in one line: answers got and wanted, rate, time left, errors, cost.

    No time is foreseen as long as nothing was answered.
    """
    parts = [f"{asked.answered:,} of {asked.total:,} answers"]
    if asked.fresh > 0 and asked.seconds > 0:
        parts.append(_rate_text(asked.fresh / asked.seconds))
        if asked.done < asked.total:
            rows = (asked.done - asked.kept) / asked.seconds
            parts.append(f"{_time_text((asked.total - asked.done) / rows)} left")
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


Counts = Callable[[], Mapping[str, Any]]  # returns what the gateway has done, by model


@dataclass
class AnswerCounter:
    """Counter of the answers of one run under way; the count never decreases, and no file is counted twice."""

    plan: Plan
    store: Store
    counts: Counts = dict
    priced: bool = False
    _steps: dict[str, Step] = field(init=False)
    _wanted: dict[str, int] = field(default_factory=dict)  # rows by step, as soon as its prompts are made
    _under_way: set[str] = field(default_factory=set)
    _ended: dict[str, tuple[int, int]] = field(default_factory=dict)  # rows and errors by step
    _kept: set[str] = field(default_factory=set)  # steps that were in the store
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
        """Return the progress so far; `made` holds the digests of outputs, from which prompts are counted.

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
            kept_errors=sum(self._ended[name][1] for name in self._kept),
            errors=sum(errors for _, errors in self._ended.values()) + wrong,
            seconds=time.monotonic() - self._began if self._began else 0.0,
            dollars=sum((Decimal(one["dollars"]) for one in told.values()), Decimal(0)) if self.priced else None,
        )

    def _live(self, told: Mapping[str, Any]) -> tuple[int, int]:
        """Return how many answers the gateway has beyond those of ended steps, and how many of them are errors."""
        ended = [self._ended[name] for name in self._ended.keys() - self._kept if self._steps[name].calls]
        wrong = sum(int(many) for one in told.values() for many in one["errors"].values())
        answered = wrong + sum(int(one["replayed"] + one["live"]) for one in told.values())
        room = sum(self._wanted.get(name, 0) for name in self._under_way if self._steps[name].calls)
        live = min(room, max(0, answered - sum(rows for rows, _ in ended)))
        return live, min(live, max(0, wrong - sum(errors for _, errors in ended)))

    def _rows(self, path: Path) -> int:
        """Return the number of rows of a blob; a blob is read only once, because many models may share it."""
        if path.name not in self._lines:
            with open(path, "rb") as lines:
                self._lines[path.name] = sum(1 for _ in lines)
        return self._lines[path.name]


def _answers(step: Step) -> bool:
    asks = step.calls or step.infers
    return asks and "responses" in step.outputs and "prompts" in step.inputs and "seeds" in step.params


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
        """Return the steps that can begin at once, because they read no output of another step."""
        return [step for step in self.plan.steps if not self.open[step.name]]

    def done(self, step: Step, result: StepResult) -> Iterator[Step]:
        """Record the result of a step; yield the steps that can begin now, because they waited for this one last."""
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


TURN = 1.0  # seconds between two reports of what is under way
Progress = Callable[[str, str, int, int], None]  # step, state, done, total


class ProgressReporter:
    """Reporter of one run's progress: calls `on_step` for steps and programs, `on_answers`, if set, for answers."""

    def __init__(self, schedule: StepSchedule, answers: AnswerCounter) -> None:
        self.answers = answers
        self.on_step: Progress = lambda _step, _state, _done, _total: None
        self.on_answers: Callable[[AnswerProgress], None] | None = None
        self._schedule, self._reported = schedule, 0.0
        self._parts: dict[str, str] = {}  # how far steps under way are, in words

    def count_trials(self, step: str, done: int, total: int) -> None:
        """Note how many programs of a step have ended; may be called from any thread."""
        self.count_parts(step, StepProgress(done, total, "programs"))

    def count_parts(self, step: str, parts: StepProgress) -> None:
        """Note how many parts of a step are done; may be called from any thread."""
        self._parts[step] = f"{parts.done:,} of {parts.total:,} {parts.what}"

    def step_begins(self, step: Step) -> None:
        """Note that a step was submitted for execution; nothing is reported."""
        self.answers.begins(step)

    def step_ends(self, step: Step, result: StepResult) -> None:
        """Report a finished step, and the answers so far if this run asked a model in it."""
        self._parts.pop(step.name, None)
        self._step(step.name, result.state)
        if self.on_answers and self.answers.ends(step, result):
            self._report_answers(soon=True)

    def under_way(self) -> None:
        """Report answers and programs under way, at most once a second."""
        self._report_answers(soon=False)
        if self._parts and time.monotonic() - self._reported >= TURN:
            self._reported = time.monotonic()
            for step, words in dict(self._parts).items():
                self._step(step, words)
            self._parts.clear()

    def _step(self, name: str, state: str) -> None:
        self.on_step(name, state, len(self._schedule.results), len(self._schedule.plan.steps))

    def _report_answers(self, *, soon: bool) -> None:
        if self.on_answers and (soon or (self.answers.asking and time.monotonic() - self._reported >= TURN)):
            self._reported = time.monotonic()
            self.on_answers(self.answers.now(self._schedule.made))


WORDS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stop_on_signals(stop: threading.Event) -> Iterator[None]:
    """Context manager that sets `stop` on the first SIGINT or SIGTERM; a second one ends the process at once.

    Nothing that is finished is lost. Has no effect outside the main thread.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # a server stops its runs by their events
        return

    def asked(signum: int, frame: FrameType | None) -> None:
        if stop.is_set():
            signal.signal(signum, signal.SIG_DFL)
            os.kill(os.getpid(), signum)
        stop.set()

    before = {word: signal.signal(word, asked) for word in WORDS}
    try:
        yield
    finally:
        for word, handler in before.items():
            signal.signal(word, handler)


def raise_if_stopped(stop: threading.Event) -> None:
    """Raise Interrupted if a stop was requested."""
    if stop.is_set():
        raise Interrupted("stopped", next="run again: what was finished is kept")
