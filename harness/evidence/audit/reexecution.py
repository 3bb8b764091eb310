"""Re-execution in an audit: steps of a run are executed again, in an order nobody can foresee, and outputs compared.

The level decides which: none (`hashes`), aggregates (`derive`), aggregates and scores (`rescore`), or every
deterministic step (`full`). What the time budget does not allow is left out, named, and keeps the verdict from
`agreed`: steps are drawn anew by every audit, those of many rows sooner, and of a scorer that is too dear for the
budget some rows are made again, drawn by lot. What models on this machine give is made again like anything else; what
models elsewhere, agents, and foreign code gave is taken on trust and counted, and foreign code is never executed.
`rerun` draws that many steps beyond the level, and those have no time budget.

Steps of the same code are executed together where that is cheaper. A batch can only confirm: a step whose outputs
differ there, or that has none, is executed again alone, and only that result counts against a run.
"""

from __future__ import annotations

import math
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from harness import seeds
from harness.errors import DamageError, HarnessError, MissingError
from harness.evidence.audit.checks import PARTIAL, Coverage, Report
from harness.evidence.causes import ENVIRONMENT, Cause, FirstDifference, describe_causes
from harness.steps import Ref, Step
from harness.store.store import Entry

MOST = 16  # steps that are made together: by then hardly anything is left of what is paid once
SHARES = 2  # so many batches for each worker, or more
QUARTER = 4  # the part of the time left that one batch may take while others wait
FLOOR = 10.0  # seconds that one may take all the same
FIRST = 16  # rows of a step's first slice; each that was in time is followed by one of four times as many
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
# Makes again the scores of so many answers of a step, drawn by lot among those that no slice had.
ReexecuteSlice = Callable[[Step, Mapping[str, Any], "Slice", float], "Sliced"]
# Makes steps of the same code again, all within so many seconds; says nothing of those that came to no good end.
ReexecuteBatch = Callable[[Sequence[RecordedKey], float], Mapping[str, Reexecuted]]


@dataclass(frozen=True)
class Slice:
    """Rows of a step to make again: how many, by which seed, and those that were made before."""

    rows: int
    seed: int
    before: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Sliced:
    """The result of a slice: the numbers of the rows that were made again, and the first that came out otherwise."""

    rows: frozenset[int]
    differs: str = ""
    other: tuple[Cause, ...] = ()


def _unable(step: Step, parts: Mapping[str, Any], seconds: float) -> Reexecuted:
    raise MissingError("nothing here can make a step", next="hand the audit the way to do it")


def _no_slice(step: Step, parts: Mapping[str, Any], wanted: Slice, seconds: float) -> Sliced:
    return Sliced(frozenset())


