"""Guesses what the columns of a person's file are, by their names first and by their cells where names do not tell.

Only the first rows are read. Each guess says why. Where two columns would do equally well, or none does, nothing is
guessed: the error names the columns and the options that settle it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from harness.errors import InputError
from harness.manifest.datasets import FORMATS
from harness.studies.questions.data.parquet import ParquetFile
from harness.studies.questions.data.tables import WIDEST, SourceFile, read

# The names of columns by what they are, likeliest first; compared without case, spaces and signs.
NAMES: Mapping[str, tuple[str, ...]] = {
    "target": (
        "answer",
        "target",
        "gold",
        "label",
        "solution",
        "expected",
        "expectedanswer",
        "expectedoutput",
        "reference",
        "correct",
        "correctanswer",
        "answerkey",
        "correctoption",
        "correctchoice",
        "groundtruth",
        "goldanswer",
        "output",
        "completion",
        "summary",
        "translation",
        "a",
    ),
    "accepted": ("accepted", "acceptedanswers", "aliases", "alternatives", "alsoaccepted"),
    "options": ("options", "choices", "candidates", "alternatives", "endings"),
    "input": (
        "question",
        "input",
        "prompt",
        "query",
        "problem",
        "instruction",
        "text",
        "sentence",
        "questiontext",
        "stem",
        "document",
        "article",
        "q",
    ),
    "context": ("context", "passage", "paragraph", "background", "story", "article", "document", "text"),
    "group": (
        "group",
        "category",
        "subject",
        "topic",
        "domain",
        "area",
        "continent",
        "language",
        "level",
        "difficulty",
    ),
    "id": ("id", "qid", "questionid", "itemid", "uid", "uuid", "key", "index", "idx"),
    "split": ("split", "subset", "partition", "fold", "set"),
    "cluster": ("cluster", "clusterid", "passageid", "documentid", "docid", "contextid", "storyid"),
}
_OPTION = re.compile(r"(option|choice|opt|ending|candidate|answer)[ _-]?([a-z]|[0-9]{1,2})|([a-z])")


def plain(name: str) -> str:
    """Return a column's name as it is compared: without case, spaces and signs."""
    return "".join(sign for sign in name.casefold() if sign.isalnum())


def quoted(names: Sequence[str]) -> str:
    """Spell columns for a message or a comment: quoted, cut, and without what cannot be seen."""
    return ", ".join(repr(name[:60]) for name in names[:20]) + (" …" if len(names) > 20 else "")


class OptionStem(NamedTuple):
    """What the names of options have in common, and whether numbers tell them apart, which may begin at 1."""

    word: str
    numbered: bool


def rows_of_options(columns: Sequence[str]) -> dict[OptionStem, dict[int, str]]:
    """Group columns that are called as options are, by their place."""
    rows: dict[OptionStem, dict[int, str]] = {}
    for name in columns:
        if matched := _OPTION.fullmatch(name.strip().casefold()):
            sign = matched[2] or matched[3]
            place = int(sign) if sign.isdigit() else ord(sign) - ord("a")
            rows.setdefault(OptionStem(matched[1] or "", sign.isdigit()), {})[place] = name
    return rows


ASKED = ("test", "validation", "valid", "val", "dev", "eval")  # the split that is asked, the first that is there
MOST_GROUPS = 30
SETTLED = "say which: `--input COLUMN --target COLUMN`"


@dataclass(frozen=True)
class Guess:
    """One guess: what of the study, which columns, and why."""

    what: str
    columns: tuple[str, ...]
    why: str


@dataclass
class ColumnGuesses:
    """What columns of a file are: guesses by field, and the split that is asked."""

    said: dict[str, Guess] = field(default_factory=dict)
    split: str = ""  # the value of the split's column whose rows are asked

    def columns(self, what: str) -> tuple[str, ...]:
        """Columns of a field; none where there is none."""
        return self.said[what].columns if what in self.said else ()

    @property
    def taken(self) -> set[str]:
        """Every column that is something already."""
        return {name for guess in self.said.values() for name in guess.columns}


