"""What `harness new --from` may name, and what its columns are: guesses, each with a reason.

A source is a file of questions, several, a folder, or a data set of the hub. Only its first rows are read. Columns are
told by their names or, if names do not tell, by their cells. If two columns fit equally well, or if none fits, nothing
is guessed: the error names the columns, and the options that settle it. Independent of how a manifest is written.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from harness.errors import InputError
from harness.files import translating_os_errors, write_atomic
from harness.manifest.datasets import FORMATS, HUB, HubData
from harness.run.locking.datasets import own_paths
from harness.run.locking.hub import ask_hub, download_hub_file, require_revision
from harness.studies.questions.data.sources import FOLDER, IMAGE, LABEL, NAME, Folder, source_of
from harness.studies.questions.data.tables import WIDEST, SourceFile, packed_columns, read
from harness.verbs.project import Project

MOST_COPIED = 256 << 20  # bytes of a file that is copied into a project


@dataclass(frozen=True)
class QuestionSource:
    """A source of questions: how it is named, and where it lies; of a single file the path, of others the folder."""

    told: str
    path: Path
    part: str = ""
    single: bool = True

    @classmethod
    def of(cls, project: Project, said: str | Path, part: str) -> QuestionSource:
        """Return the source that a request names; raise InputError for a folder or a pattern outside the project."""
        text = os.fspath(said)
        if text.startswith(HUB):
            try:
                HubData.parse(text)
            except ValueError as bad:
                raise InputError("this is no data set of the hub", where=text, next=str(bad)) from None
            return cls(text, project.folder, part, single=False)
        path = project.path(text)
        if path.is_dir() or any(sign in text for sign in "*?"):
            return cls(text, path, part, single=False)
        return cls(text, path, part)

    @property
    def of_hub(self) -> bool:
        """Whether this is a data set of the hub."""
        return self.told.startswith(HUB)

    @contextmanager
    def opened(self, encoding: str) -> Iterator[SourceFile]:
        """Open the source for reading its first rows; of a data set of the hub, its first file is fetched.

        Raises InputError if it is missing, or if its name does not tell what it holds.
        """
        if self.of_hub:
            with tempfile.TemporaryDirectory() as folder:
                yield self._fetched(Path(folder), encoding)
        elif self.single:
            yield self._file(encoding)
        else:
            root = self.path if self.path.is_dir() else self.path.parent
            while any(sign in root.name for sign in "*?"):
                root = root.parent
            inner = os.path.relpath(self.path, root)
            pattern = f"{root.name}/" if self.path.is_dir() else inner
            base = root.parent if self.path.is_dir() else root
            paths = {path: base / path for path in own_paths(base.resolve(), pattern, self.told)}
            yield source_of(paths, self._params(pattern, encoding))

    def place_in(self, root: Path) -> str:
        """Return a folder or a pattern as a manifest of this project writes it; InputError if it is outside."""
        if self.of_hub:
            return self.told
        home, whole = root.resolve(), Path(os.path.abspath(self.path))
        start = whole if whole.is_dir() else whole.parent
        while any(sign in start.name for sign in "*?"):
            start = start.parent
        if not start.resolve().is_relative_to(home):
            raise InputError(
                "these files are not in the project",
                where=self.told,
                next=f"copy their folder into it, to data/ for example, and name it there: {home}",
            )
        below = (start.resolve() / whole.relative_to(start)).relative_to(home).as_posix()
        return f"{below}/" if whole.is_dir() else below

    def _file(self, encoding: str) -> SourceFile:
        if not self.path.is_file():
            raise InputError(
                "there is no such file", where=str(self.path), next="name a file of questions with --from FILE.csv"
            )
        form = FORMATS.get(self.path.suffix.lower())
        if form is None:
            raise InputError(
                "what this file holds is not told by its name",
                where=self.path.name,
                next=f"rename it: it ends with one of {', '.join(sorted(FORMATS))}",
            )
        return SourceFile(self.path, self.path.name, form, encoding, self.part)

    def _fetched(self, folder: Path, encoding: str) -> SourceFile:
        data = HubData.parse(self.told)
        require_revision(data)
        found = ask_hub(data)
        first = found.choose(data.pattern, self.part)[0]
        download_hub_file(found, first, folder / "data")
        return source_of({first: folder / "data"}, self._params(self.told, encoding))

    def _params(self, name: str, encoding: str) -> dict[str, object]:
        return {"file": name, "encoding": encoding, "part": self.part, "format": "", "formats": FORMATS}


def take_file(root: Path, source: Path) -> tuple[str, bool]:
    """Return the path of a file in the project, and whether it was copied: files from elsewhere go to `data/`."""
    whole, home = source.resolve(), root.resolve()
    if whole.is_relative_to(home):
        return whole.relative_to(home).as_posix(), False
    target = root / "data" / source.name
    with translating_os_errors(whole):
        if whole.stat().st_size > MOST_COPIED:
            raise InputError(
                "this file is too large to be copied into the project",
                where=str(source),
                next=f"put it there yourself, then name it: --from data/{source.name}",
            )
        data = whole.read_bytes()
        if target.is_file() and target.read_bytes() == data:
            return f"data/{source.name}", False
    if target.exists():
        raise InputError(
            f"there is another file of that name: data/{source.name}",
            where=str(root),
            next="rename one of them, or name the one in the project with --from",
        )
    with translating_os_errors(target):
        target.parent.mkdir(exist_ok=True)
        write_atomic(target, data)
    return f"data/{source.name}", True


# Names of columns by field, likeliest first; compared without case, spaces and punctuation.
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
    "scorer": ("scorer", "scorers", "scoring", "scoredby", "metric", "metrics", "grader"),
}
NAMED_ALONE = ("exact", "match", "number", "choice", "f1", "rouge", "bleu", "json")  # scorers that a name alone sets up
_OPTION = re.compile(r"(option|choice|opt|ending|candidate|answer)[ _-]?([a-z]|[0-9]{1,2})|([a-z])")


def plain_name(name: str) -> str:
    """Return a column's name as it is compared: without case, spaces and punctuation."""
    return "".join(sign for sign in name.casefold() if sign.isalnum())


