"""One file of a source table, checked: its columns are found, its cells tried, and its rows returned lazily.

The file is read once, in parts, and is never held in memory as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import polars as pl

from harness.studies.biomed.sources.casting import TYPES, Cast, cast
from harness.studies.biomed.sources.columns import (
    COLUMNS,
    DECIMAL,
    FLAG,
    ID,
    PHASE,
    POSITION,
    SHARE,
    WHOLE,
    SourceColumn,
)
from harness.studies.biomed.sources.files import fault, scan, translating

LONGEST: Final = 1 << 20  # bytes of a cell
_WRONG, _MISSING, _LONG, _CHANGED, _ROWS = "wrong", "missing", "long", "changed", "rows"
# What a message calls a cell of a kind. Cells of the other kinds cannot be wrong.
_KINDS: Final = {
    POSITION: "a position on a chromosome",
    WHOLE: "a whole number",
    SHARE: "a number from 0 to 1",
    DECIMAL: "a finite number",
    PHASE: "a phase of clinical trials",
    FLAG: "true or false",
}
_CLASHES: Final = 100  # digests of repeated ids that are looked up at a time


@dataclass(frozen=True, slots=True)
class _Found:
    """A column of a table as a file has it."""

    column: SourceColumn
    called: str  # the column's name in the file; empty if the file lacks it
    is_text: bool  # whether it is a text in the file
    cast: Cast


def checked(name: str, path: Path) -> pl.LazyFrame:
    """Return a file's rows with the columns and types of a table; raise InputError as `read_table` does."""
    raw = scan(name, path)
    with translating(name, path):
        schema = raw.collect_schema()
    columns = [_found(name, path, column, schema) for column in COLUMNS[name]]
    with translating(name, path):
        counts = raw.select(_counts(columns)).collect(engine="streaming").row(0, named=True)
    if not counts[_ROWS]:
        raise fault(name, path, "there are no rows")
    for each in columns:
        _refuse(name, path, each, counts)
    # A column that a cast does not change is selected without the cast, so polars can push filters down to the file.
    return raw.select(
        pl.col(each.called).alias(each.column.name)
        if counts.get(f"{_CHANGED} {each.column.name}") == 0
        else each.cast.value.alias(each.column.name)
        for each in columns
    )


def refuse_double_ids(name: str, path: Path, rows: pl.LazyFrame) -> None:
    """Raise InputError if an id occurs twice in a table; this needs eight bytes per row and holds no ids."""
    digest = pl.col("UUID").hash()
    with translating(name, path):
        digests = rows.select(digest).collect(engine="streaming").to_series().sort()
        clashes = digests.filter(digests == digests.shift()).unique(maintain_order=True)
        for first in range(0, len(clashes), _CLASHES):
            some = clashes.slice(first, _CLASHES).implode()
            ids = rows.filter(digest.is_in(some)).select(pl.len(), different=pl.col("UUID").n_unique())
            count, different = ids.collect(engine="streaming").row(0)
            if different < count:
                what = "an id in the column `UUID` stands on two rows"
                raise fault(name, path, what, "give every row an id of its own, and no row twice")


def _found(name: str, path: Path, column: SourceColumn, schema: Mapping[str, Any]) -> _Found:

    called = next((each for each in (column.name, *column.aliases) if each in schema), "")
    if not called and column.needed:
        raise fault(name, path, f"the column `{column.name}` is missing")
    if f"{called}_duplicated_0" in schema:
        raise fault(name, path, f"the column `{called}` stands twice")
    dtype = schema[called] if called else pl.Null()
    made = cast(called, column.kind, dtype)
    if made is None:
        wanted = _KINDS.get(column.kind, "a text")
        raise fault(name, path, f"the column `{called}` has the type {dtype}, and is not {wanted}")
    return _Found(column, called, dtype == pl.String, made)


def _counts(columns: Sequence[_Found]) -> list[pl.Expr]:
    """Return expressions for one pass over all columns: wrong cells, the longest cell, cells that a cast changes."""
    asked = [pl.len().alias(_ROWS)]
    for each in columns:
        key = each.column.name
        asked.append(each.cast.wrong.any().alias(f"{_WRONG} {key}"))
        if each.called:  # reads every cell, so damage is found here
            asked.append(pl.col(each.called).null_count().alias(f"{_MISSING} {key}"))
        if each.is_text:
            asked.append(pl.col(each.called).str.len_bytes().max().alias(f"{_LONG} {key}"))
        if each.is_text and TYPES[each.column.kind] == "String":
            asked.append(each.cast.value.ne_missing(pl.col(each.called)).sum().alias(f"{_CHANGED} {key}"))
    return asked


def _refuse(name: str, path: Path, each: _Found, counts: Mapping[str, Any]) -> None:
    key, kind = each.column.name, each.column.kind
    if counts[f"{_WRONG} {key}"]:
        if kind == ID:
            raise fault(name, path, f"a row has no id in the column `{each.called}`")
        raise fault(name, path, f"a cell of the column `{each.called}` is not {_KINDS[kind]}")
    if (counts.get(f"{_LONG} {key}") or 0) > LONGEST:
        raise fault(name, path, f"a cell of the column `{each.called}` is longer than {LONGEST} bytes")
