"""Source tables for tests: small ones from rows, and genome-wide ones of any size written in parts with flat memory."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from polars.io.plugins import register_io_source

from harness.seeds import derive_seed
from harness.studies.biomed.sources.synthetic import FULL, Sizes, parquet, table, tables

CHUNK = 250_000  # rows made at a time
GENES = 20_000
SNP = {
    "SNP": "rs990000001", "chr_37": "1", "bp_37": 100, "chr_38": "1", "bp_38": 200, "A1": "A", "A2": "G",
    "freq": 0.25, "b": 0.1, "p": 0.5, "nearestGene": "GEN0001",
}  # fmt: skip


def written(folder: Path, name: str, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Write rows as the parquet of a source table; ids count from 1."""
    path = folder / f"{name}.parquet"
    path.write_bytes(parquet(table(name, rows)))
    return path


def genetics_rows(seed: int, table: str, first: int, rows: int) -> pl.DataFrame:
    """Make `rows` rows of a genome-wide study from row `first` on (from 0), the same whatever stands around them.

    One in a hundred is significant, one in fifty says the other allele's frequency, one in a hundred has no place in
    GRCh38. Of two studies from one seed, row N is the same SNP, at the same place.
    """
    place = np.arange(first, first + rows)
    shared = np.random.default_rng(derive_seed(seed, "places", template=first))
    own = np.random.default_rng(derive_seed(seed, table, template=first))
    chromosome, position = shared.integers(1, 23, rows), shared.integers(1, 2**27, rows)
    gene, second = shared.integers(0, GENES, rows), shared.integers(0, GENES, rows)
    freq = own.beta(0.4, 1.2, rows).clip(0.0003, 0.5).round(4)
    p = np.where(place % 100 == 3, 10.0 ** -own.uniform(8, 60, rows), own.uniform(1e-6, 1, rows))
    frame = pl.DataFrame({
        "place": place, "chr": chromosome, "bp": position, "gene": gene, "second": second,
        "first": shared.integers(0, 4, rows), "other": shared.integers(1, 4, rows),
        "freq": np.where(place % 50 == 7, 1 - freq, freq), "b": own.normal(0, 0.05, rows).round(4), "p": p,
    })  # fmt: skip
    at = pl.col("place")
    symbol = pl.format("GEN{}", pl.col("gene"))
    alleles = pl.lit(["A", "C", "G", "T"])
    return frame.select(
        UUID=pl.format(f"{table}_{{}}", at + 1), SNP=pl.format("rs99{}", at),
        chr_37=pl.col("chr").cast(pl.String), bp_37=pl.col("bp") + 1000,
        chr_38=pl.when(at % 100 != 11).then(pl.col("chr").cast(pl.String)), bp_38=pl.col("bp"),
        A1=alleles.list.get(pl.col("first")), A2=alleles.list.get((pl.col("first") + pl.col("other")) % 4),
        freq=pl.col("freq"), b=pl.col("b"), p=pl.col("p"),
        nearestGene=pl.when(at % 2 == 0).then(symbol).otherwise(pl.format("{};GEN{}", symbol, pl.col("second"))),
    )  # fmt: skip


def write_genetics(seed: int, table: str, rows: int, path: Path) -> Path:
    """Write a genome-wide study of `rows` rows as parquet, a part at a time: memory does not grow with the rows."""

    def parts(
        columns: list[str] | None, predicate: pl.Expr | None, count: int | None, batch: int | None
    ) -> Iterator[pl.DataFrame]:
        assert columns is None and predicate is None and count is None  # the whole table is written
        for first in range(0, rows, CHUNK):
            yield genetics_rows(seed, table, first, min(CHUNK, rows - first))

    schema = genetics_rows(seed, table, 0, 1).schema
    register_io_source(parts, schema=schema).sink_parquet(path, row_group_size=CHUNK)
    return path


@cache
def made(seed: int = 7, sizes: Sizes = FULL) -> dict[str, pl.DataFrame]:
    """Give the synthetic tables of a seed, made once."""
    return tables(seed, sizes)


def listed(cell: str | None) -> list[str]:
    """Give the symbols in a cell, by the rule of docs/biomed.md#symbols."""
    return [name for name in re.split(r"[,;\s]+", cell or "") if name and name != "NONE"]