def quote_columns(names: Sequence[str]) -> str:
    """Format columns for a message or a comment: quoted, shortened, and with invisible characters escaped."""
    return ", ".join(repr(name[:60]) for name in names[:20]) + (" …" if len(names) > 20 else "")


class OptionStem(NamedTuple):
    """The part that the names of option columns share (`option_` of `option_a`), and whether they are numbered."""

    word: str
    numbered: bool


def rows_of_options(columns: Sequence[str]) -> dict[OptionStem, dict[int, str]]:
    """Return the columns with names of options, grouped by the common part of their names, each by its position."""
    rows: dict[OptionStem, dict[int, str]] = {}
    for name in columns:
        if matched := _OPTION.fullmatch(name.strip().casefold()):
            sign = matched[2] or matched[3]
            place = int(sign) if sign.isdigit() else ord(sign) - ord("a")
            rows.setdefault(OptionStem(matched[1] or "", sign.isdigit()), {})[place] = name
    return rows


ASKED = ("test", "validation", "valid", "val", "dev", "eval")  # names of the split that is asked, best first
MOST_GROUPS = 30
SETTLED = "say which: `--input COLUMN --target COLUMN`"


@dataclass(frozen=True)
class Guess:
    """One guess about a user's file: the field, the columns that are taken for it, and the reason."""

    what: str
    columns: tuple[str, ...]
    why: str


@dataclass
class ColumnGuesses:
    """Guesses about the columns of a file by field, and the split that is asked."""

    said: dict[str, Guess] = field(default_factory=dict)
    split: str = ""  # the value of the split's column whose rows are asked

    def columns(self, what: str) -> tuple[str, ...]:
        """Return the columns of a field; empty if there is no guess for it."""
        return self.said[what].columns if what in self.said else ()

    @property
    def taken(self) -> set[str]:
        """All columns that are already assigned to a field."""
        return {name for guess in self.said.values() for name in guess.columns}


@dataclass(frozen=True)
class FileSample:
    """The first rows of a file: its columns in their order, and the cells of each as texts."""

    file: str
    columns: tuple[str, ...]
    cells: Mapping[str, list[str]]
    folder: bool = False  # they are items of a folder

    @classmethod
    def of(cls, file: str, rows: Sequence[Mapping[str, Any]], *, folder: bool = False) -> FileSample:
        """Return a sample of rows: cells become texts, and lists JSON; a column that a row lacks is empty there."""
        columns = tuple(dict.fromkeys(name for row in rows for name in row))
        return cls(file, columns, {name: [_shown(row.get(name)) for row in rows] for name in columns}, folder)

    def filled(self, columns: Sequence[str]) -> list[bool]:
        """Return, for each row, whether any of some columns has a value there."""
        cells = zip(*(self.cells[name] for name in columns), strict=True)
        return [any(one.strip() not in ("", "[]") for one in row) for row in cells]

    def only(self, wanted: Sequence[bool]) -> FileSample:
        """Return the sample reduced to the rows for which `wanted` is True."""
        kept = {
            name: [cell for cell, take in zip(cells, wanted, strict=True) if take] for name, cells in self.cells.items()
        }
        return FileSample(self.file, self.columns, kept, self.folder)

    def share(self, column: str, fits: Callable[[str], bool]) -> float:
        """Return the share of a column's filled cells that fit; 0 if all are empty."""
        filled = [cell for cell in self.cells[column] if cell.strip()]
        return sum(map(fits, filled)) / len(filled) if filled else 0.0


