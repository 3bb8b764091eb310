"""The templates about the drugs of a gene: T01 (is it druggable) and T04 (which drugs target it).

A gene is asked about if a drug of the table targets it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from harness.studies.biomed.facts import INTEGER, Fact, fact
from harness.studies.biomed.templates.drugs_facts import at_most, chosen, enumerated, list_facts, verdict, written
from harness.studies.biomed.templates.drugs_merged import APPROVED, IN_TRIALS, WITHDRAWN, merged_genes
from harness.studies.biomed.templates.formats import counted
from harness.studies.biomed.templates.pair import YES, Answerer, Pair, Rules, Tables

_NOUNS: Mapping[str, str] = {APPROVED: "approved drugs", IN_TRIALS: "drugs in trials", WITHDRAWN: "withdrawn drugs"}


def _candidates(tables: Tables, rules: Rules) -> pl.DataFrame:

    return merged_genes(tables).with_columns((pl.col(APPROVED).list.len() > 0).alias(YES))


def _druggable(tables: Tables, rows: pl.DataFrame, rules: Rules) -> list[Pair]:
    return [_druggability(row) for row in rows.iter_rows(named=True)]


def _druggability(row: Mapping[str, Any]) -> Pair:
    gene, yes = row["gene"], bool(row[APPROVED])
    state = next((state for state in (APPROVED, IN_TRIALS, WITHDRAWN) if row[state]), "")
    drugs = row[state] if state else row["drugs"]
    count = len(drugs)
    question = f"Is {gene} a druggable gene, in the sense that at least one approved drug targets it?"
    answer = {
        APPROVED: f"Yes, {gene} is druggable: {counted(count, 'approved drug')} {_verb(count)} it.",
        IN_TRIALS: f"No, there is no approved drug that targets {gene}. But {counted(count, 'drug')} in clinical "
        f"trials {_verb(count)} it, so it may prove to be druggable.",
        WITHDRAWN: f"No, there is no approved drug that targets {gene} any more: {counted(count, 'drug')} that "
        f"{_verb(count)} it {'was' if count == 1 else 'were'} approved and since withdrawn, a sign of complications.",
        "": f"No, {gene} is not considered druggable at present: no drug that is approved, in clinical trials or "
        "withdrawn targets it.",
    }[state]
    facts = [verdict(yes)]
    if state:
        facts.append(fact(f"number of {_NOUNS[state]}", INTEGER, count, of=gene, asked=False))
    return written("T01", chosen(row, drugs)[0], question, answer, facts, yes)


def _drugs(tables: Tables, rows: pl.DataFrame, rules: Rules) -> list[Pair]:
    return [_drugs_of(row) for row in rows.iter_rows(named=True)]


def _drugs_of(row: Mapping[str, Any]) -> Pair:
    gene = row["gene"]
    state = next((state for state in (APPROVED, IN_TRIALS) if row[state]), "")
    drugs = row[state] if state else row["drugs"]
    ids, others = chosen(row, drugs)
    question = f"Which approved drugs target the gene {gene}, or, if there is none, which drugs in clinical trials do?"
    none = fact("number of approved drugs", INTEGER, 0, of=gene, asked=not state)
    facts: list[Fact] = [] if state == APPROVED else [none]
    if not state:
        answer = f"There is neither an approved drug nor a drug in clinical trials that targets the gene {gene}."
        facts.append(fact("number of drugs in trials", INTEGER, 0, of=gene))
        return written("T04", ids, question + at_most("drugs"), answer, facts)
    if state == APPROVED:
        answer = f"The gene {gene} is targeted by {enumerated(drugs, 'approved drug')}."
    else:
        answer = (
            f"There is no approved drug that targets the gene {gene}, but it is targeted by "
            f"{enumerated(drugs, 'drug in clinical trials', 'drugs in clinical trials')}."
        )
    facts += list_facts(_NOUNS[state], drugs, gene, others)
    return written("T04", ids, question + at_most("drugs"), answer, facts)


def _verb(count: int) -> str:
    return "targets" if count == 1 else "target"


ANSWERERS: Mapping[str, Answerer] = {
    "T01": Answerer(_candidates, _druggable),
    "T04": Answerer(_candidates, _drugs),
}
