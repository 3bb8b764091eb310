"""Templates about a gene's signals in Alzheimer's disease by SMR: T10, T27, T29 (SNPs, tissues), T24 (alleles).

A gene is asked about if the table tests it in that disease. A signal is a row with a significant adjusted p-value,
whether or not it passes HEIDI. An SNP counts once. SNPs and their tissues are sorted by the least p-value, then by
their texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from harness.studies.biomed.facts import INTEGER, NAME, NAMES, NUMBER, VERDICT, Fact, fact
from harness.studies.biomed.templates import row_order
from harness.studies.biomed.templates.catalogue import TEMPLATES
from harness.studies.biomed.templates.formats import (
    HEIDI_DIGITS,
    SHOWN,
    bullets,
    counted,
    scientific,
    sources,
)
from harness.studies.biomed.templates.pair import YES, Answerer, Pair, Rules, Tables
from harness.studies.biomed.templates.row_order import numbered
from harness.studies.biomed.templates.smr_rows import AD, SNP, disease_name, present, significant, with_snp
from harness.studies.biomed.terms import STRICT

Row = Mapping[str, Any]
Signals = Mapping[str, Sequence[Row]]  # by SNP, the least p first; for each tissue the row with the least p
DISEASE: Final = disease_name(AD)


@dataclass(frozen=True, slots=True)
class _Ask:
    """What distinguishes one template from another: its question, what it asks for, and what an answer says."""

    question: str
    none: str  # the answer if there is no signal
    some: str  # the answer if there are signals; {snps} is the number of SNPs with its noun
    slots: frozenset[str]  # the slots that the question asks for
    risk: bool = False  # whether only signals that raise the risk count

    def counts(self, mode: str) -> pl.Expr:
        """Return the condition under which a row is a signal."""
        if not self.risk:
            return significant()
        if mode == STRICT:
            return significant() & (pl.col("b_GWAS") != 0) & pl.col("A1").is_not_null() & pl.col("A2").is_not_null()
        return significant() & (pl.col("b_SMR") > 0)


def _answerer(template: str, paper: _Ask, strict: _Ask | None = None) -> Answerer:
    asks = {STRICT: strict or paper}

    def candidates(tables: Tables, rules: Rules) -> pl.DataFrame:

        yes = asks.get(rules.mode, paper).counts(rules.mode).fill_null(value=False).alias(YES)
        genes = _tested(tables).select("Gene", row_order.NUMBER, yes).group_by("Gene", maintain_order=False)
        first = genes.agg(pl.col(row_order.NUMBER).min(), pl.col(YES).any()).collect(engine="streaming")
        ordered = first.sort(row_order.NUMBER, maintain_order=True)  # no two genes share their first row
        return ordered if TEMPLATES[template].yes_no else ordered.drop(YES)

    def pairs(tables: Tables, chosen: pl.DataFrame, rules: Rules) -> list[Pair]:
        ask = asks.get(rules.mode, paper)
        signals, first = _signals(tables, chosen, ask.counts(rules.mode))
        return [_pair(template, ask, rules.mode, gene, signals.get(gene, {}), first[gene]) for gene in chosen["Gene"]]

    return Answerer(candidates, pairs)


def _tested(tables: Tables) -> pl.LazyFrame:
    """Return the rows of the disease that test a gene, numbered."""
    return numbered(with_snp(tables["smr"])).filter((pl.col("Disease") == AD) & present("Gene"))


def _signals(tables: Tables, chosen: pl.DataFrame, counts: pl.Expr) -> tuple[Mapping[str, Signals], Mapping[str, str]]:
    """Return the signals of each chosen gene that has some, and the id of the first row of each chosen gene."""
    mine = _tested(tables).filter(pl.col("Gene").is_in(chosen["Gene"].implode()))
    starts = mine.filter(pl.col(row_order.NUMBER).is_in(chosen[row_order.NUMBER].implode()))
    first = dict(starts.select("Gene", "UUID").collect(engine="streaming").iter_rows())
    tissue = pl.col("Omic_tissue").fill_null("")
    rows = mine.filter(counts).with_columns(tissue).collect(engine="streaming")
    best = rows.sort("p_SMR_multi", SNP, "Omic_tissue", row_order.NUMBER, maintain_order=True)
    found: dict[str, dict[str, list[Row]]] = {}
    for row in best.unique(["Gene", SNP, "Omic_tissue"], keep="first", maintain_order=True).iter_rows(named=True):
        found.setdefault(row["Gene"], {}).setdefault(row[SNP], []).append(row)
    return found, first


def _pair(template: str, ask: _Ask, mode: str, gene: str, signals: Signals, first: str) -> Pair:
    verdict = TEMPLATES[template].yes_no
    question, yes = ask.question.format(gene=gene), bool(signals) if verdict else None
    begin = f"{'Yes' if signals else 'No'}. " if verdict else ""
    said = [fact("verdict", VERDICT, "yes" if signals else "no")] if verdict else []
    number = fact("number of SNPs", INTEGER, len(signals), of=gene, asked="number of SNPs" in ask.slots)
    if not signals:
        return Pair(template, question, begin + ask.none.format(gene=gene), tuple(said or [number]), first, yes)
    shown = dict(list(signals.items())[:SHOWN])
    alleles = ask.risk and mode == STRICT
    some = ask.some.format(gene=gene, snps=counted(len(signals), "SNP"))
    top = f" The {SHOWN} with the least p-values:" if len(signals) > SHOWN else ""
    answer = f"{begin}{some}{top}\n{bullets(_line(snp, rows, alleles) for snp, rows in shown.items())}"
    snps = fact("SNPs", NAMES, list(shown), of=gene, asked="SNPs" in ask.slots)
    listed: Fact = {**snps, "of_all": len(signals)} if len(signals) > SHOWN else snps
    facts = [*said, number, listed, *(found for rows in shown.values() for found in _facts(ask, rows, alleles))]
    return Pair(template, question, answer, tuple(facts), sources(_ids(shown)), yes)


def _ids(signals: Signals) -> list[str]:
    return [row["UUID"] for rows in signals.values() for row in rows]


def _line(snp: str, rows: Sequence[Row], alleles: bool) -> str:
    tissues = "; ".join(f"{_where(row)}adjusted p = {scientific(row['p_SMR_multi'])}{_heidi(row)}" for row in rows)
    return f"{snp} (allele {_risk_allele(rows[0])}): {tissues}" if alleles else f"{snp}: {tissues}"


def _where(row: Row) -> str:
    return f"{row['Omic_tissue']}, " if row["Omic_tissue"] else ""


def _heidi(row: Row) -> str:
    return "" if row["p_HEIDI"] is None else f", HEIDI p = {scientific(row['p_HEIDI'], HEIDI_DIGITS)}"


def _risk_allele(row: Row) -> str:
    """Return the allele that raises the risk: the GWAS's effect allele, or the other one if its effect is negative."""
    return str(row["A1"] if row["b_GWAS"] > 0 else row["A2"])


