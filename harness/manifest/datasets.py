"""Datasets in a manifest: made by a study's maker, published elsewhere (one or many files), or a file of the project.

Independent of studies, and of where published data is stored.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    PlainSerializer,
    StringConstraints,
    Tag,
    model_validator,
)

from harness import texts
from harness.digest import differing_pointers
from harness.manifest.documents import DatasetPin, OwnSettings, TablePin
from harness.manifest.models import TypedByValue
from harness.store.journal import FileCoverage

SHOWN = 8  # file names in one message


def made_tables(pin: DatasetPin) -> Mapping[str, TablePin]:
    """Return the pins of the tables and arrays of a made dataset by name; only for a dataset that a maker made."""
    return cast(Mapping[str, TablePin], pin)


def published_digests(pin: DatasetPin) -> Mapping[str, str]:
    """Return the pinned digests of a dataset's published files by path; empty if the dataset is not of many files."""
    return pin["files"] if is_file_set(pin) else {}


def is_file_set(pin: DatasetPin) -> bool:
    """Whether a dataset's pin is of many published files, and not of data that a maker made."""
    return "files" in pin and "items" not in pin


def file_coverage(datasets: Mapping[str, DatasetPin], *, partial: bool = False) -> dict[str, FileCoverage]:
    """Count the files and list the missing ones of each dataset of many files.

    With `partial`, only datasets with missing files are returned.
    """
    return {
        name: {"files": len(pin["files"]), "absent": list(pin.get("absent", ()))}
        for name, pin in sorted(datasets.items())
        if is_file_set(pin) and (pin.get("absent") or not partial)
    }


def coverage_text(said: Mapping[str, FileCoverage]) -> str:
    """Format a coverage as text: `published 39 of 40 files (missing: b.npz)`."""
    return ", ".join(f"{name} {count_text(one['files'], one['absent'])}" for name, one in said.items())


def count_text(files: int, absent: Collection[str]) -> str:
    """Format a count of files, with the names of the missing ones."""
    lacks = f" (missing: {names_text(absent)})" if absent else ""
    return f"{files - len(absent)} of {files} files{lacks}"


def names_text(names: Collection[str]) -> str:
    """Format a list of file names: the first eight, and how many more there are."""
    first = sorted(names)[:SHOWN]
    return ", ".join(first) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


def contradicted_files(said: Mapping[str, OwnSettings], datasets: Mapping[str, DatasetPin]) -> Iterator[str]:
    """Yield the JSON Pointers at which a lock's pins of published files differ from its manifest."""
    for name, pin in sorted(datasets.items()):
        wanted = intended_files(said.get(name))
        if wanted or is_file_set(pin):
            yield from (f"/{name}/files{pointer}" for pointer in differing_pointers(wanted, pin.get("files", {})))


def intended_files(said: Any) -> dict[str, Any]:
    """Return the digests that an intent states for a dataset's files, by path; malformed parts are skipped."""
    fetched = said.get("fetch") if isinstance(said, Mapping) else None
    files = fetched.items() if isinstance(fetched, Mapping) else ()
    return {path: file.get("sha256") for path, file in files if isinstance(file, Mapping)}


FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
}
# Encodings a file may have: text only, nothing that runs code or fetches data. utf-8 also reads a BOM.
ENCODINGS = (
    "utf-8",
    "utf-16",
    "utf-32",
    "latin-1",
    "mac-roman",
    "koi8-r",
    "gb18030",
    "big5",
    "shift-jis",
    "euc-jp",
    "euc-kr",
    *(f"cp{page}" for page in range(1250, 1259)),
    *(f"iso-8859-{part}" for part in range(2, 17) if part != 12),
)
MOST_COLUMNS = 100
MOST_OWN_FILES = 4000


def check_column(text: str) -> str:
    """Return a column's name unchanged if it has 1 to 200 printable characters; raise ValueError otherwise."""
    if not (0 < len(text) <= 200 and text.isprintable()):
        raise ValueError("the name of a column has 1 to 200 characters, in one line")
    return text


def _encoding(text: str) -> str:
    plain = text.strip().lower().replace("_", "-")
    plain = {"utf8": "utf-8", "utf-8-sig": "utf-8", "latin1": "latin-1", "iso-8859-1": "latin-1"}.get(plain, plain)
    if plain not in ENCODINGS:
        raise ValueError(f"write one of: {', '.join(ENCODINGS)}")
    return plain


def _cell(text: str) -> str:
    if len(text) > 2000:
        raise ValueError("write a text of at most 2,000 characters")
    return text


def _once(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) < len(names):
        raise ValueError("name each column once")
    return names


def _several(value: Any) -> str:
    return "(several)" if isinstance(value, list | tuple) else "(one)"


