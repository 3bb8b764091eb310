"""The documents of scores: each number as it is worked out slowly from the same fits."""

import json
from typing import Any

import numpy as np
import pytest
import scipy
from studies.brain.measures import slow_scores as slow
from studies.brain.measures.small_run import MODELS, ROWS, WHO, SmallRun, group, part

from harness.errors import InputError
from harness.studies.brain.measures import choices, omega, performance, stars

NEAR: Any = {"rel": 1e-12, "abs": 1e-14}
PEOPLE, NETS, ONE = [one for one, _ in WHO], [net for _, net in WHO], [""] * len(WHO)


@pytest.fixture
def small(tmp_path):
    return SmallRun(tmp_path)


def slow_r2(found, model):
    errors, plain = found[f"{model}.mse"].T.tolist(), found["intercept.mse"].T.tolist()
    return [slow.r2(own, base, ROWS) for own, base in zip(errors, plain, strict=True)]


def slow_score(scores, generation="P", keep=lambda unit: True):
    kept = [unit for unit in range(len(scores)) if keep(unit)]
    own, who, nets, one = ([each[unit] for unit in kept] for each in (scores, PEOPLE, NETS, ONE))
    return slow.aggregate(own, who, nets, one, generation)


@pytest.mark.parametrize("generation", ["P", "H"])
def test_performance_averages_by_the_rule_of_its_generation(small, generation):
    document = small.add().run(performance.analyse, "performance", generation)
    found = document["datasets"]["exp1"]["splits"]["contiguous"]["SP+SL"]
    expected = slow_score(slow_r2(part(), "SP+SL"), generation)
    assert found["r2"] == pytest.approx(expected["score"], **NEAR)
    assert {name: own["r2"] for name, own in found["participants"].items()} == pytest.approx(
        expected["participants"], **NEAR
    )
    r = part()["SP+SL.r"].mean(axis=0).tolist()
    assert found["pearson"] == pytest.approx(slow_score(r, generation)["score"], **NEAR)
    assert found["participants"]["a"]["units"] == 2
    assert found["networks"]["DMN"]["units"] == 1
    assert document["generation"] == generation
    assert (document["datasets"]["exp1"]["rows"], document["datasets"]["exp1"]["units"]) == (15, 6)


def test_units_without_signal_are_in_no_mean_and_stand_apart(small):
    small.units(signal=[True, False, True, True, True, False])
    own = small.add().run(performance.analyse, "performance")["datasets"]["exp1"]["splits"]["contiguous"]["LLM"]
    scores = slow_r2(part(), "LLM")
    planted = slow_score(scores, keep=lambda unit: unit not in (1, 5))
    assert own["r2"] == pytest.approx(planted["score"], **NEAR)
    assert own["left_out"] == ["c"]
    assert own["participants"]["a"]["units"] == 1
    assert own["null"]["units"] == 2
    assert own["null"]["r2"] == pytest.approx(slow_score(scores, keep=lambda unit: unit in (1, 5))["score"], **NEAR)


def test_a_unit_that_took_no_part_is_counted_nowhere(small):
    found = part()
    for name, values in found.items():
        if name not in ("fold_rows", "cv_error") and values.dtype != bool:
            values[:, 1] = np.nan
    own = small.add(found=found).run(performance.analyse, "performance")["datasets"]["exp1"]["splits"]["contiguous"]
    assert own["LLM"]["participants"]["a"]["units"] == 1
    assert own["LLM"]["degenerate"] == 0
    expected = slow_score(slow_r2(part(), "LLM"), keep=lambda unit: unit != 1)
    assert own["LLM"]["r2"] == pytest.approx(expected["score"], **NEAR)


@pytest.mark.parametrize("generation", ["P", "H"])
def test_a_constant_unit_is_degenerate_and_counts_as_zero(small, generation):
    found = part()
    found["intercept.mse"][:, 0] = 0
    document = small.add(found=found).run(performance.analyse, "performance", generation)
    own = document["datasets"]["exp1"]["splits"]["contiguous"]["LLM"]
    scores = slow_r2(found, "LLM")
    assert scores[0] == "-inf"
    assert own["degenerate"] == 1
    assert own["r2"] == pytest.approx(slow_score(scores, generation)["score"], **NEAR)


