"""Re-execution in an audit: steps of a run are executed again, in random order, and their output digests compared.

The level decides which: none (`hashes`), aggregates (`derive`), aggregates and scores (`rescore`), or every
deterministic step (`full`). Steps that the time budget does not allow are left out and named. A model's answers are
taken on trust and counted; but `rerun` draws that many steps beyond the level, which may be answers of local models,
and those have no time budget. Foreign code is never executed.

Steps of the same code are executed together where that is cheaper. A batch can only confirm: a step whose outputs
differ there, or that has none, is executed again alone, and only that result counts against a run.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from harness import seeds
from harness.errors import HarnessError, MissingError
from harness.evidence.audit.checks import Coverage, Report
from harness.evidence.causes import ENVIRONMENT, Cause, FirstDifference, describe_causes
from harness.steps import Step
from harness.store.entries import Entry

MOST = 16  # steps that are made together: by then hardly anything is left of what is paid once
SHARES = 2  # so many batches for each worker, or more
BUDGET = 300.0  # seconds of wall that an audit may spend on making steps again, unless a person says otherwise
LEVELS = {
    "hashes": "bytes, keys and chains alone",
    "derive": "aggregates are made again too",
    "rescore": "aggregates and scores are made again",
    "full": "every deterministic step is made again",
}


class OverBudget(HarnessError):  # noqa: N818 - what it says of a step
    """Raised for a step that would take longer than what is left of the audit's time budget."""


@dataclass(frozen=True)
class Reexecuted:
    """The result of a step executed again: its output digests, or in `flaw` why there are none.

    `other` names what is here other than in the run: Python, packages, threads, numerics, files of the step's code.
    """

    outputs: Mapping[str, str]
    other: tuple[Cause, ...] = ()
    flaw: str = ""  # why nothing came out
    processor: str = ""  # both processors, where they differ: equal bytes are promised all the same

    @property
    def causes(self) -> tuple[Cause, ...]:
        """Why its outputs may be others than those of the run, the likeliest cause first."""
        return (*([Cause(ENVIRONMENT, self.processor)] if self.processor else ()), *self.other)


RecordedKey = tuple[Step, Mapping[str, Any]]  # a step, and what its result depends on
# Makes a step again within so many seconds. It raises MissingError where this machine cannot, and OverBudget.
Reexecute = Callable[[Step, Mapping[str, Any], float], Reexecuted]
# Makes steps of the same code again, all within so many seconds; says nothing of those that came to no good end.
ReexecuteBatch = Callable[[Sequence[RecordedKey], float], Mapping[str, Reexecuted]]


def _unable(step: Step, parts: Mapping[str, Any], seconds: float) -> Reexecuted:
    raise MissingError("nothing here can make a step", next="hand the audit the way to do it")


@dataclass(frozen=True)
class ReexecutionOptions:
    """How much an audit executes again (`level`, `rerun`), in how many seconds and workers, by which functions."""

    one: Reexecute = _unable
    batch: ReexecuteBatch = lambda _steps, _seconds: {}
    level: str = "full"
    rerun: int = 0  # steps beyond those of the level, drawn anew each time
    budget: float = BUDGET
    jobs: int = 1
    memory: int = 0  # bytes that a step gets at most, whatever its manifest asks; 0: the machine's own ceiling
    progress: Callable[[str, str, int, int], None] = lambda _step, _state, _done, _total: None


@dataclass(frozen=True)
class Batch:
    """Steps of the same code that are to be executed again together, or one step by itself."""

    steps: Sequence[Step]
    sampled: bool = False  # asked for beyond the level: whatever time it takes


def answering_model(step: Step) -> str:
    """Return the model whose answers a step holds, or the step's name where it names none; "" for any other step."""
    return str(step.params.get("model", step.name)) if step.infers or step.calls else ""


def _of_agent(step: Step) -> bool:
    """Whether a step holds what an agent answered: its provider reads the transcript of an attempt."""
    return step.kind.partition(":")[0].endswith(".providers.agent")


def reexecute(steps: Sequence[Step], made: Mapping[str, Entry], how: ReexecutionOptions, report: Report) -> Coverage:
    """Execute steps of a run again, those of the level within the budget, then the sample; return what was covered.

    The report gets a passed check for each step whose outputs are equal, a failed one for each output that differs;
    it is a skipped check if the step cannot be executed here or ran with other code or packages than the run's.
    """
    coverage = Coverage(len(steps))
    for step in steps:
        if answering_model(step):
            coverage.trusted[answering_model(step)] = coverage.trusted.get(answering_model(step), 0) + 1
        elif step.trial:  # no audit runs foreign code: how it ended is trust
            coverage.trials += 1
        elif step.imported:  # that rows were joined is made again; that a model said them is trust
            model, held = step.takes()["model"], coverage.agents if _of_agent(step) else coverage.imported
            held[model] = held.get(model, 0) + 1
    batches, total = _batches(steps, how)
    ends = time.monotonic() + how.budget
    pool = ThreadPoolExecutor(how.jobs, thread_name_prefix="again")
    number, parted = 0, dict[str, tuple[Cause, ...]]()
    try:
        for found in pool.map(lambda batch: list(_attempt(batch, made, how, ends)), batches):
            for step, what in found:
                number += 1
                how.progress(step.name, "made again", number, total)
                if _take(step, made[step.name], what, coverage, report) and isinstance(what, Reexecuted):
                    parted[step.name] = what.causes
    finally:
        pool.shutdown(cancel_futures=True)
    coverage.left_out.sort()
    if first := next((step.name for step in steps if step.name in parted), ""):
        report.cause = FirstDifference(first, parted[first])
    return coverage


