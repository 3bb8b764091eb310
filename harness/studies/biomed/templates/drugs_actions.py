"""The templates about how drugs act: T12, T23, T35 and T39 (actions, mechanisms, type of molecule, frequency).

A drug is asked about if the table has its actions (T12), mechanisms (T23), or actions and type (T35). A type of
molecule is asked about if a drug of this type has an action (T39).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from harness.studies.biomed.facts import INTEGER, fact
from harness.studies.biomed.templates.drugs_facts import at_most, enumerated, list_facts, names_fact, written
from harness.studies.biomed.templates.drugs_merged import drugs_with, merged_drugs
from harness.studies.biomed.templates.formats import alphabetical, counted, listed
from harness.studies.biomed.templates.pair import Answerer, Pair, Rules, Tables


def _acting(tables: Tables, rules: Rules) -> pl.DataFrame:
    return drugs_with(tables, "actions", "actions", "types")


def _actions(tables: Tables, rows: pl.DataFrame, rules: Rules) -> list[Pair]:
    pairs = []
    for row in rows.iter_rows(named=True):
        drug, actions = row["drug"], row["actions"]
        question = f"What type of action does the drug {drug} have on its targets (inhibitor, agonist or another)?"
        answer = f"{drug} acts as {_articled(actions)}."
        pairs.append(written("T12", row["ids"], question, answer, [names_fact("actions", actions, drug)]))
    return pairs


def _with_mechanisms(tables: Tables, rules: Rules) -> pl.DataFrame:
    return drugs_with(tables, "mechanisms", "mechanisms")


def _mechanisms(tables: Tables, rows: pl.DataFrame, rules: Rules) -> list[Pair]:
    pairs = []
    for row in rows.iter_rows(named=True):
        drug, found = row["drug"], row["mechanisms"]
        question = f"How many mechanisms of action does the drug {drug} have, and which?{at_most('mechanisms')}"
        all_of_it = f"1 mechanism of action: {found[0]}" if len(found) == 1 else ""
        answer = f"{drug} has {all_of_it or enumerated(found, 'mechanism of action', 'mechanisms of action')}."
        facts = list_facts("mechanisms", found, drug, number_asked=True)
        pairs.append(written("T23", row["ids"], question, answer, facts))
    return pairs


def _typed(tables: Tables, rules: Rules) -> pl.DataFrame:

    return _acting(tables, rules).filter(pl.col("types").list.len() > 0)


def _types(tables: Tables, rows: pl.DataFrame, rules: Rules) -> list[Pair]:
    pairs = []
    for row in rows.iter_rows(named=True):
        drug, kinds, actions = row["drug"], row["types"], row["actions"]
        question = f"Which type of molecule is the drug {drug}, and which types of action does it have?"
        answer = f"{drug} is a drug of the type {listed(alphabetical(kinds))}, and it acts as {_articled(actions)}."
        facts = [names_fact("molecule type", kinds, drug), names_fact("actions", actions, drug)]
        pairs.append(written("T35", row["ids"], question, answer, facts))
    return pairs


def _frequent(tables: Tables, rules: Rules) -> pl.DataFrame:

    drugs = merged_drugs(tables).with_row_index("at").select("at", "ids", "actions", molecule_type="types")
    each = drugs.explode("molecule_type").explode("actions").drop_nulls(["molecule_type", "actions"])
    both = each.group_by("molecule_type", "actions", maintain_order=True)
    counts = both.agg(pl.col("at").min(), pl.col("ids").explode(), drugs=pl.len())
    most = counts.filter(pl.col("drugs") == pl.col("drugs").max().over("molecule_type"))
    first = each.group_by("molecule_type", maintain_order=True).agg(pl.col("at").min())
    alike = most.group_by("molecule_type", maintain_order=True)
    tied = alike.agg("actions", pl.col("drugs").first(), pl.col("ids").explode())
    found = tied.join(first, on="molecule_type", maintain_order="left")
    return found.sort("at", "molecule_type", maintain_order=True).collect()


def _most_frequent(tables: Tables, rows: pl.DataFrame, rules: Rules) -> list[Pair]:
    return [_frequency(row) for row in rows.iter_rows(named=True)]


def _frequency(row: Mapping[str, Any]) -> Pair:
    kind, actions, count = row["molecule_type"], alphabetical(row["actions"]), row["drugs"]
    question = f"Which type of action do drugs of the type {kind} have most often? Name all where several are tied."
    if len(actions) == 1:
        answer = f"Drugs of the type {kind} act most often as {_articled(actions)}: {counted(count, 'drug')} do."
    else:
        answer = f"Drugs of the type {kind} act most often as {_articled(actions)}, each in {counted(count, 'drug')}."
    facts = [names_fact("actions", actions, kind), fact("number of drugs", INTEGER, count, of=kind, asked=False)]
    return written("T39", row["ids"], question, answer, facts)


def _articled(names: Sequence[str]) -> str:
    return listed([f"an {name}" if name[:1] in "aeiou" else f"a {name}" for name in alphabetical(names)])


ANSWERERS: Mapping[str, Answerer] = {
    "T12": Answerer(_acting, _actions),
    "T23": Answerer(_with_mechanisms, _mechanisms),
    "T35": Answerer(_typed, _types),
    "T39": Answerer(_frequent, _most_frequent),
}
