"""Failed steps of a run by name: what ended each, read from the line of the journal that says so.

A step killed for memory or time, one that crashed, and one whose own program failed are told apart. A wrong answer is
none of these: its step succeeded, and a scorer says so. What the error's words mean to a person is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from harness.store.events import Event

MEMORY, TIME, DISK, KILLED, CRASHED, LOST, OUTPUTS, STOPPED, FAILED = (
    "memory", "time", "disk", "killed", "crashed", "worker-lost", "outputs", "stopped", "failed",
)  # fmt: skip
# How errors of steps begin, after the step's name, and the name of each; the first that fits.
_SPELLED: tuple[tuple[str, str], ...] = (
    (r"(failed: )?needed more than [0-9]+ MiB\b.*", MEMORY),
    (r"failed: MemoryError\b.*", MEMORY),
    (r"failed: took more than [0-9.e+]+ s", TIME),
    (r"(failed: )?wrote .*", DISK),
    (r"failed: was ended by signal 9", KILLED),  # from outside: what killed it did not say why
    (r"failed: was ended by signal [0-9]+", CRASHED),
    (r"(made|removed) .*", OUTPUTS),
)
_WHOLE = {"the run was stopped": STOPPED, "the disk is full": DISK}
_SIGNAL = re.compile(r"was ended by (signal [0-9]+)")


@dataclass(frozen=True)
class FailedStep:
    """A step of a run that failed: its name, what ended it, and the error as the journal has it."""

    step: str
    outcome: str  # memory | time | disk | killed | crashed | worker-lost | outputs | stopped | failed
    error: str

    @property
    def text(self) -> str:
        """The outcome and the step as one phrase, with the signal of a crash."""
        signal = _SIGNAL.search(self.error) if self.outcome == CRASHED else None
        return f"{self.outcome}{f' by {signal[1]}' if signal else ''}: {self.step}"


def name_failure(step: str, error: str) -> str:
    """Return the name of what ended a step, from its error; `failed` if its program ended by itself."""
    if error in _WHOLE:
        return _WHOLE[error]
    said = error.removeprefix(f"step {step} ")
    return next((name for pattern, name in _SPELLED if re.fullmatch(pattern, said, re.DOTALL)), FAILED)


def failed_steps(events: Iterable[Event]) -> list[FailedStep]:
    """Return the failed steps of a run, in the order of its journal."""
    return [_failed(event) for event in events if event["event"] == "step.failed"]


def _failed(event: Event) -> FailedStep:
    """Return a failed step as its line names it; a line from before lines named it is read by its words."""
    step, error, said = str(event["step"]), str(event["error"]), str(event.get("ended", FAILED))
    return FailedStep(step, said if said != FAILED else name_failure(step, error), error)
