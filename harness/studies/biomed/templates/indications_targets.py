"""The templates about the targets of a drug against a disease: T06 (with its phase) and T21 (how many).

Both ask about every drug and disease with a gene symbol.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from harness.studies.biomed.facts import Fact
from harness.studies.biomed.templates.drugs_facts import (
    at_most,
    enumerated,
    list_facts,
    phase_fact,
    phase_name,
    status_fact,
    written,
)
from harness.studies.biomed.templates.drugs_merged import APPROVED, IN_TRIALS, LAST
from harness.studies.biomed.templates.indications_merged import drug_diseases, gene_names
from harness.studies.biomed.templates.pair import Answerer, Pair, Rules, Tables


def _targeting(tables: Tables, rules: Rules) -> pl.DataFrame:

    pairs = drug_diseases(tables).filter(pl.col("targets").list.len() > 0)
    return pairs.select("drug", "disease", "ids", "phase", "targets")


def _targets(tables: Tables, rows: pl.DataFrame, rules: Rules) -> list[Pair]:
    names, pairs = gene_names(tables), []
    for row in rows.iter_rows(named=True):
        drug, disease, targets = row["drug"], row["disease"], row["targets"]
        question = f"Which genes does the drug {drug} act on when it is used for {disease}?{at_most('genes')}"
        said, status = _status(drug, disease, row["phase"])
        answer = f"{said} Its targets there are {enumerated(targets, 'gene')}."
        if len(targets) == 1:
            answer = f"{said} Its target there is the gene {targets[0]}."
        pairs.append(
            written("T06", row["ids"], question, answer, [*list_facts("targets", targets, drug, names), *status])
        )
    return pairs


def _status(drug: str, disease: str, phase: float | None) -> tuple[str, list[Fact]]:
    if phase is None:
        return f"{drug} is not approved by the FDA for {disease}.", []
    if phase == LAST:
        return f"{drug} is approved by the FDA for {disease}.", [status_fact(APPROVED, drug, asked=False)]
    said = f"{drug} is not approved by the FDA for {disease} but in {phase_name(phase)} of clinical trials."
    return said, [status_fact(IN_TRIALS, drug, asked=False), phase_fact(phase, drug, asked=False)]


def _genes(tables: Tables, rows: pl.DataFrame, rules: Rules) -> list[Pair]:
    names, pairs = gene_names(tables), []
    for row in rows.iter_rows(named=True):
        drug, disease, targets = row["drug"], row["disease"], row["targets"]
        question = f"How many genes, and which, does the drug {drug} target in treating {disease}?{at_most('genes')}"
        found = f"1 gene: {targets[0]}" if len(targets) == 1 else enumerated(targets, "gene")
        answer = f"In the treatment of {disease}, {drug} targets {found}."
        facts = list_facts("targets", targets, drug, names, number_asked=True)
        pairs.append(written("T21", row["ids"], question, answer, facts))
    return pairs


ANSWERERS: Mapping[str, Answerer] = {
    "T06": Answerer(_targeting, _targets),
    "T21": Answerer(_targeting, _genes),
}
