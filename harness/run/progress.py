"""Progress reports of a run, and its graceful shutdown on SIGINT and SIGTERM.

Each finished step is reported at once, answers and programs under way at most once a second; nothing here is written to
the journal. The first signal sets an event, at which work ends between two actions, and never interrupts a write; a
second one ends the process at once.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

from harness.errors import Interrupted
from harness.run.answers import AnswerCounter, AnswerProgress
from harness.run.executing.workshop import StepResult
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


TURN = 1.0  # seconds between two reports of what is under way
Progress = Callable[[str, str, int, int], None]  # step, state, done, total


class ProgressReporter:
    """Reporter of one run's progress: calls `on_step` for steps and programs, `on_answers`, if set, for answers."""

    def __init__(self, schedule: StepSchedule, answers: AnswerCounter) -> None:
        self.answers = answers
        self.on_step: Progress = lambda _step, _state, _done, _total: None
        self.on_answers: Callable[[AnswerProgress], None] | None = None
        self._schedule, self._reported = schedule, 0.0
        self._trials: dict[str, tuple[int, int]] = {}  # steps that try programs: how many have ended, of how many

    def count_trials(self, step: str, done: int, total: int) -> None:
        """Note how many programs of a step have ended; called from any thread."""
        self._trials[step] = (done, total)

    def step_begins(self, step: Step) -> None:
        """Note that a step was submitted for execution; nothing is reported."""
        self.answers.begins(step)

    def step_ends(self, step: Step, result: StepResult) -> None:
        """Report a finished step, and the answers so far if this run asked a model in it."""
        self._step(step.name, result.state)
        if self.on_answers and self.answers.ends(step, result):
            self._report_answers(soon=True)

    def under_way(self) -> None:
        """Report answers and programs under way, at most once a second."""
        self._report_answers(soon=False)
        if self._trials and time.monotonic() - self._reported >= TURN:
            self._reported = time.monotonic()
            for step, (done, total) in dict(self._trials).items():
                self._step(step, f"{done} of {total} programs")
            self._trials.clear()

    def _step(self, name: str, state: str) -> None:
        self.on_step(name, state, len(self._schedule.results), len(self._schedule.plan.steps))

    def _report_answers(self, *, soon: bool) -> None:
        if self.on_answers and (soon or (self.answers.asking and time.monotonic() - self._reported >= TURN)):
            self._reported = time.monotonic()
            self.on_answers(self.answers.now(self._schedule.made))


WORDS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stoppable(stop: threading.Event) -> Iterator[None]:
    """Set `stop` on the first SIGINT or SIGTERM; a second one ends the process at once, which loses nothing finished.

    Has no effect outside the main thread.
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