def _as_map(value: Any) -> Any:
    """Convert pairs, as an intent holds them, to a map, as a user writes it; any other value is returned unchanged."""
    return {pair[0]: pair[1] for pair in value} if isinstance(value, list | tuple) else value


def _as_pairs(value: dict[str, Any]) -> list[list[Any]]:
    """Encode a map by column as pairs: identity documents allow only ASCII keys, but column names may be any text."""
    return [[name, [held] if isinstance(held, str) else list(held)] for name, held in sorted(value.items())]


Column = Annotated[str, AfterValidator(check_column)]
ColumnList = Annotated[tuple[Column, ...], Field(min_length=1, max_length=MOST_COLUMNS), AfterValidator(_once)]
Columns = Annotated[Annotated[Column, Tag("(one)")] | Annotated[ColumnList, Tag("(several)")], Discriminator(_several)]
CellText = Annotated[str, AfterValidator(_cell)]
CellTexts = Annotated[
    Annotated[CellText, Tag("(one)")]
    | Annotated[tuple[CellText, ...], Field(min_length=1, max_length=1000), Tag("(several)")],
    Discriminator(_several),
]
Where = Annotated[dict[Column, CellTexts], BeforeValidator(_as_map), PlainSerializer(_as_pairs)]
Seed = Annotated[int, Field(ge=0, lt=2**53)]
OwnPath = Annotated[str, AfterValidator(texts.validate_inside_path)]
Format = Literal["csv", "tsv", "jsonl", "parquet", "xlsx"]
WITH_OPTIONS, WITHOUT_OPTIONS = "with_options", "without_options"  # rows that scorers may be told apart by
HUB = "hf:"  # prefix of a data set of the Hugging Face hub
_HUB = re.compile(
    r"hf:([A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95})(?:@([A-Za-z0-9][\w.%-]{0,99}))?(?:/(.{1,300}))?"
)


@dataclass(frozen=True)
class HubData:
    """A data set of the Hugging Face hub: its name, its revision, and the pattern of the files that are read."""

    name: str
    revision: str  # a commit, a tag or a branch; `%2F` stands for a slash in it
    pattern: str = ""  # unset: the files that the data set's card, or the names of its files, say

    @classmethod
    def parse(cls, text: str) -> HubData:
        """Parse `hf:OWNER/NAME@REVISION[/PATTERN]`; ValueError for any other text. The revision may be empty."""
        found = _HUB.fullmatch(text)
        if not found or (found[3] and not found[2]):
            raise ValueError("write `hf:OWNER/NAME@REVISION`, and behind it, if only some files are meant, `/PATTERN`")
        if found[3] and (".." in found[3].split("/") or not found[3].isprintable()):
            raise ValueError("the pattern of files stays inside the data set: relative, and without `..`")
        return cls(found[1], found[2] or "", found[3] or "")


def check_source(text: str) -> str:
    """Validate what a dataset is read from: a path in the project, a pattern, a folder, or a data set of the hub."""
    if not text.startswith(HUB):
        return texts.validate_inside_path(text)
    if not HubData.parse(text).revision:
        raise ValueError(
            f"a name alone pins nothing, since a data set of the hub may change: write `{text}@REVISION`, a commit or "
            f"a tag; `harness new NAME --from {text}` says which commit is the newest"
        )
    return text


OwnSource = Annotated[str, AfterValidator(check_source)]
OwnSources = Annotated[
    Annotated[OwnSource, Tag("(one)")]
    | Annotated[
        tuple[OwnPath, ...], Field(min_length=1, max_length=MOST_OWN_FILES), AfterValidator(_once), Tag("(several)")
    ],
    Discriminator(_several),
]


def check_scores(value: Any) -> Any:
    """Validate the form of a dataset's scorers; the study types each of them."""
    if isinstance(value, Mapping):
        if set(value) != {WITH_OPTIONS, WITHOUT_OPTIONS} or not all(_is_list(one) for one in value.values()):
            raise ValueError(f"write `{{{WITH_OPTIONS}: [choice], {WITHOUT_OPTIONS}: [exact]}}`, both of them lists")
        return {name: list(value[name]) for name in (WITH_OPTIONS, WITHOUT_OPTIONS)}
    if not _is_list(value):
        raise ValueError("write a list of scorers, such as `score: [exact]`")
    return list(value)


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) > 0


def _unset(value: Any) -> bool:
    return value is None


