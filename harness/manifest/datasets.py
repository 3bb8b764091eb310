"""Datasets in a manifest: made by a study's maker, published elsewhere as one file or many, or a file of one's own.

It does not know a study, nor where published data is kept.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

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
from harness.digest import differences
from harness.manifest.models import TypedByValue

SHOWN = 8  # files that a line names


def files_of(pin: Mapping[str, Any]) -> Mapping[str, str]:
    """Digests that a lock pins of a dataset's published files, by path; empty for any dataset not of many files."""
    files: Mapping[str, str] = pin["files"] if is_files(pin) else {}
    return files


def is_files(pin: Mapping[str, Any]) -> bool:
    """Whether a dataset's pin is of many published files, and not of data that a maker made."""
    return "files" in pin and "items" not in pin


def file_coverage(datasets: Mapping[str, Any], *, partial: bool = False) -> dict[str, dict[str, Any]]:
    """Count the files and name the missing ones of each dataset of many files; `partial`: of incomplete ones only."""
    return {
        name: {"files": len(pin["files"]), "absent": list(pin.get("absent", ()))}
        for name, pin in sorted(datasets.items())
        if is_files(pin) and (pin.get("absent") or not partial)
    }


def coverage_text(said: Mapping[str, Mapping[str, Any]]) -> str:
    """Word a coverage: `published 39 of 40 files (missing: b.npz)`."""
    return ", ".join(f"{name} {count_text(one['files'], one['absent'])}" for name, one in said.items())


def count_text(files: int, absent: Collection[str]) -> str:
    """Word a count of files, with the names of those that are missing."""
    lacks = f" (missing: {names_text(absent)})" if absent else ""
    return f"{files - len(absent)} of {files} files{lacks}"


def names_text(names: Collection[str]) -> str:
    """Word a list of file names, the first eight and how many more."""
    first = sorted(names)[:SHOWN]
    return ", ".join(first) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


def contradicted_files(said: Mapping[str, Any], datasets: Mapping[str, Any]) -> Iterator[str]:
    """JSON Pointers at which a lock's pins of published files differ from its manifest."""
    for name, pin in sorted(datasets.items()):
        wanted = intended_files(said.get(name))
        if wanted or is_files(pin):
            yield from (f"/{name}/files{pointer}" for pointer in differences(wanted, pin.get("files", {})))


def intended_files(said: Any) -> dict[str, Any]:
    """Digests that an intent states for the files of a dataset; anything malformed is ignored."""
    fetched = said.get("fetch") if isinstance(said, Mapping) else None
    files = fetched.items() if isinstance(fetched, Mapping) else ()
    return {path: file.get("sha256") for path, file in files if isinstance(file, Mapping)}


FORMATS = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
# Encodings a file may have: each is text, and none of them runs or fetches anything. utf-8 reads a BOM too.
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


def column(text: str) -> str:
    """Check the name of a column as a file writes it: 1 to 200 characters that can be seen; kept as it is."""
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
    """Take the pairs that an intent holds for the map that a person writes."""
    return {pair[0]: pair[1] for pair in value} if isinstance(value, list | tuple) else value


def _as_pairs(value: dict[str, Any]) -> list[list[Any]]:
    """Write a map by column as pairs: an identity document has ASCII keys alone, and columns any name."""
    return [[name, [held] if isinstance(held, str) else list(held)] for name, held in sorted(value.items())]


Column = Annotated[str, AfterValidator(column)]
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
OwnPath = Annotated[str, AfterValidator(texts.inside)]
Format = Literal["csv", "tsv", "jsonl", "parquet"]


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

    @property
    def shown(self) -> tuple[str, ...]:
        """Columns that a wording may name, in the order in which they are written here."""
        said = (self.input, self.options, self.group, self.show, self.id)
        return tuple(dict.fromkeys(name for columns in said for name in listed(columns)))

    @property
    def hidden(self) -> dict[str, str]:
        """Columns that tell what is right, each with the field that says so; no wording may name one."""
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
        return self


class Examples(_OwnFilesPart):
    """Examples with their answers that stand before each question: drawn by seed from rows that are never asked."""

    count: Annotated[int, Field(ge=1, le=1000)]
    seed: Seed = 0
    where: Where = {}  # rows of such values; those of the asked file are then not asked
    file: OwnPath | None = None  # unset: the file that is asked


