"""The templates about how far a drug has come: T08, T13, T18 and T34 (approval, its year, black-box warning, phase).

A drug is asked about if the table has a year above 0 (T13), whether there is a warning (T18), or a phase (T34). T08
asks about every drug.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from harness.studies.biomed.facts import INTEGER, Fact, fact
from harness.studies.biomed.templates.drugs_facts import phase_fact, phase_name, status_fact, verdict, written
from harness.studies.biomed.templates.drugs_merged import APPROVED, NO_TRIAL, WITHDRAWN, merged_drugs
from harness.studies.biomed.templates.pair import YES, Answerer, Pair, Rules, Tables

_COLUMNS = ("drug", "ids", "status", "phase", "year", "warning")


def _approvals(tables: Tables, rules: Rules) -> pl.DataFrame:

    return merged_drugs(tables).select(*_COLUMNS, (pl.col("status") == APPROVED).alias(YES)).collect()


def _approved(tables: Tables, rows: pl.DataFrame, rules: Rules) -> list[Pair]:
    return [_approval(row) for row in rows.iter_rows(named=True)]


def _approval(row: Mapping[str, Any]) -> Pair:
    drug, status, phase, year = row["drug"], row["status"], row["phase"], row["year"]
    question = f"Is the drug {drug} approved by the FDA, and if so, in which year was it first approved?"
    facts: list[Fact] = [verdict(status == APPROVED)]
    if status == APPROVED:
        answer = f"Yes, {drug} is approved by the FDA"
        answer += f"; it was first approved in {year}." if year else "."
        facts += [_year(drug, year)] if year else []
    elif status == WITHDRAWN:
        answer = f"No, {drug} is not approved by the FDA any more: it was approved earlier and since withdrawn."
        facts.append(status_fact(status, drug, asked=False))
    elif status == NO_TRIAL:
        answer = f"No, {drug} is not approved by the FDA, and no clinical trial of it is recorded."
    else:
        answer = f"No, {drug} is not approved by the FDA; it has reached {phase_name(phase)} of clinical trials."
        facts.append(phase_fact(phase, drug, asked=False))
    return written("T08", row["ids"], question, answer, facts, status == APPROVED)


def _years(tables: Tables, rules: Rules) -> pl.DataFrame:

    return merged_drugs(tables).filter(pl.col("year").is_not_null()).select(*_COLUMNS).collect()


def _first_approved(tables: Tables, rows: pl.DataFrame, rules: Rules) -> list[Pair]:
    return [
        written(
            "T13",
            row["ids"],
            f"In which year did the FDA first approve the drug {row['drug']}?",
            f"The FDA first approved {row['drug']} in {row['year']}.",
            [_year(row["drug"], row["year"])],
        )
        for row in rows.iter_rows(named=True)
    ]


def _warnings(tables: Tables, rules: Rules) -> pl.DataFrame:

    told = merged_drugs(tables).filter(pl.col("warning").is_not_null())
    return told.select(*_COLUMNS, pl.col("warning").alias(YES)).collect()


def _warned(tables: Tables, rows: pl.DataFrame, rules: Rules) -> list[Pair]:
    pairs = []
    for row in rows.iter_rows(named=True):
        drug, yes = row["drug"], bool(row["warning"])
        answer = f"Yes, {drug} carries a black-box warning." if yes else f"No, {drug} carries no black-box warning."
        question = f"Does the drug {drug} carry a black-box warning?"
        pairs.append(written("T18", row["ids"], question, answer, [verdict(yes)], yes))
    return pairs


def _phases(tables: Tables, rules: Rules) -> pl.DataFrame:

    return merged_drugs(tables).filter(pl.col("phase").is_not_null()).select(*_COLUMNS).collect()


def _highest_phase(tables: Tables, rows: pl.DataFrame, rules: Rules) -> list[Pair]:
    return [
        written(
            "T34",
            row["ids"],
            f"What is the highest phase of clinical trials that the drug {row['drug']} has reached?",
            f"The highest phase of clinical trials that {row['drug']} has reached is {phase_name(row['phase'])}.",
            [phase_fact(row["phase"], row["drug"])],
        )
        for row in rows.iter_rows(named=True)
    ]


def _year(drug: str, year: int) -> Fact:
    return fact("year", INTEGER, year, of=drug)


ANSWERERS: Mapping[str, Answerer] = {
    "T08": Answerer(_approvals, _approved),
    "T13": Answerer(_years, _first_approved),
    "T18": Answerer(_warnings, _warned),
    "T34": Answerer(_phases, _highest_phase),
}
