"""The reviewer's verbs `audit`, `diff`, `explain` and `get`.

The bytes that `get` writes are hashed through the same file descriptor from which they are written.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic import Field

import harness.evidence.diff as differ
from harness import arrays
from harness.clean_start import is_clean
from harness.digest import CHUNK, sha256_file, sha256_stream
from harness.errors import AGREED, DISAGREED, InputError
from harness.evidence import explain as explainer
from harness.evidence.anchor import audit_anchors, read_anchors
from harness.evidence.audit.checks import Coverage, Report
from harness.evidence.audit.reexecution import LEVELS, ReexecutionOptions
from harness.evidence.bundle import SUFFIX, unpack_bundle
from harness.evidence.keys import read_trust, require_author
from harness.evidence.record import read_record
from harness.evidence.trail import read_trail
from harness.files import translating_os_errors
from harness.run.engines import read_ceiling
from harness.run.recorded_runs import manifest_name
from harness.run.recording.auditing import EXPECTED, audit_author, audit_files, audit_run
from harness.run.scores.table import AskedAnswer, RunTables
from harness.store.store import Store, list_runs
from harness.verbs.accepting import HarnessData, judge_apart, name_harness
from harness.verbs.certifying import audit_labels
from harness.verbs.project import Project, Result, Watch
from harness.verbs.requests import AuditRequest, DiffRequest, ExplainRequest, GetRequest
from harness.verbs.run_data import CauseData, DataCoverage, cause_data, data_coverage
from harness.verbs.scoring import WORDS, DifferingWords, differing_words

__all__ = [
    "AuditResult",
    "DiffResult",
    "ExplainResult",
    "GetResult",
    "audit",
    "diff",
    "explain",
    "get",
]

RUN = "A run id, a prefix of one, `last`, a path to a record, or a manifest, whose newest run is meant."


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
    imported: dict[str, int] = Field(default_factory=dict)  # taken on trust, too: imported answers
    agents: dict[str, int] = Field(default_factory=dict)  # taken on trust, too: answers of agents in attempts
    trials: int = 0  # steps that are outcomes of foreign code, which no audit runs
    rows: int = 0  # of the steps that the level asks for
    sliced: dict[str, tuple[int, int]] = Field(default_factory=dict)  # of steps left out: rows made again, and all rows
    chance: str = ""  # if steps were left out: the probability that one forged row would have been found
    seed: int = 0  # with which the steps were drawn
    text: str  # the same in one line


class JudgedData(Result):
    """What was judged: the store or the bundle that holds the run, and the project whose files it was compared with.

    The project is empty if there is none.
    """

    store: str
    project: str = ""
    bundle: str = Field(default="", description="The file, if what was judged is a bundle; there is no store then.")
    sha256: str = Field(default="", description="The digest of the bundle.")


class AuditResult(Result):
    """Result of `audit`: the verdict on whether manifest, lock, record and store agree, coverage, and every check."""

    run: str
    verdict: str  # agreed | disagreed | incomplete | unconfirmed
    words: str  # the verdict, and what it rests on that was not made again
    harness: HarnessData  # the harness that judged
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
        """Text on how many outputs agree with the expectation only within a tolerance; empty if none does."""
        held = (check for check in self.checks if check.subject == EXPECTED and check.verdict == "pass")
        return next((check.detail for check in held), "")

    @property
    def code(self) -> int:
        """Exit code: 0 only for `agreed`."""
        return AGREED if self.verdict == "agreed" else DISAGREED


def audit(project: Project, asked: AuditRequest, watch: Watch | None = None) -> AuditResult:
    """Audit a run: check that manifest, lock, record and store agree, and make steps again with the installed code.

    `level` selects the steps. Code that is kept in the store is never run. Given a manifest, the audit also compares
    the run with its manifest, lock and expectation as they are now; `trust` names who must have signed for the latter,
    else the run is unconfirmed. A bundle is laid out as a store in a temporary
    folder, and needs no other. The audit runs in a clean process of its own.
    """
    watch = watch or Watch()
    if not is_clean():
        return judge_apart("audit", AuditResult, project, asked, watch)
    bundled = Path(asked.subject).suffix == SUFFIX
    level = asked.level or ("hashes" if bundled else "full")
    if level not in LEVELS:
        known = "; ".join(f"{name} ({about})" for name, about in LEVELS.items())
        raise InputError(f"no level is called {level!r}", next=f"choose one of: {known}")
    loaded = None
    if Path(asked.subject).suffix in (".yaml", ".yml"):
        loaded = project.manifest(asked.subject)
    trusted = read_trust(project.path(asked.trust)) if asked.trust else ()
    if asked.trust:
        require_author(trusted, project.path(asked.trust))
        if not loaded:
            raise InputError(
                "--trust says who may sign for an expectation, and only a manifest has one",
                where=asked.subject,
                next="name the manifest; `harness verify` checks who signed for a run or a bundle",
            )
    images = project.path(asked.images) if asked.images else None
    anchors = read_anchors(project.path(asked.anchor)) if asked.anchor else ()

    def how(run: str) -> ReexecutionOptions:
        return ReexecutionOptions(
            level=level,
            rerun=asked.rerun,
            budget=asked.budget,
            jobs=asked.jobs or len(os.sched_getaffinity(0)),
            memory=read_ceiling(asked.max_memory),
            seed=asked.seed,
            progress=watch.task(f"audit {run}"),
        )

    if bundled:
        path = project.path(asked.subject)
        with tempfile.TemporaryDirectory(prefix="harness-bundle-") as folder:
            bundle, digest = unpack_bundle(path, Path(folder)), sha256_file(path)[0]
            store, run = Store.open(Path(folder)), bundle.run
            report = audit_run(store, run, images, how(run), watch.stop, bundle)
            if anchors:
                audit_anchors(store, anchors, report)
        return _reported(run, JudgedData(store="", bundle=str(path), sha256=digest), level, report)
    store, run = project.run(asked.subject)
    report = audit_run(store, run, images, how(run), watch.stop)
    if anchors:
        audit_anchors(store, anchors, report)
    audit_labels(project, store, run, report)
    if loaded:
        audit_files(store, run, loaded, report)
        if asked.trust:
            audit_author(loaded.root, loaded.manifest.name, trusted, report)
    judged = JudgedData(store=str(store.root), **({"project": str(loaded.root)} if loaded else {}))
    return _reported(run, judged, level, report)


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


class StageData(Result):
    """One stage of two runs, and what differs in it."""

    stage: str
    verdict: str  # same | differs
    changed: list[str]


class RowData(Result):
    """A row that differs, its fields that do, and its text in both runs."""

    step: str
    output: str
    row: str
    fields: list[str]
    left: str
    right: str


class ChangedText(Result):
    """Line of a pinned file in both runs; empty for a run whose file lacks the line."""

    file: str
    line: int
    left: str
    right: str


class DiffResult(Result):
    """Result of `diff`: the first difference between two runs, its cause, and the rows that differ."""

    level: str  # bytes | decisions | numbers | statistics | differs
    first: dict[str, Any] | None
    cause: str
    stages: list[StageData]
    rows: list[RowData]
    more_rows: int  # how many further rows differ
    texts: list[ChangedText]  # of pinned files that are inputs of the first step that differs
    words: list[DifferingWords] = Field(default_factory=list)  # of the first rows, if both runs have and may show them

    @property
    def code(self) -> int:
        """Exit code: 0 if every output has the same bytes in both runs, else 1."""
        return AGREED if self.level == "bytes" else DISAGREED


def diff(project: Project, asked: DiffRequest) -> DiffResult:
    """Compare two runs; return where they first differ, why, and in which rows."""
    left, right = project.run(asked.left), project.run(asked.right)
    trails = read_trail(*left), read_trail(*right)
    parted, (agent, other) = differ.diff_runs(*trails), differ.agent_names(*trails)
    about = list(dict.fromkeys(AskedAnswer(**one) for one in parted.answers))[:WORDS]
    pairs = [(one, one._replace(model=other) if agent and one.model == agent else one) for one in about]
    words = _words(left, right, pairs) if pairs else []
    return DiffResult(
        level=parted.level,
        first=parted.first,
        cause=parted.cause,
        stages=[StageData(**vars(stage)) for stage in parted.stages],
        rows=[RowData(**row) for row in parted.rows],
        more_rows=parted.more_rows,
        texts=[ChangedText(**vars(one)) for one in parted.texts],
        **({"words": words} if words else {}),
    )


def _words(
    left: tuple[Store, str], right: tuple[Store, str], about: Sequence[tuple[AskedAnswer, AskedAnswer]]
) -> list[DifferingWords]:
    """Return the words of answers in both runs; none unless both runs ended, since only then is there a record."""
    known = [list_runs(store)[run] for store, run in (left, right)]
    if not all(one.ended for one in known):
        return []
    return differing_words(RunTables.of(*left), RunTables.of(*right), about)


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
    """Return the parts of the keys of a run's steps, and why each step ran or was taken from the store."""
    store, run = project.run(asked.run)
    return ExplainResult(
        run=run, steps=[StepReason(**vars(why)) for why in explainer.explain_steps(store, run, asked.step)]
    )


