"""Which cells of a CSV file count as missing: blank ones, and in paper mode the words that the published code drops."""

from __future__ import annotations

from harness.studies.biomed.terms import PAPER

# What pandas.read_csv takes for a missing value by default. The published code reads every file with it.
PANDAS_MISSING = frozenset(
    (
        "",
        "#N/A",
        "#N/A N/A",
        "#NA",
        "-1.#IND",
        "-1.#QNAN",
        "-NaN",
        "-nan",
        "1.#IND",
        "1.#QNAN",
        "<NA>",
        "N/A",
        "NA",
        "NULL",
        "NaN",
        "None",
        "n/a",
        "nan",
        "null",
    )
)


def is_missing(cell: str, mode: str) -> bool:
    """Whether a table cell is missing: in strict mode a blank one, in paper mode an empty one or a word such as NA."""
    return cell in PANDAS_MISSING if mode == PAPER else not cell.strip()