def test_experiments_of_a_dataset_are_averaged_for_each_participant(small):
    second = part(seed=3000)
    for name, values in second.items():
        if name not in ("fold_rows", "cv_error") and values.dtype != bool:
            values[:, 5] = np.nan  # participant c did the first alone
    small.add(group(experiment="384")).add(group(experiment="243"), second)
    own = small.run(performance.analyse, "performance", "H")["datasets"]["exp1"]["splits"]["contiguous"]["SL"]
    scores = [*slow_r2(part(), "SL"), *slow_r2(second, "SL")[:5]]
    expected = slow.aggregate(
        scores, [*PEOPLE, *PEOPLE[:5]], [*NETS, *NETS[:5]], ["384"] * 6 + ["243"] * 5, "H"
    )  # fmt: skip
    assert own["r2"] == pytest.approx(expected["score"], **NEAR)


def test_models_of_a_split_may_come_from_several_steps(small):
    small.add(group(models=MODELS[:3]), part(MODELS[:3])).add(group(models=MODELS[3:]), part(MODELS[3:]))
    own = small.run(performance.analyse, "performance")["datasets"]["exp1"]["splits"]["contiguous"]
    assert list(own) == sorted(MODELS)  # canonical rows are sorted
    assert own["SP+SL"]["r2"] == pytest.approx(slow_score(slow_r2(part(), "SP+SL"))["score"], **NEAR)


@pytest.mark.parametrize("generation", ["P", "H"])
def test_a_layer_is_chosen_on_test_data_and_beside_it_in_training_folds(small, generation):
    own = small.add().run(choices.analyse, "choices", generation)["exp1"]["contiguous"]["mini"]
    names = [f"mini@{layer}" for layer in range(4)]
    scores = [slow_r2(part(), name) for name in names]
    taken = slow.layer_choice(scores, PEOPLE, NETS, generation)
    assert own["published"]["chosen"] == names[taken["chosen"]]
    assert own["published"]["r2"] == pytest.approx(slow_score(scores[taken["chosen"]], generation)["score"], **NEAR)
    assert [point["chosen_by"] for point in own["curve"]] == pytest.approx(taken["values"], **NEAR)
    nested = slow.nested_choice(
        [part()[f"{name}.cv"].tolist() for name in names], [part()[f"{name}.mse"].tolist() for name in names],
        part()["intercept.mse"].tolist(), ROWS, PEOPLE, NETS, generation,
    )  # fmt: skip
    assert own["nested"]["chosen"] == [names[one] for one in nested["chosen"]]
    assert own["nested"]["r2"] == pytest.approx(nested["score"], **NEAR)
    assert {*nested["chosen"]} != {taken["chosen"]}  # or the two would not be told apart


def test_a_width_is_chosen_by_the_average_over_participants(small):
    own = small.add().run(choices.analyse, "choices")["exp1"]["contiguous"]["OASM"]
    values = [slow_score(slow_r2(part(), name))["score"] for name in MODELS[:2]]
    assert [point["chosen_by"] for point in own["curve"]] == pytest.approx(values, **NEAR)
    assert own["published"]["chosen"] == MODELS[slow.first_highest(values)]


def test_layers_stand_in_their_order_and_ten_comes_after_nine(small):
    models = ("mini@10", "mini@9", "mini@0")
    found = part(MODELS[:3])
    renamed = {}
    for name, array in found.items():
        for old, new in zip(MODELS[:3], models, strict=True):
            if name.startswith(f"{old}."):
                renamed[new + name.removeprefix(old)] = array
    renamed |= {name: found[name] for name in ("fold_rows", "intercept.mse", "cv_error")}
    own = small.add(group(models=models), renamed).run(choices.analyse, "choices")["exp1"]["contiguous"]["mini"]
    assert [point["model"] for point in own["curve"]] == ["mini@0", "mini@9", "mini@10"]


