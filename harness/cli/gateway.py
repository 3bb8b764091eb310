"""Command line of the verb `gateway`: prints the variables a client needs, and a summary when it ends."""

from __future__ import annotations

import json as data
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.options import Debug, Json
from harness.cli.terminal import give, say, table
from harness.errors import InputError

if TYPE_CHECKING:
    from harness.verbs.gatewaying import GatewayReady, GatewayResult
    from harness.verbs.project import Result

DOING = {
    "replay": "answers from the tape alone", "record": "answers from the tape, and records what is not on it",
    "live": "asks the providers, and keeps nothing",
}  # fmt: skip


def register(app: typer.Typer) -> None:
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
    from harness.verbs import gatewaying as verbs
    from harness.verbs.project import Project

    if record and live:
        raise InputError("--live answers are never recorded", where="--record, --live", next="leave one of them out")
    asked = verbs.GatewayRequest(
        tape=tape, mode="record" if record else "live" if live else "replay", providers=provider or [],
        upstream=upstream or [], port=port,
    )  # fmt: skip
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