def _batches(steps: Sequence[Step], how: ReexecutionOptions) -> tuple[list[Batch], int]:
    """Draw the order of the steps that the level asks for, and a sample of the others; nobody can know either.

    Those of the same code stand together, few enough that no worker waits long for another at the end.
    """
    stream = seeds.stream(secrets.randbits(64))
    wanted = [step for step in steps if _asked(step, how.level)]
    others = [step for step in steps if not _asked(step, how.level) and not step.trial]
    most = max(1, min(MOST, len(wanted) // (SHARES * how.jobs)))
    alike: dict[tuple[str, bool], list[Step]] = {}  # of one code, and in one number of threads
    for step in seeds.sample(stream, wanted, len(wanted)):
        alike.setdefault((step.kind.partition(":")[0], step.in_threads), []).append(step)
    batches = [Batch(part) for each in alike.values() for part in _even(each, most)]
    sample = [Batch([step], sampled=True) for step in seeds.sample(stream, others, how.rerun)]
    return seeds.sample(stream, batches, len(batches)) + sample, len(wanted) + len(sample)


def _even(steps: Sequence[Step], most: int) -> list[Sequence[Step]]:
    """Cut steps into parts of nearly one size, none with more than so many."""
    parts = -(-len(steps) // most)
    return [steps[part::parts] for part in range(parts)]


def _attempt(
    batch: Batch, made: Mapping[str, Entry], how: ReexecutionOptions, ends: float
) -> Iterator[tuple[Step, Reexecuted | MissingError | None]]:
    """Make the steps of a batch again, together where there are several; gives nothing of one that was too dear."""

    def left() -> float:
        return float("inf") if batch.sampled else ends - time.monotonic()

    confirmed: Mapping[str, Reexecuted] = {}
    if len(batch.steps) > 1 and left() > 0:
        confirmed = how.batch([(step, made[step.name].preimage) for step in batch.steps], left())
    for step in batch.steps:
        found = confirmed.get(step.name)
        if found and not any(_flaws(made[step.name], found)):
            yield step, found
        else:
            yield step, _alone(step, made[step.name], how, left())


def _alone(step: Step, entry: Entry, how: ReexecutionOptions, seconds: float) -> Reexecuted | MissingError | None:
    try:
        return how.one(step, entry.preimage, seconds) if seconds > 0 else None
    except OverBudget:
        return None
    except MissingError as lack:
        return lack


def _take(
    step: Step, entry: Entry, found: Reexecuted | MissingError | None, coverage: Coverage, report: Report
) -> bool:
    """Write down what became of a step; return whether it gave other bytes."""
    if found is None:
        coverage.left_out.append(step.name)
    elif isinstance(found, Reexecuted):
        return _settle(step, entry, found, coverage, report)
    else:
        report.skip("code.differs", step.name, f"it cannot be made again here: {found.what}")
    return False


def _asked(step: Step, level: str) -> bool:
    if answering_model(step) or step.trial or level == "hashes":
        return False
    return level == "full" or step.derive or (level == "rescore" and step.stage == "scores")


def _settle(step: Step, entry: Entry, found: Reexecuted, coverage: Coverage, report: Report) -> bool:
    """Hold what came out against what was recorded; other code that gives the same bytes has proven them too.

    Returns whether other bytes came out. What differs here keeps a run from being blamed for them; another processor
    does not, since equal bytes are promised on each.
    """
    check = "aggregate.differs" if step.derive else "output.differs"
    flaws = list(_flaws(entry, found))
    if not flaws:
        coverage.again += 1
        coverage.other += bool(found.other)
        by = f"made again by other {describe_causes(found.other)}" if found.other else "made again"
        report.held(check, step.name, by)
    elif found.other:
        report.skip("code.differs", step.name, f"{flaws[0]}; {describe_causes(found.causes)}")
    else:
        coverage.again += 1
        report.settle(check, step.name, [f"{flaw}; {describe_causes(found.causes)}" for flaw in flaws])
    return bool(flaws)


def _flaws(entry: Entry, found: Reexecuted) -> Iterator[str]:
    if found.flaw:
        yield f"it cannot be made again: {found.flaw}"
        return
    for name, recorded in entry.outputs.items():
        if found.outputs.get(name) != recorded.sha256:
            yield f"output {name}"
