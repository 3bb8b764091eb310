"""Command line of evidence that is handed over: `export`, `attest`, `verify`, `anchor`, and `keys new`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import typer

from harness.cli.options import GivenOptions, with_request_options
from harness.cli.terminal import format_table, join_lines, print_message, short_digest, show_progress
from harness.verbs import requests

FORMS = ("csv", "parquet", "jsonl")  # of tables
keys_app = typer.Typer(name="keys", help="Make keys that sign for runs.", rich_markup_mode=None)


def register(app: typer.Typer) -> None:
    """Add the commands of this module to the command line, and the group `keys`."""
    for verb in (export, attest, verify, anchor):
        app.command()(verb)
    keys_app.command("new")(new_key)
    app.add_typer(keys_app)


@with_request_options(requests.ExportRequest, requests.ExportTablesRequest, requests.ExportLabelsRequest)
def export(given: GivenOptions) -> int:
    """Write a run's evidence into one file, or its tables or labels."""
    if given.values["labels"]:
        return _labels(given)
    if any(given.values[form] for form in FORMS):
        return _tables(given)
    from harness.verbs.handing import export as verb

    done = verb(given.project, given.request(requests.ExportRequest))
    lines = [f"left out: {one.blobs} blobs, {one.bytes} bytes: {join_lines(one.why)}" for one in done.omitted]
    lines.append(f"{done.file}: {done.files} files, {done.size} bytes, {done.sha256}")
    print_message(f"`harness audit {done.file}` checks it, on any machine")
    return given.show(done, "\n".join(lines))


def _tables(given: GivenOptions) -> int:
    from harness.verbs.handing import export_tables

    done = export_tables(given.project, given.request(requests.ExportTablesRequest))
    lines = [f"{done.folder}/{one.file}: {one.rows:,} rows" for one in done.tables]
    lines += [f"left out: {count:,} rows about {join_lines(name)}" for name, count in sorted(done.left_out.items())]
    return given.show(done, "\n".join(lines))


def _labels(given: GivenOptions) -> int:
    from harness.verbs.labelling import export_labels

    done = export_labels(given.project, given.request(requests.ExportLabelsRequest))
    lines = []
    for one in done.labels:
        who, agreed = join_lines(one.labeller), f"kappa of {join_lines(one.scorer)}: {join_lines(one.kappa)}"
        lines.append(f"{done.folder}/{one.file}: {one.rows:,} answers labelled by {who}; {agreed}")
        if one.grader:
            print_message(
                f"`harness certify {one.grader} --others {done.folder}/{one.file}` puts it into a certificate"
            )
    lines += [f"left out: {join_lines(name)}: {join_lines(why)}" for name, why in sorted(done.left_out.items())]
    return given.show(done, "\n".join(lines))


@with_request_options(requests.AnchorRequest)
def anchor(given: GivenOptions) -> int:
    """Print a line that says how far the list of runs has come."""
    from harness.verbs.handing import anchor as verb

    done = verb(given.project, given.request(requests.AnchorRequest))
    print_message("publish it where others keep it; `harness audit RUN --anchor FILE` holds a store against it")
    return given.show(done, done.line)


@with_request_options(requests.AttestRequest)
def attest(given: GivenOptions) -> int:
    """Sign for a run or its audit, for a lock, or for an expectation."""
    from harness.verbs.handing import attest as verb

    asked = given.request(requests.AttestRequest)
    with show_progress() as watch:
        done = verb(given.project, asked.with_changes(passphrase=_passphrase(asked.key)), watch)
    of = f"{done.subjects} digests of run {done.run}" if asked.run else f"what {done.run} is held against"
    return given.show(done, f"{done.file}: {of}, signed: {join_lines(done.states)}")


@with_request_options(requests.VerifySignedRequest)
def verify(given: GivenOptions) -> int:
    """Check signatures, and compare what was signed."""
    from harness.verbs.handing import verify_signed as verb

    done = verb(given.project, given.request(requests.VerifySignedRequest))
    rows = [
        [
            join_lines(one.file),
            join_lines(one.states),
            join_lines(one.party) or short_digest(one.key),
            f"{one.met} of {one.subjects}",
            join_lines(one.flaw),
        ]
        for one in done.envelopes
    ]
    text = format_table(["statement", "states", "signed by", "met", "why it does not count"], rows)
    return given.show(done, f"{text}\n{done.words}")


@with_request_options(requests.NewKeyRequest, store=False)
def new_key(given: GivenOptions) -> int:
    """Make a key of your own, which signs for runs."""
    from harness.verbs.handing import make_key as verb

    asked = given.request(requests.NewKeyRequest)
    secret = "" if asked.plain else _asked_passphrase(confirm=True)
    done = verb(given.project, asked.with_changes(passphrase=secret))
    return given.show(done, f"{done.file}: keep it to yourself\n{done.public_file}: hand it out\npublic: {done.public}")


def _passphrase(key: str | Path) -> str:
    """Return the passphrase of a key; empty if it needs none."""
    from harness.verbs.handing import is_encrypted

    return _asked_passphrase() if is_encrypted(Path(key).expanduser()) else ""


def _asked_passphrase(*, confirm: bool = False) -> str:
    """Return the passphrase from the environment, or ask for it on a terminal; empty if there is none."""
    if found := os.environ.get("HARNESS_KEY_PASSPHRASE", ""):
        return found
    if not sys.stdin.isatty():
        return ""
    return str(typer.prompt("passphrase", hide_input=True, confirmation_prompt=confirm, err=True))
