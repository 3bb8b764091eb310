"""Rows of the SMR table: thresholds, the names of diseases, the SNP of a row, and when a row is significant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import polars as pl

ADJUSTED: Final = 2.95e-6  # the adjusted p-value of SMR is significant below it
HEIDI: Final = 0.01  # the test for heterogeneity is passed above it
SNP: Final = "snp"  # the column that `with_snp` adds
AD: Final = "AD"
_DISEASES: Final[Mapping[str, str]] = {
    "AD": "Alzheimer's disease",
    "PD": "Parkinson's disease",
    "ALS": "amyotrophic lateral sclerosis",
    "LBD": "Lewy body dementia",
    "FTD": "frontotemporal dementia",
    "FTLD": "frontotemporal lobar degeneration",
    "PSP": "progressive supranuclear palsy",
}


def disease_name(code: str) -> str:
    """Return a disease's full name with its code: `Parkinson's disease (PD)`; an unknown code stays as it is."""
    return f"{_DISEASES[code]} ({code})" if code in _DISEASES else code


def with_snp(table: pl.LazyFrame) -> pl.LazyFrame:
    """Keep the SMR rows with an SNP and an adjusted p-value, and add the column SNP: the rs id, else the name."""
    rs_id, name = (pl.when(pl.col(column) != "").then(pl.col(column)) for column in ("topRSID", "topSNP"))
    rows = table.with_columns(pl.coalesce(rs_id, name).alias(SNP))
    return rows.filter(pl.col(SNP).is_not_null() & pl.col("p_SMR_multi").is_not_null())


def significant() -> pl.Expr:
    """Return the polars condition that a row's adjusted p-value is significant."""
    return pl.col("p_SMR_multi") < ADJUSTED


def homogeneous() -> pl.Expr:
    """Return the polars condition that a row passes the heterogeneity (HEIDI) test; a missing p-value does not."""
    return (pl.col("p_HEIDI") > HEIDI).fill_null(value=False)


def present(column: str) -> pl.Expr:
    """Return the polars condition that a cell holds a name: not missing, not blank, not `NONE`."""
    return pl.col(column).is_not_null() & ~pl.col(column).is_in(["", "NONE"])
