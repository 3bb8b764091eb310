"""The five invented source tables, written as parquet: the same bytes for the same seed.

All of it is OURS; no row is about a real gene, SNP or drug.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl

from harness.files import write_atomic
from harness.seeds import derive_seed
from harness.studies.biomed.sources import synthetic_drugs, synthetic_genetics
from harness.studies.biomed.sources.casting import TYPES
from harness.studies.biomed.sources.columns import COLUMNS
from harness.studies.biomed.sources.synthetic_names import gene_names, snp_names


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many genes, drugs, diseases, SNPs and SMR results to invent."""

    genes: int = 300
    drugs: int = 5000  # enough for both rules of drawing questions that are mostly answered yes
    diseases: int = 40
    snps: int = 6000  # seven in ten of them are in both studies, the others in one
    smr: int = 12_000


FULL: Final = Sizes()
SMALL: Final = Sizes(genes=60, drugs=240, diseases=16, snps=600, smr=900)  # for tests; seed 7 gives every branch


def write_tables(seed: int, folder: Path, sizes: Sizes = FULL) -> dict[str, Path]:
    """Write the five invented tables into a folder as `NAME.parquet`, and return their paths by short name."""
    paths = {}
    for name, frame in tables(seed, sizes).items():
        paths[name] = folder / f"{name}.parquet"
        write_atomic(paths[name], parquet(frame))
    return paths


def tables(seed: int, sizes: Sizes = FULL) -> dict[str, pl.DataFrame]:
    """Return five invented source tables by short name, each drawn from a seed of its own."""
    genes = gene_names(sizes.genes)
    snps = synthetic_genetics.snps(_source(seed, "places"), snp_names(_source(seed, "snps"), sizes.snps), genes)
    diseases = synthetic_drugs.diseases_for(_source(seed, "diseases"), sizes.diseases)
    drugs = synthetic_drugs.drugs(_source(seed, "drugs"), sizes.drugs, genes, sizes.diseases)
    share = _source(seed, "share").random(sizes.snps).tolist()
    rows: dict[str, Sequence[Mapping[str, Any]]] = {
        "smr": synthetic_genetics.smr(_source(seed, "smr"), sizes.smr, snps, genes),
        "drug_targets": synthetic_drugs.target_rows(_source(seed, "drug_targets"), drugs, diseases),
        "indications": synthetic_drugs.indication_rows(_source(seed, "indications"), drugs, diseases),
    }
    for name, (low, high) in {"ad_gwas": (0.0, 0.85), "pd_gwas": (0.15, 1.0)}.items():
        seen = [snp for snp, draw in zip(snps, share, strict=True) if low <= draw < high]
        rows[name] = synthetic_genetics.study(_source(seed, name), name, seen, genes)
    return {name: table(name, rows[name]) for name in COLUMNS}


def table(name: str, rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Return rows as a polars frame with a source table's columns and types; ids count from 1."""
    numbered = [{**row, "UUID": f"{name}_{number}"} for number, row in enumerate(rows, 1)]
    schema = {column.name: getattr(pl, TYPES[column.kind]) for column in COLUMNS[name]}
    return pl.DataFrame(numbered, schema=schema)


def parquet(frame: pl.DataFrame) -> bytes:
    """Return a polars frame as the bytes of a Parquet file."""
    from io import BytesIO  # noqa: PLC0415

    file = BytesIO()
    frame.write_parquet(file, compression="zstd", compression_level=9, statistics=True)
    return file.getvalue()


def _source(seed: int, table: str) -> Any:

    return np.random.default_rng(derive_seed(seed, f"biomed.synthetic.{table}"))
