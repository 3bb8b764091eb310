"""The first rows of a person's file, from which `new` guesses what its columns are.

It reads no further than it needs, and must never know what a column means.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.manifest.datasets import FORMATS
from harness.studies.questions.data.parquet import ParquetFile
from harness.studies.questions.data.tables import WIDEST, SourceFile, read
from harness.verbs.column_guesses import FileSample
from harness.verbs.column_names import quoted

ROWS = 500
CHARACTERS = 4 << 20  # of all that is read, about; one row more may stand there


def read_sample(path: Path, encoding: str) -> FileSample:
    """Read the first rows of a file, by its format; InputError for one that is none, is malformed, or has no rows."""
    if not path.is_file():
        raise InputError("there is no such file", where=str(path), next="name a file of questions with --from FILE.csv")
    form = FORMATS.get(path.suffix.lower())
    if form is None:
        raise InputError(
            "what this file holds is not told by its name", where=path.name,
            next=f"rename it: it ends with one of {', '.join(sorted(FORMATS))}",
        )  # fmt: skip
    file = SourceFile(path, path.name, form, encoding)
    try:
        rows = list(_rows(file))
    except InputError as bad:
        advice = bad.next.replace("`encoding: ", "`--encoding ")  # what a manifest says, as this verb takes it
        raise InputError(bad.what, where=bad.where, next=advice) from None
    if not rows:
        raise InputError(
            "the file has no rows", where=path.name, next="write a row of names, and one for each question"
        )
    sample = FileSample.of(path.name, rows)
    if len(sample.columns) == 1 and any(sign in sample.columns[0] for sign in ";\t|"):
        raise InputError(
            f"the file has one column, {quoted(sample.columns)}", where=path.name,
            next="save it with commas between its columns, or with tabs as .tsv",
        )  # fmt: skip
    return sample


def _rows(file: SourceFile) -> Iterator[dict[str, Any]]:
    """Read rows with all their columns, until there are enough."""
    left = CHARACTERS
    for _, row in islice(read(file, _columns(file)), ROWS):
        if len(row) > WIDEST:
            raise InputError(
                f"the file has more than {WIDEST:,} columns",
                where=file.name,
                next="keep those that are asked or scored",
            )
        yield row
        left -= sum(len(str(cell)) for cell in row.values())
        if left < 0:
            return


def _columns(file: SourceFile) -> tuple[str, ...]:
    """Name the columns that must be named to be read: those of Parquet, once it is known to be well-formed."""
    if file.format != "parquet":
        return ()
    next(read(file, ()), None)
    return tuple(ParquetFile(file.path).columns)
