"""How cells with several values are split, and how rows are sorted in the natural order of their ids.

Rule: docs/biomed.md#symbols. The separators of names are OURS.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from harness.studies.biomed.templates.formats import natural

_MARK: Final = "\x1f"  # the separator of values while a cell is split; no cell of a table holds it
_SYMBOLS: Final = r"[,;\s]+"
_NAMES: Final = r"\s*[;|\n]\s*"
_COMMAS: Final = r"""['"]\s*,\s*['"]|\s*,\s+|\s*,$"""  # a comma inside a name has no blank behind it
_LIST: Final = r"""^\[\s*['"]?|\s*['"]?\s*\]$"""  # how the text of a list begins and ends
_NOTHING: Final = ("", "none", "nan", "null")  # values that say that there is no value, in any letter case


def symbols(column: str) -> pl.Expr:
    """Split the cells of a column of gene symbols or numbers into lists; `NONE` is not a symbol."""
    return _pieces(pl.col(column).fill_null("").str.replace_all(_SYMBOLS, _MARK))


def names(column: str) -> pl.Expr:
    """Split the cells of a column of names into lists: at `;` and `|` if a cell has any, else at commas before a blank.

    A cell may also be the text of a list in brackets, with or without quotes.
    """
    cell = pl.col(column).fill_null("").str.strip_chars()
    bare = pl.when(cell.str.contains(r"(?s)^\[.*\]$")).then(cell.str.replace_all(_LIST, "")).otherwise(cell)
    by_comma = bare.str.replace_all(_COMMAS, _MARK)
    return _pieces(pl.when(bare.str.contains(_NAMES)).then(bare.str.replace_all(_NAMES, _MARK)).otherwise(by_comma))


def united(column: str) -> pl.Expr:
    """Merge the lists of a group of rows into one list: each value once, at its first position."""
    return pl.col(column).explode().drop_nulls().unique(maintain_order=True)


def present(column: str) -> pl.Expr:
    """Return the polars condition that a cell holds a text that is neither blank nor a word for nothing."""
    return ~pl.col(column).fill_null("").str.strip_chars().str.to_lowercase().is_in(_NOTHING)


def in_natural_order(frame: pl.DataFrame) -> pl.DataFrame:
    """Return rows sorted by id (`UUID`), with the numbers inside ids compared as numbers."""
    keys = [natural(identifier or "") for identifier in frame["UUID"]]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    return frame if order == list(range(len(keys))) else frame[order]


def _pieces(marked: pl.Expr) -> pl.Expr:

    return marked.str.split(_MARK).list.filter(~pl.element().str.to_lowercase().is_in(_NOTHING))
