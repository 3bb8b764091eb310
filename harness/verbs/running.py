"""The verbs `run` and `reproduce`, and the dry run: their requests, their results, and a run as data (`RunData`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pydantic import Field

from harness import rows
from harness.errors import AGREED, DISAGREED
from harness.evidence.trail import read_trail
from harness.manifest.load import Loaded
from harness.manifest.lockfile import load_lock
from harness.rowtypes import Trial
from harness.run.accept import moved_code
from harness.run.answer_errors import ErrorLimit, over_limit, read_error_limit
from harness.run.answer_progress import ANSWERS, progress_text
from harness.run.certificates import standings
from harness.run.service import FinishedRun, RunTarget, forecast, lock_manifest, run_manifest
from harness.verbs.data_coverage import DataCoverage, data_coverage
from harness.verbs.engine_choice import RunnerRequest
from harness.verbs.fresh_store import fresh_store
from harness.verbs.project import PathText, Project, Result, Watch


class RunRequest(RunnerRequest):
    """Request of `run` and of its dry run: manifests, limit of items, whether to lock again, engine and jobs."""

    manifests: Sequence[PathText] = Field(min_length=1, description="Manifest files.")
    limit: int = Field(default=0, ge=0, le=2**31, description="Only the first N items of each dataset; 0: all.")
    relock: bool = Field(default=False, description="Lock again where the lock no longer fits.")


class ReproduceRequest(RunnerRequest):
    """Request of `reproduce`: manifests, the folder of the fresh store if it is named, engine and jobs."""

    manifests: Sequence[PathText] = Field(min_length=1, description="Manifest files.")
    fresh: PathText | None = Field(default=None, description="A new folder for the fresh store, which is kept.")


class StepCounts(Result):
    """Counts of a run's steps by how they were finished."""

    total: int
    executed: int
    cached: int
    failed: int


class OutputVerdict(Result):
    """One output of a run, with the verdict of comparing it with the expectation at its level."""

    name: str
    sha256: str
    level: str | dict[str, str]
    verdict: str  # agreed | disagreed | unconfirmed | missing
    detail: str


class Unanswered(Result):
    """Rows that a model left without an answer, counted, and its first error message."""

    model: str
    rows: int
    errors: int
    said: str
    too_many: bool  # more than is put up with

    def text(self) -> str:
        """Format the counts and the first error message as one line."""
        return f"{self.model} left {self.errors} of {self.rows} rows without an answer; the first: {self.said}"


class ImportedData(Result):
    """Imported answers of a model: their source and, where the study counts them, rows taken, refused and missing."""

    model: str
    source: str
    rows: int = 0  # this and what follows only where the study counts them
    taken: int = 0
    missing: int = 0  # prompts without a row
    no_prompt: int = 0  # rows that match no prompt of the run: refused
    twice: int = 0  # prompts with more than one row: all of them refused
    first: list[str] = Field(default_factory=list)  # of the rows refused

    def text(self) -> str:
        """Format the source and, where they are counted, the rows taken and refused as one line."""
        refused = [f"{self.no_prompt} of no prompt"] * bool(self.no_prompt)
        refused += [f"all of {self.twice} prompt{'s' * (self.twice > 1)} with more than one"] * bool(self.twice)
        names = f", refused {' and '.join(refused)}: {', '.join(self.first)}" if refused else ""
        took = f": took {self.taken} of {self.rows} rows{names}" if self.rows else ""
        return f"{self.model}: answers imported from {self.source}{took}"


class RunData(Result):
    """Data of one run: engine, image, steps, model calls, unanswered rows, and its outputs with their verdicts."""

    manifest: str
    run: str
    engine: str
    isolation: str
    image: str
    image_state: str  # none | pinned | moved
    device: str
    verdict: str  # agreed | disagreed | unconfirmed | incomplete
    self_checks: str  # pass | fail | none
    steps: StepCounts
    sees_gold: list[str]
    calls: dict[str, dict[str, Any]]
    outputs: list[OutputVerdict]
    unanswered: list[Unanswered] = Field(default_factory=list)
    graders: dict[str, str] = Field(default_factory=dict)  # by name, what its certificate says of each
    imported: list[ImportedData] = Field(default_factory=list)
    trials: dict[str, int] = Field(default_factory=dict)  # answers whose code was tried, by how it ended
    data: dict[str, DataCoverage] = Field(default_factory=dict)  # by dataset of many files: how many it had
    moved_code: list[str] = Field(default_factory=list)  # where a run disagrees: the files that are not as accepted

    @property
    def lacks_answers(self) -> bool:
        """Whether any model left more rows without an answer than allowed."""
        return any(gap.too_many for gap in self.unanswered)


