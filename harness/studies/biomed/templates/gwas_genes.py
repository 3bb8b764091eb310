"""Templates about a gene or a chromosome of one study: T09 and T26 (association), T28 (risk), T20 (count).

A gene is asked about if a row with a p-value names it as nearest, alone or with others. The same holds for a chromosome
(of GRCh38). An SNP counts once, by its least p-value. Lists are sorted by p, then by the SNP's text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from harness.studies.biomed.facts import INTEGER, NAMES, NUMBER, VERDICT, Fact, fact
from harness.studies.biomed.templates import row_order
from harness.studies.biomed.templates.formats import (
    B_DIGITS,
    SHOWN,
    bullets,
    counted,
    scientific,
    shortest,
    sources,
)
from harness.studies.biomed.templates.gwas_rows import AD, NO_GENE, PD, SIGNIFICANT, GwasStudy, ids_at
from harness.studies.biomed.templates.pair import YES, Answerer, Pair, Rules, Tables
from harness.studies.biomed.templates.row_order import numbered

ASKED: Final = "asked"  # the column of candidates with the gene or chromosome
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Ask:
    """What distinguishes one template from another: study, column, question, and what of the answer is asked for."""

    study: GwasStudy
    column: str
    question: str
    none: str  # the answer if no SNP is found
    some: str  # the answer if some are found; {snps} is their number with its noun
    slots: frozenset[str]  # the slots that the question asks for
    verdict: bool = True  # whether the question is a yes/no one
    rising: bool = False  # whether only SNPs with an effect above 0 are found
    unrounded: bool = False  # whether facts hold numbers as they are in the table, not as the answer prints them

    def found(self) -> pl.Expr:
        """Return the condition under which a row counts."""
        significant = pl.col("p") < SIGNIFICANT
        return significant & (pl.col("b") > 0) if self.rising else significant


def _answerer(template: str, ask: _Ask) -> Answerer:
    def candidates(tables: Tables, rules: Rules) -> pl.DataFrame:
        asked = _asked(numbered(tables[ask.study.table]), ask)
        return asked if ask.verdict else asked.drop(YES)

    def pairs(tables: Tables, chosen: pl.DataFrame, rules: Rules) -> list[Pair]:
        table = tables[ask.study.table]
        found = _found(table, ask, chosen[ASKED])
        bare = chosen.filter(~chosen[ASKED].is_in(list(found)))[row_order.NUMBER]
        ids = ids_at(table, bare)
        asked = chosen.select(ASKED, row_order.NUMBER).iter_rows()
        return [_pair(template, ask, name, found.get(name, ()), ids.get(number, "")) for name, number in asked]

    return Answerer(candidates, pairs)


def _asked(rows: pl.LazyFrame, ask: _Ask) -> pl.DataFrame:
    """Return each gene or chromosome with the number of its first row, in that order, and YES if any row counts."""
    cells = (
        rows.filter(pl.col("p").is_not_null() & pl.col(ask.column).is_not_null())
        .select(pl.col(ask.column).alias(ASKED), row_order.NUMBER, ask.found().alias(YES))
        .group_by(ASKED, maintain_order=False)
        .agg(pl.col(row_order.NUMBER).min(), pl.col(YES).any())
        .collect(engine="streaming")
    )
    return (
        _split(cells)
        .group_by(ASKED, maintain_order=False)
        .agg(pl.col(row_order.NUMBER).min(), pl.col(YES).any())
        .sort(row_order.NUMBER, ASKED, maintain_order=True)
    )


def _split(rows: pl.DataFrame) -> pl.DataFrame:
    """Return one row per name in the cells of ASKED, without blanks, `NONE` and the chromosome 0."""
    parts = rows.with_columns(pl.col(ASKED).str.split(";")).explode(ASKED).with_columns(pl.col(ASKED).str.strip_chars())
    return parts.filter(~pl.col(ASKED).is_in(["", NO_GENE, "0"]))


def _found(table: pl.LazyFrame, ask: _Ask, asked: pl.Series) -> dict[str, list[Row]]:
    """Return the rows that count by gene or chromosome, if it has some: one row per SNP, the least p first."""
    named = pl.col("SNP").is_not_null() & (pl.col("SNP") != "") & pl.col(ask.column).is_not_null()
    rows = table.filter(ask.found() & named).select("UUID", "SNP", "p", "b", pl.col(ask.column).alias(ASKED))
    each = _split(rows.collect(engine="streaming")).filter(pl.col(ASKED).is_in(asked.implode()))
    best = each.sort("p", "SNP", "UUID", maintain_order=True).unique([ASKED, "SNP"], keep="first", maintain_order=True)
    found: dict[str, list[Row]] = {}
    for row in best.iter_rows(named=True):
        found.setdefault(row[ASKED], []).append(row)
    return found


def _pair(template: str, ask: _Ask, name: str, rows: Sequence[Row], first: str) -> Pair:
    question, yes = ask.question.format(name=name), bool(rows) if ask.verdict else None
    begin = f"{'Yes' if rows else 'No'}. " if ask.verdict else ""
    said = [fact("verdict", VERDICT, "yes" if rows else "no")] if ask.verdict else []
    number = fact("number of SNPs", INTEGER, len(rows), of=name, asked="number of SNPs" in ask.slots)
    if not rows:
        answer = f"{begin}{ask.study.cited()}, {ask.none.format(name=name)}"
        facts = (*(said or [number]), ask.study.named())
        return Pair(template, question, answer, facts, first, yes)
    shown = rows[:SHOWN]
    some = ask.some.format(name=name, snps=counted(len(rows), "SNP"))
    top = f"The {SHOWN} with the least p-values:" if len(rows) > SHOWN else "By p-value:"
    answer = f"{begin}{ask.study.cited()}, {some} {top}\n{bullets(_line(row) for row in shown)}"
    said += [number, _snps(ask, name, rows), *_numbers(ask, shown), ask.study.named()]
    return Pair(template, question, answer, tuple(said), sources(row["UUID"] for row in shown), yes)


def _line(row: Row) -> str:
    effect = "" if row["b"] is None else f", b = {scientific(row['b'], B_DIGITS)}"
    return f"{row['SNP']}: p = {scientific(row['p'])}{effect}"


def _snps(ask: _Ask, name: str, rows: Sequence[Row]) -> Fact:
    snps = fact("SNPs", NAMES, [row["SNP"] for row in rows[:SHOWN]], of=name, asked="SNPs" in ask.slots)
    return {**snps, "of_all": len(rows)} if len(rows) > SHOWN else snps


def _numbers(ask: _Ask, rows: Sequence[Row]) -> list[Fact]:
    facts = []
    for row in rows:
        p, b = row["p"], row["b"]
        facts.append(fact("p", NUMBER, shortest(p) if ask.unrounded else scientific(p), of=row["SNP"], asked=False))
        if b is not None:
            printed = shortest(b) if ask.unrounded else scientific(b, B_DIGITS)
            facts.append(fact("b", NUMBER, printed, of=row["SNP"], asked=False))
    return facts


ANSWERERS: Mapping[str, Answerer] = {
    "T09": _answerer(
        "T09",
        _Ask(
            study=AD,
            column="nearestGene",
            question=(
                "Does any SNP at or nearest to the gene {name} reach genome-wide significance in Alzheimer's disease, "
                "how many do, and which? Of more than ten, name the ten with the least p-values."
            ),
            none="no SNP at or nearest to {name} reaches genome-wide significance (p below 5e-08).",
            some="{name} has {snps} at or nearest to it with genome-wide significance (p below 5e-08).",
            slots=frozenset({"number of SNPs", "SNPs"}),
        ),
    ),
    "T20": _answerer(
        "T20",
        _Ask(
            study=PD,
            column="chr_38",
            question="How many SNPs of chromosome {name} (GRCh38) are genome-wide significant in Parkinson's disease?",
            none="the number of SNPs on chromosome {name} with genome-wide significance (p below 5e-08) is 0.",
            some="chromosome {name} has {snps} with genome-wide significance (p below 5e-08).",
            slots=frozenset({"number of SNPs"}),
            verdict=False,
        ),
    ),
    "T26": _answerer(
        "T26",
        _Ask(
            study=PD,
            column="nearestGene",
            question="Is the gene {name} associated with Parkinson's disease at genome-wide significance?",
            none="no SNP at or nearest to {name} is associated at genome-wide significance (p below 5e-08).",
            some="{name} is associated by {snps} at or nearest to it, at genome-wide significance (p below 5e-08).",
            slots=frozenset(),
        ),
    ),
    "T28": _answerer(
        "T28",
        _Ask(
            study=PD,
            column="nearestGene",
            question="Do variants of the gene {name} significantly raise the risk of Parkinson's disease, genome-wide?",
            none="no variant of {name} raises the risk at genome-wide significance (p below 5e-08 and b above 0).",
            some="{name} has {snps} with an effect that raises the risk (p below 5e-08 and b above 0).",
            slots=frozenset(),
            rising=True,
            unrounded=True,
        ),
    ),
}
