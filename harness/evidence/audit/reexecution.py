"""Re-execution in an audit: steps of a run are executed again, in an unpredictable order, and outputs compared.

The level selects the steps: none (`hashes`), aggregates (`derive`), aggregates and scores (`rescore`), or every
deterministic step (`full`). Steps that the time budget does not allow are left out, named, and keep the verdict from
`agreed`. Every audit draws the order of steps anew, those with many rows sooner. If a scorer's step is too expensive
for the budget, some of its rows are executed again, chosen at random. Results of local models are executed again like
others. Results of remote models, agents and untrusted code are taken on trust and counted; untrusted code is never
executed. `rerun` draws that many steps beyond the level, without a time budget.

Steps of the same code are executed together if that is cheaper. A batch can only confirm: a step whose outputs differ
there, or that has none, is executed again alone, and only that result counts against a run.
"""

from __future__ import annotations

import math
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from harness import seeds
from harness.errors import DamageError, HarnessError, MissingError
from harness.evidence.audit.checks import PARTIAL, Coverage, Report
from harness.evidence.explain import ENVIRONMENT, Cause, FirstDifference, describe_causes
from harness.steps import Ref, Step
from harness.store.journal import Preimage
from harness.store.store import Entry

MOST = 16  # most steps in a batch; beyond that, little of the one-time cost is left to save
SHARES = 2  # least batches per worker
QUARTER = 4  # one batch may take this fraction (1/4) of the time left while others wait
FLOOR = 10.0  # seconds that one batch may take in any case
FIRST = 16  # rows of a step's first slice; a slice that finishes in time is followed by one four times as large
BUDGET = 300.0  # default wall-clock seconds for executing steps again
LEVELS = {
    "hashes": "bytes, keys and chains alone",
    "derive": "aggregates are made again too",
    "rescore": "aggregates and scores are made again",
    "full": "every deterministic step is made again",
}


class OverBudget(HarnessError):  # noqa: N818 - a statement about a step
    """Raised for a step that would take longer than the rest of the audit's time budget."""


@dataclass(frozen=True)
class ReexecutedStep:
    """The result of a step executed again: its output digests, or in `flaw` why there are none.

    `other` lists what differs here from the run: Python, packages, threads, numerics, files of the step's code.
    """

    outputs: Mapping[str, str]
    other: tuple[Cause, ...] = ()
    flaw: str = ""  # why there are no outputs
    processor: str = ""  # both processors, if they differ; equal bytes are promised in spite of that

    @property
    def causes(self) -> tuple[Cause, ...]:
        """Why its outputs may differ from those of the run, the likeliest cause first."""
        return (*([Cause(ENVIRONMENT, self.processor)] if self.processor else ()), *self.other)


RecordedKey = tuple[Step, Preimage]  # a step, and the parts of its key
# Executes a step again within a number of seconds. Raises MissingError if this machine cannot, and OverBudget.
Reexecute = Callable[[Step, Preimage, float], ReexecutedStep]
# Computes the scores of some answers of a step again, drawn at random from those in no earlier slice.
ReexecuteSlice = Callable[[Step, Preimage, "Slice", float], "SliceResult"]
# Executes steps of the same code again within a number of seconds in all; leaves out those that failed.
ReexecuteBatch = Callable[[Sequence[RecordedKey], float], Mapping[str, ReexecutedStep]]


@dataclass(frozen=True)
class Slice:
    """Rows of a step to execute again: their number, the seed, and the rows of earlier slices."""

    rows: int
    seed: int
    before: frozenset[int] = frozenset()


@dataclass(frozen=True)
class SliceResult:
    """The result of a slice: the numbers of the rows executed again, and the first that differs."""

    rows: frozenset[int]
    differs: str = ""
    other: tuple[Cause, ...] = ()


def _unable(step: Step, parts: Preimage, seconds: float) -> ReexecutedStep:
    raise MissingError("nothing here can make a step", next="hand the audit the way to do it")


def _no_slice(step: Step, parts: Preimage, wanted: Slice, seconds: float) -> SliceResult:
    return SliceResult(frozenset())


@dataclass(frozen=True)
class ReexecutionOptions:
    """How much an audit executes again (`level`, `rerun`), in how many seconds and workers, by which functions."""

    one: Reexecute = _unable
    batch: ReexecuteBatch = lambda _steps, _seconds: {}
    level: str = "full"
    rerun: int = 0  # steps beyond those of the level, drawn anew each time
    budget: float = BUDGET
    jobs: int = 1
    seed: int | None = None  # of the order; None: a new one each time
    rows: Callable[[Step, Entry], int] = lambda _step, _entry: 1  # number of rows that a step made
    slice: ReexecuteSlice = _no_slice
    memory: int = 0  # most bytes for a step, whatever its manifest asks; 0: the machine's limit
    progress: Callable[[str, str, int, int], None] = lambda _step, _state, _done, _total: None


