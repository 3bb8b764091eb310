"""Templates by SMR (T10, T16, T24, T27, T29, T30, T36): thresholds, HEIDI by template and mode, lists, top SNPs."""

from __future__ import annotations

from typing import Any

import pytest
from support_biomed_genetics import pairs, smr, values

from harness.studies.biomed.templates.pair import Pair

GENES = ["T10", "T24", "T27", "T29"]


def made(template: str, *rows: dict[str, Any], mode: str = "strict") -> list[Pair]:
    return pairs(template, {"smr": smr(*rows)}, mode)


def count(pair: Pair) -> Any:
    return values(pair).get(("number of SNPs", "ONE"), 0)


@pytest.mark.parametrize("mode", ["paper", "strict"])
@pytest.mark.parametrize("template", GENES)
def test_signals_of_a_gene_need_a_significant_p_but_not_heidi(template: str, mode: str) -> None:
    rows: list[dict[str, Any]] = [
        {"p_SMR_multi": 2.95e-6},
        {"p_SMR_multi": 2.94e-6, "p_HEIDI": 9e-8},
        {"p_HEIDI": None},
    ]
    (pair,) = made(template, *rows, mode=mode)
    assert values(pair)["SNPs", "ONE"] == ["rs3", "rs2"]


@pytest.mark.parametrize("template", GENES)
def test_genes_are_those_tested_in_alzheimers_disease(template: str) -> None:
    rows: list[dict[str, Any]] = [
        {"Gene": "TWO"},
        {"Gene": "ONE", "Disease": "PD"},
        {"Gene": "NONE"},
        {"Gene": None},
        {"Gene": "THREE"},
    ]
    assert [pair.source for pair in made(template, *rows)] == ["s_1", "s_5"]


@pytest.mark.parametrize("template", ["T10", "T24", "T27"])
def test_a_gene_without_a_signal_is_answered_no(template: str) -> None:
    (pair,) = made(template, {"p_SMR_multi": 0.1}, {"Disease": "PD"})
    assert pair.yes is False
    assert values(pair) == {("verdict", ""): "no"}


def test_the_relevance_of_a_gene_without_a_signal_is_a_count_of_zero() -> None:
    (pair,) = made("T29", {"p_SMR_multi": 0.1})
    assert values(pair, asked=True) == {("number of SNPs", "ONE"): 0}
    assert pair.yes is None


def test_one_bullet_an_snp_with_all_its_tissues_by_p() -> None:
    rows: list[dict[str, Any]] = [
        {"topRSID": "rs5", "p_SMR_multi": 1e-7, "p_HEIDI": 0.0058909},
        {"topRSID": "rs6", "p_SMR_multi": 1e-8, "p_HEIDI": None},
        {"topRSID": "rs5", "p_SMR_multi": 1e-9, "Omic_tissue": "Blood"},
        {"topRSID": "rs5", "p_SMR_multi": 1e-10, "Omic_tissue": "Blood", "Omic_type": "Blood mQTL"},
    ]
    (pair,) = made("T10", *rows)
    assert pair.answer.splitlines()[1:] == [
        "• rs5: Blood, adjusted p = 1.00e-10, HEIDI p = 5.0000e-01; "
        "Cortex, adjusted p = 1.00e-07, HEIDI p = 5.8909e-03",
        "• rs6: Cortex, adjusted p = 1.00e-08",
    ]
    assert values(pair, asked=True) == {
        ("verdict", ""): "yes",
        ("SNPs", "ONE"): ["rs5", "rs6"],
        ("tissues", "rs5"): ["Blood", "Cortex"],
        ("tissues", "rs6"): ["Cortex"],
    }
    assert values(pair)["HEIDI", "rs5 in Cortex"] == "5.8909e-03"
    assert pair.source == "s_1, s_2, s_4"


@pytest.mark.parametrize("template", GENES)
def test_ten_of_more_signals_are_shown(template: str) -> None:
    (pair,) = made(template, *({"p_SMR_multi": 1e-9 / n} for n in range(1, 12)))
    snps = next(fact for fact in pair.facts if fact["slot"] == "SNPs")
    assert (len(snps["value"]), snps["of_all"], count(pair)) == (10, 11, 11)
    assert pair.answer.count("•") == 10


