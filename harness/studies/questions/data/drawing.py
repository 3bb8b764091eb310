"""Selects which rows of a user's file are asked and which are examples, by their values and by seed; no row is both.

A row's rank in a draw depends on the seed and the row's number only, so rows appended later change few of the others.
Does not see right answers.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness import seeds
from harness.digest import sha256
from harness.errors import InputError
from harness.studies.questions.data import cells
from harness.studies.questions.data.tables import Cell, SourceFile

Row = Mapping[str, Cell]
Where = Sequence[Sequence[Any]]  # pairs of a column and the texts that its cells may have
ASKED, EXAMPLES = "questions/asked", "questions/examples"  # purposes of draws


@dataclass
class Drawn:
    """The numbers of the rows that are asked, and of the few-shot examples in the order in which they were drawn."""

    asked: set[int] = field(default_factory=set)
    examples: list[int] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)


def matches(row: Row, where: Where, file: SourceFile, number: int) -> bool:
    """Whether a row's cells have the texts that the filter `where` asks for."""
    return all(cells.text(row[column], file, number, column).strip() in texts for column, texts in where)


def question(row: Row, columns: Sequence[str]) -> str:
    """Return a digest of a row's question that ignores spacing, to find the same question in other rows."""
    asked = (row[column] for column in columns)
    said = [" ".join(cell.split()) if isinstance(cell, str) else cell for cell in asked]
    return sha256(json.dumps(said, sort_keys=True).encode())


def first(numbers: Iterable[int], count: int | None, seed: int, purpose: str) -> list[int]:
    """Return `count` row numbers drawn by seed, in the order drawn; without a count, all of them in their own order."""
    if count is None:
        return list(numbers)
    ranked = ((seeds.derive_seed(seed, purpose, template=number), number) for number in numbers)
    return [number for _, number in heapq.nsmallest(count, ranked)]


def draw(params: Mapping[str, Any], asks: Mapping[int, str], shows: Mapping[int, str] | None, *, same: bool) -> Drawn:
    """Draw the rows to ask and the few-shot examples, from rows given by number and question digest.

    `shows` holds the rows that examples may come from. If it is None, examples come from the rows to ask, which are
    then not asked. `same` says that both come from one file. A question that is an example is not asked in any row.
    Raises InputError if there are too few rows.
    """
    shots, counts = params.get("shots"), {"rows": len(asks)}
    drawn = Drawn(counts=counts)
    rows = dict(asks)
    if shots:
        pool = rows if shows is None else shows
        if shows is not None and same:
            rows = {number: what for number, what in rows.items() if number not in shows}
        source = str(shots.get("file") or params["file"])
        drawn.examples = _examples(pool, shots, set() if shows is None else set(rows.values()), source)
        shown = {pool[number] for number in drawn.examples}
        rows = {number: what for number, what in rows.items() if what not in shown}
        counts["examples"] = len(drawn.examples)
        counts["left_out"] = len(asks) - len(rows)  # rows that are examples or ask the same question as one
    if not rows:
        raise nothing_left(params["file"])
    wanted = params.get("count")
    if wanted is not None and wanted > len(rows):
        raise InputError(
            f"{wanted} rows are to be asked, and there are {len(rows)}",
            where=str(params["file"]),
            next="lower `count`, or leave it out to ask all",
        )
    drawn.asked = set(first(rows, wanted, params["seed"], ASKED))
    counts["asked"] = len(drawn.asked)
    return drawn


def nothing_left(file: str) -> InputError:
    """Return the error for a file whose filters leave no row to ask."""
    return InputError("no row is left to ask", where=file, next="check `where`, and how many examples are drawn")


def _examples(pool: Mapping[int, str], shots: Mapping[str, Any], asked: set[str], file: str) -> list[int]:
    """Draw examples with distinct questions, none of which is asked."""
    found: dict[str, int] = {}
    for number in first(pool, len(pool), shots["seed"], EXAMPLES):
        if pool[number] not in asked:
            found.setdefault(pool[number], number)
        if len(found) == shots["count"]:
            return list(found.values())
    raise InputError(
        f"{shots['count']} examples are to be drawn, and there are {len(found)} that are not asked",
        where=file,
        next="lower `shots.count`, or draw them `where` there are more",
    )
