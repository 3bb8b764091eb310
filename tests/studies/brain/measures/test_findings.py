"""The document `findings`: the numbers that the paper states, as numpy and scipy work them out from the same fits."""

from typing import Any

import numpy as np
import pytest
import scipy
from studies.brain.measures.findings_run import BEST, CONTIGUOUS, LAYERS, TRAINED, FindingsRun, joined

from harness import arrays, rows

NEAR: Any = {"rel": 1e-12, "abs": 1e-14}


def near(value):
    return pytest.approx(value, **NEAR)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    run = FindingsRun(tmp_path_factory.mktemp("run"))
    run.run()
    return run


@pytest.fixture
def fresh(tmp_path):
    return FindingsRun(tmp_path)


def test_a_text_model_alone_is_the_layer_that_was_chosen_for_the_split(small):
    for split, layer in (("contiguous", 2), ("shuffled", 1)):
        own, scores = small.found()["gpt"]["alone"][split], small.r2(f"gpt@{layer}", split)
        assert (own["model"], own["layer"]) == (f"gpt@{layer}", layer)
        assert own["r2"] == near(small.mean(scores))
        assert own["r2_by_participant"] == near(small.people(scores))
        assert own["units_mean"] == near(small.units(scores))
        r = small.known[split, "384"][f"gpt@{layer}.r"].mean(axis=0)
        assert own["pearson"] == near(small.mean(r))


def test_a_model_alone_is_scored_in_each_network_apart(small):
    expected = {network: small.mean(small.r2("gpt@2"), network) for network in ("language", "DMN")}
    assert small.found()["gpt"]["alone"]["contiguous"]["networks"] == near(expected)


def test_nested_choice_and_curves_are_those_of_the_document_choices(small):
    choices = small.document("choices")["exp1"]["contiguous"]["gpt"]
    own = small.found()["gpt"]
    assert own["alone"]["contiguous"]["nested"] == choices["nested"]["r2"]
    assert own["curves"] == {
        "all": choices["correlation"]["all"],
        "without_0": choices["correlation"]["without_layer_0"],
    }
    curves = [
        [small.mean(small.r2(f"gpt@{layer}", split)) for layer in range(LAYERS)] for split in ("contiguous", "shuffled")
    ]
    assert own["curves"]["all"]["pearson"] == near(scipy.stats.pearsonr(*curves).statistic)
    assert own["curves"]["without_0"]["pearson"] == near(scipy.stats.pearsonr(*(one[1:] for one in curves)).statistic)


def test_a_given_array_is_a_model_without_layers_or_a_nested_choice(small):
    own = small.found()["LLM"]["alone"]["contiguous"]
    assert own["model"] == "LLM" and own["r2"] == near(small.mean(small.r2("LLM")))
    assert not {"layer", "nested"} & {*own} and "curves" not in small.found()["LLM"]
    assert small.found()["LLM"]["subsets"] == near({"SP": small.mean(small.r2("SP")), "LLM": own["r2"],
                                                  "SP+LLM": small.mean(small.r2("SP+LLM"))})  # fmt: skip


def test_a_row_of_the_table_is_the_best_subset_with_its_last_space(small):
    every = {model: small.mean(small.r2(model)) for model in [*TRAINED, "gpt@best", *joined("gpt", TRAINED)]}
    with_model = ["gpt@best", *joined("gpt", TRAINED)]
    expected = {
        "SP+SL": max(TRAINED[:3], key=every.__getitem__),
        "SP+SL+WORD": max(TRAINED[3:], key=every.__getitem__),
        "SP+SL+WORD+LLM": max(with_model, key=every.__getitem__),
        "LLM": "gpt@best",
    }
    table = small.found()["gpt"]["table"]
    full = every[expected["SP+SL+WORD+LLM"]]
    for row, model in expected.items():
        assert table[row]["model"] == ("gpt@2" if model == "gpt@best" else model)
        assert table[row]["r2"] == near(every[model])
        assert table[row]["percent_of_alone"] == near(100 * every[model] / every["gpt@best"])
        assert table[row]["percent_of_full"] == near(100 * every[model] / full)
    assert {*table} == {*expected}


