"""The verb that brings in what cannot be fetched: a person's own copy of data, of a dataset, of a tape."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from harness.cli.options import Debug, Json, StoreDir, store_root, there
from harness.cli.terminal import show
from harness.errors import InputError

DATA = "data"


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("import")(bring)


def bring(
    kind: Annotated[str, typer.Argument(help="What the file is: data, or a dataset that a study knows by name.")],
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
) -> None:
    """Put your own copy of data where manifests find it."""
    from harness.run.data import bring as put
    from harness.run.data import bring_rows
    from harness.store.store import Store
    from harness.studies.registry import importers

    known = importers()
    if kind != DATA and kind not in known:
        raise InputError(
            f"nothing is imported as {kind!r}", where="KIND", next=f"use one of: {', '.join((DATA, *sorted(known)))}"
        )
    there(file)
    if kind == DATA:
        digest, size = put(Store.make(store_root(store)), file)
        data: dict[str, Any] = {"kind": kind, "sha256": digest, "bytes": size}
        text = f"{file.name} is in the store: {size} bytes, sha256 {digest}"
    else:
        found, counts = known[kind](file, _columns(columns))
        digest = bring_rows(Store.make(store_root(store)), found)
        data = {"kind": kind, "sha256": digest, "rows": len(found), "counts": counts}
        held = ", ".join(
            f"{name} {told['instances']} instances, {told['prompts']} prompts" for name, told in counts.items()
        )
        text = f"{len(found)} rows are in the store ({held}); pin them in a manifest with sha256 {data['sha256']}"
    show(data, text, json)


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