@dataclass(frozen=True)
class FileSample:
    """The first rows of a file: its columns in their order, and the cells of each as texts."""

    file: str
    columns: tuple[str, ...]
    cells: Mapping[str, list[str]]

    @classmethod
    def of(cls, file: str, rows: Sequence[Mapping[str, Any]]) -> FileSample:
        """Take the cells of rows as texts, lists as JSON; a column that a row has not is empty there."""
        columns = tuple(dict.fromkeys(name for row in rows for name in row))
        return cls(file, columns, {name: [_shown(row.get(name)) for row in rows] for name in columns})

    def share(self, column: str, fits: Callable[[str], bool]) -> float:
        """Share of a column's filled cells that fit; 0 where all are empty."""
        filled = [cell for cell in self.cells[column] if cell.strip()]
        return sum(map(fits, filled)) / len(filled) if filled else 0.0


def guess(sample: FileSample, given: Mapping[str, Sequence[str]]) -> ColumnGuesses:
    """Guess the fields of a file from its first rows; what is `given` is taken as it is.

    InputError where no column, or more than one, is the input or the target.
    """
    found = ColumnGuesses()
    for what, columns in given.items():
        if columns:
            found.said[what] = Guess(what, tuple(columns), "as you said")
            _require(sample, columns)
    _options(sample, found)
    for what in ("target", "input"):
        _by_name(sample, found, what, required=True)
    _by_cells(sample, found)
    for what in ("context", "accepted", "id", "split", "cluster", "group"):
        _by_name(sample, found, what)
    _keep_sound(sample, found)
    _group_by_cells(sample, found)
    _require_nameable(sample, found)
    return found


def _shown(cell: Any) -> str:
    return cell if isinstance(cell, str) else "" if cell is None else json.dumps(cell, ensure_ascii=False)


def _require(sample: FileSample, columns: Sequence[str]) -> None:
    for name in columns:
        if name not in sample.columns:
            raise InputError(
                f"there is no column {name[:60]!r}",
                where=sample.file,
                next=f"name one of its columns: {quoted(sample.columns)}",
            )


def _require_nameable(sample: FileSample, found: ColumnGuesses) -> None:
    """Refuse a column whose name no manifest could hold, or of what is asked, no wording."""
    for what, one in found.said.items():
        for name in one.columns:
            asked = what in ("input", "context")
            if not (0 < len(name) <= 200 and name.isprintable()) or (asked and any(sign in name for sign in "{}")):
                raise InputError(
                    f"a manifest cannot name the column {quoted([name])}",
                    where=sample.file,
                    next="rename it in the file: 1 to 200 characters in one line, without braces",
                )


def _by_name(sample: FileSample, found: ColumnGuesses, what: str, *, required: bool = False) -> None:
    """Take the column whose name stands first among the names of a field; of two with one name, neither."""
    if what in found.said:
        return
    for name in NAMES[what]:
        same = [one for one in sample.columns if plain(one) == name and one not in found.taken]
        if len(same) > 1 and required:
            raise _undecided(sample, what, f"{quoted(same)} may both be")
        if len(same) == 1:
            found.said[what] = Guess(what, tuple(same), "by its name")
            return


def _options(sample: FileSample, found: ColumnGuesses) -> None:
    """Find the options of a choice: a column each, lettered or numbered from the first on, or one with JSON lists."""
    if "options" in found.said:
        return
    for stem, places in rows_of_options([name for name in sample.columns if name not in found.taken]).items():
        first = min(places)
        run = [places[place] for place in range(first, first + len(places)) if place in places]
        if len(run) == len(places) >= 2 and first <= stem.numbered:
            found.said["options"] = Guess("options", tuple(run), "by their names, one after the other")
            return
    for name in sample.columns:
        if plain(name) in NAMES["options"] and sample.share(name, _is_list) > 0.5 and name not in found.taken:
            found.said["options"] = Guess("options", (name,), "by its name, and its cells are lists")
            return