def test_an_snp_without_an_rs_id_goes_by_its_name() -> None:
    (pair,) = made("T29", {"topRSID": None}, {"topRSID": ""})
    assert values(pair)["SNPs", "ONE"] == ["1:1", "1:2"]


def test_paper_calls_a_positive_smr_effect_a_risk() -> None:
    (pair,) = made("T24", {"b_SMR": -0.1, "b_GWAS": 0.1}, {"b_SMR": 0.1, "b_GWAS": -0.1}, mode="paper")
    assert values(pair)["SNPs", "ONE"] == ["rs2"]
    (no,) = made("T24", {"b_SMR": -0.1}, mode="paper")
    assert no.yes is False


def test_strict_reads_the_risk_allele_from_the_gwas() -> None:
    (pair,) = made("T24", {"b_SMR": -0.1, "b_GWAS": 0.1}, {"b_SMR": 0.1, "b_GWAS": -0.1}, {"b_GWAS": 0.0})
    assert values(pair)["SNPs", "ONE"] == ["rs1", "rs2"]
    assert values(pair, asked=True)["risk allele", "rs1"] == "A"
    assert values(pair, asked=True)["risk allele", "rs2"] == "G"
    assert "one of expression" in pair.answer


@pytest.mark.parametrize("mode", ["paper", "strict"])
def test_the_top_snp_of_a_tissue_must_be_significant_and_pass_heidi(mode: str) -> None:
    rows: list[dict[str, Any]] = [
        {"p_SMR_multi": 1e-9, "p_HEIDI": 0.01},
        {"p_SMR_multi": 2e-9, "p_HEIDI": None},
        {"p_SMR_multi": 3e-9},
    ]
    (pair,) = made("T16", *rows, {"Omic_tissue": "Blood", "p_SMR_multi": 0.1}, mode=mode)
    assert values(pair, asked=True) == {("SNP", "Cortex"): "rs3", ("gene", "rs3"): "ONE"}
    assert pair.source == "s_3"


def test_heidi_parts_paper_from_strict_for_the_top_snp_of_a_gene() -> None:
    rows: list[dict[str, Any]] = [{"p_SMR_multi": 1e-9, "p_HEIDI": 6e-15}, {"p_SMR_multi": 2e-9}]
    (paper,), (strict,) = made("T30", *rows, mode="paper"), made("T30", *rows)
    assert values(paper, asked=True) == {("SNP", "ONE"): "rs1", ("p", "rs1"): "1.00e-09"}
    assert values(strict, asked=True) == {("SNP", "ONE"): "rs2", ("p", "rs2"): "2.00e-09"}
    assert values(paper)["HEIDI", "rs1"] == "6.0000e-15"
    assert ("HEIDI" in paper.question, "HEIDI" in strict.question) == (False, True)
    assert made("T30", rows[0]) == []


@pytest.mark.parametrize("mode", ["paper", "strict"])
def test_heidi_only_sets_the_verdict_of_functional_significance(mode: str) -> None:
    rows: list[dict[str, Any]] = [
        {"Gene": "A", "p_HEIDI": 0.01},
        {"Gene": "A", "p_SMR_multi": 1e-7},
        {"Gene": "B", "p_HEIDI": 0.0101},
        {"Gene": "C", "p_SMR_multi": 0.8},
        {"Gene": "D", "p_HEIDI": None},
        {"Gene": "E", "p_SMR_multi": None},
    ]
    by_gene = made("T36", *rows, mode=mode)
    assert [pair.yes for pair in by_gene] == [False, True, False, False]
    assert [pair.source for pair in by_gene] == ["s_1", "s_3", "s_4", "s_5"]
    assert values(by_gene[0], asked=True) == {("verdict", ""): "no", ("SNP", "A"): "rs1"}


@pytest.mark.parametrize("template", ["T16", "T30", "T36"])
def test_of_equal_p_the_first_snp_by_text_is_the_top_one(template: str) -> None:
    (pair,) = made(template, {"topRSID": "rs9"}, {"topRSID": "rs10"})
    assert pair.source == "s_2"


def test_questions_of_one_gene_differ_by_data_and_disease() -> None:
    rows: list[dict[str, Any]] = [{}, {"Omic_type": "Cortex mQTL"}, {"Disease": "FTLD"}, {"Disease": "odd"}]
    questions = [pair.question for pair in made("T36", *rows)]
    assert len(set(questions)) == 4
    assert "frontotemporal lobar degeneration (FTLD)" in questions[2]