class RunResult(Result):
    """Result of `run`: the runs, in the order of their manifests."""

    runs: list[RunData]

    @property
    def code(self) -> int:
        """Exit code: 1 where a run disagrees, or a model left more rows without an answer than allowed; else 0.

        Unconfirmed and incomplete runs count as success.
        """
        return _code(self.runs, {"agreed", "unconfirmed", "incomplete"})


class ReproduceResult(Result):
    """Result of `reproduce`: the runs, in the order of their manifests, and their store's path if it was kept."""

    runs: list[RunData]
    store: str = ""

    @property
    def code(self) -> int:
        """Exit code: 0 only where every run agreed, and no model left more rows without an answer than allowed."""
        return _code(self.runs, {"agreed"})


def _code(runs: Sequence[RunData], fine: set[str]) -> int:
    return AGREED if all(one.verdict in fine and not one.lacks_answers for one in runs) else DISAGREED


class StageForeseen(Result):
    """Forecast of one stage: how many steps a run would take from the store, and how many it would make."""

    stage: str
    cached: int
    executed: int


class ForeseenData(Result):
    """Forecast of a run of one manifest, stage by stage."""

    manifest: str
    stages: list[StageForeseen]


class DryRunResult(Result):
    """Result of a dry run: the forecast of each manifest."""

    runs: list[ForeseenData]


def dry_run(project: Project, asked: RunRequest, watch: Watch | None = None) -> DryRunResult:
    """Forecast, by stage, how many steps of each manifest a run would take from the store or execute; runs nothing.

    A step whose inputs are not known yet counts as executed. No lock is written; one that does not fit its manifest
    raises an error.
    """
    watch, found = watch or Watch(), []
    for loaded in [project.manifest(path) for path in asked.manifests]:
        here = project.of(loaded)
        place = RunTarget(here.store, asked.choice(here, watch, moved=asked.moved), stop=watch.stop)
        seen = forecast(loaded, place, asked.limit)
        stages = [StageForeseen(stage=name, cached=kept, executed=made) for name, (kept, made) in seen.stages.items()]
        found.append(ForeseenData(manifest=seen.manifest, stages=stages))
    return DryRunResult(runs=found)


def run(project: Project, asked: RunRequest, watch: Watch | None = None) -> RunResult:
    """Run manifests one by one: execute the steps that the store lacks, write each run's record, compare its outputs.

    A lock that no longer fits raises an error, or is made anew first where `relock` says so. Each output is compared
    with the expectation, if there is one.
    """
    watch, allowed = watch or Watch(), read_error_limit(asked.max_errors)
    found = []
    for loaded in [project.manifest(path) for path in asked.manifests]:
        here = project.of(loaded)
        choice = asked.choice(here, watch, moved=asked.moved)
        place = RunTarget(here.store, choice, asked.jobs, errors=allowed, stop=watch.stop)
        if asked.relock and lock_manifest(loaded, place).changed:
            watch.say(f"{loaded.manifest.name}: the lock was made anew, as --relock says; review it in git")
        ran = _run(loaded, place, watch, asked.limit)
        found.append(_data(ran, allowed, _graders(loaded)))
        steps = found[-1].steps
        watch.say(
            f"{loaded.manifest.name}: run {ran.record.run}, {steps.executed} steps executed, {steps.cached} from the "
            f"store" + ("" if steps.executed else "; nothing was left to do")
        )
    return RunResult(runs=found)


