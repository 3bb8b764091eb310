"""Drugs with the diseases that they are used for, merged from the rows of the table of indications.

A disease is the `efo_term` of a row, else its `mesh_heading`; one drug is one `drugName`.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from harness.studies.biomed.templates.cells import in_natural_order, names, present, symbols, united
from harness.studies.biomed.templates.drugs_merged import earliest, highest, other_names
from harness.studies.biomed.templates.pair import Tables


def indication_rows(tables: Tables, *columns: str) -> pl.LazyFrame:
    """Return rows of drug and disease with `columns`, in natural order of ids; rows without either are left out.

    The column `mesh` has the MeSH name of the disease, null if a row has none.
    """
    mesh = pl.when(present("mesh_heading")).then(pl.col("mesh_heading"))
    disease = pl.when(present("efo_term")).then(pl.col("efo_term")).otherwise(mesh)
    rows = tables["indications"].filter(present("drugName")).with_columns(drug=pl.col("drugName"), disease=disease)
    wanted = rows.with_columns(mesh=mesh).filter(pl.col("disease").is_not_null())
    return in_natural_order(wanted.select("UUID", "drug", "disease", "mesh", *columns).collect()).lazy()


def drug_diseases(tables: Tables) -> pl.DataFrame:
    """Return a table of one row per drug and disease, in the natural order of its first source row.

    Columns: drug, disease, ids, phase (the highest for this disease, or null), year (in which the drug was first
    approved, or null), targets (gene symbols), others (MeSH names of the disease).
    """
    rows = indication_rows(tables, "max_phase_for_ind", "yearOfFirstApproval", "approvedSymbol")
    rows = rows.with_columns(targets=symbols("approvedSymbol"), others=pl.concat_list("mesh"))
    grouped = rows.group_by("drug", "disease", maintain_order=True).agg(
        ids=pl.col("UUID"),
        phase=highest("max_phase_for_ind"),
        year=earliest("yearOfFirstApproval"),
        targets=united("targets"),
        others=other_names("others", "disease"),
    )
    return grouped.collect()


def gene_names(tables: Tables) -> Mapping[str, list[str]]:
    """Return the full names of genes by symbol, from rows that name one gene."""
    rows = tables["indications"].filter(present("approvedName")).select("approvedName", gene=symbols("approvedSymbol"))
    single = rows.filter(pl.col("gene").list.len() == 1).select("approvedName", pl.col("gene").list.first())
    distinct = single.unique(maintain_order=True)
    frame = distinct.group_by("gene", maintain_order=True).agg(pl.col("approvedName").sort()).collect()
    return dict(zip(frame["gene"], frame["approvedName"].to_list(), strict=True))


def drug_names(tables: Tables) -> Mapping[str, list[str]]:
    """Return the trade names and synonyms of drugs by name."""
    rows = tables["indications"].filter(present("drugName"))
    listed = rows.select("drugName", others=pl.concat_list(names("tradeNames_list"), names("syns_list")))
    distinct = listed.unique(maintain_order=True)
    frame = distinct.group_by("drugName", maintain_order=True).agg(other_names("others", "drugName")).collect()
    return dict(zip(frame["drugName"], frame["others"].to_list(), strict=True))
