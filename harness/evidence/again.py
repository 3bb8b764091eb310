"""Making again: every deterministic step of a run that is cheap is made once more, and what comes out is compared.

Nothing a run says of itself decides which: what a model answered is taken on trust and counted, and what this audit
itself has no time for is left out and named. The steps are taken in an order that nobody can foresee.
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
from harness.evidence.checks import Coverage, Report
from harness.steps import Step
from harness.store.entries import Entry

BUDGET = 300.0  # seconds of wall that an audit may spend on making steps again, unless a person says otherwise
LEVELS = {
    "hashes": "bytes, keys and chains alone",
    "derive": "aggregates are made again too",
    "rescore": "aggregates and scores are made again",
    "full": "every deterministic step is made again",
}


class TooDear(HarnessError):  # noqa: N818 - what it says of a step
    """A step would have taken longer than this audit may."""


@dataclass(frozen=True)
class Replayed:
    """What came out of a step that was made again, and what there was other than in the run: files, packages."""

    outputs: Mapping[str, str]
    other: tuple[str, ...] = ()
    flaw: str = ""  # why nothing came out


# Makes a step again within so many seconds. It raises MissingError where this machine cannot, and TooDear.
Replay = Callable[[Step, Mapping[str, Any], float], Replayed]


def _unable(step: Step, parts: Mapping[str, Any], seconds: float) -> Replayed:
    raise MissingError("nothing here can make a step", next="hand the audit the way to do it")


@dataclass(frozen=True)
class How:
    """How much an audit makes again, and with what."""

    replay: Replay = _unable
    level: str = "full"
    rerun: int = 0  # steps beyond those of the level, drawn anew each time
    budget: float = BUDGET
    jobs: int = 1
    progress: Callable[[str, str, int, int], None] = lambda _step, _state, _done, _total: None


def answers(step: Step) -> str:
    """Name the model whose answers a step holds; nothing where the step is deterministic."""
    return str(step.params.get("model", step.name)) if step.infers or step.calls else ""


def make_again(steps: Sequence[Step], made: Mapping[str, Entry], how: How, report: Report) -> Coverage:
    """Make the steps of a run again as far as the level asks and the budget reaches; every disagreement is named."""
    coverage = Coverage(len(steps))
    for step in steps:
        if answers(step):
            coverage.trusted[answers(step)] = coverage.trusted.get(answers(step), 0) + 1
    chosen, sample = _chosen(steps, how)
    ends = time.monotonic() + how.budget

    def attempt(step: Step) -> Replayed | MissingError | None:
        left = ends - time.monotonic() if step.name not in sample else float("inf")
        try:
            return how.replay(step, made[step.name].preimage, left) if left > 0 else None
        except TooDear:
            return None
        except MissingError as lack:
            return lack

    pool = ThreadPoolExecutor(how.jobs, thread_name_prefix="again")
    try:
        for number, (step, found) in enumerate(zip(chosen, pool.map(attempt, chosen), strict=True), 1):
            how.progress(step.name, "made again", number, len(chosen))
            if found is None:
                coverage.left_out.append(step.name)
            elif isinstance(found, Replayed):
                _settle(step, made[step.name], found, coverage, report)
            else:
                report.skip("code.differs", step.name, f"it cannot be made again here: {found.what}")
    finally:
        pool.shutdown(cancel_futures=True)
    coverage.left_out.sort()
    return coverage


def _chosen(steps: Sequence[Step], how: How) -> tuple[list[Step], set[str]]:
    """Draw the order of the steps that the level asks for, and a sample of the others; nobody can know either."""
    stream = seeds.stream(secrets.randbits(64))
    wanted = [step for step in steps if _asked(step, how.level)]
    others = [step for step in steps if not _asked(step, how.level)]
    sample = seeds.sample(stream, others, how.rerun)
    return seeds.sample(stream, wanted, len(wanted)) + sample, {step.name for step in sample}


def _asked(step: Step, level: str) -> bool:
    if answers(step) or level == "hashes":
        return False
    return level == "full" or step.derive or (level == "rescore" and step.stage == "scores")


def _settle(step: Step, entry: Entry, found: Replayed, coverage: Coverage, report: Report) -> None:
    """Hold what came out against what was recorded; other code that gives the same bytes has proven them too."""
    check = "aggregate.differs" if step.derive else "output.differs"
    flaws = list(_flaws(entry, found))
    if not flaws:
        coverage.again += 1
        coverage.other += bool(found.other)
        by = f"made again by other code: {named(found.other)}" if found.other else "made again"
        report.held(check, step.name, by)
    elif found.other:
        report.skip("code.differs", step.name, f"{flaws[0]}, made again by other code: {named(found.other)}")
    else:
        coverage.again += 1
        report.settle(check, step.name, flaws)


def _flaws(entry: Entry, found: Replayed) -> Iterator[str]:
    if found.flaw:
        yield f"it cannot be made again: {found.flaw}"
        return
    for name, recorded in entry.outputs.items():
        if found.outputs.get(name) != recorded.sha256:
            yield f"output {name}"


def named(other: tuple[str, ...]) -> str:
    """Name the first few of what differs."""
    return ", ".join(other[:6]) + (f" and {len(other) - 6} more" if len(other) > 6 else "")
