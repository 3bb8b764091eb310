"""The templates about the targets of a drug: T31 (how many, and which) and T32 (with type and status).

The parsed list of targets counts, whatever number the table has beside it. A drug without a target is asked about, too.
T32 asks about drugs with one type of molecule, which the question names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from harness.studies.biomed.facts import INTEGER, Fact, fact
from harness.studies.biomed.templates.drugs_facts import (
    at_most,
    enumerated,
    list_facts,
    phase_fact,
    phase_name,
    status_fact,
    written,
)
from harness.studies.biomed.templates.drugs_merged import APPROVED, IN_TRIALS, NO_TRIAL, WITHDRAWN, merged_drugs
from harness.studies.biomed.templates.pair import Answerer, Pair, Rules, Tables

_SLOT = "targets"


def _drugs(tables: Tables, rules: Rules) -> pl.DataFrame:
    return merged_drugs(tables).select("drug", "ids", "targets").collect()


def _counted(tables: Tables, rows: pl.DataFrame, rules: Rules) -> list[Pair]:
    pairs = []
    for row in rows.iter_rows(named=True):
        drug, targets = row["drug"], row["targets"]
        question = f"How many genes does the drug {drug} target, and which are they?{at_most('genes')}"
        answer = f"{drug} targets {enumerated(targets, 'gene')}." if targets else f"{drug} has no known genetic target."
        if len(targets) == 1:
            answer = f"{drug} targets 1 gene: {targets[0]}."
        pairs.append(written("T31", row["ids"], question, answer, list_facts(_SLOT, targets, drug, number_asked=True)))
    return pairs


def _typed(tables: Tables, rules: Rules) -> pl.DataFrame:

    one = merged_drugs(tables).filter(pl.col("types").list.len() == 1)
    kind = pl.col("types").list.first().alias("molecule_type")
    return one.select("drug", "ids", "targets", "status", "phase", "year", kind).collect()


def _with_status(tables: Tables, rows: pl.DataFrame, rules: Rules) -> list[Pair]:
    return [_with_its_status(row) for row in rows.iter_rows(named=True)]


def _with_its_status(row: Mapping[str, Any]) -> Pair:
    drug, named, targets = row["drug"], f"the {row['molecule_type']} drug {row['drug']}", row["targets"]
    question = (
        f"Which genes are the targets of {named}, and what is its status in clinical trials and approval by the FDA?"
    )
    if not targets:
        answer = f"{named[0].upper()}{named[1:]} has no known genetic target."
    elif len(targets) == 1:
        answer = f"The genetic target of {named} is {targets[0]}."
    else:
        answer = f"The genetic targets of {named} are {enumerated(targets, 'gene')}."
    status, facts = _status(row)
    facts = [*list_facts(_SLOT, targets, drug), *facts]
    return written("T32", row["ids"], question + at_most("genes"), f"{answer} {status}", facts)


def _status(row: Mapping[str, Any]) -> tuple[str, list[Fact]]:
    drug, phase, year = row["drug"], row["phase"], row["year"]
    facts = [status_fact(row["status"], drug)]
    if row["status"] in {APPROVED, IN_TRIALS}:
        facts.append(phase_fact(phase, drug))
    if row["status"] == APPROVED and year:
        facts.append(fact("year", INTEGER, year, of=drug, asked=False))
    since = f", first in {year}" if year else ""
    return {
        WITHDRAWN: f"{drug} was approved by the FDA earlier and has since been withdrawn.",
        APPROVED: f"{drug} has reached phase 4 of clinical trials and is approved by the FDA{since}.",
        IN_TRIALS: f"{drug} has reached {phase_name(phase or 0.0)} of clinical trials "
        "but is not approved by the FDA for any disease.",
        NO_TRIAL: f"No clinical trial of {drug} is recorded, and it is not approved by the FDA for any disease.",
    }[row["status"]], facts


ANSWERERS: Mapping[str, Answerer] = {
    "T31": Answerer(_drugs, _counted),
    "T32": Answerer(_typed, _with_status),
}
