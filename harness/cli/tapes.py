"""Command line of models' answers: `models check`, `tape`, `gateway`, and `import`, which brings data, too."""

from __future__ import annotations

import json as data
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from harness.cli import terminal
from harness.cli.options import GivenOptions, with_request_options
from harness.errors import InputError
from harness.verbs import requests

if TYPE_CHECKING:
    from harness.verbs.importing import ChangedFile, OtherPin
    from harness.verbs.project import Result
    from harness.verbs.recordings import CheckedModelData, GatewayReady, GatewayResult


SHOWN = 20  # files that a list names
Some = TypeVar("Some")


def register_imports(app: typer.Typer) -> None:
    """Add the command `import` to the command line."""
    app.command("import")(bring)


@with_request_options(
    requests.ImportRequest,
    requests.ImportFolderRequest,
    without=("folder",),
    columns=(Annotated[str, typer.Option("--columns", envvar="HARNESS_COLUMNS", help=requests.COLUMNS)], ""),
)
def bring(given: GivenOptions) -> int:
    """Import your own copy of data, so that manifests find it."""
    from harness.verbs.importing import DATA, RESPONSES
    from harness.verbs.importing import import_ as verb

    kind, file = given.kind, Path(given.file)
    if kind == DATA and file.is_dir():
        return _folder(given)
    if given.manifests:
        raise InputError(
            "--manifest goes with a folder of data", where="--manifest", next="leave it out, or name a folder"
        )
    done = verb(given.project, given.request(requests.ImportRequest, columns=_columns(given.columns)))
    if kind == DATA:
        lines = [f"{file.name} is in the store: {done.bytes} bytes, sha256 {done.sha256}"]
        lines += [f"  {_not_pinned('it', one, done.sha256)}" for one in done.other]
        text = terminal.flat_lines(lines)
    elif kind == RESPONSES:
        by = ", ".join(f"{name} {rows}" for name, rows in done.models.items())
        told = f" ({terminal.join_lines(by)})" if by else ""
        text = f"{done.rows} responses are in the store{told}; pin them in a manifest with sha256 {done.sha256}"
    else:
        held = ", ".join(
            f"{name} {told['instances']} instances, {told['prompts']} prompts" for name, told in done.counts.items()
        )
        told = terminal.join_lines(held)
        text = f"{done.rows} rows are in the store ({told}); pin them in a manifest with sha256 {done.sha256}"
    return given.show(done, text)


def _folder(given: GivenOptions) -> int:
    """Import the files of a folder that manifests pin; show which differ from their pins and which are missing."""
    from harness.verbs.importing import import_folder

    with terminal.show_progress() as watch:
        done = import_folder(given.project, given.request(requests.ImportFolderRequest, folder=given.file), watch)
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
    return given.show(done, terminal.flat_lines(lines))


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


NAME_SERVER = (
    "`harness tape export TAPE old.jsonl` and `harness tape import old.jsonl NEW --server URL` say where they are from;"
    " or record them again, on a new tape"
)
DOING = {
    "replay": "answers from the tape alone",
    "record": "answers from the tape, and records what is not on it",
    "live": "asks the providers, and keeps nothing",
}


def register_gateway(app: typer.Typer) -> None:
    """Add the command `gateway` to the command line."""
    app.command()(gateway)


@with_request_options(requests.GatewayRequest, store=False)
def gateway(
    given: GivenOptions,
    record: Annotated[bool, typer.Option("--record", help="Ask for what is not on the tape, and record it.")] = False,
    live: Annotated[bool, typer.Option("--live", help="Ask for everything, and keep nothing.")] = False,
) -> int:
    """Record or replay your own client's requests, until ctrl-C."""
    from harness.verbs import recordings as verbs

    if record and live:
        raise InputError("--live answers are never recorded", where="--record, --live", next="leave one of them out")
    asked = given.request(requests.GatewayRequest, mode="record" if record else "live" if live else "replay")
    done = verbs.gateway(given.project, asked, ready=_line if given.json else _exports)
    if given.json:
        _line(done)
    else:
        terminal.print_message(_summary(done))
    return done.code


def _line(result: Result) -> None:
    """Print a result as one line of JSON, so that a script can read the first one while the gateway still runs."""
    terminal.write_bytes([data.dumps(result.as_data(), ensure_ascii=True).encode() + b"\n"])


