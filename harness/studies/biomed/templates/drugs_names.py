"""The templates about the names of a drug: T11 (its other names) and T33 (its ChEMBL identifier).

A drug is asked about if the table has such a name. A name that differs from the drug's own name only in letter case is
not another name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from harness.studies.biomed.templates.drugs_facts import at_most, enumerated, list_facts, names_fact, written
from harness.studies.biomed.templates.drugs_merged import drugs_with
from harness.studies.biomed.templates.formats import alphabetical, listed
from harness.studies.biomed.templates.pair import Answerer, Pair, Rules, Tables

if TYPE_CHECKING:
    import polars as pl


def _with_names(tables: Tables, rules: Rules) -> pl.DataFrame:
    return drugs_with(tables, "others", "others")


def _other_names(tables: Tables, rows: pl.DataFrame, rules: Rules) -> list[Pair]:
    pairs = []
    for row in rows.iter_rows(named=True):
        drug, names = row["drug"], row["others"]
        question = f"Under which other names, synonyms and trade names, is the drug {drug} known?{at_most('names')}"
        answer = f"{drug} is also known under {enumerated(names, 'name')}."
        pairs.append(written("T11", row["ids"], question, answer, list_facts("other names", names, drug)))
    return pairs


def _with_identifiers(tables: Tables, rules: Rules) -> pl.DataFrame:
    return drugs_with(tables, "chembl", "chembl")


def _identifier(tables: Tables, rows: pl.DataFrame, rules: Rules) -> list[Pair]:
    pairs = []
    for row in rows.iter_rows(named=True):
        drug, found = row["drug"], row["chembl"]
        question = f"Which identifier does the drug {drug} have in ChEMBL?"
        if len(found) == 1:
            answer = f"The ChEMBL identifier of {drug} is {found[0]}."
        else:
            answer = f"{drug} has {len(found)} ChEMBL identifiers: {listed(alphabetical(found))}."
        pairs.append(written("T33", row["ids"], question, answer, [names_fact("ChEMBL identifier", found, drug)]))
    return pairs


ANSWERERS: Mapping[str, Answerer] = {
    "T11": Answerer(_with_names, _other_names),
    "T33": Answerer(_with_identifiers, _identifier),
}
