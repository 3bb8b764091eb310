"""The body of steps that extract programs from answers, which trials then run; it sees items and answers, never gold.

It is separate from the planning of trials, so that the code of such a step does not include the planning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from harness import rows
from harness.errors import InputError
from harness.rowtypes import Item, Program, Response
from harness.trial import PROGRAMS

# Given an item and an answer: the program, or the program and its stdin; None if there is no program.
Take = Callable[[Item, Response], str | tuple[str, str] | None]


def write_programs(inputs: Mapping[str, Path], out: Path, take: Take) -> None:
    """Write the programs extracted from answers, to be run in trials; answers without a program are left out.

    `take` returns the program of an item's answer, or None. Raises InputError for a response to an unknown item.
    """
    items = {row["id"]: row for row in rows.read(inputs["items"], Item)}

    def found() -> Iterator[Program]:
        for row in rows.read(inputs["responses"], Response):
            if row["item"] not in items:
                raise InputError(f"a response to item {row['item']}, which is not in items", where="responses")
            taken = take(items[row["item"]], row) if row.get("error") is None else None
            if taken is None:
                continue
            program, stdin = (taken, "") if isinstance(taken, str) else taken
            about: Program = {
                "item": row["item"],
                "template": row["template"],
                "model": row["model"],
                "sample": row["sample"],
                "program": program,
            }
            if stdin:
                about["stdin"] = stdin
            yield about

    rows.write(out / PROGRAMS, found())