def guess_fields(sample: FileSample, given: Mapping[str, Sequence[str]]) -> ColumnGuesses:
    """Guess the fields of a file from its first rows; columns in `given` are taken as they are.

    Raises InputError if no column, or more than one, may be the input or the target.
    """
    found = ColumnGuesses()
    for what, columns in given.items():
        if columns:
            found.said[what] = Guess(what, tuple(columns), "as you said")
            _require(sample, columns)
    if sample.folder:
        _of_folder(sample, found)
    _options(sample, found)
    _scorers(sample, found)
    for what in ("target", "input"):
        _by_name(sample, found, what, required=True)
    _by_cells(sample, found)
    for what in ("context", "accepted", "id", "split", "cluster", "group"):
        _by_name(sample, found, what)
    _keep_sound(sample, found)
    _group_by_cells(sample, found)
    _require_nameable(sample, found)
    return found


def _scorers(sample: FileSample, found: ColumnGuesses) -> None:
    """Guess that a column names the scorers of its rows: by its name, and each cell names some that need no more."""
    for name in sample.columns:
        if plain_name(name) in NAMES["scorer"] and name not in found.taken and parse_scorer_names(sample, name):
            found.said["scorer"] = Guess("scorer", (name,), "by its name, and its cells name scorers")
            return


def parse_scorer_names(sample: FileSample, column: str) -> list[str]:
    """List the scorers that the cells of a column name, in their usual order; empty if a cell names anything else."""
    cells = [[one.strip() for one in cell.split("|") if one.strip()] for cell in sample.cells[column]]
    named = {one for cell in cells for one in cell}
    return [name for name in NAMED_ALONE if name in named] if all(cells) and named <= {*NAMED_ALONE} else []


def _of_folder(sample: FileSample, found: ColumnGuesses) -> None:
    """Guess the fields of a folder: its files are the columns, and names of files or folders may be the answers."""
    if IMAGE in sample.columns:
        found.said["image"] = Guess("image", (IMAGE,), "the images of the folder")
    named = {what: [name for name in sample.columns if plain_name(name) in NAMES[what]] for what in ("input", "target")}
    if "input" not in found.said and not named["input"] and IMAGE in sample.columns:
        found.said["input"] = Guess("input", (IMAGE,), "nothing else is asked; no wording need name it")
    named["target"] = [name for name in named["target"] if name not in (LABEL, *found.columns("input"))]
    if "target" not in found.said and not named["target"]:
        folders = len(set(sample.cells[FOLDER])) > 1
        why = "the folders that the files lie in" if folders else "the names of the files, without their numbers"
        found.said["target"] = Guess("target", (FOLDER if folders else LABEL,), why)
    if "id" not in found.said and len(set(sample.cells[NAME])) == len(sample.cells[NAME]):
        target = found.columns("target")
        told = set(sample.cells[NAME]) & set(sample.cells[target[0]]) if target else set()
        if not told:
            found.said["id"] = Guess("id", (NAME,), "the names of the files")


def _shown(cell: Any) -> str:
    return cell if isinstance(cell, str) else "" if cell is None else json.dumps(cell, ensure_ascii=False)


def _require(sample: FileSample, columns: Sequence[str]) -> None:
    for name in columns:
        if name not in sample.columns:
            raise InputError(
                f"there is no column {name[:60]!r}",
                where=sample.file,
                next=f"name one of its columns: {quote_columns(sample.columns)}",
            )


def _require_nameable(sample: FileSample, found: ColumnGuesses) -> None:
    """Raise InputError for a column name that no manifest can hold or, if the column is asked, no wording."""
    for what, one in found.said.items():
        for name in one.columns:
            asked = what in ("input", "context")
            if not (0 < len(name) <= 200 and name.isprintable()) or (asked and any(sign in name for sign in "{}")):
                raise InputError(
                    f"a manifest cannot name the column {quote_columns([name])}",
                    where=sample.file,
                    next="rename it in the file: 1 to 200 characters in one line, without braces",
                )


