"""Drugs and genes as frames, merged from the rows of the table of drug targets: one drug is one `drugName`.

The rules are those of the trees of drugs and genes (docs/biomed.md#merging), kept in every template of the table
(OURS): any flag of withdrawal wins, any approval, the highest phase, the earliest year above 0, the union of lists. It
must never know a question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from harness.studies.biomed.templates.cells import in_natural_order, names, present, symbols, united
from harness.studies.biomed.templates.pair import Tables

if TYPE_CHECKING:
    import polars as pl

APPROVED, WITHDRAWN, IN_TRIALS, NO_TRIAL = "approved", "withdrawn", "in clinical trials", "no clinical trial"
LAST: Final = 4.0  # the phase that an approved drug has reached
FIRST: Final = 0.5  # the least phase of a trial, early phase 1; what is below it is missing
_NAMES: Final = {
    "trades": "tradeNames_string",
    "synonyms": "drugSynonyms_string",
    "types": "drugMolecularType",
    "actions": "drugActionType",
    "mechanisms": "drugMechanismOfAction",
    "diseases": "linkedDiseasesDrug_string",
    "chembl": "chemblIdentifier",
}
_ANY_CASE: Final = ("drugMolecularType", "drugActionType")  # printed in lower case: small molecule, inhibitor
_FLAGS: Final = ("drugIsApproved", "drugIsWithdrawn", "blackBoxWarning")


def merged_drugs(tables: Tables) -> pl.LazyFrame:
    """Give one row a drug, in the natural order of its first row; rows without a name of a drug are left out.

    Lazy, so that only the columns that are asked for are made: drug, ids, status (one of four), phase (null where
    missing), year (of the first approval, or null), warning (of a black box, or null), and lists: targets, trades,
    synonyms, others (both, without the drug's own name), types, actions, mechanisms, diseases, chembl. Types and
    actions are in lower case.
    """
    import polars as pl  # noqa: PLC0415

    columns = ["UUID", "drugName", "maxClinicalTrialPhase", "yearOfFirstApproval", "newLinkedTargets_string"]
    wanted = tables["drug_targets"].select(*columns, *_NAMES.values(), *_FLAGS).filter(present("drugName"))
    wanted = wanted.with_columns(pl.col(name).str.to_lowercase() for name in _ANY_CASE)
    split = {new: names(old).list.unique(maintain_order=True) for new, old in _NAMES.items()}
    rows = in_natural_order(wanted.collect()).lazy().with_columns(targets=symbols("newLinkedTargets_string"), **split)
    rows = rows.with_columns(others=pl.concat_list("trades", "synonyms"))
    drugs = rows.group_by(pl.col("drugName").alias("drug"), maintain_order=True).agg(
        ids=pl.col("UUID"),
        approved=pl.col("drugIsApproved").any(),
        withdrawn=pl.col("drugIsWithdrawn").any(),
        warning=pl.when(pl.col("blackBoxWarning").is_not_null().any()).then(pl.col("blackBoxWarning").any()),
        phase=highest("maxClinicalTrialPhase"),
        year=earliest("yearOfFirstApproval"),
        others=other_names("others", "drugName"),
        **{name: united(name) for name in ("targets", *_NAMES)},
    )
    return drugs.with_columns(status=_status()).drop("approved", "withdrawn")


def drugs_with(tables: Tables, known: str, *columns: str) -> pl.DataFrame:
    """Give the name, the ids and `columns` of the merged drugs whose list `known` is not empty."""
    import polars as pl  # noqa: PLC0415

    return merged_drugs(tables).filter(pl.col(known).list.len() > 0).select("drug", "ids", *columns).collect()


def merged_genes(tables: Tables) -> pl.DataFrame:
    """Give one row a targeted gene, in the order in which the drugs name them: the drugs that target it, by status.

    Columns: gene, and for each of the four statuses a list of drugs named by it; `ids` and `others` hold by drug the
    ids of its rows and its other names, in the order of `drugs`. A gene is a whole symbol of a drug's list.
    """
    import polars as pl  # noqa: PLC0415

    linked = merged_drugs(tables).select("drug", "status", "ids", "others", gene="targets").explode("gene")
    lists = {status: pl.col("drug").filter(pl.col("status") == status) for status in _STATUSES}
    return (
        linked.filter(pl.col("gene").is_not_null())
        .group_by("gene", maintain_order=True)
        .agg(pl.col("ids", "others"), drugs=pl.col("drug"), **lists)
        .collect()
    )


def highest(column: str) -> pl.Expr:
    """Give a group's highest phase, null where no row has one of at least 0.5."""
    import polars as pl  # noqa: PLC0415

    return pl.col(column).filter(pl.col(column).fill_nan(None) >= FIRST).max()


def earliest(column: str) -> pl.Expr:
    """Give a group's earliest year, null where no row has one above 0."""
    import polars as pl  # noqa: PLC0415

    return pl.col(column).filter(pl.col(column) > 0).min()


def other_names(column: str, own: str) -> pl.Expr:
    """Unite a group's lists of names, without the name that all its rows have in `own`, in any case."""
    import polars as pl  # noqa: PLC0415

    names = united(column)
    return names.filter(names.str.to_lowercase() != pl.col(own).first().str.to_lowercase())


_STATUSES: Final = (APPROVED, WITHDRAWN, IN_TRIALS, NO_TRIAL)


def _status() -> pl.Expr:
    import polars as pl  # noqa: PLC0415

    return (
        pl.when(pl.col("withdrawn"))
        .then(pl.lit(WITHDRAWN))
        .when(pl.col("approved") & (pl.col("phase") == LAST))
        .then(pl.lit(APPROVED))
        .when(pl.col("phase").is_not_null())
        .then(pl.lit(IN_TRIALS))
        .otherwise(pl.lit(NO_TRIAL))
    )
