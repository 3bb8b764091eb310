"""The five source tables as lazy frames with the columns and types of `columns`, from parquet or CSV.

When a table is opened, its file is read once, in parts, to find what is wrong in it. No table is ever held in memory as
a whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import polars as pl

from harness.errors import InputError
from harness.studies.biomed.sources.checking import checked, refuse_double_ids
from harness.studies.biomed.sources.columns import COLUMNS, GENOME_WIDE

_DIGITS: Final = 15  # decimals to which 1 - freq is rounded, so that it is a short decimal again


def read_tables(paths: Mapping[str, Path]) -> dict[str, pl.LazyFrame]:
    """Open some of the five source tables (drugs, genetics) by short name; raise InputError as `read_table` does."""
    return {name: read_table(name, path) for name, path in paths.items()}


def read_table(name: str, paths: Path | Sequence[Path]) -> pl.LazyFrame:
    """Open one source table from one file or several parts, each Parquet or CSV whatever its name.

    Unknown columns are dropped, and other names of known columns are renamed. Rows of genome-wide studies are turned to
    the minor allele. Raise InputError for an unknown table, a table without a file, a file that is damaged or neither
    parquet nor CSV, a file without rows, a missing needed column, a cell that is not a value of its column or is longer
    than 1 MiB, and an id that is missing or repeated.
    """
    if name not in COLUMNS:
        raise InputError(f"there is no source table `{name[:80]}`", next=f"the tables are {', '.join(COLUMNS)}")
    parts = [paths] if isinstance(paths, Path) else list(paths)
    if not parts:
        raise InputError(f"the table `{name}` has no file", next="give at least one, parquet or CSV")
    frames = [checked(name, path) for path in parts]
    rows = pl.concat(frames) if len(frames) > 1 else frames[0]
    refuse_double_ids(name, parts[0], rows)
    return oriented(rows) if name in GENOME_WIDE else rows


def oriented(rows: pl.LazyFrame) -> pl.LazyFrame:
    """Swap alleles, frequencies and effect where a frequency is above one half, so that it is the minor allele's."""
    flip = pl.col("freq") > 0.5
    return rows.with_columns(
        A1=pl.when(flip).then("A2").otherwise("A1"),
        A2=pl.when(flip).then("A1").otherwise("A2"),
        # 1 - 0.9945 is 0.005499999999999949, and would be printed as 0.005 instead of 0.006.
        freq=pl.when(flip).then((1 - pl.col("freq")).round(_DIGITS)).otherwise("freq"),
        b=pl.when(flip).then(0.0 - pl.col("b")).otherwise("b"),
    )
