"""Datasets in a manifest that are a file of one's own: what its columns are, which rows are asked or shown as examples.

It must never open a file: what the columns hold is read by a step.
"""

from __future__ import annotations

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
    Tag,
    model_validator,
)

from harness import texts

FORMATS = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
# Encodings a file may have: each is text, and none of them runs or fetches anything. utf-8 reads a BOM too.
ENCODINGS = (
    "utf-8", "utf-16", "utf-32", "latin-1", "mac-roman", "koi8-r", "gb18030", "big5", "shift-jis", "euc-jp", "euc-kr",
    *(f"cp{page}" for page in range(1250, 1259)), *(f"iso-8859-{part}" for part in range(2, 17) if part != 12),
)  # fmt: skip
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


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class FieldColumns(_Part):
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


class Examples(_Part):
    """Examples with their answers that stand before each question: drawn by seed from rows that are never asked."""

    count: Annotated[int, Field(ge=1, le=1000)]
    seed: Seed = 0
    where: Where = {}  # rows of such values; those of the asked file are then not asked
    file: OwnPath | None = None  # unset: the file that is asked


class OwnFile(_Part):
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