def test_curves_of_both_splits_are_correlated_with_and_without_layer_0(small):
    small.add().add(group("shuffled"), part(seed=5000))
    own = small.run(choices.analyse, "choices", "H")["exp1"]
    curves = [
        [slow_score(slow_r2(part(seed=seed), f"mini@{layer}"), "H")["score"] for layer in range(4)]
        for seed in (5000, 0)
    ]  # fmt: skip
    found = own["shuffled"]["mini"]["correlation"]
    assert found["against"] == "contiguous"
    assert found["all"] == pytest.approx(slow.curves(*curves), rel=1e-9)
    assert found["without_layer_0"]["pearson"] == pytest.approx(
        scipy.stats.pearsonr(curves[0][1:], curves[1][1:])[0], rel=1e-9
    )
    assert "without_layer_0" not in own["shuffled"]["OASM"]["correlation"]
    assert not any("p" in name.split("_") for name in found["all"])


def test_a_candidate_without_a_finite_score_is_never_chosen(small):
    found = part()
    for layer in range(4):
        found[f"mini@{layer}.cv"][1] = np.nan
    found["mini@0.mse"][:] = np.nan
    own = small.add(found=found).run(choices.analyse, "choices")["exp1"]["contiguous"]["mini"]
    assert own["curve"][0]["chosen_by"] is None
    assert own["published"]["chosen"] != "mini@0"
    assert own["nested"]["chosen"][1] is None
    assert own["nested"]["r2"] is None


def test_an_experiment_without_inner_scores_hides_no_choice_of_the_other(small):
    found = part()
    for layer in range(4):
        found[f"mini@{layer}.cv"][:] = np.nan
    small.add(group(experiment="384")).add(group(experiment="243"), found)
    own = small.run(choices.analyse, "choices")["exp1"]["contiguous"]["mini"]["nested"]
    assert own["r2"] is None and None not in own["chosen"][:3] and own["chosen"][3:] == [None] * 3


def slow_star(found, names, generation="P"):
    scores = slow.star({name: slow_r2(found, name) for name in names}, ["SP", "SL", "LLM"])["star"]
    return slow_score(scores, generation)["score"]


def slow_nested_star(found, names, generation="P"):
    return slow.nested_choice(
        [found[f"{name}.cv"].tolist() for name in names], [found[f"{name}.mse"].tolist() for name in names],
        found["intercept.mse"].tolist(), ROWS, PEOPLE, NETS, generation, each_unit=True,
    )["score"]  # fmt: skip


@pytest.mark.parametrize("generation", ["P", "H"])
def test_a_star_is_the_maximum_over_subsets_and_says_how_many(small, generation):
    found = {row["name"]: row for row in small.add().run(stars.analyse, "stars", generation)["exp1"]["contiguous"]}
    simple, full = ["SP", "SL", "SP+SL"], ["LLM", "SP+SL+LLM", "SP+LLM", "SL+LLM"]
    assert [found["SP+SL*"][key] for key in ("subsets", "of")] == [3, 3]
    assert [found["SP+SL+LLM*"][key] for key in ("subsets", "of")] == [4, 4]
    assert "gain_percent" not in found["SP+SL*"]
    for name, members in (("SP+SL*", simple), ("SP+SL+LLM*", full)):
        assert found[name]["r2"] == pytest.approx(slow_star(part(), members, generation), **NEAR)
        assert found[name]["nested"] == pytest.approx(slow_nested_star(part(), members, generation), **NEAR)
        values = [slow_score(slow_r2(part(), one), generation)["score"] for one in members]
        assert found[name]["best"]["model"] == members[slow.first_highest(values)]
    gain = slow_nested_star(part(), full, generation) / slow_nested_star(part(), simple, generation)
    assert found["SP+SL+LLM*"]["nested_gain_percent"] == pytest.approx(100 * (gain - 1), rel=1e-9)
    ratio = slow_star(part(), full, generation) / slow_star(part(), simple, generation)
    assert found["SP+SL+LLM*"]["gain_percent"] == pytest.approx(100 * (ratio - 1), rel=1e-9)
    assert [found["SP+LLM*"][key] for key in ("subsets", "of")] == [2, 2]


