"""Which cells of a CSV file count as missing: blank ones, and in paper mode the words that the published code drops.

It must never know a column or what a cell says besides.
"""

from __future__ import annotations

from harness.studies.biomed.terms import PAPER

# What pandas.read_csv, by which the published code reads every file, takes for a missing value unless told otherwise.
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
    """Whether a cell counts as missing: in strict mode a blank one, in paper mode an empty one and such words as NA."""
    return cell in PANDAS_MISSING if mode == PAPER else not cell.strip()
