"""The templates about what drugs are approved for: T05 (one disease), T07 (which ones), T14 (a type for a disease).

T05 asks about every drug and disease, T07 about each drug with a phase for a disease, and T14 about each type and
disease with an approved drug. The year of T05 is that of the drug's first approval, for whatever disease.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from harness.studies.biomed.facts import INTEGER, Fact, fact
from harness.studies.biomed.templates.cells import present
from harness.studies.biomed.templates.drugs_facts import (
    at_most,
    enumerated,
    list_facts,
    phase_fact,
    phase_name,
    verdict,
    written,
)
from harness.studies.biomed.templates.drugs_merged import LAST
from harness.studies.biomed.templates.indications_merged import drug_diseases, drug_names, indication_rows
from harness.studies.biomed.templates.pair import YES, Answerer, Pair, Rules, Tables


def _uses(tables: Tables, rules: Rules) -> pl.DataFrame:

    yes = (pl.col("phase") == LAST).fill_null(value=False).alias(YES)
    return drug_diseases(tables).select("drug", "disease", "ids", "phase", "year", yes)


def _approved(tables: Tables, rows: pl.DataFrame, rules: Rules) -> list[Pair]:
    return [_approval(row) for row in rows.iter_rows(named=True)]


def _approval(row: Mapping[str, Any]) -> Pair:
    drug, disease, phase, year, yes = row["drug"], row["disease"], row["phase"], row["year"], bool(row[YES])
    question = (
        f"Is the drug {drug} approved by the FDA to treat {disease}, and if not, which phase of clinical trials has it "
        "reached for this purpose?"
    )
    facts: list[Fact] = [verdict(yes)]
    if yes:
        answer = f"Yes, {drug} is approved by the FDA to treat {disease}."
        if year:
            answer += f" The drug was first approved in {year}."
            facts.append(fact("year", INTEGER, year, of=drug, asked=False))
    elif phase is None:
        answer = f"No, {drug} is not approved by the FDA to treat {disease}, and no trial phase is recorded for it."
    else:
        answer = f"No, {drug} is not approved by the FDA to treat {disease}; it has reached {phase_name(phase)} of "
        answer += "clinical trials for this purpose."
        facts.append(phase_fact(phase, drug))
    return written("T05", row["ids"], question, answer, facts, yes)


def _used(tables: Tables, rules: Rules) -> pl.DataFrame:

    pairs = drug_diseases(tables).filter(pl.col("phase").is_not_null())
    last = pl.col("phase") == LAST
    drugs = pairs.group_by("drug", maintain_order=True).agg(
        pl.col("phase").max(),
        all_ids=pl.col("ids").explode(),
        approved_ids=pl.col("ids").filter(last).explode(),
        diseases=pl.col("disease").filter(last),
        others=pl.col("others").filter(last),
    )
    ids = pl.when(pl.col("diseases").list.len() > 0).then(pl.col("approved_ids")).otherwise(pl.col("all_ids"))
    return drugs.select("drug", "phase", "diseases", "others", ids=ids)


def _approved_uses(tables: Tables, rows: pl.DataFrame, rules: Rules) -> list[Pair]:
    pairs = []
    for row in rows.iter_rows(named=True):
        drug, diseases, phase = row["drug"], row["diseases"], row["phase"]
        question = (
            f"For which diseases is the drug {drug} approved by the FDA, or, if for none, what is the highest phase of "
            f"clinical trials that it has reached?{at_most('diseases')}"
        )
        if diseases:
            answer = f"{drug} is approved by the FDA for {enumerated(diseases, 'disease')}."
            others = dict(zip(diseases, row["others"], strict=True))
            facts = list_facts("approved uses", diseases, drug, others)
        else:
            answer = f"{drug} is not approved by the FDA for any disease; it has reached {phase_name(phase)} of "
            answer += "clinical trials."
            none = fact("number of approved uses", INTEGER, 0, of=drug, asked=False)
            facts = [none, phase_fact(phase, drug)]
        pairs.append(written("T07", row["ids"], question, answer, facts))
    return pairs


def _therapies(tables: Tables, rules: Rules) -> pl.DataFrame:

    rows = indication_rows(tables, "drugType", "max_phase_for_ind")
    approved = rows.filter(pl.col("max_phase_for_ind") == LAST, present("drugType"))
    kind = pl.col("drugType").str.strip_chars().str.to_lowercase().alias("molecule_type")
    groups = approved.group_by(kind, "disease", maintain_order=True)
    return groups.agg(drugs=pl.col("drug").unique(maintain_order=True), ids=pl.col("UUID")).collect()


def _approved_drugs(tables: Tables, rows: pl.DataFrame, rules: Rules) -> list[Pair]:
    others, pairs = drug_names(tables), []
    for row in rows.iter_rows(named=True):
        kind, disease, drugs = row["molecule_type"], row["disease"], row["drugs"]
        question = f"Which drugs of the type {kind} are approved by the FDA to treat {disease}?{at_most('drugs')}"
        found = enumerated(drugs, f"drug of the type {kind}", f"drugs of the type {kind}")
        if len(drugs) == 1:
            answer = f"One drug of the type {kind} is approved by the FDA to treat {disease}: {drugs[0]}."
        else:
            answer = f"The FDA has approved, to treat {disease}, {found}."
        facts = list_facts("approved drugs", drugs, disease, others)
        pairs.append(written("T14", row["ids"], question, answer, facts))
    return pairs


ANSWERERS: Mapping[str, Answerer] = {
    "T05": Answerer(_uses, _approved),
    "T07": Answerer(_used, _approved_uses),
    "T14": Answerer(_therapies, _approved_drugs),
}
