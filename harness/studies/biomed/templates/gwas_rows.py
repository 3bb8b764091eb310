"""The rows of the two association studies (GWAS): the SNPs to ask about, and the rows of those that were drawn.

A study has tens of millions of rows: SNPs are told apart by 64-bit hashes, and texts are read of drawn rows alone. It
must never know what a template asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from harness.studies.biomed.facts import NAME, Fact, fact
from harness.studies.biomed.templates.formats import natural
from harness.studies.biomed.templates.pair import YES
from harness.studies.biomed.templates.row_order import NUMBER, in_order, numbered

if TYPE_CHECKING:
    import polars as pl

SIGNIFICANT: Final = 5e-8  # genome-wide: a p-value below it
HASHED: Final = "hashed_snp"  # the column of candidates that finds the rows of a drawn SNP again
_FEW: Final = 100  # where fewer than one hash in so many stands twice, those that do are looked up apart
NO_GENE: Final = "NONE"  # what a cell of genes says where there is none


@dataclass(frozen=True, slots=True)
class GwasStudy:
    """One of the two studies: its table, its disease, and how an answer names it."""

    table: str
    disease: str
    name: str
    other_names: tuple[str, ...]

    def named(self) -> Fact:
        """Give the fact that an answer names the study, which no question asks for."""
        return {**fact("study", NAME, self.name, asked=False), "names": {self.name: list(self.other_names)}}

    def cited(self) -> str:
        """Give the words with which an answer begins that rests on this study."""
        return f"In the European GWAS meta-analysis of {self.disease} ({self.name})"


AD: Final = GwasStudy(
    "ad_gwas", "Alzheimer's disease", "Bellenguez 2022", ("Bellenguez et al.", "Bellenguez et al. 2022")
)
PD: Final = GwasStudy("pd_gwas", "Parkinson's disease", "Nalls et al. 2019", ("Nalls et al.", "Nalls 2019"))


def genes_of(cell: str | None, *, keep_none: bool = False) -> tuple[str, ...]:
    """Give the genes that a cell names, each once and as it orders them, without blanks and, unless kept, `NONE`."""
    parts = (part.strip() for part in (cell or "").split(";"))
    return tuple(dict.fromkeys(part for part in parts if part and (keep_none or part != NO_GENE)))


def snps(table: pl.LazyFrame, usable: pl.Expr, yes: pl.Expr | None = None) -> pl.DataFrame:
    """Give the hashes of the SNPs of usable rows in the natural order of the rows, and YES beside each if it is told.

    An SNP of several rows comes several times: see `distinct`.
    """
    import polars as pl  # noqa: PLC0415

    named = pl.col("SNP").is_not_null() & (pl.col("SNP") != "")
    columns = [_hash().alias(HASHED), *([] if yes is None else [yes.alias(YES)])]
    return in_order(table, named & usable, columns)


def distinct(rows: pl.DataFrame) -> pl.DataFrame:
    """Give the first row of each SNP, in their order."""
    import numpy as np  # noqa: PLC0415
    import polars as pl  # noqa: PLC0415

    hashes = rows[HASHED]
    ordered = np.sort(hashes.to_numpy())  # several times faster than a hash table of millions, and mostly all there is
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
    """Give the SNPs of one study, each once, then those that the other study alone has."""
    import numpy as np  # noqa: PLC0415
    import polars as pl  # noqa: PLC0415

    mine, other = distinct(first), distinct(second)
    if mine.is_empty():
        return other
    known, asked = np.sort(mine[HASHED].to_numpy()), other[HASHED].to_numpy()
    order = np.argsort(asked, kind="stable")  # a search is fast where what is searched is in order as well
    places = np.minimum(np.searchsorted(known, asked[order]), len(known) - 1)
    alone: Any = np.empty(len(asked), dtype=np.bool_)
    alone[order] = known[places] != asked[order]
    return pl.concat([mine, other.filter(pl.Series(alone))])


def rows_of(table: pl.LazyFrame, hashes: pl.Series, usable: pl.Expr) -> Mapping[int, Mapping[str, Any]]:
    """Give the first usable row of each of some SNPs by their hashes; an SNP without such a row is left out."""
    found = table.filter(_hash().is_in(hashes.implode()) & usable).collect(engine="streaming")
    rows = found.with_columns(_hash().alias(HASHED)).iter_rows(named=True)
    first: dict[int, dict[str, Any]] = {}
    for row in sorted(rows, key=lambda row: natural(row["UUID"])):
        first.setdefault(row[HASHED], row)
    return first


def ids_at(table: pl.LazyFrame, numbers: Iterable[int]) -> Mapping[int, str]:
    """Give the ids of the rows that `numbered` gives these numbers."""
    import polars as pl  # noqa: PLC0415

    wanted = pl.Series(list(numbers), dtype=pl.Int64).implode()
    rows = numbered(table).filter(pl.col(NUMBER).is_in(wanted)).select(NUMBER, "UUID").collect(engine="streaming")
    return dict(rows.iter_rows())


def _hash() -> pl.Expr:
    import polars as pl  # noqa: PLC0415

    return pl.col("SNP").hash()
