"""`lock --carry`: what became of expectations, told to a person."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.cli.terminal import say, short, show, table

if TYPE_CHECKING:
    from harness.verbs.carrying import CarryResult


def carried(store: Path | None, json: bool, **asked: Any) -> int:
    """Take expectations along, tell what became of each, and give the exit code."""
    from harness.verbs.carrying import CarryRequest, carry
    from harness.verbs.project import Project, Watch

    done = carry(Project.at(os.getcwd(), store), CarryRequest(**asked), Watch(say=say))
    show(done.as_data(), _text(done), json)
    return done.code


def _text(done: CarryResult) -> str:
    """Lay out each expectation with the lock it named and the new one, and the outputs that part."""
    rows = [[one.name, one.state, short(one.old), short(one.lock)] for one in done.carried]
    text = table(["manifest", "expectation", "lock", "new lock"], rows)
    parted = [
        [one.name, out.output, short(out.accepted) or "-", short(out.made) or "-"]
        for one in done.carried
        for out in one.parted
    ]
    if not parted:
        return text
    advice = "if that is meant: `harness lock MANIFEST`, run it, and `harness lock --accept RUN`"
    return f"{text}\n\n{table(['manifest', 'output', 'accepted', 'came out'], parted)}\n{advice}"
