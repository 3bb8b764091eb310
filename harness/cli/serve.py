"""Command line of `serve`: this process becomes the server of agents' tools, on standard input and output."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from harness.cli.options import LOCAL, Debug, EngineName, Images, Isolation, StoreDir
from harness.errors import InputError, MissingError

PROFILES = ("answer", "operate", "audit")


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
    if find_spec("mcp") is None or find_spec("harness_tools") is None:
        raise MissingError("agents cannot be served: the package mcp is missing", next="pip install llm-harness[tools]")
    given = {"engine": engine, "isolation": isolation, "images": images, "agent-uid": agent_uid, "store": store}
    words = [word for name, value in given.items() if value not in (None, "") for word in (f"--{name}", str(value))]
    program = [sys.executable, "-P", "-m", "harness_tools", "--profile", profile, "--project", str(Path.cwd()), *words]
    sys.stdout.flush()
    named = [str(path.absolute()) for path in manifests or ()]
    os.execv(sys.executable, [*program, "--", *named])  # noqa: S606 - the server takes this process' place
