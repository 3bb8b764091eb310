"""Command line of `score`, `analyse` and `certify`, which use scorers and analyses without a run."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.options import GivenOptions, open_project, with_request_options
from harness.cli.terminal import flat_lines, short_digest, write_bytes
from harness.digest import sha256
from harness.errors import AGREED, InputError
from harness.texts import reject_duplicates
from harness.verbs import requests

if TYPE_CHECKING:
    from harness.verbs.certifying import CertifyResult
    from harness.verbs.measuring import ToolsResult
    from harness.verbs.project import Project


Listing = Annotated[bool, typer.Option("--list", envvar="HARNESS_LIST", help="List all of them, with their fields.")]
Name = Annotated[str, typer.Argument(help="Its name; --list shows all.")]
Input = Annotated[
    Path | None, typer.Option("--input", "-i", envvar="HARNESS_INPUT", help="Read this file instead of stdin.")
]
Shared = Annotated[Path | None, typer.Option("--data", envvar="HARNESS_DATA", help=requests.SHARED)]
MAX_LINE = 64 << 20


def register_certify(app: typer.Typer) -> None:
    """Add the command `certify` to the command line."""
    app.command()(certify)


@with_request_options(
    requests.CheckCertificateRequest,
    requests.CertifyRequest,
    requests.CarryCertificateRequest,
    optional=("old",),
    store=False,
    shared=(Shared, None),
    moved=(Annotated[Path | None, typer.Option("--moved", metavar="FILE", help=requests.MOVED)], None),
)
def certify(
    given: GivenOptions,
    check: Annotated[
        bool, typer.Option("--check", help="Compute the existing certificate again, and write nothing.")
    ] = False,
) -> int:
    """Measure a grader against labelled rows, and certify it.

    LABELS are rows that the grader's makers labelled; --others describes rows that others labelled. Only blind labels
    by others make a grader `usable`; their sealed rows are opened once, with --open-sealed.
    With --check, its certificate is held against its own matrix and, where they are given or in the project, its rows.
    With --carry, it is taken from a tree whose code moved, if the grader is defined alike in both.
    """
    from harness.verbs import certifying as verbs

    if check:
        done = verbs.check_certificate(given.project, given.request(requests.CheckCertificateRequest))
        return given.show(done, flat_lines((f"{done.scorer}: {done.text}", *(f"  {line}" for line in done.sets))))
    if given.old:
        moved = {old: str(new) for old, new in _object_in(given.moved).items()}
        asked = given.request(requests.CarryCertificateRequest, moved=moved)
        return _show(verbs.carry_certificate(given.project, asked), given)
    if given.labels is None and not given.others:
        where, hint = given.scorer, "name their file, describe others' labels with --others, or add --check or --carry"
        raise InputError("no labelled rows are named", where=where, next=hint)
    rows = [row for _, row in parse_json_lines(given.labels)] if given.labels else []
    digest = sha256(_text(given.labels)) if given.labels else ""
    asked_for = given.request(requests.CertifyRequest, rows=rows, labels=digest, shared=_object_in(given.shared))
    return _show(verbs.certify(given.project, asked_for), given)


def _show(done: CertifyResult, given: GivenOptions) -> int:
    lines = [f"{done.scorer}: {done.text}", *(f"  {line}" for line in done.sets)]
    lines += [f"  note: {note}" for note in done.notes]
    lines.append(f"{'written' if done.changed else 'as it was'}: {done.path} {short_digest(done.sha256)}")
    return given.show(done, flat_lines(lines))


def register(app: typer.Typer) -> None:
    """Add verbs of this module to the command line."""
    app.command()(score)
    app.command()(analyse)


@with_request_options(requests.ScoreRequest, store=False, scorer=(Name, ""), shared=(Shared, None))
def score(given: GivenOptions, listing: Listing = False, source: Input = None) -> int:
    """Score JSON Lines with one scorer, stdin to stdout."""
    from harness.digest import canonical_json
    from harness.verbs.measuring import list_scorers, require_tool, score_each_row

    if listing:
        return _list(list_scorers(_around()), given)
    require_tool(given.scorer, scorer=True)
    write_bytes(
        canonical_json(one) + b"\n"
        for one in score_each_row(given.scorer, parse_json_lines(source), _object_in(given.shared))
    )
    return AGREED


@with_request_options(requests.AnalyseRequest, store=False, analysis=(Name, ""))
def analyse(given: GivenOptions, listing: Listing = False, source: Input = None) -> int:
    """Run one analysis: one JSON object in, one out.

    A .npz file may be given instead of the object: each of its arrays is the field of its name. Several objects, a
    line each, are the field `rows`.
    """
    from harness.digest import canonical_json
    from harness.verbs.measuring import analyse as verb
    from harness.verbs.measuring import is_array_file, list_analyses, require_tool

    if listing:
        return _list(list_analyses(), given)
    require_tool(given.analysis, scorer=False)
    if source and is_array_file(source):
        asked = given.request(requests.AnalyseRequest, file=source)
    else:
        text, where = _text(source), str(source or "stdin")
        if not text.strip():
            hint = f"give one JSON object, such as `echo '{{}}' | harness analyse {given.analysis}`"
            raise InputError("nothing was given", where=where, next=hint)
        asked = given.request(requests.AnalyseRequest, given=_document(text, where))
    done = verb(asked)
    write_bytes([canonical_json(done.result) + b"\n"])
    return done.code


def _list(found: ToolsResult, given: GivenOptions) -> int:
    lines = []
    for tool in found.tools:
        lines += [f"{tool.name}: {tool.about}"]
        lines += [f"  {tool.certificate}"] if tool.certificate else []
        for what, fields in (("takes", tool.takes), ("gives", tool.gives)):
            lines += [f"  {what}", *(f"    {field}: {meaning}" for field, meaning in fields.items())]
    return given.show(found, "\n".join(lines))


def _around() -> Project | None:
    """Return the project of the working directory, or None, because scorers work without a project."""
    try:
        return open_project() if open_project().root else None
    except InputError:
        return None


def _text(source: Path | None) -> bytes:
    if source is None:
        return sys.stdin.buffer.read()
    from harness.files import translating_os_errors

    with translating_os_errors(source):
        return source.read_bytes()


def _object_in(file: Path | None) -> dict[str, Any]:
    """Return the JSON object in a file; an empty one if no file was named."""
    return dict(parse_json_object(_text(file), str(file))) if file else {}


def parse_json_lines(source: Path | None) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the lines of JSON Lines as (location, object), one at a time, so that a file may have any length."""
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
                yield where, parse_json_object(line, where)


def _document(data: bytes, where: str) -> Mapping[str, Any]:
    """Return one JSON object; several objects, one on each line, become the field `rows` of one object."""
    first, _, rest = data.strip().partition(b"\n")
    if not (first.rstrip().endswith(b"}") and rest.lstrip().startswith(b"{")):
        return parse_json_object(data, where)
    lines = enumerate(data.split(b"\n"), 1)
    return {"rows": [parse_json_object(line, f"{where}:{number}") for number, line in lines if line.strip()]}


def parse_json_object(data: bytes, where: str) -> Mapping[str, Any]:
    """Parse one JSON object; raise InputError for duplicate names, or for any other JSON value."""
    try:
        value = jsonlib.loads(data, object_pairs_hook=reject_duplicates)
    except (ValueError, RecursionError) as bad:
        raise InputError(f"this is not JSON: {bad}", where=where, next="give one JSON object") from bad
    if not isinstance(value, dict):
        raise InputError("a JSON object is needed", where=where, next="give {name: value, …}")
    return value
