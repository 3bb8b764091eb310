"""What the invented tables of genetics hold, beside the ordinary: each oddity that a rule is there for."""

import math

import polars as pl
import pytest
import support_biomed_tables as support
from support_draws import drawn

from harness.studies.biomed.sources.synthetic import FULL, SMALL
from harness.studies.biomed.sources.synthetic_genetics import p_value

STUDIES = ("ad_gwas", "pd_gwas")
SIGNIFICANT = pl.col("p") < 5e-8
SIZES = pytest.mark.parametrize("sizes", drawn([FULL, SMALL], 1, 2), ids=repr)


def both(sizes=FULL):
    """Join the two studies on their SNPs."""
    first, second = (support.made(7, sizes)[name] for name in STUDIES)
    return first.join(second, on="SNP", suffix="_pd")


def by_gene(rows, column):
    """Count rows by gene, a row of two genes for each."""
    return rows.with_columns(pl.col(column).str.split(";")).explode(column).group_by(column).len()["len"].sort()[::-1]


def test_seven_in_ten_snps_are_in_both_studies_and_others_in_either():
    first, second = (set(support.made()[name]["SNP"]) for name in STUDIES)
    assert 0.65 < len(first & second) / len(first | second) < 0.75
    assert first - second and second - first


@pytest.mark.parametrize("name", STUDIES)
def test_frequencies_are_those_of_the_minor_allele(name):
    freq = support.made()[name]["freq"]
    assert freq.is_between(0.0003, 0.5).all() and freq.min() == 0.0003


@pytest.mark.parametrize("name", STUDIES)
def test_about_two_in_a_hundred_snps_are_significant(name):
    assert 0.01 < support.made()[name].select(SIGNIFICANT.mean()).item() < 0.04


@pytest.mark.parametrize("name", STUDIES)
def test_at_least_three_genes_have_more_significant_snps_than_are_listed(name):
    assert by_gene(support.made()[name].filter(SIGNIFICANT), "nearestGene")[2] > 10


@pytest.mark.parametrize("name", STUDIES)
@SIZES
def test_one_gene_has_significant_snps_that_all_lower_the_risk(name, sizes):
    rows = support.made(7, sizes)[name].filter(SIGNIFICANT, ~pl.col("nearestGene").str.contains(";"))
    raising = rows.group_by("nearestGene").agg(any=(pl.col("b") > 0).any())["any"]
    assert raising.any() and not raising.all()


@pytest.mark.parametrize("name", STUDIES)
def test_p_values_tie_and_stand_at_both_sides_of_the_bound(name):
    rows = support.made()[name]
    assert rows.filter(SIGNIFICANT)["p"].is_duplicated().any()
    assert (rows["p"] == 5e-8).any()
    assert rows.filter(p=4.9999e-08, b=pl.col("b").abs()).height  # printed as the bound itself


@pytest.mark.parametrize("name", STUDIES)
@SIZES
def test_one_in_a_hundred_positions_is_missing_in_four_ways(name, sizes):
    rows = support.made(7, sizes)[name]
    place = pl.struct(
        pl.when(pl.col("chr_38") == "0").then(pl.lit("0")).when(pl.col("chr_38").is_null()).then(None).otherwise(
            pl.lit("some")).alias("chr"),
        pl.col("bp_38").is_null().alias("none"),
    )  # fmt: skip
    ways = rows.select(place.alias("place")).unnest("place").group_by("chr", "none").len()
    assert ways.height == 5
    missing = ways.filter(~((pl.col("chr") == "some") & ~pl.col("none")).fill_null(False))["len"].sum()
    assert 0.005 < missing / rows.height < 0.02


@SIZES
def test_some_snps_stand_elsewhere_in_the_other_study(sizes):
    rows = both(sizes)
    assert rows.filter(pl.col("bp_38") != pl.col("bp_38_pd")).height
    assert rows.filter(pl.col("chr_38") != pl.col("chr_38_pd"), pl.col("chr_38") != "0").height


