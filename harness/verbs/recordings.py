"""The verbs of tapes (recorded model responses): list, verify, import, export, merge, redact."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import Field

from harness.errors import AGREED, DISAGREED, HarnessError, InputError
from harness.models.tape.exchange import export_lines, import_lines, merge
from harness.models.tape.index import verify
from harness.models.tape.redact import Redaction, redact
from harness.models.tape.tape import Tape
from harness.verbs.project import Project, Request, Result, Watch

FOLDER = "The tape: a folder of segments."


class TapeRequest(Request):
    """Request of a verb of tapes: which tape."""

    folder: Path = Field(description=FOLDER)


class TapedModel(Result):
    """Exchanges of one model on a tape, counted."""

    provider: str
    model: str
    exchanges: int
    bytes: int
    first: str
    last: str


class LsTapeResult(Result):
    """Result of `tape ls`: exchanges by model; `redacted` ones answer nothing."""

    digest: str
    exchanges: int
    bytes: int
    models: list[TapedModel]
    redacted: int = 0


def ls_tape(project: Project, asked: TapeRequest, watch: Watch | None = None) -> LsTapeResult:
    """List what a tape holds, by model: exchanges, bytes, first and last time."""
    folder, redacted = _there(project, asked.folder), 0
    found: dict[tuple[str, str], dict[str, Any]] = {}
    with near(project), Tape.open(folder) as tape:
        for one in tape.requests():
            names = (one.provider, str(one.body.get("model", "")))
            row = found.setdefault(names, {"exchanges": 0, "bytes": 0, "first": one.at, "last": one.at})
            row["exchanges"] += 1
            row["bytes"] += len(one.response)
            row["first"], row["last"] = min(row["first"], one.at), max(row["last"], one.at)
            redacted += bool(one.redacted)
        digest, count = tape.digest(), len(tape)
    models = [TapedModel(provider=provider, model=model, **row) for (provider, model), row in sorted(found.items())]
    size = sum(path.stat().st_size for path in folder.glob("segment-*.jsonl"))
    more = {"redacted": redacted} if redacted else {}
    return LsTapeResult(digest=digest, exchanges=count, bytes=size, models=models, **more)


class TapeFlaw(Result):
    """Damage of a tape, and where."""

    file: str
    line: int
    detail: str


class VerifyTapeResult(Result):
    """Result of `tape verify`: how much was read, and what is damaged; `redacted` lines are intact."""

    exchanges: int
    segments: int
    bytes: int
    torn: str
    flaws: list[TapeFlaw]
    verdict: str  # agreed | disagreed
    redacted: int = 0

    @property
    def code(self) -> int:
        """Exit code: 0 where nothing is damaged."""
        return DISAGREED if self.flaws else AGREED


def verify_tape(project: Project, asked: TapeRequest, watch: Watch | None = None) -> VerifyTapeResult:
    """Read every byte of a tape and report what is damaged; nothing is repaired."""
    with near(project):
        found = verify(_there(project, asked.folder))
    more = {"redacted": found.redacted} if found.redacted else {}
    return VerifyTapeResult(
        exchanges=found.exchanges,
        segments=found.segments,
        bytes=found.bytes,
        torn=found.torn,
        flaws=[TapeFlaw(**vars(flaw)) for flaw in found.flaws],
        verdict="disagreed" if found.flaws else "agreed",
        **more,
    )


class ImportTapeRequest(TapeRequest):
    """Request of `tape import`: which file of exchanges, onto which tape."""

    file: Path = Field(description="JSON Lines of request and response.")
    provider: str = Field(default="", description="Who answered, where a line does not say it: openai, anthropic, …")


class ImportTapeResult(Result):
    """Result of `tape import`: how many exchanges were read, and how many the tape had already."""

    read: int
    added: int
    known: int


def import_tape(project: Project, asked: ImportTapeRequest, watch: Watch | None = None) -> ImportTapeResult:
    """Import recorded exchanges from JSON Lines; importing them again adds nothing."""
    with near(project):
        done = import_lines(project.path(asked.file), project.path(asked.folder), asked.provider)
    return ImportTapeResult(read=done.read, added=done.added, known=done.read - done.added)


class ExportTapeRequest(TapeRequest):
    """Request of `tape export`: which tape, into which file."""

    file: Path = Field(description="A new file, of JSON Lines of request and response.")


class ExportTapeResult(Result):
    """Result of `tape export`: the file, how many exchanges it has, and the tape's digest, which an import keeps."""

    file: Path
    exchanges: int
    digest: str


