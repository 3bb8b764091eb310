"""The reviewer's verbs `audit`, `diff` and `explain`; `get` is in `getting.py`."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic import Field

import harness.evidence.diff as differ
import harness.evidence.explain as explainer
from harness.clean_start import is_clean
from harness.errors import AGREED, DISAGREED, InputError
from harness.evidence.audit.checks import Coverage, Report
from harness.evidence.audit.reexecution import BUDGET, LEVELS, ReexecutionOptions
from harness.evidence.trail import read_trail
from harness.run.planning.preconditions import read_ceiling
from harness.run.recording.auditing import EXPECTED, audit_files, audit_run
from harness.verbs.data_coverage import DataCoverage, data_coverage
from harness.verbs.engine_choice import MEMORY
from harness.verbs.judging import HarnessData, judge_apart, name_harness
from harness.verbs.labelled_rows import audit_labels
from harness.verbs.project import PathText, Project, Request, Result, Watch
from harness.verbs.run_data import CauseData, cause_data

RUN = "A run id, a prefix of one, `last`, a path to a record, or a manifest, whose newest run is meant."


class AuditRequest(Request):
    """Request of `audit`: which run, how much of it is made again, and within how many seconds."""

    subject: str = Field(description=RUN)
    level: str = Field(default="full", description=f"What is made again: {', '.join(LEVELS)}.")
    rerun: int = Field(default=0, ge=0, description="Make N other steps again, answers of local models too.")
    budget: float = Field(default=BUDGET, ge=0, description="Seconds for making again; what is left out is named.")
    seed: int | None = Field(default=None, ge=0, lt=2**53, description="Of the order; default: another each time.")
    jobs: int = Field(default=0, ge=0, description="Steps at once; default: the cores.")
    images: PathText | None = Field(default=None, description="The store that holds the images; default: the run's.")
    max_memory: str = Field(default="", description=MEMORY)


class CheckData(Result):
    """One check of an audit: what was compared with what, and the outcome."""

    id: str
    verdict: str  # pass | fail | skip
    subject: str
    detail: str


class CoverageData(Result):
    """Coverage of an audit: how many steps were made again, what was taken on trust, and what was left out."""

    steps: int
    again: int
    other: int
    trusted: dict[str, int]
    left_out: list[str]
    imported: dict[str, int] = Field(default_factory=dict)  # of what was taken on trust: somebody else's answers
    agents: dict[str, int] = Field(default_factory=dict)  # the same: what agents answered in attempts
    trials: int = 0  # steps that are outcomes of foreign code, which no audit runs
    rows: int = 0  # of the steps that the level asks for
    sliced: dict[str, tuple[int, int]] = Field(default_factory=dict)  # of what was left out: rows made again, of all
    chance: str = ""  # where steps were left out: with which probability one forged row would have been met
    seed: int = 0  # by which the steps were drawn
    text: str  # the same in one line


class JudgedData(Result):
    """What was judged: a run, the store that holds it, and the project whose files it was held against, if any."""

    store: str
    project: str = ""


class AuditResult(Result):
    """Result of `audit`: the verdict whether manifest, lock, record and store agree, coverage, and every check."""

    run: str
    verdict: str  # agreed | disagreed | incomplete | unconfirmed
    words: str  # the verdict, and what it rests on that nobody made again
    harness: HarnessData  # which judged
    judged: JudgedData
    level: str
    packages: dict[str, int]
    self_checks: str
    coverage: CoverageData | None
    checks: list[CheckData]
    stand_ins: dict[str, bool] = Field(
        default_factory=dict, description="Models that are none: whether each was shown the right answers."
    )
    notes: list[str] = Field(default_factory=list, description="On answers on trust: what does not fit what.")
    data: dict[str, DataCoverage] = Field(default_factory=dict)  # by dataset of many files: how many the run had
    limit: int = Field(default=0, description="Items of each dataset that the run was limited to; 0: it was not.")
    healed: dict[str, int] = Field(default_factory=dict, description="Damage that the run met and made anew.")
    cause: CauseData | None = Field(default=None, description="The first step that differs, and why.")

    @property
    def by_tolerance(self) -> str:
        """How many outputs agree with what is expected within a tolerance alone; empty where none does."""
        held = (check for check in self.checks if check.subject == EXPECTED and check.verdict == "pass")
        return next((check.detail for check in held), "")

    @property
    def code(self) -> int:
        """Exit code: 0 only for `agreed`."""
        return AGREED if self.verdict == "agreed" else DISAGREED


def audit(project: Project, asked: AuditRequest, watch: Watch | None = None) -> AuditResult:
    """Audit a run: check that manifest, lock, record and store agree, and make steps again with the installed code.

    `level` says which steps; code that is kept in the store is never run. Given a manifest, the audit also compares
    the run with its manifest, lock and expectation as they are now. It judges in a clean process of its own.
    """
    watch = watch or Watch()
    if not is_clean():
        return judge_apart("audit", AuditResult, project, asked, watch)
    if asked.level not in LEVELS:
        known = "; ".join(f"{name} ({about})" for name, about in LEVELS.items())
        raise InputError(f"no level is called {asked.level!r}", next=f"choose one of: {known}")
    loaded = None
    if Path(asked.subject).suffix in (".yaml", ".yml"):
        loaded = project.manifest(asked.subject)
    memory, (store, run) = read_ceiling(asked.max_memory), project.run(asked.subject)
    jobs, tell = asked.jobs or len(os.sched_getaffinity(0)), watch.task(f"audit {run}")
    how = ReexecutionOptions(
        level=asked.level,
        rerun=asked.rerun,
        budget=asked.budget,
        jobs=jobs,
        memory=memory,
        seed=asked.seed,
        progress=tell,
    )
    report = audit_run(store, run, project.path(asked.images) if asked.images else None, how, watch.stop)
    audit_labels(project, store, run, report)
    if loaded:
        audit_files(store, run, loaded, report)
    judged = JudgedData(store=str(store.root), **({"project": str(loaded.root)} if loaded else {}))
    return _reported(run, judged, asked.level, report)


def _reported(run: str, judged: JudgedData, level: str, report: Report) -> AuditResult:
    covered, said = report.coverage, dict[str, Any]()
    if report.data:
        said["data"] = data_coverage(report.data)
    if report.stand_ins:
        said["stand_ins"] = dict(report.stand_ins)
    if report.notes:
        said["notes"] = list(report.notes)
    if report.limit:
        said["limit"] = report.limit
    if report.healed:
        said["healed"] = dict(report.healed)
    if report.cause:
        said["cause"] = cause_data(report.cause)
    return AuditResult(
        run=run, verdict=report.verdict, words=report.words, harness=name_harness(), judged=judged, level=level,
        packages=dict(report.packages), self_checks=report.self_checks or "none",
        coverage=_coverage(covered) if covered else None,
        checks=[CheckData(**vars(check)) for check in report.checks], **said,
    )  # fmt: skip


def _coverage(covered: Coverage) -> CoverageData:
    told = asdict(covered)
    partial = {name: told.pop(name) for name in ("rows", "sliced", "seed")} | {"chance": covered.chance}
    return CoverageData(**told, text=covered.text(), **(partial if covered.left_out else {}))


class DiffRequest(Request):
    """Request of `diff`: which two runs are compared."""

    left: str = Field(description=RUN)
    right: str = Field(description=RUN)


class StageData(Result):
    """One stage of two runs, and what changed in it."""

    stage: str
    verdict: str  # same | differs
    changed: list[str]


class RowData(Result):
    """Row that differs, and the words in which it does."""

    step: str
    output: str
    row: str
    fields: list[str]
    left: str
    right: str


class ChangedText(Result):
    """Line of a pinned file in both runs; one that only one of them has is empty in the other."""

    file: str
    line: int
    left: str
    right: str


class DiffResult(Result):
    """Result of `diff`: the first difference of two runs, its cause, and the rows it is in."""

    level: str  # bytes | decisions | numbers | statistics | differs
    first: dict[str, Any] | None
    cause: str
    stages: list[StageData]
    rows: list[RowData]
    more_rows: int  # that differ, too
    texts: list[ChangedText]  # of the pinned files that the first step was made from

    @property
    def code(self) -> int:
        """Exit code: 0 where every output of both runs has the same bytes, else 1."""
        return AGREED if self.level == "bytes" else DISAGREED


def diff(project: Project, asked: DiffRequest) -> DiffResult:
    """Compare two runs: where they first differ, why, and in which rows."""
    parted = differ.diff(read_trail(*project.run(asked.left)), read_trail(*project.run(asked.right)))
    return DiffResult(
        level=parted.level, first=parted.first, cause=parted.cause,
        stages=[StageData(**vars(stage)) for stage in parted.stages],
        rows=[RowData(**row) for row in parted.rows], more_rows=parted.more_rows,
        texts=[ChangedText(**vars(one)) for one in parted.texts],
    )  # fmt: skip


class ExplainRequest(Request):
    """Request of `explain`: which run, and which of its steps."""

    run: str = Field(description=RUN)
    step: str = Field(default="", description="A step, or the beginning of several names.")


class StepReason(Result):
    """One step, the parts of its key, and why it ran or did not."""

    step: str
    state: str
    key: str
    reason: str
    parts: dict[str, Any]


class ExplainResult(Result):
    """Result of `explain`: the chosen steps, each with its key and why it ran or did not."""

    run: str
    steps: list[StepReason]


def explain(project: Project, asked: ExplainRequest) -> ExplainResult:
    """Show the parts of the keys of a run's steps, and why each step ran or was taken from the store."""
    store, run = project.run(asked.run)
    return ExplainResult(run=run, steps=[StepReason(**vars(why)) for why in explainer.explain(store, run, asked.step)])