@dataclass(frozen=True)
class Batch:
    """Steps of the same code that are to be executed again together, or a single step."""

    steps: Sequence[Step]
    sampled: bool = False  # requested beyond the level, without a time limit


def answering_model(step: Step) -> str:
    """Return the model whose answers a step holds, or the step's name if it names none; "" for any other step."""
    return str(step.params.get("model", step.name)) if step.infers or step.calls else ""


def _of_agent(step: Step) -> bool:
    """Whether a step holds an agent's answers, because its provider reads the transcript of an attempt."""
    return step.kind.partition(":")[0].endswith(".providers.agent")


def reexecute_steps(
    steps: Sequence[Step], made: Mapping[str, Entry], how: ReexecutionOptions, report: Report
) -> Coverage:
    """Execute steps of a run again, those of the level within the budget, then the sample; return the coverage.

    The report gets a passed check for each step whose outputs are equal, and a failed one for each output that differs.
    The check is skipped if the step cannot be executed here or ran with other code or packages than the run's, and one
    check is skipped if steps were left out for lack of time.
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
    """Count a step as taken on trust if its contents come from elsewhere, an agent or untrusted code."""
    if step.calls:
        model, held = answering_model(step), coverage.trusted
    elif step.trial:  # audits do not run untrusted code; its outcome is taken on trust
        coverage.trials += 1
        return
    elif step.imported:  # the join of rows is executed again; that the model gave them is taken on trust
        model, held = step.takes()["model"], coverage.agents if _of_agent(step) else coverage.imported
    else:
        return
    held[model] = held.get(model, 0) + 1


class _Reexecution:
    """One audit's re-execution: the waiting and late steps, the rows of each step, and the time left."""

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
        self.stream = seeds.random_stream(coverage.seed)
        self.rows = {step.name: max(1, how.rows(step, made[step.name])) for step in wanted}
        coverage.rows = sum(self.rows.values())
        self.late: dict[str, Step] = {}
        self.sliced: dict[str, frozenset[int]] = {}
        self.parted: dict[str, tuple[Cause, ...]] = {}
        self.ends = time.monotonic() + how.budget
        self.slicing = how.budget / 5 if any(map(is_sliceable, wanted)) else 0.0  # seconds kept for slices
        self.told, self.total = 0, len(wanted)
        self._lock = threading.Lock()

    def left(self) -> float:
        """Return the seconds left for whole steps."""
        return self.ends - time.monotonic() - (self.slicing if math.isfinite(self.slicing) else 0.0)

    def make(self, others: Sequence[Step]) -> None:
        """Execute the steps that the level asks for, and the sample of `others`; slow ones become late."""
        sample = [Batch([step], sampled=True) for step in seeds.draw_sample(self.stream, others, self.how.rerun)]
        self.total += len(sample)
        self._each([*self._batches(), *sample], self._attempt)

    def retry(self) -> None:
        """Try the late steps once more, with all the time that the others left."""
        again = [Batch([step]) for step in self._drawn(list(self.late.values()))]
        self._each(again, lambda batch: [(batch.steps[0], self._alone(batch.steps[0], self.left()))])

    def _each(
        self, batches: Sequence[Batch], make: Callable[[Batch], list[tuple[Step, ReexecutedStep | MissingError | None]]]
    ) -> None:
        pool = ThreadPoolExecutor(self.how.jobs, thread_name_prefix="again")
        try:
            for found in pool.map(make, batches):
                for step, what in found:
                    self._take(step, what)
        finally:
            pool.shutdown(cancel_futures=True)

    def _drawn(self, steps: Sequence[Step]) -> list[Step]:
        """Draw the order of steps, those with many rows sooner: each row is equally likely to be among the first."""
        return sorted(steps, key=lambda step: self._place(self.rows[step.name]))

    def _place(self, weight: int) -> float:
        """Draw a sort key; smaller keys come sooner (Efraimidis and Spirakis, 2006)."""
        return -math.log((seeds.draw_below(self.stream, 2**53) + 1) / 2**53) / weight

    def _batches(self) -> list[Batch]:
        """Return the batches of the steps that the level asks for, in a drawn order that no one can predict.

        Steps of the same code are batched, in batches so small that no worker waits long for another one at the end.
        """
        most = max(1, min(MOST, len(self.wanted) // (SHARES * self.how.jobs)))
        alike: dict[tuple[str, bool], list[Step]] = {}  # by code and number of threads; steps that infer are alone
        for step in self._drawn(self.wanted):
            code = step.name if step.infers else step.kind.partition(":")[0]
            alike.setdefault((code, step.in_threads), []).append(step)
        batches = [Batch(part) for each in alike.values() for part in _even(each, most)]
        return sorted(batches, key=lambda each: self._place(sum(self.rows[step.name] for step in each.steps)))

    def _attempt(self, batch: Batch) -> list[tuple[Step, ReexecutedStep | MissingError | None]]:
        """Execute the steps of a batch again, together if there are several; None for a step over the budget."""

        def left() -> float:
            if batch.sampled:
                return math.inf
            return max(self.left() / QUARTER, min(self.left(), FLOOR))

        confirmed: Mapping[str, ReexecutedStep] = {}
        if len(batch.steps) > 1 and left() > 0:
            confirmed = self.how.batch([(step, self.made[step.name].preimage) for step in batch.steps], left())
        found: list[tuple[Step, ReexecutedStep | MissingError | None]] = []
        for step in batch.steps:
            one = confirmed.get(step.name)
            sound = one and not any(_flaws(self.made[step.name], one))
            found.append((step, one if sound else self._alone(step, left())))
        return found

    def _alone(self, step: Step, seconds: float) -> ReexecutedStep | MissingError | None:
        try:
            return self.how.one(step, self.made[step.name].preimage, seconds) if seconds > 0 else None
        except OverBudget:
            return None
        except MissingError as lack:
            return lack
        except DamageError as bad:  # damage in an input, which another check reports
            return MissingError(bad.what)

    def _take(self, step: Step, found: ReexecutedStep | MissingError | None) -> None:
        """Record the result of a step."""
        if found is None:
            self.late[step.name] = step
            return
        self.late.pop(step.name, None)
        self.told += 1
        self.how.progress(step.name, "made again", self.told, self.total)
        if not isinstance(found, ReexecutedStep):
            self.report.skip("code.differs", step.name, f"it cannot be made again here: {found.what}")
        elif _settle(step, self.made[step.name], found, self.coverage, self.report):
            self.parted[step.name] = found.causes

    def make_slices(self) -> None:
        """Execute rows of the late steps again while there is time, in slices that grow if they finish early."""
        sizes = {name: FIRST for name, step in self.late.items() if is_sliceable(step)}
        while sizes and (seconds := self.ends - time.monotonic()) > 0:
            line = {name: self._place(self.rows[name] - len(self.sliced.get(name, ()))) for name in sorted(sizes)}
            name = min(line, key=lambda one: line[one])
            step, before = self.late[name], self.sliced.get(name, frozenset())
            self.how.progress(name, f"{len(before)} of {self.rows[name]} rows made again", self.told, self.total)
            wanted = Slice(sizes[name], seeds.draw_below(self.stream, 2**53), before)
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

    def _differs(self, step: Step, found: SliceResult) -> None:
        if found.other:
            self.report.skip("code.differs", step.name, f"{found.differs}; {describe_causes(found.other)}")
        else:
            self.report.fail("output.differs", step.name, f"{found.differs}; {describe_causes(())}")
        self.parted[step.name] = found.other


def is_sliceable(step: Step) -> bool:
    """Whether a step scores answers one by one, so that some of its rows can be computed again without the others."""
    return step.stage == "scores" and step.outputs == ("scores",) and isinstance(step.inputs.get("responses"), Ref)


def _even(steps: Sequence[Step], most: int) -> list[Sequence[Step]]:
    """Cut steps into parts of nearly equal size, none with more than `most`."""
    parts = -(-len(steps) // most)
    return [steps[part::parts] for part in range(parts)]


def _asked(step: Step, level: str) -> bool:
    if step.calls or step.trial or level == "hashes":
        return False
    return level == "full" or step.derive or (level == "rescore" and step.stage == "scores")


def _settle(step: Step, entry: Entry, found: ReexecutedStep, coverage: Coverage, report: Report) -> bool:
    """Compare the outputs with the recorded ones; equal bytes made by other code prove them too.

    Returns whether bytes differ. If code, packages or settings differ here, the run is not blamed for other bytes.
    Another processor is not such an excuse, since equal bytes are promised on each.
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


def _flaws(entry: Entry, found: ReexecutedStep) -> Iterator[str]:
    if found.flaw:
        yield f"it cannot be made again: {found.flaw}"
        return
    for name, recorded in entry.outputs.items():
        if found.outputs.get(name) != recorded.sha256:
            yield f"output {name}"
