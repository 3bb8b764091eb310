"""The natural order of a table's rows, by the numbers in their ids, without a list of ids in memory.

It must never know what a table is about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import polars as pl

NUMBER: Final = "number"  # the column that grows in the natural order of the rows
_ID = "UUID"


def numbered(table: pl.LazyFrame) -> pl.LazyFrame:
    """Add the column NUMBER, which grows in the natural order of the ids; the rows stay where they are.

    The ids of one table mostly share what stands before their number, and then that number is it: no id is held. Where
    they do not share it, they are sorted once by the text before their last number, then by that number.
    """
    import polars as pl  # noqa: PLC0415

    first = table.select(_ID).head(1).collect()
    if first.is_empty():
        return table.with_columns(pl.lit(None, pl.Int64).alias(NUMBER))
    before = str(first.item()).rstrip("0123456789")
    number = pl.col(_ID).str.strip_prefix(before).cast(pl.Int64, strict=False)
    missing = table.select(number.null_count()).collect(engine="streaming").item()
    return table.join(_ranked(table), on=_ID, how="left") if missing else table.with_columns(number.alias(NUMBER))


def _ranked(table: pl.LazyFrame) -> pl.LazyFrame:
    import polars as pl  # noqa: PLC0415

    digits = pl.col(_ID).str.extract(r"([0-9]*)$").str.strip_chars_start("0")  # as text: a number may be of any length
    keys = [pl.col(_ID).str.replace(r"[0-9]*$", ""), digits.str.len_bytes(), digits, pl.col(_ID)]
    ids = table.select(_ID).unique().sort(keys).collect()
    return ids.with_row_index(NUMBER).with_columns(pl.col(NUMBER).cast(pl.Int64)).lazy()