class _OwnFilesPart(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class FieldColumns(_OwnFilesPart):
    """Columns of a file by what they are to the study: what is asked, what is right, how items are told apart."""

    input: Columns
    target: Column | None = None
    accepted: Column | None = None  # further right answers: a JSON list, or texts between `|`
    options: Columns | None = None  # of a choice: a column each, or one column with a JSON list
    target_is: Literal["letter", "text", "index"] | None = None  # of a choice; unset: seen from the cells
    group: Columns | None = None
    cluster: Column | None = None
    id: Column | None = None
    show: Columns | None = None  # further columns that wordings may name
    tests: Column | None = None  # code that tries an answer that is code; only scorers see it
    # Fields that were added later stay out of the intent unless they are set, so that older locks stay valid.
    scorer: Column | None = Field(default=None, exclude_if=_unset)  # names the scorers of its row
    image: Column | None = Field(default=None, exclude_if=_unset)  # of a folder: the image that is asked about

    @property
    def shown(self) -> tuple[str, ...]:
        """The columns that a wording may name: those of input, options, group, show and id, in this order."""
        said = (self.input, self.options, self.group, self.show, self.id)
        return tuple(dict.fromkeys(name for columns in said for name in list_columns(columns)))

    @property
    def hidden(self) -> dict[str, str]:
        """The columns that tell the correct answer, each with the name of its field; no wording may name one."""
        said = {"target": self.target, "accepted": self.accepted, "tests": self.tests}
        return {name: field for field, name in said.items() if name}

    @model_validator(mode="after")
    def _apart(self) -> FieldColumns:
        for name in self.shown:
            if name in self.hidden:
                raise ValueError(f"the column {name!r} is the {self.hidden[name]}, which no wording may show")
        if self.cluster in self.hidden:
            raise ValueError(f"the column {self.cluster!r} is the {self.hidden[str(self.cluster)]}, and no cluster")
        if len(self.hidden) < sum(1 for one in (self.target, self.accepted, self.tests) if one):
            raise ValueError("`target`, `accepted` and `tests` are columns of their own")
        if self.target_is and not self.options:
            raise ValueError("`target_is` speaks of `options`, and there are none")
        if self.scorer and self.scorer in self.hidden:
            raise ValueError(f"the column {self.scorer!r} is the {self.hidden[self.scorer]}, and names no scorer")
        return self


class Examples(_OwnFilesPart):
    """Examples with their answers that stand before each question: drawn by seed from rows that are never asked."""

    count: Annotated[int, Field(ge=1, le=1000)]
    seed: Seed = 0
    where: Where = {}  # rows of such values; those of the asked file are then not asked
    file: OwnPath | None = None  # unset: the file that is asked


class OwnFile(_OwnFilesPart):
    """Dataset that is the user's own: files, their columns mapped to fields, and which of their rows are asked.

    `file` is a file of the project, several (a list, or a pattern such as `data/*.csv`), a folder (`data/texts/`), or a
    data set of the hub by name and revision (`hf:OWNER/NAME@REVISION`).
    """

    file: OwnSources
    fields: FieldColumns
    where: Where = {}
    shots: Examples | None = None
    count: Annotated[int, Field(ge=1, lt=2**31)] | None = None  # so many rows, drawn by `seed`; unset: all
    seed: Seed = 0
    encoding: Annotated[str, AfterValidator(_encoding)] = "utf-8"
    format: Format | None = None  # unset: as the file's name ends
    # Fields that were added later stay out of the intent unless they are set, so that older locks stay valid.
    part: Annotated[str, AfterValidator(texts.strip_line)] | None = Field(
        default=None, exclude_if=_unset
    )  # a workbook's sheet, or `[CONFIG/]SPLIT` of a data set of the hub
    score: Annotated[Any, AfterValidator(check_scores)] = Field(
        default=None, exclude_if=_unset, validate_default=False
    )  # scorers of this dataset alone, instead of those of `settings`

    @model_validator(mode="after")
    def _known(self) -> OwnFile:
        for file in self.files.values():
            if isinstance(file, str) and self.format is None and source_form(file) == FILE:
                _require_known(file)
        for file in self.file if isinstance(self.file, tuple) else ():
            if source_form(file) != FILE:
                raise ValueError(f"a list names files, and {file!r} is none: write it alone")
            if self.format is None:
                _require_known(file)
        if self.shots and self.shots.file and PurePosixPath(self.shots.file) == PurePosixPath(str(self.file)):
            raise ValueError("`shots` are drawn from this file anyway: leave their `file` out")
        if self.fields.scorer and isinstance(self.score, Mapping):
            raise ValueError("`fields.scorer` says how each row is scored, and so does `score`: keep one of them")
        return self

    @property
    def files(self) -> dict[str, str | tuple[str, ...]]:
        """The files the dataset is read from, by the names a step uses: those of the rows and of the examples."""
        more = {"shots_file": self.shots.file} if self.shots and self.shots.file else {}
        return {"file": self.file, **more}

    @property
    def form(self) -> str:
        """What `file` names: one file, several, a folder, or a data set of the hub."""
        return SEVERAL if isinstance(self.file, tuple) else source_form(self.file)

    @property
    def told(self) -> str:
        """What the dataset is read from, as one text for messages."""
        return self.file if isinstance(self.file, str) else ", ".join(self.file)

    def format_of(self, file: str) -> str:
        """Return the format of one of the dataset's files; empty if its name does not tell."""
        return self.format or FORMATS.get(PurePosixPath(file).suffix.lower(), "")


FILE, SEVERAL, FOLDER, OF_HUB = "file", "several", "folder", "hub"  # what a dataset of one's own is read from


def source_form(source: str) -> str:
    """Return what a source names: one file, several by a pattern, a folder, or a data set of the hub."""
    if source.startswith(HUB):
        return OF_HUB
    return FOLDER if source.endswith("/") else SEVERAL if any(sign in source for sign in "*?") else FILE


def _require_known(file: str) -> None:
    if PurePosixPath(file).suffix.lower() not in FORMATS:
        raise ValueError(f"what {file!r} holds is not told by its name: add `format: csv` (tsv, jsonl)")


def list_columns(columns: str | tuple[str, ...] | None) -> tuple[str, ...]:
    """List the columns of a field, which may be one, several or none."""
    return (columns,) if isinstance(columns, str) else columns or ()


MOST_FILES = 4000
Text = Annotated[str, AfterValidator(texts.strip_line)]
Digest = Annotated[str, AfterValidator(texts.matching_validator(texts.HEX64, "a SHA-256: 64 hex digits"))]
Address = Annotated[str, StringConstraints(pattern=r"^https://\S+$", max_length=2000)]
PRIVATE = "private:"  # prefix for a file that is not published; `harness import data FILE` adds it
Source = Annotated[
    str, StringConstraints(pattern=r"^(https://\S+|private:[a-z0-9][a-z0-9._-]{0,63})$", max_length=2000)
]
FilePath = Annotated[str, AfterValidator(texts.validate_plain_path)]


class _DatasetsPart(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Made(BaseModel):
    """Dataset that a study's maker draws; its parameters are typed by that maker."""

    model_config = ConfigDict(extra="allow", frozen=True)
    make: Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+\.[a-z0-9_-]+$")]


class Fetched(_DatasetsPart):
    """Dataset of one file from outside the project: its URL, and the SHA-256 that its bytes must have.

    If the digest is not known, `unresolved` says why, and whatever needs the data reports that reason instead of
    running. A file that is not published is `private:NAME`. It is identified by its digest alone and is never
    downloaded.
    """

    fetch: Source
    sha256: Digest | None = None
    unresolved: Text | None = None
    licence: Text

    @model_validator(mode="after")
    def _pinned(self) -> Fetched:
        if self.private and self.sha256 is None:
            raise ValueError("a private file has no address: add `sha256: <its SHA-256>`")
        if (self.sha256 is None) == (self.unresolved is None):
            raise ValueError("a URL alone pins nothing: add `sha256: <its SHA-256>`, or `unresolved: <why>`")
        return self

    @property
    def private(self) -> bool:
        """Whether the file is not published."""
        return self.fetch.startswith(PRIVATE)


class File(_DatasetsPart):
    """One file of many in a published dataset: URL, digest, and size where that is known."""

    url: Address
    sha256: Digest
    size: Annotated[int, Field(ge=0, lt=2**53)] | None = Field(default=None, exclude_if=lambda size: size is None)


def _apart(files: dict[str, File]) -> dict[str, File]:
    """Raise ValueError if one path is both a file and a folder."""
    for path in files:
        for folder in PurePosixPath(path).parents:
            if str(folder) in files:
                raise ValueError(f"{str(folder)!r} is a file, and {path!r} would lie in it")
    return files


class FetchedFiles(_DatasetsPart):
    """Published dataset of many files, by the path that each has in their common folder.

    Each file is checked against its digest. Files that cannot be fetched are counted and named, and the others are
    used.
    """

    fetch: Annotated[dict[FilePath, File], Field(min_length=1, max_length=MOST_FILES), AfterValidator(_apart)]
    licence: Text


_TAGS = {"(make)": Made, "(fetch)": Fetched, "(files)": FetchedFiles, "(file)": OwnFile}


def _form(value: Any) -> str:
    """Return the tag of a form by the key that only this form has, so that an error mentions this form only."""
    said = value if isinstance(value, Mapping) else getattr(value, "__dict__", {})
    if "fetch" not in said:
        return "(file)" if "make" not in said and "file" in said else "(make)"
    return "(files)" if isinstance(said["fetch"], Mapping) else "(fetch)"


def _forms(value: Any) -> tuple[Any, ...]:
    return (_TAGS[_form(value)],) if isinstance(value, Mapping) else tuple(_TAGS.values())


Dataset = Annotated[
    Annotated[Made, Tag("(make)")]
    | Annotated[Fetched, Tag("(fetch)")]
    | Annotated[FetchedFiles, Tag("(files)")]
    | Annotated[OwnFile, Tag("(file)")],
    Discriminator(_form),
    TypedByValue(_forms),
]
