"""How a cell of a file becomes a value of a source table, as lazy expressions by kind of column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import polars as pl

from harness.studies.biomed.sources.columns import (
    CHROMOSOME,
    DECIMAL,
    FLAG,
    ID,
    PHASE,
    POSITION,
    SHARE,
    TEXT,
    WHOLE,
)

# The type of each kind of column by its name in polars; names, so that polars need not be imported here.
TYPES: Final[Mapping[str, str]] = {
    ID: "String",
    TEXT: "String",
    CHROMOSOME: "String",
    POSITION: "Int64",
    WHOLE: "Int64",
    SHARE: "Float64",
    DECIMAL: "Float64",
    PHASE: "Float64",
    FLAG: "Boolean",
}
MISSING: Final = -9999.0  # how the browser of the SMR results marks a missing p-value
# OURS: the texts of a cell without a number or flag, and the words that are flags.
NOTHING: Final = ("", "na", "n/a", "nan", "null", "none")
TRUE: Final = ("true", "t", "yes", "y", "1", "1.0")
FALSE: Final = ("false", "f", "no", "n", "0", "0.0")
_PREFIX: Final = r"(?i)^chr"
_POINT: Final = r"\.0+$"


@dataclass(frozen=True, slots=True)
class Cast:
    """A column converted to a type, as a polars expression, and an expression that marks cells of no such type."""

    value: pl.Expr
    wrong: pl.Expr  # true for a cell that is neither a value of its kind nor missing


def cast(name: str, kind: str, dtype: pl.DataType) -> Cast | None:
    """Return the conversion of a file's column `name` to a type; None if the file's type cannot hold it."""
    cell, goal = pl.col(name), getattr(pl, TYPES[kind])
    if dtype == pl.Null:
        return Cast(pl.lit(None, goal), pl.lit(kind == ID))
    if isinstance(dtype, pl.Categorical | pl.Enum):
        cell, dtype = cell.cast(pl.String), pl.String()
    if goal == pl.String:
        return _text(cell, kind, dtype)
    if goal == pl.Boolean:
        return _flag(cell, dtype)
    return _number(cell, kind, dtype)


def _text(cell: pl.Expr, kind: str, dtype: pl.DataType) -> Cast | None:

    value: pl.Expr
    if dtype == pl.String:
        value = pl.when(cell != "").then(cell)
    elif dtype.is_integer():
        value = cell.cast(pl.String)
    elif dtype.is_float():  # whole numbers of a column with gaps become texts without the point
        whole = cell.cast(pl.Int64, strict=False)
        value = pl.when(cell.is_finite()).then(pl.when(whole == cell).then(whole.cast(pl.String)).otherwise(cell))
    else:
        return None
    if kind == CHROMOSOME:
        value = value.str.replace(_PREFIX, "").str.replace(_POINT, "").str.to_uppercase()
    return Cast(value, value.is_null() if kind == ID else pl.lit(False))


def _flag(cell: pl.Expr, dtype: pl.DataType) -> Cast | None:

    if dtype == pl.Boolean:
        return Cast(cell, pl.lit(False))
    if dtype == pl.String:
        plain = _plain(cell)
        value = pl.when(plain.is_in(TRUE)).then(True).when(plain.is_in(FALSE)).then(False)
        return Cast(value, _holds(plain) & value.is_null())
    if dtype.is_numeric():
        number = cell.cast(pl.Float64)
        value = pl.when(number == 1).then(True).when(number == 0).then(False)
        return Cast(value, number.is_not_nan() & value.is_null())
    return None


def _number(cell: pl.Expr, kind: str, dtype: pl.DataType) -> Cast | None:

    plain, holds = cell, cell.is_not_null()
    if dtype == pl.String:
        plain = _plain(cell)
        holds = _holds(plain)
    elif not dtype.is_numeric():
        return None
    number = cell if dtype == pl.Float64 else plain.cast(pl.Float64, strict=False)
    if kind not in {POSITION, WHOLE}:
        value = pl.when(_present(number, kind)).then(number)
        inside = value.is_between(0, 1) if kind == SHARE else value.is_finite()
        return Cast(value, (holds & number.is_null()) | ~inside)
    whole: pl.Expr = plain.cast(pl.Int64, strict=False)
    if not dtype.is_integer():
        rounded = number.cast(pl.Int64, strict=False)
        whole = pl.when(rounded == number).then(rounded)
        holds = holds & number.is_not_nan().fill_null(True)  # a text that is not a number is wrong
    return Cast(whole if kind == WHOLE else pl.when(whole >= 1).then(whole), holds & whole.is_null())


def _present(number: pl.Expr, kind: str) -> pl.Expr:
    return number.is_not_nan() & (number >= 0 if kind == PHASE else number != MISSING)


def _plain(cell: pl.Expr) -> pl.Expr:
    return cell.str.strip_chars().str.to_lowercase()


def _holds(plain: pl.Expr) -> pl.Expr:
    return plain.is_not_null() & ~plain.is_in(NOTHING)
