"""Names of published files: figure, kind, data set, metric, split and model, in either form of a path."""

from __future__ import annotations

import pytest
from support_cases import each_of

from harness.studies.brain.reanalysis.naming import PublishedName, read_model, read_name


@pytest.mark.parametrize("form", ["source_data/figure1/{}", "figure1_{}", "published/figure1_{}", "figure1/{}"])
def test_a_path_as_published_and_as_copied_tell_the_same(form: str) -> None:
    found = read_name(form.format("blank_out_of_sample_r2_noL2custom_shuffled.csv"))
    metric = "out_of_sample_r2_noL2custom"
    assert found == PublishedName("table", "figure1", "blank", metric=metric, split="shuffled")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("figure2/pereira_pearson_r_shuffled_243.csv", ("table", "figure2", "pereira", "243", "pearson_r", "shuffled")),
        ("figure2/pereira_pearson_r_Combined.csv", ("table", "figure2", "pereira", "combined", "pearson_r", "")),
        ("figure2/fedorenko_pearson_r_.csv", ("table", "figure2", "fedorenko", "", "pearson_r", "")),
        ("figure5/pereira_pearson_r_roberta-large.csv",
         ("table", "figure5-roberta-large", "pereira", "", "pearson_r", "")),
        ("figure6/results_combined_blank_pearson_r.csv", ("unit rows", "figure6", "blank", "", "pearson_r", "")),
    ],
)  # fmt: skip
def test_the_rest_of_a_name_tells_experiment_split_and_model(name: str, told: tuple[str, ...]) -> None:
    found = read_name(name)
    assert found and (found.kind, found.figure, found.dataset, found.experiment, found.metric, found.split) == told


@pytest.mark.parametrize(
    ("name", "source", "pooling"),
    [("gpt2xl_combined-mp_fedorenko_out_of_sample_r2", "gpt2xl", "mp"),
     ("simple_combined_blank_pearson_r", "simple", ""),
     ("roberta-large_combined_pereira_pearson_r", "roberta-large", "")],
)  # fmt: skip
def test_an_archive_of_units_tells_whose_scores_it_holds(name: str, source: str, pooling: str) -> None:
    found = read_name(f"figure5_{name}.npz")
    assert found and (found.kind, found.source, found.pooling) == ("units", source, pooling)


def test_p_values_tell_their_level_and_omegas_their_model() -> None:
    found = [
        read_name(f"figure5/{name}.csv")
        for name in ("blocked_pvalues_pereira_Llama", "pvalues_blank", "x_omega_values")
    ]
    assert [one and (one.kind, one.figure, one.level) for one in found] == [
        ("tests", "figure5-Llama", "block"), ("tests", "figure5", "row"), ("omegas", "figure5-x", "")
    ]  # fmt: skip


@each_of(
    "name",
    ["figure2/layer_pd_dict.pickle", "figures_3_4/blank_pearson_r.npz", "README.md", "pereira_pvalue_sums.csv",
     "blank_pearson_r.csv", "figure1/other_pearson_r.csv", "figure1/blank_pearson_r.npz", "figure1/blank_spearman.csv"],
)  # fmt: skip
def test_a_name_of_no_known_kind_is_none(name: str) -> None:
    assert read_name(name) is None


@each_of(
    ("name", "base", "pooling"),
    [("GPT2-XL", "gpt2xl", "lt"), ("gpt2xl-lt", "gpt2xl", "lt"), ("GPT2-XL-sp", "gpt2xl", "sp"), ("OASM", "oasm", ""),
     ("Simple", "simple", ""), ("simple-sp", "simple", ""), ("GPT2XLU-mp", "gpt2xlu", "mp"),
     ("roberta-large", "robertalarge", "lt")],
)  # fmt: skip
def test_figures_spell_one_model_in_many_ways(name: str, base: str, pooling: str) -> None:
    assert read_model(name) == (base, pooling)