@pytest.mark.parametrize(("row", "count"), [("SP+SL", 3), ("SP+SL+WORD", 7)])
def test_a_starred_row_is_the_maximum_of_each_unit_over_its_subsets(small, row, count):
    own = small.found()["gpt"]["starred"][row]
    plain, rich = small.star(TRAINED[:count]), small.star(["gpt@best", *joined("gpt", TRAINED[:count])])
    assert (own["subsets_without"], own["subsets_with"]) == (count, count + 1)
    assert (own["without"], own["with"]) == (near(small.mean(plain)), near(small.mean(rich)))
    assert (own["without_units"], own["with_units"]) == (near(small.units(plain)), near(small.units(rich)))
    assert own["gain_percent"] == near(100 * (small.mean(rich) / small.mean(plain) - 1))
    assert own["percent_of_with"] == near(100 * small.mean(plain) / small.mean(rich))
    both = [small.counted(one) for one in (plain, rich)]
    assert own["correlation"] == near(scipy.stats.pearsonr(*both).statistic)
    assert own["correlation_clipped"] == near(scipy.stats.pearsonr(*(one.clip(0) for one in both)).statistic)


def test_beside_a_star_stands_the_one_over_subsets_with_the_last_space(small):
    rows = small.found()["gpt"]["starred"]
    own, scores = rows["SP+SL+WORD"]["containing"], small.star(TRAINED[3:])
    assert (own["space"], own["subsets_without"]) == ("WORD", 4)
    assert (own["without"], own["without_units"]) == (near(small.mean(scores)), near(small.units(scores)))
    assert "containing" not in rows["SP+SL"]


def test_beside_a_star_stands_a_choice_inside_the_training_folds(small):
    known, weights = small.known["contiguous", "384"], np.array([6, 4, 5]) / 15
    models = ["gpt@2", *joined("gpt", TRAINED[:3])]
    taken = np.argmax([known[f"{model}.cv"] for model in models], axis=0)
    errors = np.choose(taken, [known[f"{model}.mse"] for model in models])
    scores = 1 - (weights @ errors) / (weights @ known["intercept.mse"])
    assert small.found()["gpt"]["starred"]["SP+SL"]["nested_with"] == near(small.mean(scores))


def test_subsets_are_of_the_simple_spaces_and_the_model_alone(small):
    own = small.found()["gpt"]
    models = {"SP": "SP", "SL": "SL", "LLM": "gpt@best", "SP+SL": "SP+SL", "SP+LLM": "SP+gpt@best",
              "SL+LLM": "SL+gpt@best", "SP+SL+LLM": "SP+SL+gpt@best"}  # fmt: skip
    expected = {name: small.mean(small.r2(model)) for name, model in models.items()}
    assert own["subsets"] == near(expected)
    assert own["highest_subset"] == max(expected, key=expected.__getitem__)


def test_time_is_compared_at_the_width_that_was_chosen_as_published(small):
    own = small.found()["gpt"]["time"]
    widths = {model: small.mean(small.r2(model, "shuffled")) for model in ("OASM@1.5", "OASM@2.2")}
    oasm = max(widths, key=widths.__getitem__)
    scores, llm = small.r2(oasm, "shuffled"), small.r2("gpt@1", "shuffled")
    assert own["oasm"] == oasm and own["oasm_r2"] == near(widths[oasm])
    assert own["ratio_percent"] == near(100 * widths[oasm] / small.mean(llm))
    assert own["times"] == near(widths[oasm] / small.mean(llm))
    assert own["units_ratio_percent"] == near(100 * small.units(scores) / small.units(llm))
    left, right = ([*small.people(one).values()] for one in (scores, llm))
    above = np.array(left) > right
    assert (own["participants_above"], own["participants"]) == (above.sum(), 3)


def test_the_star_with_time_is_over_the_models_that_hold_the_model(small):
    own = small.found()["gpt"]["time"]
    base, pair = small.mean(small.r2("OASM@2.2", "shuffled")), ["gpt@1", "OASM@2.2+gpt@best"]
    star = small.mean(small.star(pair, "shuffled"))
    either = small.mean(small.star(["OASM@2.2", *pair], "shuffled"))
    assert (own["joint"], own["star_base"], own["star_subsets"]) == ("OASM@2.2+gpt@best", "OASM@2.2", 2)
    assert (own["star_r2"], own["star_gain_percent"]) == (near(star), near(100 * (star / base - 1)))
    assert own["either"] == near({"r2": either, "gain_percent": 100 * (either / base - 1)})


def test_omega_is_of_time_when_shuffled_and_of_all_features_when_not(small):
    for split, names in (
        ("shuffled", ("OASM@2.2", "gpt@1", "OASM@2.2+gpt@best")),
        ("contiguous", ("SP+SL+WORD", "gpt@2", "SP+SL+WORD+gpt@best")),
    ):
        own = small.found()["gpt"]["omega"][split]
        simple, llm, banded = (np.array([*small.people(small.r2(model, split)).values()]) for model in names)
        added = (np.maximum(banded, llm) - simple) / llm
        assert (own["simple"], own["banded"]) == (names[0], names[2])
        assert own["omega"] == near(100 * (1 - added.clip(0, 1)).mean())


