"""Rows of the SMR table: thresholds, the names of its diseases, which SNP a row is about, and when it is significant.

It must never know what a template asks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
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
    """Name a disease by its code, with the code behind: `Parkinson's disease (PD)`; an unknown code stays as it is."""
    return f"{_DISEASES[code]} ({code})" if code in _DISEASES else code


def with_snp(table: pl.LazyFrame) -> pl.LazyFrame:
    """Keep the rows that name an SNP and have an adjusted p-value, and add the column SNP: the rs id, else the name."""
    import polars as pl  # noqa: PLC0415

    rs_id, name = (pl.when(pl.col(column) != "").then(pl.col(column)) for column in ("topRSID", "topSNP"))
    rows = table.with_columns(pl.coalesce(rs_id, name).alias(SNP))
    return rows.filter(pl.col(SNP).is_not_null() & pl.col("p_SMR_multi").is_not_null())


def significant() -> pl.Expr:
    """Give the condition that the adjusted p-value is significant."""
    import polars as pl  # noqa: PLC0415

    return pl.col("p_SMR_multi") < ADJUSTED


def homogeneous() -> pl.Expr:
    """Give the condition that the test for heterogeneity is passed; where its p-value is missing, it is not."""
    import polars as pl  # noqa: PLC0415

    return (pl.col("p_HEIDI") > HEIDI).fill_null(value=False)


def present(column: str) -> pl.Expr:
    """Give the condition that a cell holds a name: not missing, not blank, not `NONE`."""
    import polars as pl  # noqa: PLC0415

    return pl.col(column).is_not_null() & ~pl.col(column).is_in(["", "NONE"])
