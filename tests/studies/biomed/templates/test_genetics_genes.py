"""Templates about a gene or a chromosome of one study (T09, T20, T26, T28): verdicts, counts, lists of the top ten."""

from __future__ import annotations

from typing import Any

import pytest
from support_biomed_genetics import gwas, pairs, tables, values

GENES = ["T09", "T26", "T28"]


@pytest.mark.parametrize("template", GENES)
def test_every_gene_of_the_table_is_asked_about_once(template: str) -> None:
    cells = ["TWO;ONE", "ONE", "NONE", None, "NONE;THREE ; ", ""]
    study = gwas(*({"nearestGene": cell} for cell in cells))
    asked = [pair.question for pair in pairs(template, tables(study, study))]
    assert [next(gene for gene in ("ONE", "TWO", "THREE") if f" {gene} " in text) for text in asked] == [
        "ONE",
        "TWO",
        "THREE",
    ]


@pytest.mark.parametrize("template", GENES)
def test_a_gene_without_a_significant_snp_is_answered_no(template: str) -> None:
    study = gwas({"p": 5e-8}, {"p": None})
    (pair,) = pairs(template, tables(study, study))
    assert pair.yes is False
    assert pair.answer.startswith("No.")
    assert values(pair, asked=True) == {("verdict", ""): "no"}
    assert pair.source == "g_1"


@pytest.mark.parametrize("template", GENES)
def test_an_snp_near_two_genes_counts_for_both(template: str) -> None:
    study = gwas({"p": 1e-9, "nearestGene": "ONE;TWO"}, {"nearestGene": "ONE"})
    assert [pair.yes for pair in pairs(template, tables(study, study))] == [True, True]


def test_a_gene_is_matched_whole() -> None:
    study = gwas({"p": 1e-9, "nearestGene": "ONE1"}, {"nearestGene": "ONE"})
    assert [pair.yes for pair in pairs("T26", tables(pd=study))] == [True, False]


def test_a_list_counts_all_and_shows_the_ten_with_least_p() -> None:
    study = gwas(*({"p": 1e-9 / n, "b": 0.1238} for n in range(1, 13)))
    (pair,) = pairs("T09", tables(study))
    snps = next(fact for fact in pair.facts if fact["slot"] == "SNPs")
    assert snps["value"] == [f"rs{n}" for n in range(12, 2, -1)]
    assert snps["of_all"] == 12
    assert values(pair)["number of SNPs", "ONE"] == 12
    assert pair.answer.count("•") == 10
    assert "• rs12: p = 8.33e-11, b = 1.2380e-01" in pair.answer
    assert values(pair)["p", "rs12"] == "8.33e-11"
    assert values(pair)["b", "rs12"] == "1.2380e-01"


def test_a_list_of_ten_shows_all() -> None:
    (pair,) = pairs("T26", tables(pd=gwas(*({"p": 1e-9} for _ in range(10)))))
    snps = next(fact for fact in pair.facts if fact["slot"] == "SNPs")
    assert "of_all" not in snps
    assert snps["value"] == sorted(f"rs{n}" for n in range(1, 11))  # equal p: by the SNP's text


def test_an_snp_with_two_rows_is_listed_once_by_its_least_p() -> None:
    (pair,) = pairs("T09", tables(gwas({"p": 2e-9}, {"p": 1e-9, "SNP": "rs1"})))
    assert values(pair)["number of SNPs", "ONE"] == 1
    assert values(pair)["p", "rs1"] == "1.00e-09"


def test_only_effects_above_zero_raise_the_risk() -> None:
    rows: list[dict[str, Any]] = [
        {"p": 1e-9, "b": -0.2},
        {"p": 1e-9, "b": 0.0},
        {"p": 0.1, "b": 0.3},
        {"p": 1e-9, "b": None},
    ]
    (no,) = pairs("T28", tables(pd=gwas(*rows)))
    assert no.yes is False
    (yes,) = pairs("T28", tables(pd=gwas(*rows, {"p": 4.9951e-8, "b": 0.123456})))
    assert values(yes)["SNPs", "ONE"] == ["rs5"]


def test_one_snp_raises_the_risk_and_several_do_so_in_the_same_words() -> None:
    rows: list[dict[str, Any]] = [{"p": 1e-9, "b": 0.2}, {"p": 1e-9, "b": 0.2}]
    (one,) = pairs("T28", tables(pd=gwas(rows[0])))
    assert "ONE has 1 SNP with an effect that raises the risk" in one.answer
    (two,) = pairs("T28", tables(pd=gwas(*rows)))
    assert "ONE has 2 SNPs with an effect that raises the risk" in two.answer


def test_risk_facts_are_unrounded_where_the_answer_rounds() -> None:
    (pair,) = pairs("T28", tables(pd=gwas({"p": 4.9991e-8, "b": 0.123456})))
    assert "5.00e-08" in pair.answer
    assert values(pair)["p", "rs1"] == "4.9991e-08"
    assert values(pair)["b", "rs1"] == "0.123456"


def test_a_missing_effect_is_left_out_of_a_list() -> None:
    (pair,) = pairs("T26", tables(pd=gwas({"p": 1e-9, "b": None})))
    assert pair.answer.endswith("• rs1: p = 1.00e-09")
    assert ("b", "rs1") not in values(pair)


def test_a_chromosome_of_grch38_counts_its_significant_snps() -> None:
    study = gwas(
        {"p": 1e-9, "chr_38": "10", "chr_37": "7"},
        {"p": 1e-9, "SNP": "rs1", "chr_38": "10"},
        {"p": 1e-10, "chr_38": "10"},
        {"chr_38": "X"},
        {"p": 1e-9, "chr_38": "0"},
        {"p": 1e-9, "chr_38": None},
    )
    ten, x = pairs("T20", tables(pd=study))
    assert values(ten, asked=True) == {("number of SNPs", "10"): 2}
    assert values(ten, asked=False)["SNPs", "10"] == ["rs3", "rs1"]
    assert values(x, asked=True) == {("number of SNPs", "X"): 0}
    assert ten.yes is None


def test_the_list_is_asked_for_only_where_the_question_asks() -> None:
    study = tables(gwas({"p": 1e-9}), gwas({"p": 1e-9}))
    assert values(pairs("T26", study)[0], asked=True) == {("verdict", ""): "yes"}
    assert {slot for slot, _ in values(pairs("T09", study)[0], asked=True)} == {"verdict", "number of SNPs", "SNPs"}
