"""The reviewer's verbs `audit`, `diff`, `explain` and `get`.

The bytes that `get` writes are hashed by the very descriptor from which they go out.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic import Field

import harness.evidence.diff as differ
from harness import arrays
from harness.clean_start import is_clean
from harness.digest import CHUNK, sha256_stream
from harness.errors import AGREED, DISAGREED, InputError
from harness.evidence import explain as explainer
from harness.evidence.audit.checks import Coverage, Report
from harness.evidence.audit.reexecution import BUDGET, LEVELS, ReexecutionOptions
from harness.evidence.record import read_record
from harness.evidence.trail import read_trail
from harness.files import translating_os_errors
from harness.run.planning.preconditions import read_ceiling
from harness.run.recorded_runs import manifest_name
from harness.run.recording.auditing import EXPECTED, audit_files, audit_run
from harness.store.store import Store
from harness.verbs.certifying import audit_labels
from harness.verbs.judging import HarnessData, judge_apart, name_harness
from harness.verbs.project import MEMORY, PathText, Project, Request, Result, Watch
from harness.verbs.run_data import CauseData, DataCoverage, cause_data, data_coverage

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
        run=run,
        verdict=report.verdict,
        words=report.words,
        harness=name_harness(),
        judged=judged,
        level=level,
        packages=dict(report.packages),
        self_checks=report.self_checks or "none",
        coverage=_coverage(covered) if covered else None,
        checks=[CheckData(**vars(check)) for check in report.checks],
        **said,
    )


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
        level=parted.level,
        first=parted.first,
        cause=parted.cause,
        stages=[StageData(**vars(stage)) for stage in parted.stages],
        rows=[RowData(**row) for row in parted.rows],
        more_rows=parted.more_rows,
        texts=[ChangedText(**vars(one)) for one in parted.texts],
    )


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


SHOWN = 8  # names of outputs in a message


class GetRequest(Request):
    """Request of `get`: which output of which run, and the file it is written to, if any."""

    run: str = Field(description=RUN)
    output: str = Field(description="The name of an output.")
    to: PathText | None = Field(default=None, description="Write to this file.")


class GetResult(Result):
    """Result of `get`: an output whose bytes were checked, and the file that holds them."""

    run: str
    output: str
    sha256: str
    size: int
    file: str
    limit: int = Field(default=0, description="Items of each dataset that the run was limited to; 0: it was not.")
    array: str = Field(default="", description="Of an array, its type and shape; of several, those of each by name.")


def get(project: Project, asked: GetRequest) -> GetResult:
    """Get one output of a run, its bytes checked: the path of its blob or, with `to`, of a copy of it."""
    store, run = project.run(asked.run)
    record = read_record(store, run)
    outputs = record.outputs
    if asked.output not in outputs:
        raise _no_output(store, run, asked.output, sorted(outputs))
    made = outputs[asked.output]
    if asked.to:
        _copy(store, made, project.path(asked.to), str(asked.to))
        said = _array(project.path(asked.to))
    else:
        with store.blobs.open(made["sha256"], made["size"]) as blob:  # what is described is what was hashed
            said = _array(Path(f"/proc/self/fd/{blob.fileno()}"))
    found: dict[str, Any] = {"array": said} if said else {}
    found |= {"limit": limit} if (limit := int(record.body.get("limit", 0))) else {}
    file = str(asked.to or store.blobs.path(made["sha256"]))
    return GetResult(run=run, output=asked.output, sha256=made["sha256"], size=made["size"], file=file, **found)


def stream_output(project: Project, asked: GetRequest, made: GetResult) -> Iterator[bytes]:
    """Read an output in pieces from the descriptor by which it was hashed; an error where it changed meanwhile."""
    store, _ = project.run(asked.run)
    with store.blobs.open(made.sha256, made.size) as blob:
        while piece := blob.read(CHUNK):
            yield piece
        blob.seek(0)
        with open(blob.fileno(), "rb", buffering=0, closefd=False) as whole:
            again, _ = sha256_stream(whole)
    if again != made.sha256:
        raise store.blobs.damage(made.sha256, "changed")


def _copy(store: Store, made: Mapping[str, Any], to: Path, asked: str) -> None:
    """Copy a blob to a file, hashed as it is copied: no other bytes get that name, and a link there is replaced."""
    with translating_os_errors(asked):
        if to.is_dir() or not to.parent.is_dir() or (to.exists() and not to.is_file()):
            raise InputError("this file cannot be written", where=asked, next="name a file in a folder that is there")
        if to.parent.resolve().is_relative_to(store.root.resolve()):
            raise InputError("this file lies in the store", where=asked, next="name a file elsewhere")
        temp = to.with_name(f".{to.name[:200]}.{secrets.token_hex(4)}.tmp")
        try:
            store.blobs.copy_to(made["sha256"], temp, size=made["size"])
            temp.rename(to)
        finally:
            temp.unlink(missing_ok=True)


def _array(path: Path) -> str:
    """Describe an output that is an array, since its bytes mean nothing to a person; None for any other."""
    if not arrays.file_format(path):
        return ""
    try:
        said = [f"{name} {head.text()}".strip() for name, head in arrays.headers(path).items()]
    except InputError as bad:
        return bad.what  # its bytes are what they are, and can be had
    return ", ".join(said[:SHOWN]) + (f" and {len(said) - SHOWN} more" if len(said) > SHOWN else "")


def _no_output(store: Store, run: str, output: str, has: Sequence[str]) -> InputError:
    of = f" of {name}" if (name := manifest_name(store, run)) else ""
    more = f" and {len(has) - SHOWN} more" if len(has) > SHOWN else ""
    return InputError(
        f"run {run}{of} has no output {output!r}", next=f"it has: {', '.join(has[:SHOWN]) or 'none'}{more}"
    )