@dataclass(frozen=True)
class ReexecutionOptions:
    """How much an audit executes again (`level`, `rerun`), in how many seconds and workers, by which functions."""

    one: Reexecute = _unable
    batch: ReexecuteBatch = lambda _steps, _seconds: {}
    level: str = "full"
    rerun: int = 0  # steps beyond those of the level, drawn anew each time
    budget: float = BUDGET
    jobs: int = 1
    seed: int | None = None  # of the order; none: another one each time
    rows: Callable[[Step, Entry], int] = lambda _step, _entry: 1  # how many rows a step made
    slice: ReexecuteSlice = _no_slice
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
    it is a skipped check if the step cannot be executed here or ran with other code or packages than the run's, and
    one where steps were left out for want of time.
    """
    coverage = Coverage(len(steps))
    for step in steps:
        _trust(step, coverage)
    wanted = [step for step in steps if _asked(step, how.level)]
    again = _Reexecution(wanted, made, how, coverage, report)
    again.make([step for step in steps if not _asked(step, how.level) and not step.trial])
    if again.late:
        again.retry()
    if again.late:
        again.make_slices()
        coverage.left_out = sorted(again.late)
        coverage.sliced = {step: (len(again.sliced.get(step, ())), again.rows[step]) for step in coverage.left_out}
        report.skip(PARTIAL, "budget", coverage.left_out_text())
    if first := next((step.name for step in steps if step.name in again.parted), ""):
        report.cause = FirstDifference(first, again.parted[first])
    return coverage


def _trust(step: Step, coverage: Coverage) -> None:
    """Count a step among what is taken on trust, if it holds what was given elsewhere, by an agent or foreign code."""
    if step.calls:
        model, held = answering_model(step), coverage.trusted
    elif step.trial:  # no audit runs foreign code: how it ended is trust
        coverage.trials += 1
        return
    elif step.imported:  # that rows were joined is made again; that a model said them is trust
        model, held = step.takes()["model"], coverage.agents if _of_agent(step) else coverage.imported
    else:
        return
    held[model] = held.get(model, 0) + 1


class _Reexecution:
    """One audit's making again: who waits, what is late, how many rows each step has, and how much time is left."""

    def __init__(
        self,
        wanted: Sequence[Step],
        made: Mapping[str, Entry],
        how: ReexecutionOptions,
        coverage: Coverage,
        report: Report,
    ) -> None:
        self.wanted, self.made, self.how, self.coverage, self.report = wanted, made, how, coverage, report
        coverage.seed = secrets.randbits(52) if how.seed is None else how.seed
        self.stream = seeds.stream(coverage.seed)
        self.rows = {step.name: max(1, how.rows(step, made[step.name])) for step in wanted}
        coverage.rows = sum(self.rows.values())
        self.late: dict[str, Step] = {}
        self.sliced: dict[str, frozenset[int]] = {}
        self.parted: dict[str, tuple[Cause, ...]] = {}
        self.ends = time.monotonic() + how.budget
        self.slicing = how.budget / 5 if any(map(sliceable, wanted)) else 0.0  # seconds kept for slices
        self.told, self.total = 0, len(wanted)
        self._lock = threading.Lock()

    def left(self) -> float:
        """Seconds that whole steps may still take."""
        return self.ends - time.monotonic() - (self.slicing if math.isfinite(self.slicing) else 0.0)

    def make(self, others: Sequence[Step]) -> None:
        """Make the steps that the level asks for, and the sample of `others`; those that took too long are late."""
        sample = [Batch([step], sampled=True) for step in seeds.sample(self.stream, others, self.how.rerun)]
        self.total += len(sample)
        self._each([*self._batches(), *sample], self._attempt)

    def retry(self) -> None:
        """Try what is late once more, with all the time that the others left."""
        again = [Batch([step]) for step in self._drawn(list(self.late.values()))]
        self._each(again, lambda batch: [(batch.steps[0], self._alone(batch.steps[0], self.left()))])

    def _each(
        self, batches: Sequence[Batch], make: Callable[[Batch], list[tuple[Step, Reexecuted | MissingError | None]]]
    ) -> None:
        pool = ThreadPoolExecutor(self.how.jobs, thread_name_prefix="again")
        try:
            for found in pool.map(make, batches):
                for step, what in found:
                    self._take(step, what)
        finally:
            pool.shutdown(cancel_futures=True)

    def _drawn(self, steps: Sequence[Step]) -> list[Step]:
        """Draw the order of steps, those of many rows sooner: each row is as likely to be among the first."""
        return sorted(steps, key=lambda step: self._place(self.rows[step.name]))

    def _place(self, weight: int) -> float:
        """Draw a place in a line: the smaller, the sooner (Efraimidis and Spirakis, 2006)."""
        return -math.log((seeds.below(self.stream, 2**53) + 1) / 2**53) / weight

    def _batches(self) -> list[Batch]:
        """Draw the order of the steps that the level asks for; nobody can know it.

        Those of the same code stand together, few enough that no worker waits long for another at the end.
        """
        most = max(1, min(MOST, len(self.wanted) // (SHARES * self.how.jobs)))
        alike: dict[tuple[str, bool], list[Step]] = {}  # of one code, and in one number of threads; what infers alone
        for step in self._drawn(self.wanted):
            code = step.name if step.infers else step.kind.partition(":")[0]
            alike.setdefault((code, step.in_threads), []).append(step)
        batches = [Batch(part) for each in alike.values() for part in _even(each, most)]
        return sorted(batches, key=lambda each: self._place(sum(self.rows[step.name] for step in each.steps)))

    def _attempt(self, batch: Batch) -> list[tuple[Step, Reexecuted | MissingError | None]]:
        """Make the steps of a batch again, together where there are several; nothing of one that was too dear."""

        def left() -> float:
            if batch.sampled:
                return math.inf
            return max(self.left() / QUARTER, min(self.left(), FLOOR))

        confirmed: Mapping[str, Reexecuted] = {}
        if len(batch.steps) > 1 and left() > 0:
            confirmed = self.how.batch([(step, self.made[step.name].preimage) for step in batch.steps], left())
        found: list[tuple[Step, Reexecuted | MissingError | None]] = []
        for step in batch.steps:
            one = confirmed.get(step.name)
            sound = one and not any(_flaws(self.made[step.name], one))
            found.append((step, one if sound else self._alone(step, left())))
        return found

    def _alone(self, step: Step, seconds: float) -> Reexecuted | MissingError | None:
        try:
            return self.how.one(step, self.made[step.name].preimage, seconds) if seconds > 0 else None
        except OverBudget:
            return None
        except MissingError as lack:
            return lack
        except DamageError as bad:  # of what it reads, which is named by its own check
            return MissingError(bad.what)

    def _take(self, step: Step, found: Reexecuted | MissingError | None) -> None:
        """Write down what became of a step."""
        if found is None:
            self.late[step.name] = step
            return
        self.late.pop(step.name, None)
        self.told += 1
        self.how.progress(step.name, "made again", self.told, self.total)
        if not isinstance(found, Reexecuted):
            self.report.skip("code.differs", step.name, f"it cannot be made again here: {found.what}")
        elif _settle(step, self.made[step.name], found, self.coverage, self.report):
            self.parted[step.name] = found.causes

    def make_slices(self) -> None:
        """Make rows of the late steps again as long as there is time, in slices that grow while they come in time."""
        sizes = {name: FIRST for name, step in self.late.items() if sliceable(step)}
        while sizes and (seconds := self.ends - time.monotonic()) > 0:
            line = {name: self._place(self.rows[name] - len(self.sliced.get(name, ()))) for name in sorted(sizes)}
            name = min(line, key=lambda one: line[one])
            step, before = self.late[name], self.sliced.get(name, frozenset())
            self.how.progress(name, f"{len(before)} of {self.rows[name]} rows made again", self.told, self.total)
            wanted = Slice(sizes[name], seeds.below(self.stream, 2**53), before)
            try:
                found = self.how.slice(step, self.made[name].preimage, wanted, seconds / len(sizes))
            except OverBudget:
                sizes[name] //= QUARTER
                if not sizes[name]:
                    del sizes[name]
                continue
            except (MissingError, DamageError):
                del sizes[name]
                continue
            self.sliced[name] = before | found.rows
            sizes[name] *= QUARTER
            if found.differs or not found.rows or len(self.sliced[name]) >= self.rows[name]:
                del sizes[name]
            if found.differs:
                self._differs(step, found)

    def _differs(self, step: Step, found: Sliced) -> None:
        if found.other:
            self.report.skip("code.differs", step.name, f"{found.differs}; {describe_causes(found.other)}")
        else:
            self.report.fail("output.differs", step.name, f"{found.differs}; {describe_causes(())}")
        self.parted[step.name] = found.other


def sliceable(step: Step) -> bool:
    """Whether a step scores answers one by one, so that some of its rows can be made again without the others."""
    return step.stage == "scores" and step.outputs == ("scores",) and isinstance(step.inputs.get("responses"), Ref)


def _even(steps: Sequence[Step], most: int) -> list[Sequence[Step]]:
    """Cut steps into parts of nearly one size, none with more than so many."""
    parts = -(-len(steps) // most)
    return [steps[part::parts] for part in range(parts)]


def _asked(step: Step, level: str) -> bool:
    if step.calls or step.trial or level == "hashes":
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
