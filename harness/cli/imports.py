"""Command line of the verb `import`, which brings a person's copy of data, or of responses, into the store."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from harness.cli.options import Debug, Json, StoreDir, project
from harness.cli.terminal import render, watching
from harness.errors import InputError

if TYPE_CHECKING:
    from harness.verbs.importing import ChangedFile, OtherPin

SHOWN = 20  # files that a list names
Some = TypeVar("Some")


def register(app: typer.Typer) -> None:
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
