"""Templates about one SNP of one study (T02, T03, T19, T22): which SNPs are asked about, and what is printed."""

from __future__ import annotations

import random

import polars as pl
import pytest
from support_biomed_genetics import gwas, pairs, tables, values
from support_cases import each_of

from harness.studies.biomed.templates.gwas_rows import HASHED, distinct, either
from harness.studies.biomed.templates.row_order import NUMBER, in_order, numbered


@pytest.mark.parametrize("template", ["T02", "T03"])
def test_frequencies_are_bound_to_their_alleles_and_not_rounded(template: str) -> None:
    study = gwas({"freq": 0.20245, "A1": "CTT", "A2": "C"})
    (pair,) = pairs(template, tables(study, study))
    assert values(pair, asked=True) == {("frequency", "CTT"): "0.20245", ("other frequency", "C"): "0.79755"}


def test_printed_frequencies_add_up_to_one() -> None:
    (pair,) = pairs("T03", tables(gwas({"freq": 0.4535})))
    assert "0.454" in pair.answer
    assert "0.546" in pair.answer
    (other,) = pairs("T03", tables(gwas({"freq": 0.4545})))
    assert "0.454" in other.answer
    assert "0.546" in other.answer


def test_answers_name_the_study_of_their_disease() -> None:
    study = tables(gwas({}), gwas({}))
    assert "Alzheimer's disease (Bellenguez 2022)" in pairs("T03", study)[0].answer
    assert "Parkinson's disease (Nalls et al. 2019)" in pairs("T02", study)[0].answer
    assert values(pairs("T02", study)[0], asked=False)["study", ""] == "Nalls et al. 2019"


@each_of(
    ("template", "column"), [("T02", "freq"), ("T02", "A1"), ("T03", "A2"), ("T19", "b"), ("T22", "p"), ("T22", "SNP")]
)
def test_an_snp_without_what_is_asked_gives_no_question(template: str, column: str) -> None:
    study = gwas({column: None}, {})
    assert [pair.source for pair in pairs(template, tables(study, study))] == ["g_2"]


def test_the_effect_has_four_decimals_its_sign_and_its_allele() -> None:
    (pair,) = pairs("T19", tables(pd=gwas({"b": -0.1871, "A1": "T"})))
    assert values(pair, asked=True) == {("b", "rs1"): "-1.8710e-01"}
    assert values(pair, asked=False)["effect allele", "rs1"] == "T"
    assert "-1.8710e-01" in pair.answer


def test_significance_is_decided_on_the_unrounded_p() -> None:
    no, yes, zero = pairs("T22", tables(gwas({"p": 5e-8}, {"p": 4.999e-8}, {"p": 0.0})))
    assert (no.yes, yes.yes, zero.yes) == (False, True, True)
    assert "5.00e-08" in no.answer
    assert "5.00e-08" in yes.answer
    assert values(no, asked=True) == {("verdict", ""): "no"}
    assert values(yes)["verdict", ""] == "yes"


def test_of_an_snp_with_two_rows_the_first_usable_one_counts() -> None:
    study = gwas(
        {"UUID": "g_10", "SNP": "rs5", "p": 1e-9}, {"UUID": "g_9", "SNP": "rs5"}, {"UUID": "g_2", "SNP": "rs5"}
    )
    (pair,) = pairs("T22", tables(study))
    assert (pair.source, pair.yes) == ("g_2", False)
    (later,) = pairs("T22", tables(study.with_columns(p=pl.when(pl.col("UUID") != "g_2").then("p"))))
    assert later.source == "g_9"


def test_candidates_stand_in_the_natural_order_of_ids() -> None:
    study = gwas(*({"UUID": f"g_{n}"} for n in (100, 9, 20)))
    assert [pair.source for pair in pairs("T19", tables(pd=study))] == ["g_9", "g_20", "g_100"]


def test_ids_of_several_kinds_are_ordered_by_text_then_number() -> None:
    ids = ["b_2", "a_10", "a_9", "a_100000000000000000000000", "a"]
    rows = numbered(pl.DataFrame({"UUID": ids}).lazy()).sort(NUMBER).collect()
    assert rows["UUID"].to_list() == ["a", "a_9", "a_10", "a_100000000000000000000000", "b_2"]


@pytest.mark.parametrize(
    ("ids", "ordered"),
    [
        (["a_10", "a_9", "a_100"], ["a_9", "a_10", "a_100"]),
        (["a_10", "b_2", "a_9"], ["a_9", "a_10", "b_2"]),
        (["a_10", "b_1", "a_9", "left out"], ["a_9", "a_10", "b_1"]),
        ([], []),
    ],
)
def test_kept_rows_come_in_the_order_of_their_ids_of_one_kind_or_several(ids: list[str], ordered: list[str]) -> None:
    table = pl.DataFrame({"UUID": ids}, schema={"UUID": pl.String}).lazy()
    kept = in_order(table, pl.col("UUID") != "left out", [pl.col("UUID").alias("id")])
    assert kept.columns == ["id"]
    assert kept["id"].to_list() == ordered


def test_an_empty_study_gives_no_question() -> None:
    assert pairs("T22", tables()) == []
    assert pairs("T09", tables()) == []
    assert pairs("T25", tables()) == []


def test_pairs_come_in_the_order_of_the_chosen_rows() -> None:
    from harness.studies.biomed.templates.genetics import ANSWERERS
    from harness.studies.biomed.templates.pair import Rules

    given, rules = tables(gwas({}, {}, {})), Rules("strict")
    chosen = ANSWERERS["T22"].candidates(given, rules)[[2, 0]]
    assert [pair.source for pair in ANSWERERS["T22"].pairs(given, chosen, rules)] == ["g_3", "g_1"]


@pytest.mark.parametrize("most", [40, 100_000])
def test_distinct_keeps_the_first_of_each_among_few_and_many_doubles(most: int) -> None:
    drawn = random.Random(1)
    hashes = [drawn.randrange(most) for _ in range(2000)]
    frame = pl.DataFrame({HASHED: hashes, "place": range(2000)}, schema={HASHED: pl.UInt64, "place": pl.Int64})
    assert distinct(frame)[HASHED].to_list() == list(dict.fromkeys(hashes))
    assert distinct(frame)["place"].to_list() == sorted(
        {value: n for n, value in reversed([*enumerate(hashes)])}.values()
    )


def test_either_gives_one_study_then_what_only_the_other_has() -> None:
    schema = {HASHED: pl.UInt64}
    first, second = (
        pl.DataFrame({HASHED: [7, 3, 7]}, schema=schema),
        pl.DataFrame({HASHED: [9, 3, 1, 9]}, schema=schema),
    )
    assert either(first, second)[HASHED].to_list() == [7, 3, 9, 1]
    assert either(first.clear(), second)[HASHED].to_list() == [9, 3, 1]
    assert either(first, second.clear())[HASHED].to_list() == [7, 3]
