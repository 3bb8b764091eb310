"""Command line of `serve`: this process becomes the server of agents' tools, on standard input and output."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from harness.cli.becoming import PROFILES, VALUES, become_server, installed
from harness.cli.options import LOCAL, Debug, EngineName, Images, Isolation, StoreDir
from harness.errors import InputError, MissingError


def register(app: typer.Typer) -> None:
    """Add this verb to the command line."""
    app.command()(serve)


def serve(
    manifests: Annotated[
        list[Path] | None,
        typer.Argument(help="Manifests that agents may attempt; default: all that say `agents:`.", show_default=False),
    ] = None,
    profile: Annotated[
        str, typer.Option("--profile", envvar="HARNESS_PROFILE", help=f"Who is served: {', '.join(PROFILES)}.")
    ] = "answer",
    agent_uid: Annotated[
        int | None,
        typer.Option(
            "--agent-uid", envvar="HARNESS_AGENT_UID", min=1, help="The user that the agent runs as; hidden splits."
        ),
    ] = None,
    engine: EngineName = LOCAL,
    isolation: Isolation = "",
    images: Images = None,
    store: StoreDir = None,
    debug: Debug = False,
) -> int:
    """Serve agents over stdio: MCP tools whose answers are evidence."""
    if profile not in PROFILES:
        raise InputError(f"no profile is called {profile!r}", next=f"choose one of: {', '.join(PROFILES)}")
    if not installed():
        raise MissingError("agents cannot be served: the package mcp is missing", next="pip install llm-harness[tools]")
    given = (profile, agent_uid, engine, isolation, images, store)
    values = {name: str(value) for name, value in zip(VALUES, given, strict=True) if value not in (None, "")}
    become_server([str(path) for path in manifests or ()], values)
