"""A run as data (`RunData`): its steps, calls, outputs with their verdicts, what is missing, and its first scores.

Verbs that run manifests give it; it does not know how a run is started or shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from pydantic import Field

from harness import rows
from harness.evidence.causes import FirstDifference
from harness.evidence.compare import tolerance_text
from harness.evidence.record import spell_healed
from harness.evidence.trail import read_trail
from harness.manifest.datasets import count_text
from harness.manifest.load import Loaded
from harness.manifest.lockfile import load_lock
from harness.rowtypes import Trial
from harness.run.answers import ErrorLimit, over_limit
from harness.run.locking.certificates import standings
from harness.run.recording.accept import moved_code
from harness.run.service import FinishedRun
from harness.verbs.project import Result
from harness.verbs.scoring import ScoreLineData


class DataCoverage(Result):
    """Coverage of a dataset: how many files it has, how many were here, and which were not to be had."""

    files: int
    here: int
    absent: list[str]

    def text(self) -> str:
        """Word the coverage: `39 of 40 files (missing: b.npz)`."""
        return count_text(self.files, self.absent)


def data_coverage(said: Mapping[str, Mapping[str, Any]]) -> dict[str, DataCoverage]:
    """Make the coverage of each dataset from what a lock or a record says."""
    return {
        name: DataCoverage(files=one["files"], here=one["files"] - len(one["absent"]), absent=list(one["absent"]))
        for name, one in said.items()
    }


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

    @property
    def by_tolerance(self) -> bool:
        """Whether it agrees at its level alone, and its bytes differ."""
        return self.verdict == "agreed" and bool(self.detail)


class CausePart(Result):
    """One reason why an output may differ, of a kind: input, lock, environment or code."""

    kind: str
    text: str


class CauseData(Result):
    """The first step that does not make what was accepted or recorded, and why, the likeliest cause first."""

    step: str  # none where every output is the same, under another lock
    causes: list[CausePart]
    text: str  # all of it in one line


def cause_data(found: FirstDifference) -> CauseData:
    """Return a first difference as data."""
    causes = [CausePart(kind=one.kind, text=one.text) for one in found.causes]
    return CauseData(step=found.step, causes=causes, text=found.text)


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
    derived: str = ""  # of a manifest that options have derived: its path in the project
    moved_code: list[str] = Field(default_factory=list)  # where a run disagrees: the files that are not as accepted
    cause: CauseData | None = None  # where anything is not as it was accepted
    scores: list[ScoreLineData] = Field(default_factory=list)  # by `run`: those that are told first
    more_scores: int = 0  # lines that `scores` shows besides
    healed: dict[str, int] = Field(default_factory=dict)  # damage of the store that it met and made anew: steps, blobs
    bounded: str = ""  # what its manifest asks of memory and its steps did not get here
    limit: int = 0  # items of each dataset at most, as `--limit` said; 0: all

    @property
    def healed_text(self) -> str:
        """What damage of its store the run met and made anew; empty where it met none."""
        return spell_healed(self.healed)

    @property
    def by_tolerance(self) -> str:
        """How many outputs agree within a tolerance alone; empty where none does."""
        return tolerance_text(sum(output.by_tolerance for output in self.outputs))

    @property
    def lacks_answers(self) -> bool:
        """Whether any model left more rows without an answer than allowed."""
        return any(gap.too_many for gap in self.unanswered)


def grader_texts(loaded: Loaded) -> dict[str, str]:
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
                model=one["model"],
                source=one["source"],
                rows=told["rows"],
                taken=told["taken"],
                missing=told["missing"],
                no_prompt=strange["keys"],
                twice=twice["keys"],
                first=[*strange["first"], *twice["first"]],
            )
        )
    return found


def run_data(
    ran: FinishedRun,
    allowed: ErrorLimit | None,
    graders: Mapping[str, str] = MappingProxyType({}),
    more: Mapping[str, Any] = MappingProxyType({}),
) -> RunData:
    """Return a run that ended as data; `more` are fields that the verb adds."""
    body, fields = ran.record.body, dict(more)
    if graders:
        fields["graders"] = dict(graders)
    if ran.gaps:
        flaws = over_limit(ran.gaps, allowed)
        fields["unanswered"] = [Unanswered(**vars(gap), too_many=gap in flaws) for gap in ran.gaps]
    if "healed" in body:
        fields["healed"] = dict(body["healed"])
    if body.get("limit"):
        fields["limit"] = body["limit"]
    if "data" in body:
        fields["data"] = data_coverage(body["data"])
    if "imported" in body:
        fields["imported"] = _imported(ran)
    if "trials" in body and (tried := ran.record.outputs.get("trials")):
        ends = Counter(row["outcome"] for row in rows.read(ran.store.blobs.deliver(tried["sha256"]), Trial))
        fields["trials"] = dict(sorted(ends.items()))
    if ran.verdict == "disagreed" and ran.expect:
        fields["moved_code"] = moved_code(ran.expect, read_trail(ran.store, ran.record.run).code()[1])
    if ran.cause:
        fields["cause"] = cause_data(ran.cause)
    return RunData(
        manifest=ran.manifest,
        run=ran.record.run,
        engine=body["engine"],
        isolation=body["isolation"],
        image=body["image"],
        image_state=ran.image_state,
        device=ran.device,
        verdict=ran.verdict,
        self_checks=ran.checks or "none",
        steps=StepCounts(**body["steps"]),
        sees_gold=list(body["sees_gold"]),
        calls=dict(body.get("calls", {})),
        outputs=[OutputVerdict(**vars(one)) for one in ran.outputs],
        **fields,
    )
