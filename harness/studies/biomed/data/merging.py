"""The merge of questions with one table of answers per model: an outer join by uuid, as published or checked.

It does not know what an answer says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.errors import InputError
from harness.studies.biomed.terms import MODES, PAPER, STRICT

ID = "uuid"
COLUMNS: tuple[str, ...] = (ID, "template_uuid", "question", "answer", "bio_category", "reasoning_category")
MOST_ROWS = 1_000_000  # of the merged table: equal ids multiply
Row = Mapping[str, Any]  # a cell that is missing is None, or not there
Key = str | None


@dataclass(frozen=True, slots=True)
class MergedTable:
    """The merged table, every row with every column, and what became of the questions."""

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    dropped: int  # questions that lack a cell
    returned: int  # rows whose question is none of the kept ones: their question and labels are missing
    repeated: int  # rows beyond the first of their uuid


def merge(questions: Sequence[Row], by_model: Mapping[str, Sequence[Row]], mode: str = PAPER) -> MergedTable:
    """Join questions with the answers of each model, in the order of the models' names; rows come sorted by uuid.

    A question that lacks a cell is dropped; in paper mode it comes back without its words where a model answered it,
    and equal ids multiply. In strict mode (OURS) equal ids and answers to no question of the table are refused, those
    to dropped questions left out. InputError for that, for another mode, for a table without ids, for a column that
    two tables have, and for more than MOST_ROWS rows.
    """
    if mode not in MODES:
        raise InputError("there is no such mode", where="mode", next=f"use one of: {', '.join(MODES)}")
    whole = [{name: row.get(name) for name in COLUMNS} for row in questions]
    kept = [row for row in whole if None not in row.values()]
    if mode == STRICT:
        _check(whole, by_model)
    columns, table = COLUMNS, kept
    ids = {row[ID] for row in kept}
    for name in sorted(by_model):
        own = _own_columns(name, by_model[name], columns)
        answers = [row for row in by_model[name] if mode == PAPER or row[ID] in ids]
        table = _joined(columns, table, own, answers)
        columns += own
    times = Counter(row[ID] for row in table)
    returned = sum(row[ID] not in ids for row in table)
    return MergedTable(columns, tuple(table), len(whole) - len(kept), returned, len(table) - len(times))


def _check(questions: Sequence[Row], by_model: Mapping[str, Sequence[Row]]) -> None:
    """Refuse what paper mode lets pass: ids that stand twice, and answers to what is asked nowhere."""
    known = {row[ID] for row in questions}
    for name, rows in {"the questions": questions, **by_model}.items():
        seen: set[Key] = set()
        for number, row in enumerate(rows, 1):
            key, where = row.get(ID), f"{name}, row {number}, column `{ID}`"
            if key is None:
                raise InputError("a uuid is missing", where=where, next="leave the row out")
            if key in seen:
                raise InputError("a uuid stands twice", where=where, next="leave one of the rows out")
            if key not in known:
                raise InputError("no question has this uuid", where=where, next="give the questions that were asked")
            seen.add(key)


def _own_columns(name: str, rows: Sequence[Row], taken: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that a model's table adds: those that are none of the questions'."""
    found = dict.fromkeys(column for row in rows for column in row)
    if rows and ID not in found:
        raise InputError(f"the column `{ID}` is missing", where=name, next="give the files as the responses stage does")
    own = tuple(column for column in found if column not in COLUMNS)
    if twice := [column for column in own if column in taken]:
        raise InputError(f"two tables have the column `{twice[0]:.80}`", where=name, next="leave one of the two out")
    return own


def _joined(
    columns: Sequence[str], table: Sequence[Row], own: Sequence[str], answers: Sequence[Row]
) -> list[dict[str, Any]]:
    """Join two tables by uuid, every row of either at least once, sorted; missing ids are alike, and come last."""
    left, right = _by_id(table), _by_id(answers)
    keys = sorted({*left, *right}, key=lambda key: (key is None, key or ""))
    total = sum(max(1, len(left.get(key, ()))) * max(1, len(right.get(key, ()))) for key in keys)
    if total > MOST_ROWS:
        raise InputError(
            f"equal ids multiply to {total} rows", where=ID, next="leave repeated rows out, or merge in strict mode"
        )
    nothing: tuple[Row, ...] = ({},)
    return [
        {
            **{name: one.get(name) for name in columns},
            **{name: other.get(name) for name in own},
            ID: key,
        }
        for key in keys
        for one in left.get(key, nothing)
        for other in right.get(key, nothing)
    ]


def _by_id(rows: Sequence[Row]) -> dict[Key, list[Row]]:
    found: dict[Key, list[Row]] = {}
    for row in rows:
        found.setdefault(row.get(ID), []).append(row)
    return found