def _exports(ready: GatewayReady) -> None:
    """Print shell `export` lines on stdout, and remarks for the user on stderr."""
    terminal.print_message(
        f"a gateway at {ready.url} {DOING[ready.mode]}; give its clients these variables; ctrl-C ends it"
    )
    for name in ready.lacking:
        terminal.print_message(
            f"there is no key {name}: what is asked of its provider, and is not on the tape, is refused"
        )
    terminal.write_bytes([f"export {name}={shlex.quote(value)}\n".encode() for name, value in ready.env.items()])


def _summary(done: GatewayResult) -> str:
    columns = ("provider", "model", "requests", "recorded", "replayed", "live")
    rows = [[*(getattr(one, name) for name in columns), _errors(one.errors)] for one in done.models]
    lines = [terminal.format_table([*columns, "refused"], rows)] if rows else []
    if unnamed := sum(one.unnamed for one in done.models):
        lines.append(f"{unnamed} replayed from lines that name no server\n  next:  {NAME_SERVER}")
    counts = f"{done.recorded} recorded, {done.replayed} replayed, {done.refused} refused"
    return "\n".join([*lines, f"{done.requests} requests: {counts}"])


def _errors(errors: dict[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in errors.items())


app = typer.Typer(name="tape", help="List, check and fill tapes: recorded responses of models.", rich_markup_mode=None)


def register(parent: typer.Typer) -> None:
    """Add the group `tape` to the command line."""
    for verb in (ls, find, verify, export, merge, redact):
        app.command()(verb)
    app.command(name="import")(import_)
    parent.add_typer(app)


@with_request_options(requests.TapeRequest, store=False)
def ls(given: GivenOptions) -> int:
    """List what a tape holds, by model and server."""
    from harness.verbs import recordings as verbs

    found = verbs.ls_tape(given.project, given.request(requests.TapeRequest))
    columns = ["provider", "model", "exchanges", "bytes", "first", "last"]
    rows = [[getattr(one, name) for name in columns] for one in found.models]
    if any(one.server for one in found.models):
        columns += ["server", "answered as"]
        rows = [
            [*row, one.server or "not named", ", ".join([*one.answered_as, *one.fingerprints])]
            for row, one in zip(rows, found.models, strict=True)
        ]
    text = terminal.format_table(columns, rows) if rows else "an empty tape"
    hidden = f", {found.redacted} redacted" if found.redacted else ""
    told = (
        f"{found.exchanges} exchanges{hidden}, {found.bytes} bytes on disk, tape {terminal.short_digest(found.digest)}"
    )
    return given.show(found, f"{text}\n{told}")


@with_request_options(requests.FindExchangeRequest, store=False)
def find(given: GivenOptions) -> int:
    """Show the line of a tape that answers a request."""
    from harness.verbs import recordings as verbs

    found = verbs.find_exchange(given.project, given.request(requests.FindExchangeRequest))
    who = f"{found.provider}, {found.model}" + (f" (answered as {found.answered_as})" if found.answered_as else "")
    told = {
        "line": f"{found.line} of {found.file}",
        "digest": found.digest,
        "recorded": found.at,
        "asked": who,
        "server": found.server or "not named",
        "request": data.dumps(found.request, ensure_ascii=False),
        "answer": found.response,
    }
    return given.show(found, "\n".join(f"{name:<10}{terminal.join_lines(value)}" for name, value in told.items()))


@with_request_options(requests.TapeRequest, store=False)
def verify(given: GivenOptions) -> int:
    """Read every byte of a tape and report damage."""
    from harness.verbs import recordings as verbs

    found = verbs.verify_tape(given.project, given.request(requests.TapeRequest))
    rows = [[flaw.file, flaw.line or "", flaw.detail] for flaw in found.flaws]
    summary = f"{found.exchanges} exchanges in {found.segments} segments, {found.bytes} bytes: "
    lines = [terminal.format_table(["file", "line", "what is wrong"], rows)] if rows else []
    lines += [terminal.join_lines(found.torn)] if found.torn else []
    if found.redacted:
        lines.append(f"{found.redacted} lines are redacted: they are no recording, and answer nothing")
    if found.servers:
        named = [f"{count} of {server}" for server, count in found.servers.items()]
        named += [f"{found.unnamed} that name no server"] * bool(found.unnamed)
        lines.append(terminal.join_lines(f"answers: {', '.join(named)}"))
    lines.append(summary + ("the tape is sound" if not rows else "the tape is damaged; restore it from its source"))
    return given.show(found, "\n".join(lines))


@with_request_options(requests.ImportTapeRequest, store=False)
def import_(given: GivenOptions) -> int:
    """Import recorded exchanges from JSON Lines; a second time adds nothing."""
    from harness.verbs import recordings as verbs

    done = verbs.import_tape(given.project, given.request(requests.ImportTapeRequest))
    return given.show(done, f"{done.read} exchanges read: {done.added} taped, {done.known} were on the tape")


@with_request_options(requests.ExportTapeRequest, store=False)
def export(given: GivenOptions) -> int:
    """Write a tape as JSON Lines, which `tape import` reads back."""
    from harness.verbs import recordings as verbs

    done = verbs.export_tape(given.project, given.request(requests.ExportTapeRequest))
    return given.show(
        done, f"{done.exchanges} exchanges of tape {terminal.short_digest(done.digest)} written to {done.file}"
    )


@with_request_options(requests.MergeTapesRequest, store=False)
def merge(given: GivenOptions) -> int:
    """Add to a tape the exchanges that only others have; where they contradict each other, nothing is written."""
    from harness.verbs import recordings as verbs

    done = verbs.merge_tapes(given.project, given.request(requests.MergeTapesRequest))
    if done.conflicting:
        columns = ["request", "repeat", "model", "has other answers on"]
        rows = [
            [terminal.short_digest(one.request), one.repeat, one.model, ", ".join(one.tapes)] for one in done.conflicts
        ]
        if any(one.server for one in done.conflicts):
            columns.append("server")
            rows = [[*row, one.server or "not named"] for row, one in zip(rows, done.conflicts, strict=True)]
        text = terminal.format_table(columns, rows)
        text += f"\n{done.conflicting} requests have two answers: nothing was written"
    else:
        digest = terminal.short_digest(done.digest)
        text = f"{done.read} exchanges read: {done.added} added, {done.known} were there; tape {digest}"
    return given.show(done, text)


@with_request_options(requests.RedactTapeRequest, store=False)
def redact(given: GivenOptions) -> int:
    """Write a new tape in which matches are hidden."""
    from harness.verbs import recordings as verbs

    done = verbs.redact_tape(given.project, given.request(requests.RedactTapeRequest))
    rows = [[name, count] for name, count in done.hits.items()]
    text = terminal.format_table(["hidden", "exchanges"], rows)
    text += (
        f"\n{done.redacted} of {done.exchanges} exchanges are redacted; tape {terminal.short_digest(done.original)} → "
    )
    return given.show(done, text + terminal.short_digest(done.digest))


models_app = typer.Typer(
    name="models", help="Ask models one question each, to see whether they answer.", rich_markup_mode=None
)


def register_models(parent: typer.Typer) -> None:
    """Add the command `models check` to the command line."""
    models_app.command()(check)
    parent.add_typer(models_app)


@with_request_options(requests.CheckModelsRequest, store=False, models=True)
def check(given: GivenOptions) -> int:
    """Ask each model behind an API one question, and show what came back.

    Nothing is recorded. The exit code is 1 if a model does not answer.
    """
    from harness.verbs.recordings import check_models

    with terminal.show_progress() as watch:
        done = check_models(given.project, given.request(requests.CheckModelsRequest), watch)
    head = ["name", "model", "", "seconds", "tokens", "dollars", "log-probabilities", "said"]
    return given.show(done, terminal.format_table(head, [_row(one) for one in done.models]))


def _row(one: CheckedModelData) -> list[str]:
    asked = one.state == "answered"
    known = {True: "told", False: "not told", None: "-"}[one.logprobs]
    other = f" (as {one.answered_as})" if one.answered_as and one.answered_as not in one.model else ""
    return [
        one.name,
        one.model,
        one.state,
        f"{one.seconds:.2f}" if asked else "-",
        f"{one.prompt_tokens} + {one.completion_tokens}" if asked else "-",
        one.dollars or "-",
        known,
        terminal.join_lines(one.said) + other,
    ]
