"""Command line of `lock --carry`: what became of expectations that were carried to a new lock, shown as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.cli.terminal import render, short, table, watching
from harness.errors import AGREED

if TYPE_CHECKING:
    from harness.verbs.carrying import CarryResult
    from harness.verbs.project import Project


def carried(project: Project, json: bool, **asked: Any) -> int:
    """Carry expectations to new locks where outputs allow it, show what became of each, and return the exit code."""
    from harness.verbs.carrying import CarryRequest, carry

    with watching() as watch:
        done = carry(project, CarryRequest(**asked), watch)
    return render(done, _text(done), json)


def _text(done: CarryResult) -> str:
    """Format each expectation with its old and new lock, and the outputs that differ."""
    rows = [[one.name, one.state, short(one.old), short(one.lock)] for one in done.carried]
    text = table(["manifest", "expectation", "lock", "new lock"], rows)
    parted = [
        [
            one.name,
            out.output,
            short(out.accepted) or "-",
            short(out.made) or "-",
            "agrees, bytes differ" if out.agrees else "differs",
        ]
        for one in done.carried
        for out in one.parted
    ]
    if not parted:
        return text
    text += f"\n\n{table(['manifest', 'output', 'accepted', 'came out', 'at its level'], parted)}"
    if done.code == AGREED:
        return text
    advice = "if a difference is meant: `harness lock MANIFEST`, run it, and `harness lock --accept RUN`"
    if any(out.agrees for one in done.carried for out in one.parted):
        advice += "\nwhat agrees at its level may be another machine's arithmetic: --at-levels puts up with that"
    return f"{text}\n{advice}"
