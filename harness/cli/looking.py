"""Command line of what is looked at: `view` serves pages over runs and answers, `report` writes one of a run."""

from __future__ import annotations

import contextlib
import json

import typer

from harness.cli.options import GivenOptions, with_request_options
from harness.cli.terminal import join_lines, print_message, write_bytes
from harness.errors import MissingError
from harness.verbs.requests import ReportRequest, ViewRequest


def register(app: typer.Typer) -> None:
    """Add the commands of this module to the command line."""
    app.command()(view)
    app.command()(report)


@with_request_options(ViewRequest)
def view(given: GivenOptions) -> int:
    """Look at runs and answers in a browser, or label answers."""
    try:
        from harness.view.app import serve_site
    except ModuleNotFoundError as bad:
        if (bad.name or "").partition(".")[0] not in ("starlette", "uvicorn"):
            raise
        raise MissingError(
            "the pages need a server that is not installed", where=str(bad.name), next="pip install repro-harness[view]"
        ) from bad
    from harness.view.site import Site

    asked = given.request(ViewRequest)
    if asked.label:
        from harness.store.notes import require_labeller

        require_labeller(asked.label)
    site = Site(given.project, labeller=asked.label)
    given.project.open()

    def ready(address: str) -> None:
        if given.json:
            write_bytes([json.dumps({"url": address}).encode() + b"\n"])
        else:
            write_bytes([f"{address}\n".encode()])
            shown = f"answers to label as {asked.label}" if asked.label else "pages over the runs and answers"
            print_message(f"{shown} of this store; ctrl-C ends them")

    with contextlib.suppress(KeyboardInterrupt):  # ctrl-C is how it ends
        serve_site(site, asked.port, ready, anyone=asked.anyone)
    return 0


@with_request_options(ReportRequest)
def report(given: GivenOptions) -> int:
    """Write a report of a run: one HTML file."""
    from harness.verbs.reporting import report as verb

    done = verb(given.project, given.request(ReportRequest))
    lines = [
        f"{done.answers:,} answers, {done.wrong:,} wrong: {done.wrong_shown} of these shown, {done.others_shown} others"
    ]
    lines += [f"not shown: {count:,} answers to {join_lines(name)}" for name, count in sorted(done.not_shown.items())]
    lines.append(f"{done.file}: {done.size} bytes, {done.sha256}")
    return given.show(done, "\n".join(lines))
