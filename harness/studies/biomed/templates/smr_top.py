"""Templates about the top SNP by SMR: T16 (of a tissue), T30 (of a gene and kind of data), T36 (with a verdict).

The top SNP has the least adjusted p-value. If several have it, the first SNP in the order of its text is the top one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import polars as pl

from harness.studies.biomed.facts import NAME, NUMBER, VERDICT, Fact, fact
from harness.studies.biomed.templates import row_order
from harness.studies.biomed.templates.catalogue import ALWAYS, IN_STRICT, TEMPLATES
from harness.studies.biomed.templates.formats import HEIDI_DIGITS, scientific
from harness.studies.biomed.templates.pair import YES, Answerer, Pair, Rules, Tables
from harness.studies.biomed.templates.row_order import numbered
from harness.studies.biomed.templates.smr_rows import SNP, disease_name, homogeneous, present, significant, with_snp
from harness.studies.biomed.terms import STRICT

Row = Mapping[str, Any]
_Words = Callable[
    [Row, bool], tuple[str, str, list[Fact]]
]  # from a row, and whether HEIDI is required, to question, answer and facts
_PASSED: Final = " and passing the HEIDI test (p above 0.01)"


def _answerer(template: str, keys: tuple[str, ...], words: _Words) -> Answerer:
    verdict = TEMPLATES[template].yes_no

    def candidates(tables: Tables, rules: Rules) -> pl.DataFrame:

        rows = numbered(with_snp(tables["smr"])).filter(pl.all_horizontal([present(key) for key in keys]))
        if not verdict:
            rows = rows.filter(significant())
        if _heidi(template, rules):
            rows = rows.filter(homogeneous())
        yes = [(significant() & homogeneous()).alias(YES)] if verdict else []
        read = rows.select(*keys, SNP, "p_SMR_multi", row_order.NUMBER, *yes).collect(engine="streaming")
        top = read.sort("p_SMR_multi", SNP, row_order.NUMBER, maintain_order=True).unique(
            keys, keep="first", maintain_order=True
        )
        return top.drop(SNP, "p_SMR_multi").sort(row_order.NUMBER, maintain_order=True)

    def pairs(tables: Tables, chosen: pl.DataFrame, rules: Rules) -> list[Pair]:
        rows = _rows(tables["smr"], chosen[row_order.NUMBER])
        made = []
        for number in chosen[row_order.NUMBER]:
            row = rows[number]
            question, answer, facts = words(row, _heidi(template, rules))
            made.append(Pair(template, question, answer, tuple(facts), row["UUID"], _passed(row) if verdict else None))
        return made

    return Answerer(candidates, pairs)


def _heidi(template: str, rules: Rules) -> bool:
    """Whether the top SNP must pass the test for heterogeneity."""
    required = TEMPLATES[template].heidi
    return required == ALWAYS or (required == IN_STRICT and rules.mode == STRICT)


def _rows(table: pl.LazyFrame, numbers: pl.Series) -> Mapping[int, Row]:

    passed = (significant() & homogeneous()).alias(YES)
    rows = numbered(with_snp(table)).filter(pl.col(row_order.NUMBER).is_in(numbers.implode()))
    return {row[row_order.NUMBER]: row for row in rows.with_columns(passed).collect(engine="streaming").to_dicts()}


def _passed(row: Row) -> bool:
    return bool(row[YES])


def _numbers(row: Row, *, asked: bool = False) -> tuple[str, list[Fact]]:
    """Return the p-values of a row as an answer prints them, and their facts; the HEIDI p-value may be missing."""
    p, heidi = scientific(row["p_SMR_multi"]), row["p_HEIDI"]
    facts = [fact("p", NUMBER, p, of=row[SNP], asked=asked)]
    if heidi is None:
        return f"adjusted SMR p-value {p}, no HEIDI p-value", facts
    printed = scientific(heidi, HEIDI_DIGITS)
    facts.append(fact("HEIDI", NUMBER, printed, of=row[SNP], asked=False))
    return f"adjusted SMR p-value {p}, HEIDI p-value {printed}", facts


def _of_tissue(row: Row, heidi: bool) -> tuple[str, str, list[Fact]]:
    tissue, disease, gene = row["Omic_tissue"], disease_name(row["Disease"]), row["Gene"]
    printed, numbers = _numbers(row)
    question = (
        f"Which SNP is most significantly associated with {disease} by SMR in the tissue {tissue}, among those with an "
        f"adjusted p-value below 2.95e-06{_PASSED if heidi else ''}, and with which gene?"
    )
    snp = fact("SNP", NAME, row[SNP], of=tissue)
    if not gene or gene == "NONE":
        return question, f"The top SNP of {tissue} in {disease} is {row[SNP]} ({printed}).", [snp, *numbers]
    answer = f"The top SNP of {tissue} in {disease} is {row[SNP]}, with the gene {gene} ({printed})."
    return question, answer, [snp, fact("gene", NAME, gene, of=row[SNP]), *numbers]


def _of_gene(row: Row, heidi: bool) -> tuple[str, str, list[Fact]]:
    gene, omic, disease = row["Gene"], row["Omic_type"], disease_name(row["Disease"])
    printed, numbers = _numbers(row, asked=True)
    question = (
        f"In the {omic} data, which SNP of the gene {gene} is the top one in {disease} by SMR, with an adjusted "
        f"p-value below 2.95e-06{_PASSED if heidi else ''}, and what is that p-value?"
    )
    answer = f"In the {omic} data, the top SNP of {gene} in {disease} is {row[SNP]} ({printed})."
    return question, answer, [fact("SNP", NAME, row[SNP], of=gene), *numbers]


def _functional(row: Row, heidi: bool) -> tuple[str, str, list[Fact]]:
    gene, omic, disease = row["Gene"], row["Omic_type"], disease_name(row["Disease"])
    printed, numbers = _numbers(row)
    question = f"What is the top SNP of the gene {gene} in {disease} by SMR in the {omic} data, and is it functionally "
    question += "significant?"
    verdict = "is" if _passed(row) else "is not"
    answer = f"In the {omic} data, the top SNP of {gene} in {disease} is {row[SNP]} ({printed}). "
    answer += f"{'Yes' if _passed(row) else 'No'}, it {verdict} functionally significant."
    said = fact("verdict", VERDICT, "yes" if _passed(row) else "no")
    return question, answer, [said, fact("SNP", NAME, row[SNP], of=gene), *numbers]


ANSWERERS: Mapping[str, Answerer] = {
    "T16": _answerer("T16", ("Omic_tissue", "Disease"), _of_tissue),
    "T30": _answerer("T30", ("Gene", "Omic_type", "Disease"), _of_gene),
    "T36": _answerer("T36", ("Gene", "Omic_type", "Disease"), _functional),
}
