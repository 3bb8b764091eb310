"""The natural order of a table's rows, by the numbers in their ids, if possible without a list of ids in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl

NUMBER: Final = "number"  # the column that grows in the natural order of the rows
_ID = "UUID"


def numbered(table: pl.LazyFrame) -> pl.LazyFrame:
    """Add the column NUMBER, each row's rank in the natural order of the ids; the rows keep their order.

    The ids of one table mostly share the text before their number. Then NUMBER is that number, and no ids are held in
    memory. Otherwise the ids are sorted once, by the text before their last number, then by that number.
    """
    number = _after_shared_text(table)
    missing = table.select(number.null_count()).collect(engine="streaming").item()
    return (
        table.join(_ranked(table), on=_ID, how="left", maintain_order="left") if missing else table.with_columns(number)
    )


def in_order(table: pl.LazyFrame, kept: pl.Expr, columns: Sequence[pl.Expr]) -> pl.DataFrame:
    """Return some columns of the rows that a condition keeps, sorted by id in natural order.

    If the ids of the kept rows share the text before their number, the table is read once.
    """
    rows = table.filter(kept).select(*columns, _after_shared_text(table)).collect(engine="streaming")
    if rows[NUMBER].null_count():
        ranked = table.filter(kept).join(_ranked(table), on=_ID, how="left", maintain_order="left")
        rows = ranked.select(*columns, NUMBER).collect(engine="streaming")
    return (rows if rows[NUMBER].is_sorted() else rows.sort(NUMBER, maintain_order=True)).drop(NUMBER)


def _after_shared_text(table: pl.LazyFrame) -> pl.Expr:
    """Return NUMBER: the rest of an id after the text before the first id's number; null if it is not a number."""
    first = table.select(_ID).head(1).collect()
    before = "" if first.is_empty() else str(first.item()).rstrip("0123456789")
    return pl.col(_ID).str.strip_prefix(before).cast(pl.Int64, strict=False).alias(NUMBER)


def _ranked(table: pl.LazyFrame) -> pl.LazyFrame:

    digits = pl.col(_ID).str.extract(r"([0-9]*)$").str.strip_chars_start("0")  # as text, for numbers of any length
    keys = [pl.col(_ID).str.replace(r"[0-9]*$", ""), digits.str.len_bytes(), digits, pl.col(_ID)]
    ids = table.select(_ID).unique(maintain_order=False).sort(keys, maintain_order=True).collect()
    return ids.with_row_index(NUMBER).with_columns(pl.col(NUMBER).cast(pl.Int64)).lazy()