def export_tape(project: Project, asked: ExportTapeRequest, watch: Watch | None = None) -> ExportTapeResult:
    """Write a tape to a new file as JSON Lines, which an import reads back."""
    folder = _there(project, asked.folder)
    with near(project):
        count = export_lines(folder, project.path(asked.file))
        return ExportTapeResult(file=asked.file, exchanges=count, digest=_digest(folder))


class MergeTapesRequest(Request):
    """Request of `tape merge`: which tapes are added to which."""

    into: Path = Field(description="The tape that is added to; it need not be there yet.")
    sources: list[Path] = Field(min_length=1, description="The tapes whose exchanges are added.")


class TapeConflict(Result):
    """Request with two answers, and the tapes that hold them."""

    request: str
    repeat: int
    model: str
    tapes: list[str]


class MergeTapesResult(Result):
    """Result of `tape merge`: what was added; nothing, where tapes contradict each other."""

    verdict: str  # agreed | disagreed
    read: int
    added: int
    known: int
    conflicting: int
    conflicts: list[TapeConflict]
    digest: str = ""

    @property
    def code(self) -> int:
        """Exit code: 0 where nothing contradicts anything."""
        return DISAGREED if self.conflicting else AGREED


def merge_tapes(project: Project, asked: MergeTapesRequest, watch: Watch | None = None) -> MergeTapesResult:
    """Add to a tape what it lacks of others; where two answers contradict each other, nothing is written."""
    into, sources = project.path(asked.into), [_there(project, folder) for folder in asked.sources]
    with near(project):
        done = merge(into, sources)
    conflicts = [
        TapeConflict(
            request=one.request, repeat=one.repeat, model=one.model, tapes=[_short(project, tape) for tape in one.tapes]
        )
        for one in done.conflicts
    ]
    named = {} if done.conflicting else {"digest": _digest(into)}
    return MergeTapesResult(
        verdict="disagreed" if conflicts else "agreed",
        read=done.read,
        added=done.added,
        known=0 if conflicts else done.read - done.added,
        conflicting=done.conflicting,
        conflicts=conflicts,
        **named,
    )


class RedactTapeRequest(TapeRequest):
    """Request of `tape redact`: what is hidden in the new tape."""

    out: Path = Field(description="A new folder, for the redacted tape.")
    match: list[str] = Field(default_factory=list, description="A regular expression: what it matches is hidden.")
    fields: list[str] = Field(
        default_factory=list,
        description="A JSON Pointer into {request, response, headers}: what stands there is hidden.",
    )


class RedactTapeResult(Result):
    """Result of `tape redact`: exchanges, how many are redacted, hits by pattern, and both tapes' digests."""

    exchanges: int
    redacted: int
    hits: dict[str, int]
    original: str
    digest: str


def redact_tape(project: Project, asked: RedactTapeRequest, watch: Watch | None = None) -> RedactTapeResult:
    """Write a new tape in which what patterns or pointers hit is hidden; redacted lines say so and answer nothing."""
    folder, out = _there(project, asked.folder), project.path(asked.out)
    with near(project):
        done = redact(folder, out, Redaction.of(asked.match, asked.fields))
    return RedactTapeResult(
        exchanges=done.exchanges, redacted=done.redacted, hits=done.hits, original=_digest(folder), digest=_digest(out)
    )


@contextmanager
def near(project: Project) -> Iterator[None]:
    """Rewrite paths in an error the way they were asked for: relative to the person's folder."""
    try:
        yield
    except HarnessError as bad:
        bad.where = _short(project, bad.where)
        raise


def _short(project: Project, path: str) -> str:
    return path.removeprefix(f"{project.folder}/")


def _digest(folder: Path) -> str:
    with Tape.open(folder) as tape:
        return tape.digest()


def _there(project: Project, folder: Path) -> Path:
    """Refuse a folder that does not exist, which the library would take for an empty tape."""
    path = project.path(folder)
    if not path.is_dir():
        raise InputError("there is no tape here", where=str(folder), next="name the folder that holds its segments")
    return path