def test_a_star_over_subsets_that_were_not_all_fitted_says_so(small):
    models = ("SL", "SP+SL", "LLM", "SP+SL+LLM")
    found = small.add(group(models=models), part(models)).run(stars.analyse, "stars")["exp1"]["contiguous"]
    assert [(row["name"], row["subsets"], row["of"]) for row in found] == [("SP+SL*", 2, 3), ("SP+SL+LLM*", 2, 4)]


def test_omega_is_found_by_the_names_and_worked_out_by_participant(small):
    found = small.add().run(omega.analyse, "omega")["exp1"]["contiguous"]
    row = next(row for row in found if row["banded"] == "SP+SL+LLM")
    assert (row["simple"], row["llm"]) == ("SP+SL", "LLM")
    scores = [slow_score(slow_r2(part(), name))["participants"] for name in ("SP+SL", "LLM", "SP+SL+LLM")]
    for name, own in row["participants"].items():
        simple, llm, banded = (one[name] for one in scores)
        expected = 100 * (1 - min(max((max(banded, llm) - simple) / llm, 0), 1)) if llm > 0 else 100
        assert own["omega"] == pytest.approx(expected, rel=1e-9)
    assert row["omega"] == pytest.approx(np.mean([own["omega"] for own in row["participants"].values()]), rel=1e-12)


def test_omega_of_an_llm_at_zero_is_100_and_told_apart(small):
    found = part()
    found["LLM.mse"][:, 5] = 3.0  # participant c
    small.add(found=found)
    row = next(row for row in small.run(omega.analyse, "omega")["exp1"]["contiguous"] if row["banded"] == "SP+SL+LLM")
    assert row["participants"]["c"]["omega"] == 100
    assert row["participants"]["c"]["degenerate"]
    assert row["degenerate"] == 1
    others = [own["omega"] for name, own in row["participants"].items() if name != "c"]
    assert row["without_empty"] == pytest.approx(np.mean(others), rel=1e-12)
    assert row["omega"] == pytest.approx(np.mean([*others, 100]), rel=1e-12)
    assert row["clipped"] == 1 + others.count(100)


def test_no_document_holds_what_is_no_json_number(small):
    found = part()
    found["intercept.mse"][:] = 0
    small.add(found=found).add(group("shuffled"), part(seed=11))
    for step, name in (
        (performance.analyse, "performance"), (choices.analyse, "choices"), (stars.analyse, "stars"),
        (omega.analyse, "omega"),
    ):  # fmt: skip
        small.run(step, name)
        text = (small.folder / "out" / name).read_text()
        assert json.loads(text, parse_constant=pytest.fail)


def refused(small, *words):
    with pytest.raises(InputError) as bad:
        small.run(performance.analyse, "performance")
    assert all(word in str(bad.value) for word in words), str(bad.value)


def test_a_model_that_is_fitted_twice_is_refused(small):
    small.add().add(group(models=["SP"]), part(["SP"]))
    refused(small, "SP", "twice", "exp1")


def test_parts_of_other_recordings_or_folds_are_refused(small):
    changed = {"fold_rows": np.array([6, 5, 4])}
    refused(small.add(group(models=["SL"]), part(["SL"])).add(group(models=["SP"]), part(["SP"], **changed)), "folds")


def test_another_number_of_units_than_the_table_has_is_refused(small):
    refused(small.add(found=part(units=5)), "intercept.mse", "6 units")


def test_a_part_without_a_model_that_the_group_names_is_refused(small):
    refused(small.add(found=part(["SP"])), "OASM@1.5.mse")


def test_another_number_of_parts_than_groups_is_refused(small):
    small.add().groups.append(group("shuffled"))
    refused(small, "1 parts", "2 groups")


def test_a_model_of_one_experiment_alone_is_refused(small):
    small.add(group(experiment="384")).add(group(experiment="243", models=["SP"]), part(["SP"]))
    refused(small, "not fitted in every experiment")


def test_an_unknown_generation_is_refused(small):
    with pytest.raises(InputError, match="generation"):
        small.add().run(choices.analyse, "choices", "Q")
