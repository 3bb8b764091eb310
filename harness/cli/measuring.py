"""Command line of `score` and `analyse`: one scorer over rows, one analysis over an object, without a run."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.options import Debug, Json, project
from harness.cli.terminal import give, render
from harness.errors import AGREED, InputError
from harness.strict_json import reject_duplicates

if TYPE_CHECKING:
    from harness.verbs.measuring import ToolsResult
    from harness.verbs.project import Project

Listing = Annotated[bool, typer.Option("--list", envvar="HARNESS_LIST", help="Name them all, with their fields.")]
Name = Annotated[str, typer.Argument(help="Its name; --list shows all.")]
Input = Annotated[
    Path | None, typer.Option("--input", "-i", envvar="HARNESS_INPUT", help="Read this file instead of stdin.")
]
MAX_LINE = 64 << 20


def register(app: typer.Typer) -> None:
    """Add these verbs to the command line."""
    app.command()(score)
    app.command()(analyse)


def score(
    name: Name = "",
    listing: Listing = False,
    source: Input = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", envvar="HARNESS_DATA", help="A JSON object: fields for every row that lacks them."),
    ] = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Score JSON Lines with one scorer, stdin to stdout."""
    from harness.digest import canonical
    from harness.verbs.measuring import list_scorers, require, scored

    if listing:
        return _list(list_scorers(_around()), json)
    require(name, scorer=True)
    shared = object_of(_text(data), str(data)) if data else {}
    give(canonical(one) + b"\n" for one in scored(name, rows_of(source), shared))
    return AGREED


def analyse(
    name: Name = "",
    listing: Listing = False,
    source: Input = None,
    second: Annotated[
        Path | None,
        typer.Option("--with", envvar="HARNESS_WITH", help="A second .npz file, for the fields that say so."),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option("-o", "--to", help="Write the result's arrays to this file."),
    ] = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Run one analysis: one JSON object in, one out.

    A .npz file may be given instead of the object: each of its arrays is the field of its name. Several objects, a
    line each, are the field `rows`.
    """
    from harness.digest import canonical
    from harness.verbs.array_files import is_arrays
    from harness.verbs.measuring import AnalyseRequest, list_analyses, require
    from harness.verbs.measuring import analyse as verb

    if listing:
        return _list(list_analyses(), json)
    require(name, scorer=False)
    if source and is_arrays(source):
        asked = AnalyseRequest(analysis=name, file=source, second=second, to=to)
    else:
        text, where = _text(source), str(source or "stdin")
        if not text.strip():
            hint = f"give one JSON object, such as `echo '{{}}' | harness analyse {name}`"
            raise InputError("nothing was given", where=where, next=hint)
        asked = AnalyseRequest(analysis=name, given=_document(text, where), second=second, to=to)
    done = verb(asked)
    give([canonical(done.result) + b"\n"])
    return done.code


def _list(found: ToolsResult, json: bool) -> int:
    lines = []
    for tool in found.tools:
        lines += [f"{tool.name}: {tool.about}"]
        lines += [f"  {tool.certificate}"] if tool.certificate else []
        for what, fields in (("takes", tool.takes), ("gives", tool.gives)):
            lines += [f"  {what}", *(f"    {field}: {meaning}" for field, meaning in fields.items())]
    return render(found, "\n".join(lines), json)


def _around() -> Project | None:
    """Find the project around the working directory, if any: scorers work without one."""
    try:
        return project() if project().root else None
    except InputError:
        return None


def _text(source: Path | None) -> bytes:
    if source is None:
        return sys.stdin.buffer.read()
    from harness.files import translating_os_errors

    with translating_os_errors(source):
        return source.read_bytes()


def rows_of(source: Path | None) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Read JSON Lines, each as (location, object), one at a time, so that a file of any length fits in memory."""
    from harness.files import translating_os_errors

    name = str(source or "stdin")
    with translating_os_errors(name), open(source, "rb") if source else nullcontext(sys.stdin.buffer) as lines:
        number = 0
        while line := lines.readline(MAX_LINE + 1):
            number += 1
            where = f"{name}:{number}"
            if len(line) > MAX_LINE:
                raise InputError("a row is at most 64 MiB", where=where, next="split it")
            if line.strip():
                yield where, object_of(line, where)


def _document(data: bytes, where: str) -> Mapping[str, Any]:
    """Read one JSON object, or JSON Lines of several, which are the field `rows` of one."""
    first, _, rest = data.strip().partition(b"\n")
    if not (first.rstrip().endswith(b"}") and rest.lstrip().startswith(b"{")):
        return object_of(data, where)
    lines = enumerate(data.split(b"\n"), 1)
    return {"rows": [object_of(line, f"{where}:{number}") for number, line in lines if line.strip()]}


def object_of(data: bytes, where: str) -> Mapping[str, Any]:
    """Parse one JSON object; duplicate names, and any other JSON value, are refused."""
    try:
        value = jsonlib.loads(data, object_pairs_hook=reject_duplicates)
    except (ValueError, RecursionError) as bad:
        raise InputError(f"this is not JSON: {bad}", where=where, next="give one JSON object") from bad
    if not isinstance(value, dict):
        raise InputError("a JSON object is needed", where=where, next="give {name: value, …}")
    return value