class OwnFile(_OwnFilesPart):
    """Dataset that is a file of the project: its columns mapped to fields, and which of its rows are asked."""

    file: OwnPath
    fields: FieldColumns
    where: Where = {}
    shots: Examples | None = None
    count: Annotated[int, Field(ge=1, lt=2**31)] | None = None  # so many rows, drawn by `seed`; unset: all
    seed: Seed = 0
    encoding: Annotated[str, AfterValidator(_encoding)] = "utf-8"
    format: Format | None = None  # unset: as the file's name ends

    @model_validator(mode="after")
    def _known(self) -> OwnFile:
        for file in self.files.values():
            if self.format is None and PurePosixPath(file).suffix.lower() not in FORMATS:
                raise ValueError(f"what {file!r} holds is not told by its name: add `format: csv` (tsv, jsonl)")
        if self.shots and self.shots.file and PurePosixPath(self.shots.file) == PurePosixPath(self.file):
            raise ValueError("`shots` are drawn from this file anyway: leave their `file` out")
        return self

    @property
    def files(self) -> dict[str, str]:
        """Files it is read from, by what a step calls them: that of the rows, and that of the examples."""
        more = {"shots_file": self.shots.file} if self.shots and self.shots.file else {}
        return {"file": self.file, **more}

    def format_of(self, file: str) -> str:
        """Name the format of one of its files."""
        return self.format or FORMATS[PurePosixPath(file).suffix.lower()]


def listed(columns: str | tuple[str, ...] | None) -> tuple[str, ...]:
    """List the columns of a field, which may be one, several or none."""
    return (columns,) if isinstance(columns, str) else columns or ()


MOST_FILES = 4000
Text = Annotated[str, AfterValidator(texts.line)]
Digest = Annotated[str, AfterValidator(texts.matching(texts.HEX64, "a SHA-256: 64 hex digits"))]
Address = Annotated[str, StringConstraints(pattern=r"^https://\S+$", max_length=2000)]
PRIVATE = "private:"  # of a file that nobody publishes: it is brought by `harness import data FILE`
Source = Annotated[
    str, StringConstraints(pattern=r"^(https://\S+|private:[a-z0-9][a-z0-9._-]{0,63})$", max_length=2000)
]
FilePath = Annotated[str, AfterValidator(texts.plain_path)]


class _DatasetsPart(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Made(BaseModel):
    """Dataset that a study's maker draws; its parameters are typed by that maker."""

    model_config = ConfigDict(extra="allow", frozen=True)
    make: Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+\.[a-z0-9_-]+$")]


class Fetched(_DatasetsPart):
    """Dataset of one file from outside: its URL, and the digest without which it is not the same data.

    Where the digest is not known, `unresolved` says why; what needs the data then says so instead of running. A file
    that nobody publishes is `private:NAME`: it is known by its digest alone, and never downloaded.
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
        """Whether nobody publishes this file."""
        return self.fetch.startswith(PRIVATE)


class File(_DatasetsPart):
    """One file of many in a published dataset: URL, digest, and size where that is known."""

    url: Address
    sha256: Digest
    size: Annotated[int, Field(ge=0, lt=2**53)] | None = Field(default=None, exclude_if=lambda size: size is None)


def _apart(files: dict[str, File]) -> dict[str, File]:
    """Refuse a list in which one name is both a file and a folder."""
    for path in files:
        for folder in PurePosixPath(path).parents:
            if str(folder) in files:
                raise ValueError(f"{str(folder)!r} is a file, and {path!r} would lie in it")
    return files


class FetchedFiles(_DatasetsPart):
    """Published dataset of many files, by the path that each has in their common folder.

    Each is checked against its digest. A file that is not to be had is counted and named, and the others are used.
    """

    fetch: Annotated[dict[FilePath, File], Field(min_length=1, max_length=MOST_FILES), AfterValidator(_apart)]
    licence: Text


_TAGS = {"(make)": Made, "(fetch)": Fetched, "(files)": FetchedFiles, "(file)": OwnFile}


def _form(value: Any) -> str:
    """Choose a form by the key that only it has, so that an error speaks of that form only."""
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
