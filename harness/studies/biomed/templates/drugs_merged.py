"""Drugs and genes as frames, merged from the rows of the table of drug targets: one drug is one `drugName`.

The rules are those of the trees of drugs and genes (docs/biomed.md#merging), and hold in every template of the table
(OURS): any flag of withdrawal wins, any approval, the highest phase, the earliest year above 0, the union of lists.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from harness.studies.biomed.templates.cells import in_natural_order, names, present, symbols, united
from harness.studies.biomed.templates.pair import Tables

APPROVED, WITHDRAWN, IN_TRIALS, NO_TRIAL = "approved", "withdrawn", "in clinical trials", "no clinical trial"
LAST: Final = 4.0  # the phase that an approved drug has reached
FIRST: Final = 0.5  # the least phase of a trial, early phase 1; a lower value is missing
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
    """Return a table of one row per drug, merged from all its source rows, in the natural order of their ids.

    The frame is lazy, so only the columns that are asked for are computed: drug, ids, status (one of four), phase (null
    if missing), year (of the first approval, or null), warning (of a black box, or null), and lists: targets, trades,
    synonyms, others (both, without the drug's own name), types, actions, mechanisms, diseases, chembl. Types and
    actions are in lower case.
    """
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
    """Return name, source ids and `columns` of the merged drugs whose list column `known` is not empty."""
    return merged_drugs(tables).filter(pl.col(known).list.len() > 0).select("drug", "ids", *columns).collect()


def merged_genes(tables: Tables) -> pl.DataFrame:
    """Return a table of one row per targeted gene with its drugs by status, in the order of the drugs.

    Columns: gene, and for each of the four statuses a list of drugs with the status as its name. `ids` and `others`
    hold the row ids and the other names of each drug, in the order of `drugs`. A gene is a whole symbol in a drug's
    list.
    """
    linked = merged_drugs(tables).select("drug", "status", "ids", "others", gene="targets").explode("gene")
    lists = {status: pl.col("drug").filter(pl.col("status") == status) for status in _STATUSES}
    return (
        linked.filter(pl.col("gene").is_not_null())
        .group_by("gene", maintain_order=True)
        .agg(pl.col("ids", "others"), drugs=pl.col("drug"), **lists)
        .collect()
    )


def highest(column: str) -> pl.Expr:
    """Return the polars expression of a group's highest trial phase, null if no row has one of at least 0.5."""
    return pl.col(column).filter(pl.col(column).fill_nan(None) >= FIRST).max()


def earliest(column: str) -> pl.Expr:
    """Return the polars expression of a group's earliest year, null if no row has one above 0."""
    return pl.col(column).filter(pl.col(column) > 0).min()


def other_names(column: str, own: str) -> pl.Expr:
    """Merge a group's lists of names, without its own name (column `own`), in any letter case."""
    names = united(column)
    return names.filter(names.str.to_lowercase() != pl.col(own).first().str.to_lowercase())


_STATUSES: Final = (APPROVED, WITHDRAWN, IN_TRIALS, NO_TRIAL)


def _status() -> pl.Expr:

    return (
        pl.when(pl.col("withdrawn"))
        .then(pl.lit(WITHDRAWN))
        .when(pl.col("approved") & (pl.col("phase") == LAST))
        .then(pl.lit(APPROVED))
        .when(pl.col("phase").is_not_null())
        .then(pl.lit(IN_TRIALS))
        .otherwise(pl.lit(NO_TRIAL))
    )
