"""The verbs `accept` and `carry`: a run's outputs become the expectation, or an expectation goes along to a new lock.

Either happens after an audit that found nothing wrong; an expectation is carried where a run under the new lock has the
same outputs.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence

from pydantic import Field

from harness.clean_start import is_clean
from harness.errors import AGREED, DISAGREED
from harness.evidence.audit.reexecution import ReexecutionOptions
from harness.manifest.load import Loaded
from harness.run.answers import NO_ERRORS, read_error_limit
from harness.run.planning.preconditions import read_ceiling
from harness.run.recording.accept import CarriedExpectation, require_own
from harness.run.recording.accept import accept as accept_run
from harness.run.recording.accept import carry as carry_along
from harness.run.recording.auditing import audit_run
from harness.run.service import RunTarget
from harness.verbs.judging import judge_apart
from harness.verbs.project import MEMORY, EngineRequest, PathText, Project, Request, Result, Watch


class AcceptRequest(Request):
    """Request of `accept`: which run, and which shortcomings of it a person accepts."""

    run: str = Field(description="A run id, a prefix of one, `last`, or a path to a record.")
    max_errors: str = Field(default="", description="Rows of a model that may be without an answer: `12` or `5%`.")
    max_memory: str = Field(default="", description=MEMORY)
    failing_checks: bool = Field(default=False, description="Accept a run whose own checks fail.")
    budget: float | None = Field(default=None, ge=0, description="Seconds for making again; default: no bound.")


class MovedOutput(Result):
    """Output whose expected digest changed; an empty digest means that there is none."""

    output: str
    old: str
    new: str


class AcceptResult(Result):
    """Result of `accept`: the expectation that was written, and what changed in it."""

    run: str
    expect: str
    changes: list[MovedOutput]
    words: str  # the verdict of its audit, and what it rests on that nobody made again


def accept(project: Project, asked: AcceptRequest, watch: Watch | None = None) -> AcceptResult:
    """Audit a run and make its outputs the expectation of its manifest; gives the digests that changed.

    Refused are a run that is incomplete or fails its audit, one that lacks more answers than allowed, and a run of a
    derived manifest; so is one whose own checks fail, unless `failing_checks` accepts that.
    """
    watch = watch or Watch()
    if not is_clean():
        return judge_apart("accept", AcceptResult, project, asked, watch)
    root, allowed = project.root, read_error_limit(asked.max_errors) or NO_ERRORS
    store, run = project.run(asked.run)
    require_own(store, run)
    budget, memory = math.inf if asked.budget is None else asked.budget, read_ceiling(asked.max_memory)
    tell, jobs = watch.task(f"audit {run}"), len(os.sched_getaffinity(0))
    how = ReexecutionOptions(budget=budget, jobs=jobs, memory=memory, progress=tell)
    report = audit_run(store, run, how=how, stop=watch.stop)
    done = accept_run(store, run, report, root, allowed, failing=asked.failing_checks)
    changes = [MovedOutput(output=output, old=old, new=new) for output, old, new in done.changes]
    return AcceptResult(run=run, expect=str(done.path), changes=changes, words=report.words)


class CarryRequest(EngineRequest):
    """Request of `carry`: which manifests are locked again and run, and where."""

    manifests: Sequence[PathText] = Field(min_length=1, description="Manifest files.")
    jobs: int = Field(default=0, ge=0, description="Steps at once; default: the cores.")
    max_errors: str = Field(default="", description="Rows of a model that may be without an answer: `12` or `5%`.")
    at_levels: bool = Field(default=False, description="Put up with other bytes where an output agrees at its level.")


class PartedOutput(Result):
    """Output that differs from the accepted one; an empty digest means that there is none."""

    output: str
    accepted: str
    made: str
    agrees: bool  # at the level that the manifest declares, all the same


class CarriedManifest(Result):
    """Result of `carry` for one manifest: its locks, and whether the expectation was carried."""

    manifest: str
    name: str
    expect: str
    state: str  # carried | refused | fits
    old: str  # the lock that it named
    lock: str  # the lock that was made; where it was refused, it was put away again
    run: str  # none where the lock and the code that it named still fit
    parted: list[PartedOutput]


class CarryResult(Result):
    """Result of `carry`: what became of each expectation, in the order of the manifests."""

    carried: list[CarriedManifest]

    @property
    def code(self) -> int:
        """Exit code: 1 where an expectation was refused, because an output differs from the accepted one."""
        return DISAGREED if any(one.state == "refused" for one in self.carried) else AGREED


def carry(project: Project, asked: CarryRequest, watch: Watch | None = None) -> CarryResult:
    """Lock manifests again, run them, and carry their expectations to the new locks where every output is the same.

    The same means by its bytes or, with `at_levels`, at its level. Else lock and expectation stay as they were; where
    the old lock and the code of the steps are what the expectation names, nothing is run.
    """
    watch, allowed = watch or Watch(), read_error_limit(asked.max_errors) or NO_ERRORS
    found = []
    for loaded in [project.manifest(path) for path in asked.manifests]:
        here = project.of(loaded)
        place = RunTarget(here.store, asked.choice(here, watch), asked.jobs, stop=watch.stop)
        done = carry_along(loaded, place, watch.task, allowed, at_levels=asked.at_levels)
        found.append(_data(loaded, done))
        watch.say(f"{loaded.manifest.name}: {_words(found[-1])}")
    return CarryResult(carried=found)


def _data(loaded: Loaded, done: CarriedExpectation) -> CarriedManifest:
    state = "fits" if not done.run else "carried" if done.along else "refused"
    return CarriedManifest(
        manifest=str(loaded.path),
        name=loaded.manifest.name,
        expect=str(done.path),
        state=state,
        old=done.old,
        lock=done.new,
        run=done.run,
        parted=[PartedOutput(**vars(one)) for one in done.parted],
    )


def _words(one: CarriedManifest) -> str:
    same = ", ".join(out.output for out in one.parted)
    how = f"other bytes, which agree at their level, for {same}" if same else "every output the same bytes"
    return {
        "carried": f"run {one.run} gave {how}; lock and expectation name it now",
        "refused": f"run {one.run} gave other bytes than were accepted; lock and expectation stay as they were",
        "fits": "the expectation names the lock that fits, and this code; nothing was left to do",
    }[one.state]