def _facts(ask: _Ask, rows: Sequence[Row], alleles: bool) -> list[Fact]:
    snp = rows[0][SNP]
    tissues = [row["Omic_tissue"] for row in rows if row["Omic_tissue"]]
    facts = (
        [fact("risk allele", NAME, _risk_allele(rows[0]), of=snp, asked="risk allele" in ask.slots)] if alleles else []
    )
    if tissues:
        facts.append(fact("tissues", NAMES, tissues, of=snp, asked="tissues" in ask.slots))
    for row in rows:
        of = f"{snp} in {row['Omic_tissue']}" if row["Omic_tissue"] else snp
        facts.append(fact("p", NUMBER, scientific(row["p_SMR_multi"]), of=of, asked=False))
        if row["p_HEIDI"] is not None:
            facts.append(fact("HEIDI", NUMBER, scientific(row["p_HEIDI"], HEIDI_DIGITS), of=of, asked=False))
    return facts


_TEN: Final = " Of more than ten, name the ten with the least p-values."
_BY_SMR: Final = f"by SMR (adjusted p below 2.95e-06) in {DISEASE}"
_RISK: Final = _Ask(
    question=(
        "By significant SMR results (adjusted p below 2.95e-06), are there alleles of the gene {gene} that raise the "
        f"risk of {DISEASE}?"
    ),
    none=f"{{gene}} has no significant SNP with a positive SMR effect {_BY_SMR}.",
    some=f"{{gene}} has {{snps}} with a positive SMR effect (b_SMR above 0), significant {_BY_SMR}.",
    slots=frozenset(),
    risk=True,
)
_RISK_ALLELES: Final = _Ask(
    question=(
        "By significant SMR results (adjusted p below 2.95e-06), are there alleles of the gene {gene} that raise the "
        f"risk of {DISEASE}, judged by the effect in the GWAS, and which?{_TEN}"
    ),
    none=f"{{gene}} has no SNP that is significant {_BY_SMR}, with an effect in the GWAS.",
    some=(
        f"{{gene}} has {{snps}} significant {_BY_SMR}. The allele that raises the risk is read from the effect in the "
        "GWAS, as SMR's own effect is one of expression."
    ),
    slots=frozenset({"SNPs", "risk allele"}),
    risk=True,
)
ANSWERERS: Mapping[str, Answerer] = {
    "T10": _answerer(
        "T10",
        _Ask(
            question=(f"Are there SNPs of the gene {{gene}} significant {_BY_SMR}, which, and in which tissues?{_TEN}"),
            none=f"{{gene}} has no SNP that is significant {_BY_SMR}.",
            some=f"{{gene}} has {{snps}} significant {_BY_SMR}.",
            slots=frozenset({"SNPs", "tissues"}),
        ),
    ),
    "T24": _answerer("T24", _RISK, _RISK_ALLELES),
    "T27": _answerer(
        "T27",
        _Ask(
            question=f"Does SMR show any significant signal (adjusted p below 2.95e-06) of {{gene}} in {DISEASE}?",
            none=f"There is no significant signal of {{gene}} {_BY_SMR}.",
            some=f"SMR shows signals of {{gene}} by {{snps}}, significant {_BY_SMR}.",
            slots=frozenset(),
        ),
    ),
    "T29": _answerer(
        "T29",
        _Ask(
            question=(
                f"How relevant is the gene {{gene}} in {DISEASE} by SMR: how many SNPs are significant (adjusted p "
                f"below 2.95e-06), which, and in which tissues?{_TEN}"
            ),
            none=f"{{gene}} shows no relevance: 0 SNPs are significant {_BY_SMR}.",
            some=f"{{gene}} shows relevance: it has {{snps}} significant {_BY_SMR}.",
            slots=frozenset({"number of SNPs", "SNPs", "tissues"}),
        ),
    ),
}