def _is_list(cell: str) -> bool:
    try:
        return isinstance(json.loads(cell), list) if cell.lstrip().startswith("[") else False
    except (ValueError, RecursionError):
        return False


def _by_cells(sample: FileSample, found: ColumnGuesses) -> None:
    """Find input and target by what cells look like, where names do not tell; refuse where these do not either."""
    rest = [name for name in sample.columns if name not in found.taken]
    if "input" not in found.said:
        asking = [name for name in rest if sample.share(name, lambda cell: cell.rstrip().endswith("?")) > 0.5]
        if len(asking) != 1:
            raise _undecided(sample, "input", "no column is called as questions are, or holds questions")
        found.said["input"] = Guess("input", (asking[0],), "its cells end with a question mark")
    if "target" not in found.said:
        known = {name for what in ("group", "id", "split", "cluster", "context", "accepted") for name in NAMES[what]}
        rest = [one for one in rest if one not in found.columns("input") and plain(one) not in known]
        if len(rest) != 1:
            raise _undecided(sample, "target", "no column is called as answers are")
        found.said["target"] = Guess("target", (rest[0],), "it is the only column left")


def _undecided(sample: FileSample, what: str, why: str) -> InputError:
    return InputError(
        f"which column is the {what} cannot be told: {why}",
        where=sample.file,
        next=f"{SETTLED}; its columns are {quoted(sample.columns)}",
    )


def _keep_sound(sample: FileSample, found: ColumnGuesses) -> None:
    """Drop guesses by name that the cells speak against, and choose the split that is asked."""
    if (ids := found.columns("id")) and found.said["id"].why != "as you said":
        cells = sample.cells[ids[0]]
        if len(set(cells)) < len(cells) or not all(0 < len(cell.strip()) <= 200 for cell in cells):
            del found.said["id"]
    if (groups := found.columns("group")) and found.said["group"].why != "as you said":
        cells = sample.cells[groups[0]]
        if len(set(cells)) > max(MOST_GROUPS, len(cells) // 3):
            del found.said["group"]
    if splits := found.columns("split"):
        values = dict.fromkeys(cell.strip() for cell in sample.cells[splits[0]])
        asked = [value for name in ASKED for value in values if value.casefold() == name]
        if len(values) < 2 or not asked:
            del found.said["split"]
        else:
            found.split = asked[0]


def _group_by_cells(sample: FileSample, found: ColumnGuesses) -> None:
    """Take for the group a column of short texts that come again and again, where exactly one is left."""
    if "group" in found.said:
        return
    some = [name for name in sample.columns if name not in found.taken and _repeats(sample.cells[name])]
    if len(some) == 1:
        found.said["group"] = Guess("group", (some[0],), "its cells come again and again")


def _repeats(cells: Sequence[str]) -> bool:
    different = set(cells)
    short = all(0 < len(cell) <= 60 for cell in different)
    return short and 2 <= len(different) <= min(MOST_GROUPS, len(cells) // 2)


ROWS = 500
CHARACTERS = 4 << 20  # of all that is read, about; one row more may stand there


def read_sample(path: Path, encoding: str) -> FileSample:
    """Read the first rows of a file, by its format; InputError for one that is none, is malformed, or has no rows."""
    if not path.is_file():
        raise InputError("there is no such file", where=str(path), next="name a file of questions with --from FILE.csv")
    form = FORMATS.get(path.suffix.lower())
    if form is None:
        raise InputError(
            "what this file holds is not told by its name",
            where=path.name,
            next=f"rename it: it ends with one of {', '.join(sorted(FORMATS))}",
        )
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
            f"the file has one column, {quoted(sample.columns)}",
            where=path.name,
            next="save it with commas between its columns, or with tabs as .tsv",
        )
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