def test_a_set_of_seeds_has_the_mean_of_each_number_and_its_layers_counted(small):
    own, seeds = small.found()["raw"], [small.found()[name] for name in ("raw-0", "raw-1")]
    assert own["layers"] == {"0": 1, "1": 0, "2": 0, "3": 1} and own["seeds"] == ["raw-0", "raw-1"]
    layers = [BEST["contiguous", name] for name in ("raw-0", "raw-1")]
    scores = [small.mean(small.r2(f"raw-{seed}@{layer}")) for seed, layer in enumerate(layers)]
    assert own["r2"] == own["alone"]["contiguous"]["r2"] == near(np.mean(scores))
    for path in (("table", "SP+SL+LLM", "r2"), ("starred", "SP+SL", "gain_percent"), ("subsets", "SL+LLM")):
        parts = [*seeds, own]
        for step in path:
            parts = [one[step] for one in parts]
        assert parts[2] == near((parts[0] + parts[1]) / 2)
    assert own["highest_subset"] == max(own["subsets"], key=own["subsets"].__getitem__)
    assert "model" not in own["alone"]["contiguous"]  # they differ


@pytest.mark.long
def test_two_experiments_may_have_different_layers(fresh):
    fresh.fit("contiguous", CONTIGUOUS, "243")
    fresh.choose({("contiguous", "gpt"): 1, ("contiguous", "raw-0"): 0, ("contiguous", "raw-1"): 3}, "243")
    own = fresh.run("H", untrained={})["gpt"]["alone"]["contiguous"]
    assert own["model"] is None and own["models"] == {"384": "gpt@2", "243": "gpt@1"} and "layer" not in own
    parts = [fresh.r2("gpt@2"), fresh.r2("gpt@1", experiment="243")]
    means = [max(fresh.counted(scores, who).mean(), 0) for scores in parts for who in "abc"]
    assert own["r2"] == near(np.mean(means))


def peaked(small, named, values):
    """Give some models other correlations, one value each, in both splits."""
    for place, group in enumerate(small.groups):
        known = small.known[group["split"], group["experiment"]]
        for model in filter(named, group["models"]):
            known[f"{model}.r"] = np.full_like(known[f"{model}.r"], values[model])
        names = (f"{one}.{what}" for one in group["models"] for what in ("mse", "cv", "r", "tied"))
        found = {name: known[name] for name in ("fold_rows", "intercept.mse", "cv_error", *names)}
        arrays.write_all(small.folder / "fits" / rows.part_name(place), found)


@pytest.mark.parametrize(("generation", "layer_r", "width_r"), [("P", 0.1, 0.1), ("H", 0.4, 0.3)])
def test_generation_h_has_pearson_of_what_is_best_by_it(fresh, generation, layer_r, width_r):
    layers = {"gpt@0": 0.4, "gpt@1": 0.1, "gpt@2": 0.1, "gpt@3": 0.2}
    widths = {"OASM@1.5": 0.3, "OASM@2.2": 0.1}
    fresh.change("shuffled", "OASM@2.2".__eq__, lambda base: base * 0.7)  # best by R2
    fresh.change("shuffled", "OASM@1.5".__eq__, lambda base: base * 0.9)
    peaked(fresh, {**layers, **widths}.__contains__, {**layers, **widths})
    own, choices = fresh.run(generation)["gpt"], fresh.document("choices")["exp1"]
    assert own["alone"]["contiguous"]["pearson"] == near(layer_r)
    assert (own["time"]["oasm"], own["time"]["oasm_pearson"]) == ("OASM@2.2", near(width_r))
    if generation == "H":
        assert own["alone"]["contiguous"]["pearson_models"] == {"384": "gpt@0"}
        told = choices["shuffled"]["OASM"]["by_metric"]
        assert told["r2"]["chosen"] == {"384": "OASM@2.2"} and told["pearson"]["chosen"] == {"384": "OASM@1.5"}
        assert (told["r2"]["score"], told["pearson"]["score"]) == (near(own["time"]["oasm_r2"]), near(0.3))
    else:
        assert "by_metric" not in choices["shuffled"]["OASM"]
        assert "pearson_models" not in own["alone"]["contiguous"]