@SIZES
def test_genes_are_one_or_two_or_named_none_and_differ_between_studies(sizes):
    rows = both(sizes)
    assert 0.1 < rows["nearestGene"].str.contains(";").mean() < 0.2
    assert rows.filter(nearestGene="NONE").height and rows["nearestGene"].null_count()
    ours, theirs = pl.col("nearestGene").str.split(";"), pl.col("nearestGene_pd").str.split(";")
    turned = rows.filter(ours != theirs, ours.list.sort() == theirs.list.sort())
    assert turned.height  # the same genes in another order


@pytest.mark.parametrize("name", STUDIES)
def test_four_in_a_hundred_alleles_are_longer_than_a_letter(name):
    letters = pl.col("A1").str.len_chars() + pl.col("A2").str.len_chars()
    rows = support.made()[name]
    assert 0.03 < rows.select((letters > 2).mean()).item() < 0.06
    assert rows.filter(pl.col("A1") == pl.col("A2")).is_empty()


@pytest.mark.parametrize("name", STUDIES)
@SIZES
def test_one_snp_may_stand_on_two_rows_with_other_alleles(name, sizes):
    rows = support.made(7, sizes)[name]
    double = rows.filter(pl.col("SNP").is_duplicated())
    assert double.height >= 2 and double.select(pl.struct("SNP", "A1", "A2").n_unique()).item() == double.height


def test_a_p_value_is_that_of_the_normal_distribution():
    z = 0.2 * math.sqrt(2 * 0.3 * 0.7 * 3000)
    assert p_value(-0.2, 0.3, 3000) == pytest.approx(math.erfc(z / math.sqrt(2)), rel=1e-3)
    assert p_value(9.0, 0.5, 3000) == 1e-300


def test_results_by_smr_are_of_six_diseases_and_all_tissues_and_kinds():
    rows = support.made()["smr"]
    assert rows.group_by("Disease").len().sort("len")["Disease"].to_list() == ["PSP", "FTD", "ALS", "LBD", "PD", "AD"]
    assert rows["Omic_tissue"].n_unique() == 22 and rows["Omic_type"].n_unique() == 88
    assert rows.filter(~pl.col("Omic_type").str.starts_with(pl.col("Omic_tissue"))).is_empty()


def test_results_by_smr_pass_fail_or_lack_both_tests_in_their_shares():
    rows = support.made()["smr"]
    heidi = rows["p_HEIDI"]
    assert 0.045 < rows.filter(pl.col("p_SMR_multi") < 2.95e-6).height / rows.height < 0.055
    assert 0.17 < heidi.is_between(0, 0.01).sum() / rows.height < 0.22
    assert 0.015 < (heidi == -9999).sum() / rows.height < 0.025
    flags = (pl.col("p_SMR_multi") < 2.95e-6) & (pl.col("p_HEIDI") > 0.01)
    assert rows.select((flags == pl.col("func_sig")).all()).item()


@SIZES
def test_three_genes_have_more_significant_results_by_smr_than_are_listed(sizes):
    rows = support.made(7, sizes)["smr"].filter(pl.col("p_SMR_multi") < 2.95e-6, Disease="AD")
    assert by_gene(rows, "Gene")[2] > 10


@SIZES
def test_one_gene_kind_and_disease_has_several_snps_with_ties(sizes):
    rows = support.made(7, sizes)["smr"]
    alike = rows.filter(pl.struct("Gene", "Omic_type", "Disease", "p_SMR_multi").is_duplicated())
    assert alike["topRSID"].n_unique() > 2


@SIZES
def test_a_significant_result_may_fail_the_test_of_heterogeneity(sizes):
    rows = support.made(7, sizes)["smr"].filter(pl.col("p_SMR_multi") < 2.95e-6)
    assert rows["func_sig"].any() and not rows["func_sig"].all()


def test_rows_of_a_large_study_do_not_depend_on_where_a_part_begins():
    whole = support.genetics_rows(3, "ad_gwas", 0, 200)
    assert whole.equals(support.genetics_rows(3, "ad_gwas", 0, 200)) and whole["UUID"][-1] == "ad_gwas_200"
    assert whole["SNP"].equals(support.genetics_rows(3, "pd_gwas", 0, 200)["SNP"])
