"""A run as data (`RunData`): its steps, calls, outputs with their verdicts, what is missing, and its first scores.

Returned by the verbs that run manifests. Independent of how a run is started or shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from pydantic import Field

from harness import rows
from harness.evidence.compare import tolerance_text
from harness.evidence.explain import FirstDifference
from harness.evidence.record import spell_healed
from harness.evidence.trail import read_trail
from harness.manifest.datasets import count_text
from harness.manifest.load import LoadedManifest
from harness.manifest.lockfile import load_lock
from harness.rowtypes import Trial
from harness.run.installed.checked import unread_text
from harness.run.locking.certificates import grader_standings
from harness.run.progress import ErrorLimit, errors_over_limit
from harness.run.recording.accept import moved_code
from harness.run.service import FinishedRun
from harness.verbs.project import Result
from harness.verbs.scoring import ScoreLineData


class DataCoverage(Result):
    """Coverage of a dataset: how many files it has, how many of them were here, and which were missing."""

    files: int
    here: int
    absent: list[str]

    def text(self) -> str:
        """Return the coverage as text, such as `39 of 40 files (missing: b.npz)`."""
        return count_text(self.files, self.absent)


def data_coverage(said: Mapping[str, Mapping[str, Any]]) -> dict[str, DataCoverage]:
    """Return the coverage of each dataset from the counts in a lock or a record."""
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
        """Whether the output agrees at its level although its bytes differ."""
        return self.verdict == "agreed" and bool(self.detail)


class CausePart(Result):
    """One reason why an output may differ, of a kind: input, lock, environment or code."""

    kind: str
    text: str


class CauseData(Result):
    """The first step whose output differs from what was accepted or recorded, and its causes, the likeliest first."""

    step: str  # empty if every output is the same, under another lock
    causes: list[CausePart]
    text: str  # step and causes in one line


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
    too_many: bool  # more than allowed

    def text(self) -> str:
        """Format the counts and the first error message as one line."""
        return f"{self.model} left {self.errors} of {self.rows} rows without an answer; the first: {self.said}"


class ImportedData(Result):
    """Imported answers of a model: their source and, if the study counts them, rows taken, refused and missing."""

    model: str
    source: str
    rows: int = 0  # this and the next fields are set only if the study counts rows
    taken: int = 0
    missing: int = 0  # prompts without a row
    no_prompt: int = 0  # rows that match no prompt of the run: refused
    twice: int = 0  # prompts with more than one row: all of them refused
    first: list[str] = Field(default_factory=list)  # the first of the refused rows

    def text(self) -> str:
        """Format the source and, if rows are counted, the rows taken and refused as one line."""
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
    derived: str = ""  # path in the project of the manifest that options derived, if any
    moved_code: list[str] = Field(default_factory=list)  # if the run disagrees: the code files that are not as accepted
    cause: CauseData | None = None  # set if anything is not as it was accepted
    scores: list[ScoreLineData] = Field(default_factory=list)  # set by `run`: the first lines of the table of scores
    more_scores: int = 0  # how many more lines `scores` shows
    further: list[ScoreLineData] = Field(default_factory=list)  # the first lines on several answers, and on groups
    more_further: int = 0  # how many more of these `scores` shows
    healed: dict[str, int] = Field(default_factory=dict)  # damaged steps and blobs of the store that the run made anew
    bounded: str = ""  # memory that the manifest asks for and its steps did not get here
    limit: int = 0  # items of each dataset at most, as `--limit` said; 0: all
    unread: str = ""  # installed files that are not as they were installed, and that no step reads

    @property
    def healed_text(self) -> str:
        """Text on the damage of its store that the run found and repaired; empty if there was none."""
        return spell_healed(self.healed)

    @property
    def by_tolerance(self) -> str:
        """Text on how many outputs agree only within a tolerance; empty if none does."""
        return tolerance_text(sum(output.by_tolerance for output in self.outputs))

    @property
    def lacks_answers(self) -> bool:
        """Whether any model left more rows without an answer than allowed."""
        return any(gap.too_many for gap in self.unanswered)


def grader_texts(loaded: LoadedManifest) -> dict[str, str]:
    """Return the certificate state of each grader that scores the runs of a manifest, as text by scorer."""
    held = load_lock(loaded.root, loaded.manifest.name)
    return {each.scorer: each.text for each in grader_standings(loaded.root, loaded.manifest.study, held)}


def _imported(ran: FinishedRun) -> list[ImportedData]:
    """Return the imported answers of a run by model, with the counts of rows that the run recorded."""
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
    """Return a finished run as data; `more` has fields that the verb adds."""
    body, fields = ran.record.body, dict(more)
    if graders:
        fields["graders"] = dict(graders)
    if ran.gaps:
        flaws = errors_over_limit(ran.gaps, allowed)
        fields["unanswered"] = [Unanswered(**vars(gap), too_many=gap in flaws) for gap in ran.gaps]
    if "healed" in body:
        fields["healed"] = dict(body["healed"])
    if body.get("limit"):
        fields["limit"] = body["limit"]
    if unread := body["facts"].get("unread"):
        fields["unread"] = unread_text(unread)
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
        calls={model: dict(told) for model, told in body.get("calls", {}).items()},
        outputs=[OutputVerdict(**vars(one)) for one in ran.outputs],
        **fields,
    )
