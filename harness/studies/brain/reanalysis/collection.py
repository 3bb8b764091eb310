"""The contents of the published files, by kind, and what each file was compared with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from harness.studies.brain.reanalysis import naming
from harness.studies.brain.reanalysis.naming import ModelColumn, read_model
from harness.studies.brain.terms import CONTIGUOUS, LANGUAGE, SHUFFLED

EXACT, DIFFERS, NOT_DERIVABLE = "exact", "differs", "not derivable"
ROUNDING = 1e-12  # the largest difference between values that are computed in the same way


@dataclass(frozen=True)
class PublishedScores:
    """One model's scores, by participant, by layer or by unit, and where they were published."""

    path: str
    figure: str
    dataset: str
    experiment: str
    metric: str
    split: str
    model: str
    network: str = LANGUAGE
    scores: Mapping[str, float] = field(default_factory=dict)  # by participant or by layer
    participants: tuple[str, ...] = ()  # the participant of each unit
    units: tuple[float, ...] = ()

    @property
    def of(self) -> ModelColumn:
        """The encoding model that the scores are of, parsed from its published name."""
        return read_model(self.model)

    @property
    def place(self) -> str:
        """The data set with its experiment, as a key of the result document."""
        return f"{self.dataset}-{self.experiment}" if self.experiment else self.dataset

    @property
    def label(self) -> str:
        """The model's name, followed by its brain network if that is not the language network."""
        return self.model if self.network == LANGUAGE else f"{self.model} in {self.network}"


class HeldAgainst(NamedTuple):
    """A comparison of a published file: with which file, of what, the verdict, and the largest difference."""

    against: str
    what: str
    verdict: str
    difference: float | None


@dataclass
class PublishedResults:
    """All published results by kind (scores, curves, tests, ...), and notes on which files were compared."""

    columns: list[PublishedScores] = field(default_factory=list)
    curves: list[PublishedScores] = field(default_factory=list)
    units: list[PublishedScores] = field(default_factory=list)
    omegas: list[Mapping[str, Any]] = field(default_factory=list)
    tests: list[Mapping[str, Any]] = field(default_factory=list)
    choices: list[Mapping[str, Any]] = field(default_factory=list)
    ranked: list[Mapping[str, Any]] = field(default_factory=list)
    counts: list[Mapping[str, Any]] = field(default_factory=list)
    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    notes: dict[str, list[HeldAgainst]] = field(default_factory=dict)

    def note(self, path: str, against: str, what: str, verdict: str, difference: float | None = None) -> None:
        """Record a comparison of a file with another, or with itself, in the notes of both files."""
        for one, other in dict.fromkeys(((path, against), (against, path))):
            if one in self.files:
                self.notes.setdefault(one, []).append(HeldAgainst(other, what, verdict, difference))


def collect(rows: Iterable[Mapping[str, Any]]) -> PublishedResults:
    """Group the rows of the published files by kind of result."""
    found = PublishedResults()
    for row in rows:
        found.files[row["path"]] = {"kind": row["kind"], "unread": list(row["unread"])}
        about = {name: row[name] for name in ("path", "figure", "dataset", "experiment", "metric", "split")}
        if row["kind"] in (naming.PARTICIPANTS, naming.CURVES, naming.UNITS):
            into = {naming.PARTICIPANTS: found.columns, naming.CURVES: found.curves}.get(row["kind"], found.units)
            into.extend(_scores(about, each) for each in row["rows"])
            continue
        into_rows = {
            naming.OMEGAS: found.omegas,
            naming.TESTS: found.tests,
            naming.CHOICES: found.choices,
            naming.COUNTS: found.counts,
        }
        told = {**about, "source": row["source"], "level": row["level"]}  # for derived counts, the row overrides these
        into_rows.get(row["kind"], found.ranked).extend({**told, **each} for each in row["rows"])
    return found


def verdict(difference: float) -> str:
    """Return whether two values that should be equal are equal or differ, from their difference."""
    return EXACT if difference <= ROUNDING else DIFFERS


def _scores(about: Mapping[str, str], row: Mapping[str, Any]) -> PublishedScores:
    """Return one model's scores; values in the row override those from the file's name."""
    told = {**about, **{name: row[name] for name in ("experiment", "split", "network") if name in row}}
    if "participants" not in row:
        told["split"] = told["split"] or CONTIGUOUS
        return PublishedScores(**told, model=row["model"], scores=row["scores"])
    told["split"] = told["split"] or (SHUFFLED if about["figure"] == naming.FIGURE2 else CONTIGUOUS)
    units = tuple(float(one) for one in row["scores"])
    return PublishedScores(**told, model=row["model"], participants=tuple(row["participants"]), units=units)
