"""The rows of the two association studies (GWAS): the SNPs to ask about, and the rows of those that were drawn.

A study has tens of millions of rows. Therefore SNPs are told apart by 64-bit hashes, and texts are read only for drawn
rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import polars as pl

from harness.studies.biomed.facts import NAME, Fact, fact
from harness.studies.biomed.templates.formats import natural
from harness.studies.biomed.templates.pair import YES
from harness.studies.biomed.templates.row_order import NUMBER, in_order, numbered

SIGNIFICANT: Final = 5e-8  # a p-value below it is genome-wide significant
HASHED: Final = "hashed_snp"  # the column of candidates by which the rows of a drawn SNP are found again
_FEW: Final = 100  # if fewer than one hash in this many is repeated, only the repeated ones are looked up
NO_GENE: Final = "NONE"  # the value of a cell of genes without a gene


@dataclass(frozen=True, slots=True)
class GwasStudy:
    """One of the two genome-wide association studies: its table, its disease, and how an answer names it."""

    table: str
    disease: str
    name: str
    other_names: tuple[str, ...]

    def named(self) -> Fact:
        """Return the study's name as a fact that an answer contains although no question asks for it."""
        return {**fact("study", NAME, self.name, asked=False), "names": {self.name: list(self.other_names)}}

    def cited(self) -> str:
        """Return the words `In the European GWAS meta-analysis of ...` with which an answer from this study begins."""
        return f"In the European GWAS meta-analysis of {self.disease} ({self.name})"


AD: Final = GwasStudy(
    "ad_gwas", "Alzheimer's disease", "Bellenguez 2022", ("Bellenguez et al.", "Bellenguez et al. 2022")
)
PD: Final = GwasStudy("pd_gwas", "Parkinson's disease", "Nalls et al. 2019", ("Nalls et al.", "Nalls 2019"))


def genes_of(cell: str | None, *, keep_none: bool = False) -> tuple[str, ...]:
    """Return the genes named in a cell, each once, in the cell's order, without blanks and, unless kept, `NONE`."""
    parts = (part.strip() for part in (cell or "").split(";"))
    return tuple(dict.fromkeys(part for part in parts if part and (keep_none or part != NO_GENE)))


def snps(table: pl.LazyFrame, usable: pl.Expr, yes: pl.Expr | None = None) -> pl.DataFrame:
    """Return hashes of the SNPs of usable rows in the rows' natural order, with the column YES if `yes` is given.

    An SNP with several rows occurs several times; see `distinct`.
    """
    named = pl.col("SNP").is_not_null() & (pl.col("SNP") != "")
    columns = [_hash().alias(HASHED), *([] if yes is None else [yes.alias(YES)])]
    return in_order(table, named & usable, columns)


def distinct(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the first row of each SNP, keeping the order."""
    hashes = rows[HASHED]
    ordered = np.sort(hashes.to_numpy())  # several times faster than a hash table of millions, and mostly sufficient
    double = pl.Series(np.unique(ordered[1:][ordered[1:] == ordered[:-1]]))
    if double.is_empty():
        return rows
    if len(double) * _FEW > len(hashes):
        return rows.filter(hashes.is_first_distinct())
    places = hashes.is_in(double.implode()).arg_true()
    again = places.filter(~hashes.gather(places).is_first_distinct()).to_numpy()
    keep: Any = np.full(len(hashes), fill_value=True)
    keep[again] = False
    return rows.filter(pl.Series(keep))


def either(first: pl.DataFrame, second: pl.DataFrame) -> pl.DataFrame:
    """Return the SNPs of one study, each once, followed by those that only the other study has."""
    mine, other = distinct(first), distinct(second)
    if mine.is_empty():
        return other
    known, asked = np.sort(mine[HASHED].to_numpy()), other[HASHED].to_numpy()
    order = np.argsort(asked, kind="stable")  # a search is fast if the searched values are sorted as well
    places = np.minimum(np.searchsorted(known, asked[order]), len(known) - 1)
    alone: Any = np.empty(len(asked), dtype=np.bool_)
    alone[order] = known[places] != asked[order]
    return pl.concat([mine, other.filter(pl.Series(alone))])


def rows_of(table: pl.LazyFrame, hashes: pl.Series, usable: pl.Expr) -> Mapping[int, Mapping[str, Any]]:
    """Return the first usable row of each SNP, given by hash; an SNP without such a row is left out."""
    found = table.filter(_hash().is_in(hashes.implode()) & usable).collect(engine="streaming")
    rows = found.with_columns(_hash().alias(HASHED)).iter_rows(named=True)
    first: dict[int, dict[str, Any]] = {}
    for row in sorted(rows, key=lambda row: natural(row["UUID"])):
        first.setdefault(row[HASHED], row)
    return first


def ids_at(table: pl.LazyFrame, numbers: Iterable[int]) -> Mapping[int, str]:
    """Return the ids (`UUID`) of the rows with the given row numbers, by row number."""
    wanted = pl.Series(list(numbers), dtype=pl.Int64).implode()
    rows = numbered(table).filter(pl.col(NUMBER).is_in(wanted)).select(NUMBER, "UUID").collect(engine="streaming")
    return dict(rows.iter_rows())


def _hash() -> pl.Expr:

    return pl.col("SNP").hash()