SHOWN = 8  # names of outputs in a message
PAGE = "report.html"  # what a study makes of a run only if the manifest declares it


class GetResult(Result):
    """Result of `get`: an output whose bytes were checked, and the file that holds them."""

    run: str
    output: str
    sha256: str
    size: int
    file: str
    limit: int = Field(default=0, description="Items of each dataset that the run was limited to; 0: it was not.")
    array: str = Field(default="", description="Of an array, its type and shape; of several, those of each by name.")
    manifest: str = Field(default="", description="The name of the run's manifest.")
    started: str = Field(default="", description="When the run began, which no output says: its bytes are the same.")


def get(project: Project, asked: GetRequest) -> GetResult:
    """Check the bytes of one output of a run, and return the path of its blob or, with `to`, of a copy."""
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
    found |= {"manifest": manifest_name(store, run), "started": str(record.body["started"])}
    file = str(asked.to or store.blobs.path(made["sha256"]))
    return GetResult(run=run, output=asked.output, sha256=made["sha256"], size=made["size"], file=file, **found)


def stream_output(project: Project, asked: GetRequest, made: GetResult) -> Iterator[bytes]:
    """Yield an output in pieces from the descriptor by which it is hashed; raise an error if it changed meanwhile."""
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
    """Copy a blob to a file, which appears only once its hash has been checked; a link in its place is replaced."""
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
    """Return the type and shape of an output that is an array, or those of its arrays; empty for other outputs."""
    if not arrays.file_format(path):
        return ""
    try:
        said = [f"{name} {head.text()}".strip() for name, head in arrays.read_headers(path).items()]
    except InputError as bad:
        return bad.what  # the output cannot be read as an array, but can be fetched
    return ", ".join(said[:SHOWN]) + (f" and {len(said) - SHOWN} more" if len(said) > SHOWN else "")


def _no_output(store: Store, run: str, output: str, has: Sequence[str]) -> InputError:
    of = f" of {name}" if (name := manifest_name(store, run)) else ""
    more = f" and {len(has) - SHOWN} more" if len(has) > SHOWN else ""
    page = f"; `outputs: {{{output}: exact}}` in the manifest adds it" if output == PAGE else ""
    return InputError(
        f"run {run}{of} has no output {output!r}", next=f"it has: {', '.join(has[:SHOWN]) or 'none'}{more}{page}"
    )
