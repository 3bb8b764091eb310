"""Templates about one SNP of one study: allele frequencies (T02, T03), effect (T19), significance (T22).

A question is asked about each SNP whose row has what the answer needs. If an SNP has several such rows, the first one
counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import polars as pl

from harness.studies.biomed.facts import NAME, NUMBER, VERDICT, Fact, fact
from harness.studies.biomed.templates.formats import B_DIGITS, frequencies, scientific, shortest
from harness.studies.biomed.templates.gwas_rows import AD, HASHED, PD, SIGNIFICANT, GwasStudy, distinct, rows_of, snps
from harness.studies.biomed.templates.pair import Answerer, Pair, Rules, Tables

Row = Mapping[str, Any]
_Words = Callable[[GwasStudy, Row], tuple[str, str, list[Fact], bool | None]]  # question, answer, facts, yes


def _answerer(
    template: str, study: GwasStudy, needs: tuple[str, ...], words: _Words, *, yes_no: bool = False
) -> Answerer:
    def usable() -> pl.Expr:

        return pl.all_horizontal(pl.col(*needs).is_not_null())

    def candidates(tables: Tables, rules: Rules) -> pl.DataFrame:

        yes = pl.col("p") < SIGNIFICANT if yes_no else None
        return distinct(snps(tables[study.table], usable(), yes))

    def pairs(tables: Tables, chosen: pl.DataFrame, rules: Rules) -> list[Pair]:
        rows = rows_of(tables[study.table], chosen[HASHED], usable())
        return [_pair(template, study, rows[hashed], words) for hashed in chosen[HASHED]]

    return Answerer(candidates, pairs)


def _pair(template: str, study: GwasStudy, row: Row, words: _Words) -> Pair:
    question, answer, facts, yes = words(study, row)
    return Pair(template, question, answer, (*facts, study.named()), row["UUID"], yes)


def _alleles(study: GwasStudy, row: Row) -> tuple[str, str, list[Fact], bool | None]:
    snp, effect, other, freq = row["SNP"], row["A1"], row["A2"], float(row["freq"])
    own, rest = frequencies(freq)
    question = f"How frequent are the effect allele and the other allele of {snp} in the GWAS of {study.disease}?"
    answer = (
        f"{study.cited()}, the effect allele {effect} of {snp} has a frequency of {own}, "
        f"and the other allele {other} one of {rest}."
    )
    unrounded = str(1 - Decimal(repr(freq)))
    facts = [
        fact("frequency", NUMBER, shortest(freq), of=effect),
        fact("other frequency", NUMBER, unrounded, of=other),
        fact("effect allele", NAME, effect, of=snp, asked=False),
        fact("other allele", NAME, other, of=snp, asked=False),
    ]
    return question, answer, facts, None


def _effect(study: GwasStudy, row: Row) -> tuple[str, str, list[Fact], bool | None]:
    snp, b = row["SNP"], scientific(row["b"], B_DIGITS)
    question = f"How large is the effect (beta) of {snp} on {study.disease}?"
    answer = f"{study.cited()}, {snp} has an effect of b = {b}, counted for its effect allele {row['A1']}."
    facts = [fact("b", NUMBER, b, of=snp), fact("effect allele", NAME, row["A1"], of=snp, asked=False)]
    return question, answer, facts, None


def _significance(study: GwasStudy, row: Row) -> tuple[str, str, list[Fact], bool | None]:
    snp, p, yes = row["SNP"], scientific(row["p"]), row["p"] < SIGNIFICANT
    question = f"Does {snp} reach genome-wide significance in {study.disease}?"
    verdict = ("Yes", "which is below") if yes else ("No", "which is not below")
    answer = f"{verdict[0]}. {study.cited()}, {snp} has a p-value of {p}, {verdict[1]} the threshold of 5e-08."
    facts = [fact("verdict", VERDICT, verdict[0].lower()), fact("p", NUMBER, p, of=snp, asked=False)]
    return question, answer, facts, yes


ANSWERERS: Mapping[str, Answerer] = {
    "T02": _answerer("T02", PD, ("freq", "A1", "A2"), _alleles),
    "T03": _answerer("T03", AD, ("freq", "A1", "A2"), _alleles),
    "T19": _answerer("T19", PD, ("b", "A1"), _effect),
    "T22": _answerer("T22", AD, ("p",), _significance, yes_no=True),
}
