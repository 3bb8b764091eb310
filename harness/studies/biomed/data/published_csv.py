"""The reader of published question files: CSV with the current columns or those of earlier releases.

A row that cannot be used is either refused, with its row and column in the message, or dropped and counted. No message
quotes a cell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.kit import csv_rows
from harness.studies.biomed.data.missing import is_missing
from harness.studies.biomed.data.records import BenchmarkQuestion
from harness.studies.biomed.facts import VERDICT
from harness.studies.biomed.reading.golds import gold_facts
from harness.studies.biomed.reading.verdicts import YES
from harness.studies.biomed.templates.catalogue import TEMPLATES
from harness.studies.biomed.terms import KINDS, PAPER

# Each column, and its earlier names.
NAMES: Mapping[str, tuple[str, ...]] = {
    "uuid": (),
    "question": (),
    "answer": (),
    "bio_category": ("Bio_Category",),
    "reasoning_category": ("SQL_Category",),
    "template_uuid": ("template uuid",),
    "source": (),
}
OPTIONAL = ("template_uuid", "source")  # without a template, a question is its own template, like the 80 expert ones
NEEDED = ("uuid", "template_uuid", "question", "answer")  # by a row in strict mode; paper mode also needs labels
LABELS: Mapping[str, str] = {"bio_category": "biological", "reasoning_category": "reasoning"}
LONGEST_ID = 200
ADVICE = "give the file as it was published, a CSV in UTF-8"
# Our template for a published one, by its expert question. OURS, because no list is published.
_BY_SEED = {template.seed: template for template in TEMPLATES.values()}


@dataclass
class PublishedSet:
    """The questions of a published CSV file in file order, and the counts collected while reading."""

    rows: int = 0
    questions: list[BenchmarkQuestion] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)  # rows by the first column that they lack
    empty_labels: int = 0  # kept in paper mode, dropped in strict mode
    unlabelled: int = 0  # questions without a label of one kind
    strange: Counter[str] = field(default_factory=Counter)  # labels that the paper does not have, by kind

    def counts(self) -> dict[str, Any]:
        """Return the counts of questions and skipped rows, as fields of a dataset's counts."""
        return {
            "rows": self.rows,
            "dropped": dict(self.dropped),
            "empty_labels": self.empty_labels,
            "unlabelled": self.unlabelled,
            "other_labels": dict(self.strange),
        }


def read_set(path: Path, mode: str, *, name: str = "set", drop: bool = False) -> PublishedSet:
    """Read the questions of a published CSV file; messages call the file `name`.

    A row that lacks a cell is dropped and counted in paper mode or with `drop`, and refused otherwise. Raise InputError
    for a refused row, for a repeated uuid, for a uuid with blanks around it or over LONGEST_ID characters, for a
    missing column, for a file without usable rows, and for a file that is not a CSV in UTF-8.
    """

    def place(number: int) -> str:
        return f"{name}, row {number}" if number else f"{name}, the header"

    found, seen = PublishedSet(), set[str]()
    columns = _columns(path, place)
    for number, cells in csv_rows.read(path, place, ADVICE, columns=tuple(columns.values())):
        found.rows += 1
        row = {column: cells.get(given, "") for column, given in columns.items()}
        row.setdefault("template_uuid", row["uuid"])
        if lacking := _lacking(row, mode):
            if mode != PAPER and not drop:
                advice = "correct the row, or drop and count such rows with `unusable: count`"
                raise _bad("a cell is empty", place(number), columns[lacking], advice)
            found.dropped[lacking] += 1
            continue
        if row["uuid"] in seen:
            raise _bad("this uuid stands in an earlier row too", place(number), columns["uuid"])
        if len(row["uuid"]) > LONGEST_ID or row["uuid"] != row["uuid"].strip():
            raise _bad(f"no uuid has blanks around it, or over {LONGEST_ID} characters", place(number), columns["uuid"])
        seen.add(row["uuid"])
        found.questions.append(_question(row, mode, found))
    if not found.questions:
        raise InputError("no row holds a question and its answer", where=name, next=ADVICE)
    return found


def _columns(path: Path, place: csv_rows.Place) -> dict[str, str]:
    """Map each column to its name in the file, by the first row.

    Raise InputError if a required column is missing, if a column has two names, and if there are no rows.
    """
    for _, cells in csv_rows.read(path, place, ADVICE):
        found = {name: [each for each in (name, *others) if each in cells] for name, others in NAMES.items()}
        for name, given in found.items():
            if len(given) > 1:
                raise InputError(f"`{given[0]}` and `{given[1]}` are one column", where=place(0), next="leave one out")
            if not given and name not in OPTIONAL:
                raise InputError(f"the column `{name}` is missing", where=place(0), next=ADVICE)
        return {name: given[0] for name, given in found.items() if given}
    raise InputError("there are no rows", where=place(0), next=ADVICE)


def _lacking(row: Mapping[str, str], mode: str) -> str:
    """Return the first required column whose cell is missing; empty if all are there."""
    needed = (*NEEDED, *LABELS) if mode == PAPER else NEEDED
    return next((name for name in needed if is_missing(row[name], mode)), "")


def _question(row: Mapping[str, str], mode: str, found: PublishedSet) -> BenchmarkQuestion:
    template = _BY_SEED.get(row["template_uuid"]) or TEMPLATES.get(row["template_uuid"])
    labels = {kind: _labels(row[column], kind, mode, found) for column, kind in LABELS.items()}
    return BenchmarkQuestion(
        id=row["uuid"],
        question=row["question"],
        answer=row["answer"],
        template=row["template_uuid"],
        biological=labels["biological"],
        reasoning=labels["reasoning"],
        source=row.get("source", "").strip(),
        yes_no=template.yes_no if template else None,
        yes=_yes(row) if template and template.yes_no else None,
    )


def _yes(row: Mapping[str, str]) -> bool | None:
    """Whether the answer to a yes/no question is yes, as our reader of gold answers says (OURS); None if unknown."""
    facts = gold_facts(row["question"], row["answer"])
    return next((one["value"] == YES for one in facts if one["kind"] == VERDICT), None)


def _labels(cell: str, kind: str, mode: str, found: PublishedSet) -> tuple[str, ...]:
    """Split a cell into its labels; in strict mode without empty and repeated labels."""
    labels = [label.strip() for label in cell.split(";")]
    plain = list(dict.fromkeys(label for label in labels if label))
    found.empty_labels += labels.count("") if plain else 0
    found.unlabelled += not plain
    found.strange[kind] += sum(label not in KINDS[kind] for label in plain)
    return tuple(labels if mode == PAPER else plain)


def _bad(what: str, where: str, column: str, advice: str = "correct the row, or leave it out") -> InputError:
    return InputError(what, where=f"{where}, column `{column}`", next=advice)