def _by_name(sample: FileSample, found: ColumnGuesses, what: str, *, required: bool = False) -> None:
    """Guess a field by name: take the column whose name comes first in `NAMES`, if no other column has that name.

    Raises InputError if a required field has two such columns.
    """
    if what in found.said:
        return
    for name in NAMES[what]:
        same = [one for one in sample.columns if plain_name(one) == name and one not in found.taken]
        if len(same) > 1 and required:
            raise _undecided(sample, what, f"{quote_columns(same)} may both be")
        if len(same) == 1:
            found.said[what] = Guess(what, tuple(same), "by its name")
            return


def _options(sample: FileSample, found: ColumnGuesses) -> None:
    """Guess the options of a choice: lettered or numbered columns without gaps, or one column of JSON lists."""
    if "options" in found.said:
        return
    for stem, places in rows_of_options([name for name in sample.columns if name not in found.taken]).items():
        first = min(places)
        run = [places[place] for place in range(first, first + len(places)) if place in places]
        if len(run) == len(places) >= 2 and first <= stem.numbered:
            found.said["options"] = Guess("options", tuple(run), "by their names, one after the other")
            return
    for name in sample.columns:
        if plain_name(name) in NAMES["options"] and sample.share(name, _is_list) > 0.5 and name not in found.taken:
            found.said["options"] = Guess("options", (name,), "by its name, and its cells are lists")
            return


def _is_list(cell: str) -> bool:
    try:
        return isinstance(json.loads(cell), list) if cell.lstrip().startswith("[") else False
    except (ValueError, RecursionError):
        return False


def _by_cells(sample: FileSample, found: ColumnGuesses) -> None:
    """Guess input and target from cells, if names do not tell; raise InputError if cells do not tell either."""
    rest = [name for name in sample.columns if name not in found.taken]
    if "input" not in found.said:
        asking = [name for name in rest if sample.share(name, lambda cell: cell.rstrip().endswith("?")) > 0.5]
        if len(asking) != 1:
            raise _undecided(sample, "input", "no column is called as questions are, or holds questions")
        found.said["input"] = Guess("input", (asking[0],), "its cells end with a question mark")
    if "target" not in found.said:
        known = {name for what in ("group", "id", "split", "cluster", "context", "accepted") for name in NAMES[what]}
        rest = [one for one in rest if one not in found.columns("input") and plain_name(one) not in known]
        if len(rest) != 1:
            raise _undecided(sample, "target", "no column is called as answers are")
        found.said["target"] = Guess("target", (rest[0],), "it is the only column left")


def _undecided(sample: FileSample, what: str, why: str) -> InputError:
    return InputError(
        f"which column is the {what} cannot be told: {why}",
        where=sample.file,
        next=f"{SETTLED}; its columns are {quote_columns(sample.columns)}",
    )


def _keep_sound(sample: FileSample, found: ColumnGuesses) -> None:
    """Drop guesses by name that the cells contradict, and choose the split that is asked."""
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
    """Guess that the group is a column of short, repeated texts, if exactly one such column is left."""
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
CHARACTERS = 4 << 20  # of all cells read, approximately: the row that exceeds it is still included


def read_sample(source: QuestionSource, encoding: str) -> FileSample:
    """Read the first rows of a source; raise InputError if it is missing, unknown, malformed or empty."""
    with source.opened(encoding) as file:
        try:
            rows = list(_rows(file))
        except InputError as bad:
            advice = bad.next.replace(
                "`encoding: ", "`--encoding "
            )  # the manifest's setting, as an option of this verb
            raise InputError(bad.what, where=bad.where, next=advice) from None
    if not rows:
        raise InputError(
            "the file has no rows", where=file.name, next="write a row of names, and one for each question"
        )
    sample = FileSample.of(file.name, rows, folder=isinstance(file, Folder))
    if len(sample.columns) == 1 and any(sign in sample.columns[0] for sign in ";\t|"):
        raise InputError(
            f"the file has one column, {quote_columns(sample.columns)}",
            where=file.name,
            next="save it with commas between its columns, or with tabs as .tsv",
        )
    return sample


def _rows(file: SourceFile) -> Iterator[dict[str, Any]]:
    """Read rows with all their columns, until there are enough."""
    left, columns = CHARACTERS, packed_columns(file)
    _require_narrow(file, columns)
    for _, row in islice(read(file, columns), ROWS):
        _require_narrow(file, row)
        yield row
        left -= sum(len(str(cell)) for cell in row.values())
        if left < 0:
            return


def _require_narrow(file: SourceFile, columns: Collection[str]) -> None:
    if len(columns) > WIDEST:
        raise InputError(
            f"the file has more than {WIDEST:,} columns", where=file.name, next="keep those that are asked or scored"
        )
