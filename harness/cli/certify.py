"""Command line of the verb `certify`: a grader measured against rows that people labelled."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.options import Debug, Json, project
from harness.cli.terminal import render, short
from harness.errors import InputError

if TYPE_CHECKING:
    from harness.verbs.certifying import CertifyResult


def register(app: typer.Typer) -> None:
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
    from harness.cli.measuring import object_of, rows_of
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
    from harness.cli.measuring import object_of
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
