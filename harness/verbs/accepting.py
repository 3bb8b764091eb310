"""The verb `accept`: a run's outputs become the expectation, after an audit found nothing wrong."""

from __future__ import annotations

import math
import os

from pydantic import Field

from harness.clean_start import is_clean
from harness.evidence.audit.reexecution import ReexecutionOptions
from harness.run.answers import NO_ERRORS, read_error_limit
from harness.run.planning.preconditions import read_ceiling
from harness.run.recording.accept import accept as accept_run
from harness.run.recording.accept import require_own
from harness.run.recording.auditing import audit_run
from harness.verbs.engine_choice import MEMORY
from harness.verbs.judging import judge_apart
from harness.verbs.project import Project, Request, Result, Watch


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
