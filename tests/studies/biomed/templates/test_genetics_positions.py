"""Templates that ask both studies where an SNP lies (T25, T37, T38): agreement, one study, and missing positions."""

from __future__ import annotations

from typing import Any

import pytest
from support_biomed_genetics import gwas, pairs, tables, values

HERE = {("chromosome", "GRCh38"): 1, ("position", "GRCh38"): 100, ("genes", "rs1"): ["ONE"]}


def asked(template: str, ad: dict[str, Any] | None, pd: dict[str, Any] | None, mode: str = "strict") -> Any:
    """Give what is asked for of one SNP that each study has as given, or does not have."""
    studies = [gwas() if row is None else gwas({"UUID": name, **row}) for name, row in (("a_1", ad), ("p_1", pd))]
    made = pairs(template, tables(*studies), mode)
    return values(made[0], asked=True) if made else None


def test_studies_that_agree_are_one_answer_of_both_rows() -> None:
    (pair,) = pairs("T25", tables(gwas({"UUID": "a_1"}), gwas({"UUID": "p_1"})))
    assert values(pair, asked=True) == HERE
    assert pair.source == "a_1, p_1"
    assert "chromosome 1 at base pair 100 of GRCh38/hg38" in pair.answer


@pytest.mark.parametrize(("ad", "pd", "study"), [({}, None, "Bellenguez 2022"), (None, {}, "Nalls et al. 2019")])
def test_an_snp_of_one_study_is_answered_from_it(ad: Any, pd: Any, study: str) -> None:
    made = pairs("T25", tables(*(gwas() if row is None else gwas(row) for row in (ad, pd))))
    assert values(made[0], asked=True) == HERE
    assert study in made[0].answer
    assert values(made[0], asked=False) == {("study", ""): study}


@pytest.mark.parametrize("lost", [{"chr_38": "0", "bp_38": 0}, {"chr_38": None}, {"chr_38": "0"}, {"bp_38": None}])
def test_strict_leaves_out_a_study_that_does_not_place_the_snp(lost: dict[str, Any]) -> None:
    (pair,) = pairs("T25", tables(gwas({"UUID": "a_1"}), gwas({"UUID": "p_1", **lost})))
    assert values(pair, asked=True) == HERE
    assert pair.source == "a_1"
    assert asked("T25", lost, {}) == HERE
    assert asked("T25", lost, lost) is None
    assert asked("T25", None, lost) is None


def test_paper_keeps_chromosome_zero_as_a_disagreement() -> None:
    said = asked("T25", {}, {"chr_38": "0", "bp_38": 0}, "paper")
    assert said["position", "GRCh38 in Bellenguez 2022"] == 100
    assert said["chromosome", "GRCh38 in Nalls et al. 2019"] == 0
    assert said["position", "GRCh38 in Nalls et al. 2019"] == 0


@pytest.mark.parametrize("other", [{"bp_38": 101}, {"chr_38": "2"}, {"nearestGene": "ONE;TWO"}])
def test_studies_that_differ_are_both_told(other: dict[str, Any]) -> None:
    (pair,) = pairs("T25", tables(gwas({"UUID": "a_1"}), gwas({"UUID": "p_1", **other})))
    assert pair.answer.startswith("The two studies disagree.")
    assert len(values(pair, asked=True)) == 6
    assert pair.source == "a_1, p_1"


def test_genes_are_compared_as_sets() -> None:
    assert asked("T25", {"nearestGene": "TWO;ONE"}, {"nearestGene": "ONE;TWO"})["genes", "rs1"] == ["TWO", "ONE"]


def test_strict_compares_genes_without_none() -> None:
    assert asked("T25", {"nearestGene": "NONE;ONE"}, {"nearestGene": "ONE"}) == HERE
    assert asked("T25", {"nearestGene": "NONE"}, {"nearestGene": "ONE"}) == HERE


def test_paper_keeps_none_as_a_gene() -> None:
    assert asked("T25", {"nearestGene": "NONE;ONE"}, None, "paper")["genes", "rs1"] == ["NONE", "ONE"]
    assert len(asked("T25", {"nearestGene": "NONE;ONE"}, {"nearestGene": "ONE"}, "paper")) == 6


@pytest.mark.parametrize("cell", [None, "NONE", "NONE;NONE"])
def test_without_a_gene_the_position_alone_is_told(cell: str | None) -> None:
    said = asked("T25", {"nearestGene": cell}, {"nearestGene": cell})
    assert said == {("chromosome", "GRCh38"): 1, ("position", "GRCh38"): 100}


def test_a_chromosome_that_is_no_number_is_a_name() -> None:
    assert asked("T25", {"chr_38": "X"}, None)["chromosome", "GRCh38"] == "X"


def test_candidates_are_those_of_one_study_then_those_of_the_other() -> None:
    ad = gwas({"UUID": "a_2", "SNP": "rs9"}, {"UUID": "a_1", "SNP": "rs7"})
    pd = gwas({"UUID": "p_1", "SNP": "rs8"}, {"UUID": "p_2", "SNP": "rs7"})
    assert [pair.source for pair in pairs("T25", tables(ad, pd))] == ["a_1, p_2", "a_2", "p_1"]


@pytest.mark.parametrize("cell", [None, "", "NONE", "NONE;NONE"])
def test_the_nearest_gene_is_asked_only_where_a_study_names_one(cell: str | None) -> None:
    assert asked("T37", {"nearestGene": cell}, {"nearestGene": "NONO"}) == {("genes", "rs1"): ["NONO"]}
    assert asked("T37", {"nearestGene": cell}, {"nearestGene": cell}) is None


def test_differing_nearest_genes_are_told_by_study() -> None:
    said = asked("T37", {"nearestGene": "ONE"}, {"nearestGene": "TWO"})
    assert said == {("genes", "rs1 in Bellenguez 2022"): ["ONE"], ("genes", "rs1 in Nalls et al. 2019"): ["TWO"]}


def test_the_nearest_gene_does_not_need_a_position() -> None:
    assert asked("T37", {"chr_38": None}, None) == {("genes", "rs1"): ["ONE"]}


def test_positions_are_bound_to_their_builds() -> None:
    assert asked("T38", {}, {}) == {
        ("chromosome", "GRCh37"): 1,
        ("position", "GRCh37"): 90,
        ("chromosome", "GRCh38"): 1,
        ("position", "GRCh38"): 100,
    }


@pytest.mark.parametrize("mode", ["paper", "strict"])
@pytest.mark.parametrize("lost", [{"chr_37": "0"}, {"bp_37": None}, {"chr_38": None}, {"bp_38": None}])
def test_both_builds_are_asked_only_of_a_study_with_both(lost: dict[str, Any], mode: str) -> None:
    assert asked("T38", lost, {}, mode)["position", "GRCh38"] == 100
    assert asked("T38", lost, lost, mode) is None


def test_studies_that_differ_in_one_build_are_both_told() -> None:
    assert len(asked("T38", {}, {"bp_37": 91})) == 8
