"""Command line of the verbs of tapes: ls, verify, import, export, merge, redact."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.options import Debug, Json
from harness.cli.terminal import short, show, table

if TYPE_CHECKING:
    from harness.verbs.project import Project

app = typer.Typer(
    name="tape", help="List, check and fill tapes: recorded responses of models.", rich_markup_mode=None
)  # fmt: skip
Folder = Annotated[Path, typer.Argument(help="The tape: a folder of segments.", show_default=False)]


def register(parent: typer.Typer) -> None:
    """Add these verbs to the command line, below `tape`."""
    for verb in (ls, verify, export, merge, redact):
        app.command()(verb)
    app.command(name="import")(import_)
    parent.add_typer(app)


def ls(folder: Folder, json: Json = False, debug: Debug = False) -> None:
    """List what a tape holds, by model."""
    from harness.verbs import recordings as verbs

    found = verbs.ls_tape(_here(), verbs.TapeRequest(folder=folder))
    columns = ("provider", "model", "exchanges", "bytes", "first", "last")
    rows = [[getattr(one, name) for name in columns] for one in found.models]
    text = table(columns, rows) if rows else "an empty tape"
    hidden = f", {found.redacted} redacted" if found.redacted else ""
    told = f"{found.exchanges} exchanges{hidden}, {found.bytes} bytes on disk, tape {short(found.digest)}"
    show(found.as_data(), f"{text}\n{told}", json)


def verify(folder: Folder, json: Json = False, debug: Debug = False) -> int:
    """Read every byte of a tape and report damage."""
    from harness.verbs import recordings as verbs

    found = verbs.verify_tape(_here(), verbs.TapeRequest(folder=folder))
    rows = [[flaw.file, flaw.line or "", flaw.detail] for flaw in found.flaws]
    summary = f"{found.exchanges} exchanges in {found.segments} segments, {found.bytes} bytes: "
    lines = [table(["file", "line", "what is wrong"], rows)] if rows else []
    lines += [found.torn] if found.torn else []
    if found.redacted:
        lines.append(f"{found.redacted} lines are redacted: they are no recording, and answer nothing")
    lines.append(summary + ("the tape is sound" if not rows else "the tape is damaged; restore it from its source"))
    show(found.as_data(), "\n".join(lines), json)
    return found.code


def import_(
    file: Annotated[Path, typer.Argument(help="JSON Lines of request and response.", show_default=False)],
    folder: Folder,
    provider: Annotated[
        str,
        typer.Option("--provider", envvar="HARNESS_PROVIDER", help="Who answered, where no line says it: openai, …"),
    ] = "",
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Import recorded exchanges from JSON Lines; a second time adds nothing."""
    from harness.verbs import recordings as verbs

    done = verbs.import_tape(_here(), verbs.ImportTapeRequest(folder=folder, file=file, provider=provider))
    text = f"{done.read} exchanges read: {done.added} taped, {done.known} were on the tape"
    show(done.as_data(), text, json)


def export(
    folder: Folder,
    file: Annotated[Path, typer.Argument(help="A new file of JSON Lines.", show_default=False)],
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Write a tape as JSON Lines, which `tape import` reads back."""
    from harness.verbs import recordings as verbs

    done = verbs.export_tape(_here(), verbs.ExportTapeRequest(folder=folder, file=file))
    show(done.as_data(), f"{done.exchanges} exchanges of tape {short(done.digest)} written to {done.file}", json)


def merge(
    into: Annotated[Path, typer.Argument(help="The tape that is added to, or a new one.", show_default=False)],
    sources: Annotated[list[Path], typer.Argument(metavar="FROM...", help="Tapes.", show_default=False)],
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Add to a tape what others have more; contradictions are reported."""
    from harness.verbs import recordings as verbs

    done = verbs.merge_tapes(_here(), verbs.MergeTapesRequest(into=into, sources=sources))
    if done.conflicting:
        rows = [[short(one.request), one.repeat, one.model, ", ".join(one.tapes)] for one in done.conflicts]
        text = table(["request", "repeat", "model", "has other answers on"], rows)
        text += f"\n{done.conflicting} requests have two answers: nothing was written"
    else:
        text = f"{done.read} exchanges read: {done.added} added, {done.known} were there; tape {short(done.digest)}"
    show(done.as_data(), text, json)
    return done.code


def redact(
    folder: Folder,
    out: Annotated[Path, typer.Argument(help="A new folder, for the redacted tape.", show_default=False)],
    match: Annotated[
        list[str] | None, typer.Option("--match", metavar="REGEX", help="Hide what this matches; may be given again.")
    ] = None,
    field: Annotated[
        list[str] | None,
        typer.Option("--field", metavar="POINTER", help="Hide what stands here, such as /request/messages/*/content."),
    ] = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Write a new tape in which matches are hidden."""
    from harness.verbs import recordings as verbs

    asked = verbs.RedactTapeRequest(folder=folder, out=out, match=match or [], fields=field or [])
    done = verbs.redact_tape(_here(), asked)
    rows = [[name, count] for name, count in done.hits.items()]
    text = table(["hidden", "exchanges"], rows)
    text += f"\n{done.redacted} of {done.exchanges} exchanges are redacted; tape {short(done.original)} → "
    show(done.as_data(), text + short(done.digest), json)


def _here() -> Project:
    from harness.verbs.project import Project

    return Project.at(Path.cwd())
