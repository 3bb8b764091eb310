"""The merge of questions with one table of answers per model: an outer join by uuid, as published or with checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.errors import InputError
from harness.studies.biomed.terms import MODES, PAPER, STRICT

ID = "uuid"
COLUMNS: tuple[str, ...] = (ID, "template_uuid", "question", "answer", "bio_category", "reasoning_category")
MOST_ROWS = 1_000_000  # of the merged table, because equal ids multiply
Row = Mapping[str, Any]  # a missing cell is None, or its key is absent
Key = str | None


@dataclass(frozen=True, slots=True)
class MergedTable:
    """The table of questions with every model's answers, each row with every column, and counts of dropped rows."""

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    dropped: int  # questions that lack a cell
    returned: int  # rows whose question was not kept, so their question and labels are missing
    repeated: int  # rows beyond the first of their uuid


def merge(questions: Sequence[Row], by_model: Mapping[str, Sequence[Row]], mode: str = PAPER) -> MergedTable:
    """Join questions with the answers of each model, in the order of the models' names; rows are sorted by uuid.

    A question that lacks a cell is dropped. In paper mode it comes back without its words if a model answered it, and
    rows with equal ids multiply. In strict mode (OURS) repeated ids and answers to unknown questions are refused, and
    answers to dropped questions are left out. Raise InputError for those, for an unknown mode, for a table without ids,
    for a column that two tables have, and for more than MOST_ROWS rows.
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
    """Raise InputError for what paper mode accepts: missing or repeated ids, and answers to unknown questions."""
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
    """Return the columns that a model's table adds to those of the questions.

    Raise InputError if the table has no id column, or a column that another table has.
    """
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
    """Join two tables by uuid, sorted, with every row of either table at least once.

    Missing ids are equal to each other and come last. Raise InputError for more than MOST_ROWS rows.
    """
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