def reproduce(project: Project, asked: ReproduceRequest, watch: Watch | None = None) -> ReproduceResult:
    """Run one or several manifests in one fresh store, and compare the outputs of each run with its expectation.

    A store named by `fresh` always stays. An unnamed one is deleted, unless a run disagreed, was unconfirmed or
    incomplete, or left too many rows without an answer. Published data may be taken from the project's own store.
    """
    watch, allowed = watch or Watch(), read_error_limit(asked.max_errors)
    todo = [project.manifest(path) for path in asked.manifests]
    found = []
    given = project.path(asked.fresh) if asked.fresh else None
    with fresh_store(given, todo[0].root, watch.say) as place:
        for loaded in todo:
            here = project.of(loaded)
            choice = asked.choice(here, watch, moved=asked.moved)
            where = RunTarget(place.root, choice, asked.jobs, here.store, allowed, stop=watch.stop)
            found.append(_data(_run(loaded, where, watch), allowed, _graders(loaded)))
        place.stays = place.stays or _code(found, {"agreed"}) != AGREED
    if place.stays:
        return ReproduceResult(runs=found, store=str(place.root))
    return ReproduceResult(runs=found)


def _run(loaded: Loaded, place: RunTarget, watch: Watch, limit: int = 0) -> FinishedRun:
    """Run a manifest, and report its steps and unanswered rows."""
    tell = watch.task(loaded.manifest.name)
    return run_manifest(
        loaded, place, tell, limit, lambda found: tell(progress_text(found), ANSWERS, found.done, found.total)
    )


def _graders(loaded: Loaded) -> dict[str, str]:
    """Certificate state of each grader that scores the runs of a manifest."""
    held = load_lock(loaded.root, loaded.manifest.name)
    return {each.scorer: each.text for each in standings(loaded.root, loaded.manifest.study, held)}


def _imported(ran: FinishedRun) -> list[ImportedData]:
    """Read the counts of imported rows from the run."""
    found, counts = [], dict[str, Any]()
    if "imported" in ran.record.outputs:
        [counts] = rows.read(ran.store.blobs.deliver(ran.record.outputs["imported"]["sha256"]))
    for one in ran.record.body["imported"]:
        if one["model"] not in counts:
            found.append(ImportedData(model=one["model"], source=one["source"]))
            continue
        told = counts[one["model"]]
        strange, twice = (told["refused"][why] for why in ("no_prompt", "twice"))
        found.append(
            ImportedData(
                model=one["model"], source=one["source"], rows=told["rows"], taken=told["taken"],
                missing=told["missing"], no_prompt=strange["keys"], twice=twice["keys"],
                first=[*strange["first"], *twice["first"]],
            )
        )  # fmt: skip
    return found


def _data(ran: FinishedRun, allowed: ErrorLimit | None, graders: Mapping[str, str] = MappingProxyType({})) -> RunData:
    body, fields = ran.record.body, dict[str, Any]()
    if graders:
        fields["graders"] = dict(graders)
    if ran.gaps:
        flaws = over_limit(ran.gaps, allowed)
        fields["unanswered"] = [Unanswered(**vars(gap), too_many=gap in flaws) for gap in ran.gaps]
    if "data" in body:
        fields["data"] = data_coverage(body["data"])
    if "imported" in body:
        fields["imported"] = _imported(ran)
    if "trials" in body and (tried := ran.record.outputs.get("trials")):
        ends = Counter(row["outcome"] for row in rows.read(ran.store.blobs.deliver(tried["sha256"]), Trial))
        fields["trials"] = dict(sorted(ends.items()))
    if ran.verdict == "disagreed" and ran.expect:
        fields["moved_code"] = moved_code(ran.expect, read_trail(ran.store, ran.record.run).code()[1])
    return RunData(
        manifest=ran.manifest, run=ran.record.run, engine=body["engine"], isolation=body["isolation"],
        image=body["image"], image_state=ran.image_state, device=ran.device, verdict=ran.verdict,
        self_checks=ran.checks or "none", steps=StepCounts(**body["steps"]), sees_gold=list(body["sees_gold"]),
        calls=dict(body.get("calls", {})), outputs=[OutputVerdict(**vars(one)) for one in ran.outputs], **fields,
    )  # fmt: skip
