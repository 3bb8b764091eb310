"""The importer of published answers: turns files `MODEL_responses.csv` into rows for the provider `imported`.

The text of a failed request is kept as an answer, because the published code graded it. An empty cell is an empty text;
the published code read it back as `nan` and graded that. Grades in the files are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.files import translating_os_errors
from harness.kit import csv_rows
from harness.studies.biomed.data.records import TEMPLATE
from harness.studies.biomed.terms import DANGEROUS, FAILED

ID, ENDING, FILES, INSIDE = "uuid", "_response", "*_responses.csv", "by_model"
GRADE = "_BioScore"  # the ending of a column of grades, which is left out like other metrics
MOST_TEXT = 1 << 30  # characters of all answers
MOST_FILES = 500
ADVICE = "give files as the published responses stage writes them, CSV in UTF-8"


@dataclass
class ImportedCounts:
    """Counts of one model's imported answers, which the command `import` reports."""

    instances: int = 0
    prompts: int = 0
    blank: int = 0  # blank texts; the published code read an empty one as `nan`
    failed: int = 0  # texts of requests that failed, as the published code stores them
    blocked: int = 0  # failed requests whose answer a safety filter stopped
    grades: int = 0  # grades of the published grader, which are left out

    def add(self, text: str, grade: str) -> None:
        """Count one answer, and its grade if the file has one."""
        self.instances += 1
        self.prompts += 1
        self.blank += not text.strip()
        self.failed += text.startswith(FAILED)
        self.blocked += text.startswith(FAILED) and DANGEROUS in text
        self.grades += bool(grade.strip())


def normalise(path: Path, columns: Mapping[str, str]) -> tuple[Sequence[Mapping[str, Any]], dict[str, Any]]:
    """Read models' published answers from a file or a folder of files; return rows, and counts by model.

    Raise InputError if `columns` are given, for a folder without such files, for a missing or repeated uuid, for a
    model in two files, for a file without answers, and for a file that is not a CSV in UTF-8.
    """
    if columns:
        raise InputError("the columns of these files have names of their own", where="--columns", next="leave it out")
    found: list[Mapping[str, Any]] = []
    counts: dict[str, ImportedCounts] = {}
    size = 0
    for file in _files(path):
        with translating_os_errors(file):
            for row in _answers(file, counts):
                size += len(row["text"])
                if size > MOST_TEXT:
                    raise InputError("the answers are too long together", where=file.name, next="import fewer files")
                found.append(row)
    found.sort(key=lambda row: (row["model"], row["item"]))
    return found, {name: asdict(counts[name]) for name in sorted(counts)}


def _files(path: Path) -> list[Path]:
    """List the files of answers: the named file, or the files of a folder or of its subfolder `by_model`."""
    if not path.is_dir():
        return [path]
    found = sorted(path.glob(FILES)) or sorted((path / INSIDE).glob(FILES))
    plain = [file for file in found if file.is_file() and not file.is_symlink()]
    if not plain:
        raise InputError(f"there is no file {FILES} here", where=str(path), next="name the folder that holds them")
    if len(plain) > MOST_FILES:
        raise InputError(f"there are more than {MOST_FILES} files", where=str(path), next="import fewer at once")
    return plain


def _answers(file: Path, counts: dict[str, ImportedCounts]) -> Iterator[dict[str, Any]]:
    """Yield the answers of a file and count them."""

    def place(number: int) -> str:
        return f"{file.name}, row {number}" if number else f"{file.name}, the header"

    models = _models(file, place)
    for name in models:
        if name in counts:
            raise InputError(f"{name[:80]} has answers in an earlier file too", where=place(0), next="leave one out")
        counts[name] = ImportedCounts()
    seen: set[str] = set()
    wanted = (ID, *(name + ENDING for name in models))
    for number, cells in csv_rows.read(file, place, ADVICE, columns=wanted):
        item, where = cells.get(ID, ""), f"{place(number)}, column `{ID}`"
        if not item.strip():
            raise InputError("the uuid is missing", where=where, next="leave the row out")
        if item in seen:
            raise InputError("this uuid stands in an earlier row too", where=where, next="leave the wrong one out")
        seen.add(item)
        for name in models:
            text = cells.get(name + ENDING, "")
            counts[name].add(text, cells.get(name + GRADE, ""))
            yield {"item": item, "template": TEMPLATE, "model": name, "sample": 0, "text": text}


def _models(file: Path, place: csv_rows.Place) -> list[str]:
    """Return the names of the models that a file has answers of, taken from its columns."""
    for _, cells in csv_rows.read(file, place, ADVICE):
        found = [name.removesuffix(ENDING) for name in cells if name.endswith(ENDING)]
        if not all(name.strip() for name in found) or not found:
            raise InputError(f"no column is called MODEL{ENDING}", where=place(0), next=ADVICE)
        return found
    raise InputError("there are no rows", where=place(0), next=ADVICE)
