"""Command line of answers and data from elsewhere: tapes, the verb `gateway`, and the verb `import`."""

from __future__ import annotations

import json as data
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from harness.cli.options import Debug, Json, StoreDir, project
from harness.cli.terminal import give, render, say, short, show, table, watching
from harness.errors import InputError

if TYPE_CHECKING:
    from harness.verbs.importing import ChangedFile, OtherPin
    from harness.verbs.project import Project, Result
    from harness.verbs.recordings import GatewayReady, GatewayResult


SHOWN = 20  # files that a list names
Some = TypeVar("Some")


def register_imports(app: typer.Typer) -> None:
    """Add the command `import` to the command line."""
    app.command("import")(bring)


def bring(
    kind: Annotated[
        str, typer.Argument(help="What it is: data, responses of another run, or a dataset that a study knows.")
    ],
    file: Annotated[Path, typer.Argument(help="Your copy of it; of data, a folder of files too.", show_default=False)],
    columns: Annotated[
        str,
        typer.Option(
            "--columns",
            envvar="HARNESS_COLUMNS",
            help='What columns of a dataset are called in your copy, as JSON: {"target": "…"}.',
        ),
    ] = "",
    manifest: Annotated[
        list[Path] | None,
        typer.Option("--manifest", help="Of a folder: whose data is looked for; default: all.", show_default=False),
    ] = None,
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Import your own copy of data, so that manifests find it."""
    from harness.verbs.importing import DATA, RESPONSES, ImportRequest
    from harness.verbs.importing import import_ as verb

    if kind == DATA and file.is_dir():
        return _folder(file, manifest or [], store, json)
    if manifest:
        raise InputError(
            "--manifest goes with a folder of data", where="--manifest", next="leave it out, or name a folder"
        )
    done = verb(project(store), ImportRequest(kind=kind, file=file, columns=_columns(columns)))
    if kind == DATA:
        lines = [f"{file.name} is in the store: {done.bytes} bytes, sha256 {done.sha256}"]
        lines += [f"  {_not_pinned('it', one, done.sha256)}" for one in done.other]
        text = "\n".join(lines)
    elif kind == RESPONSES:
        by = ", ".join(f"{name} {rows}" for name, rows in done.models.items())
        told = f" ({by})" if by else ""
        text = f"{done.rows} responses are in the store{told}; pin them in a manifest with sha256 {done.sha256}"
    else:
        held = ", ".join(
            f"{name} {told['instances']} instances, {told['prompts']} prompts" for name, told in done.counts.items()
        )
        text = f"{done.rows} rows are in the store ({held}); pin them in a manifest with sha256 {done.sha256}"
    return render(done, text, json)


def _folder(folder: Path, manifests: list[Path], store: Path | None, json: bool) -> int:
    """Import what manifests pin and a folder holds; show what differs from its pin and what is missing."""
    from harness.verbs.importing import ImportFolderRequest, import_folder

    with watching() as watch:
        done = import_folder(project(store), ImportFolderRequest(folder=folder, manifests=manifests), watch)
    size = sum(one.bytes for one in done.matched)
    lines = [f"{done.files} files read: {len(done.matched)} are pinned and in the store now ({size} bytes)"]
    lines += [f"  {file} is {what}, and was not read" for file, what in _first(list(done.skipped.items()))]
    lines += [f"  {_not_pinned(one.file, one, one.found)}" for one in done.changed]
    if done.missing:
        lines.append(f"{len(done.missing)} still missing:")
        lines += [f"  {one.dataset}: {one.path} from {one.url}" for one in _first(done.missing)]
        lines += [f"  and {len(done.missing) - SHOWN} more (--json has all)"] * (len(done.missing) > SHOWN)
    if done.others:
        lines.append(f"{len(done.others)} files that no manifest asks for were left where they are")
    return render(done, "\n".join(lines), json)


def _not_pinned(file: str, one: OtherPin | ChangedFile, found: str) -> str:
    by = ", ".join(one.manifests)
    return f"{file} is not the {one.dataset}: {one.path} that is pinned by {by}: wanted {one.wanted}, found {found}"


def _first(found: Sequence[Some]) -> Sequence[Some]:
    return found[:SHOWN]


def _columns(given: str) -> dict[str, str]:
    from json import loads

    try:
        found = loads(given) if given else {}
    except ValueError:
        found = None
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        raise InputError(
            "--columns is not a JSON object of texts", where="--columns", next='write {"target": "answer"}'
        )
    return found


DOING = {
    "replay": "answers from the tape alone",
    "record": "answers from the tape, and records what is not on it",
    "live": "asks the providers, and keeps nothing",
}


def register_gateway(app: typer.Typer) -> None:
    """Add the command `gateway` to the command line."""
    app.command()(gateway)


def gateway(
    tape: Annotated[
        Path | None, typer.Option("--tape", envvar="HARNESS_TAPE", help="The tape: a folder.", show_default=False)
    ] = None,
    record: Annotated[bool, typer.Option("--record", help="Ask for what is not on the tape, and record it.")] = False,
    live: Annotated[bool, typer.Option("--live", help="Ask for everything, and keep nothing.")] = False,
    provider: Annotated[
        list[str] | None,
        typer.Option("--provider", envvar="HARNESS_PROVIDER", help="Whose clients: openai, anthropic; default: both."),
    ] = None,
    upstream: Annotated[
        list[str] | None,
        typer.Option("--upstream", metavar="[PROVIDER=]URL", help="Another server with the same API."),
    ] = None,
    port: Annotated[
        int, typer.Option("--port", envvar="HARNESS_PORT", min=0, max=65535, help="A port of 127.0.0.1.")
    ] = 0,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Record or replay your own client's requests, until ctrl-C."""
    from harness.verbs import recordings as verbs
    from harness.verbs.project import Project

    if record and live:
        raise InputError("--live answers are never recorded", where="--record, --live", next="leave one of them out")
    asked = verbs.GatewayRequest(
        tape=tape,
        mode="record" if record else "live" if live else "replay",
        providers=provider or [],
        upstream=upstream or [],
        port=port,
    )
    tell = _line if json else _exports
    done = verbs.gateway(Project.at(Path.cwd()), asked, ready=tell)
    if json:
        _line(done)
    else:
        say(_summary(done))
    return done.code


def _line(result: Result) -> None:
    """Print data as one line of JSON: a script reads the first while the gateway still runs."""
    give([data.dumps(result.as_data(), ensure_ascii=True).encode() + b"\n"])


def _exports(ready: GatewayReady) -> None:
    """Print shell `export` lines, and beside them remarks for a person."""
    say(f"a gateway at {ready.url} {DOING[ready.mode]}; give its clients these variables; ctrl-C ends it")
    for name in ready.lacking:
        say(f"there is no key {name}: what is asked of its provider, and is not on the tape, is refused")
    give([f"export {name}={shlex.quote(value)}\n".encode() for name, value in ready.env.items()])


def _summary(done: GatewayResult) -> str:
    columns = ("provider", "model", "requests", "recorded", "replayed", "live")
    rows = [[*(getattr(one, name) for name in columns), _errors(one.errors)] for one in done.models]
    lines = [table([*columns, "refused"], rows)] if rows else []
    counts = f"{done.recorded} recorded, {done.replayed} replayed, {done.refused} refused"
    return "\n".join([*lines, f"{done.requests} requests: {counts}"])


def _errors(errors: dict[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in errors.items())


app = typer.Typer(name="tape", help="List, check and fill tapes: recorded responses of models.", rich_markup_mode=None)
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
    """Add to a tape the exchanges that only others have; where they contradict each other, nothing is written."""
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
