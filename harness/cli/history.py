"""Command line of the verb `runs`: the list of runs as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.options import Debug, Json, StoreDir, project
from harness.cli.terminal import render, table

if TYPE_CHECKING:
    from harness.verbs.history import ListedRun


def register(app: typer.Typer) -> None:
    """Add the command `runs` to the command line."""
    app.command()(runs)


def runs(
    manifest: Annotated[str, typer.Argument(help="Only runs of the manifest of this name.")] = "",
    most: Annotated[
        int, typer.Option("--most", envvar="HARNESS_MOST", min=0, help="How many runs, newest first; 0: all.")
    ] = 20,
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """List the runs of the store, the newest first."""
    from harness.verbs.history import RunsRequest
    from harness.verbs.history import runs as verb

    done = verb(project(store), RunsRequest(manifest=manifest, most=most))
    rows = [
        [one.run, one.manifest or "-", one.engine or "-", one.status, _steps(one.steps), _remarks(one)]
        for one in done.runs
    ]
    text = table(["run", "manifest", "engine", "ended", "steps", ""], rows) if rows else "no runs"
    return render(done, text + (f"\n{done.more} older ones: --most 0 shows all" if done.more else ""), json)


def _steps(counts: dict[str, int]) -> str:
    return ", ".join(f"{counts[name]} {name}" for name in ("executed", "cached", "failed") if counts.get(name)) or "-"


def _remarks(one: ListedRun) -> str:
    return ", ".join(filter(None, (f"limited to {one.limit} items" if one.limit else "", one.healed_text)))
