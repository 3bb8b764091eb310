"""The verb that brings in what cannot be fetched: a person's own copy of data, of a dataset, of a tape."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from harness.cli.options import Debug, Json, StoreDir, project
from harness.cli.terminal import render
from harness.errors import InputError


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("import")(bring)


def bring(
    kind: Annotated[
        str, typer.Argument(help="What it is: data, responses of another run, or a dataset that a study knows.")
    ],
    file: Annotated[Path, typer.Argument(help="Your copy of it.", show_default=False)],
    columns: Annotated[
        str,
        typer.Option(
            "--columns",
            envvar="HARNESS_COLUMNS",
            help='What columns of a dataset are called in your copy, as JSON: {"target": "…"}.',
        ),
    ] = "",
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Put your own copy of data where manifests find it."""
    from harness.verbs.importing import DATA, RESPONSES, ImportRequest
    from harness.verbs.importing import import_ as verb

    done = verb(project(store), ImportRequest(kind=kind, file=file, columns=_columns(columns)))
    if kind == DATA:
        text = f"{file.name} is in the store: {done.bytes} bytes, sha256 {done.sha256}"
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
