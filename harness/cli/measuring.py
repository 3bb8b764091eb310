"""Command line of `score`, `analyse` and `certify`: a scorer over rows, an analysis over an object, without a run."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.options import Debug, Json, project
from harness.cli.terminal import give, render, short
from harness.errors import AGREED, InputError
from harness.strict_json import reject_duplicates

if TYPE_CHECKING:
    from harness.verbs.certifying import CertifyResult
    from harness.verbs.measuring import ToolsResult
    from harness.verbs.project import Project


def register_certify(app: typer.Typer) -> None:
    """Add the command `certify` to the command line."""
    app.command()(certify)


def certify(
    scorer: Annotated[str, typer.Argument(help="The scorer's name.")],
    labels: Annotated[
        Path | None,
        typer.Argument(help="JSON Lines: rows it takes, each with a label; part, instance.", show_default=False),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Compute the certificate that is there again, and write nothing.")
    ] = False,
    carry: Annotated[
        Path | None,
        typer.Option("--carry", metavar="TREE", help="Take along the certificate that it has in this older tree."),
    ] = None,
    moved: Annotated[
        Path | None, typer.Option("--moved", metavar="FILE", help="With --carry, JSON: old module[:name] -> new one.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", envvar="HARNESS_DATA", help="A JSON object: fields for every row that lacks them."),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", envvar="HARNESS_SEED", help="Of the split of rows that name no part.")
    ] = 0,
    under: Annotated[
        Path | None, typer.Option("--under", envvar="HARNESS_UNDER", help="The manifest whose lock pins a judge.")
    ] = None,
    judge: Annotated[str, typer.Option("--judge", envvar="HARNESS_JUDGE", help="The model of it that judged.")] = "",
    prompt: Annotated[str, typer.Option("--prompt", envvar="HARNESS_PROMPT", help="The prompt set it judged by.")] = "",
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Measure a grader against labelled rows, and certify it.

    With --check, its certificate is held against its own matrix and, where they are given or in the project, its rows.
    With --carry, it is taken from a tree whose code moved, if the grader is defined alike in both.
    """
    if check:
        return _check(scorer, labels, json)
    if carry:
        return _carry(scorer, carry, moved, json)
    if labels is None:
        raise InputError("no labelled rows are named", where=scorer, next="name their file, or add --check or --carry")

    from harness.digest import sha256
    from harness.files import translating_os_errors
    from harness.verbs.certifying import CertifyRequest
    from harness.verbs.certifying import certify as verb

    with translating_os_errors(labels):
        digest = sha256(labels.read_bytes())
        shared = object_of(data.read_bytes(), str(data)) if data else {}
    rows = [row for _, row in rows_of(labels)]
    asked = CertifyRequest(
        scorer=scorer, rows=rows, labels=digest, shared=dict(shared), seed=seed, under=under, judge=judge, prompt=prompt
    )
    return _show(verb(project(), asked), json)


def _show(done: CertifyResult, json: bool) -> int:
    lines = [f"{done.scorer}: {done.text}"]
    for name, part in done.certificate["parts"].items():
        counts = ", ".join(f"{count} {label}" for label, count in part["labels"].items())
        lines.append(f"  {name}: {part['rows']} rows of {part['instances']} instances ({counts})")
    lines.append(f"{'written' if done.changed else 'as it was'}: {done.path} {short(done.sha256)}")
    return render(done, "\n".join(lines), json)


def _carry(scorer: str, old: Path, moved: Path | None, json: bool) -> int:

    from harness.files import translating_os_errors
    from harness.verbs.certifying import CarryCertificateRequest, carry_certificate

    said = dict[str, str]()
    if moved:
        with translating_os_errors(moved):
            said = {old: str(new) for old, new in object_of(moved.read_bytes(), str(moved)).items()}
    return _show(carry_certificate(project(), CarryCertificateRequest(scorer=scorer, old=str(old), moved=said)), json)


def _check(scorer: str, labels: Path | None, json: bool) -> int:
    from harness.verbs.certifying import CheckCertificateRequest, check_certificate

    done = check_certificate(project(), CheckCertificateRequest(scorer=scorer, labels=labels))
    return render(done, f"{done.scorer}: {done.text}", json)


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
    from harness.verbs.measuring import AnalyseRequest, is_arrays, list_analyses, require
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
