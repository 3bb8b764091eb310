"""Datasets in a manifest: made by a study's maker, published elsewhere as one file or many, or a file of one's own.

It must never know a study, nor where published data is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
    model_validator,
)

from harness import texts
from harness.manifest.models import TypedByValue
from harness.manifest.own_files import OwnFile

MOST_FILES = 4000
Text = Annotated[str, AfterValidator(texts.line)]
Digest = Annotated[str, AfterValidator(texts.matching(texts.HEX64, "a SHA-256: 64 hex digits"))]
Address = Annotated[str, StringConstraints(pattern=r"^https://\S+$", max_length=2000)]
PRIVATE = "private:"  # of a file that nobody publishes: it is brought by `harness import data FILE`
Source = Annotated[
    str, StringConstraints(pattern=r"^(https://\S+|private:[a-z0-9][a-z0-9._-]{0,63})$", max_length=2000)
]
FilePath = Annotated[str, AfterValidator(texts.plain_path)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Made(BaseModel):
    """Dataset that a study's maker draws; its parameters are typed by that maker."""

    model_config = ConfigDict(extra="allow", frozen=True)
    make: Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+\.[a-z0-9_-]+$")]


class Fetched(_Part):
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


class File(_Part):
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


class FetchedFiles(_Part):
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
