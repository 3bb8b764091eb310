"""A model drawn from several seeds: the best layer of each seed, then the mean, in the document and in the plan."""

import numpy as np
import pytest
from studies.brain.measures import slow_scores as slow
from studies.brain.measures.small_run import MODELS, ROWS, WHO, SmallRun, group, part

from harness.errors import InputError
from harness.kit.study import Brief, Dataset, Model
from harness.steps import Pinned
from harness.studies.brain.analyses import drawn_sets
from harness.studies.brain.measures import choices
from harness.studies.brain.study import STUDY

LAYERS = ("u0@0", "u0@1", "u0@2", "u1@0", "u1@1", "u1@2")
SETS = {"u-untrained": ["u0", "u1"]}
PEOPLE, NETS = [one for one, _ in WHO], [net for _, net in WHO]


def fitted():
    """Give fits of two seeds of three layers, under the names of other models' numbers."""
    found = {}
    for name, array in part(MODELS[: len(LAYERS)], seed=400).items():
        for old, new in zip(MODELS, LAYERS, strict=False):
            if name.startswith(f"{old}."):
                found[new + name.removeprefix(old)] = array
    return {**found, **{name: part()[name] for name in ("fold_rows", "intercept.mse", "cv_error")}}


def document(folder, found=None, sets=SETS, generation="P"):
    small = SmallRun(folder).add(group(models=LAYERS, text_models=["u0", "u1"]), fitted() if found is None else found)

    def step(params, inputs, out):
        choices.analyse({**params, "untrained": sets}, inputs, out)

    return small.run(step, "choices", generation)["exp1"]


def slow_best(found, seed, generation):
    """Choose a layer of a seed and score it, by the slow way."""
    base = found["intercept.mse"].T.tolist()
    scores = [
        [slow.r2(own, plain, ROWS) for own, plain in zip(found[f"{name}.mse"].T.tolist(), base, strict=True)]
        for name in LAYERS if name.startswith(seed)
    ]  # fmt: skip
    taken = slow.layer_choice(scores, PEOPLE, NETS, generation)["chosen"]
    return taken, slow.aggregate(scores[taken], PEOPLE, NETS, [""] * len(WHO), generation)["score"]


@pytest.mark.parametrize("generation", ["P", "H"])
def test_the_best_layer_of_each_seed_is_averaged_over_seeds(tmp_path, generation):
    found = fitted()
    found["u1@2.mse"] *= 0.8  # so that the seeds choose different layers
    own = document(tmp_path, found, generation=generation)["untrained"]["contiguous"]["u-untrained"]
    expected = [slow_best(found, seed, generation) for seed in ("u0", "u1")]
    assert own["layers"] == [layer for layer, _ in expected] and len({*own["layers"]}) == 2
    assert own["r2"] == pytest.approx(np.mean([score for _, score in expected]), rel=1e-12)
    assert own["seeds"] == ["u0", "u1"] and own["left_out"] == []


def test_nested_choices_of_seeds_are_averaged_beside_the_published_ones(tmp_path):
    whole = document(tmp_path)
    own = whole["untrained"]["contiguous"]["u-untrained"]["nested"]
    assert own["r2"] == pytest.approx(np.mean([whole["contiguous"][seed]["nested"]["r2"] for seed in ("u0", "u1")]))


def test_a_seed_without_a_score_is_in_no_mean_and_named(tmp_path):
    found = fitted()
    for layer in range(3):
        found[f"u0@{layer}.mse"][:] = np.nan
    own = document(tmp_path, found)["untrained"]["contiguous"]["u-untrained"]
    assert own["left_out"] == ["u0"] and own["layers"][0] is None
    assert own["r2"] == pytest.approx(slow_best(found, "u1", "P")[1], rel=1e-12)


def test_without_untrained_models_there_are_splits_and_near_ties(tmp_path):
    assert [*document(tmp_path, sets={})] == ["contiguous", "near_ties"]


@pytest.mark.parametrize(("seeds", "told"), [(["u0", "u9"], "u9"), (["u0", "u0"], "u0, u0"), ([], "none")])
def test_seeds_that_were_not_fitted_or_stand_twice_are_refused(tmp_path, seeds, told):
    with pytest.raises(InputError, match=told):
        document(tmp_path, sets={"u": seeds})


def test_nothing_chosen_in_one_fold_leaves_no_nested_score(tmp_path):
    found = fitted()
    for layer in range(3):
        found[f"u0@{layer}.cv"][:] = np.nan
    whole = document(tmp_path, found)
    assert whole["contiguous"]["u0"]["nested"] == {"r2": None, "chosen": [None] * len(ROWS), "near_ties": 0}
    assert whole["untrained"]["contiguous"]["u-untrained"]["nested"]["left_out"] == ["u0"]


def model(name, seed=None, sha="0", **settings):
    told = {"dtype": "float32", "batch": "1", **settings}
    given = told if seed is None else {**told, "untrained": seed}
    return Model(name, "transformers", given, {"config.json": Pinned(sha * 64)}, {"layers": "6"})


def test_models_that_differ_by_their_seed_alone_are_one_set():
    models = [model("mini-u0", 0), model("mini-u1", 1), model("mini"), model("big-u0", 0, "1"), model("big-u1", 1, "1")]
    assert drawn_sets(models) == {"mini-u-untrained": ["mini-u0", "mini-u1"], "big-u-untrained": ["big-u0", "big-u1"]}


def test_one_seed_alone_makes_no_set_nor_does_the_same_seed_twice():
    assert drawn_sets([model("a", 0), model("b", 0), model("c", 1, dtype="float16")]) == {}


def test_sets_whose_models_begin_alike_have_names_of_their_own():
    models = [model("m-u0", 0), model("m-u1", 1), model("m-u2", 0, "1"), model("m-u3", 1, "1")]
    assert drawn_sets(models) == {"m-u-untrained": ["m-u0", "m-u1"], "m-u2-untrained": ["m-u2", "m-u3"]}


def test_the_plan_tells_the_choices_which_models_are_seeds_of_one():
    settings = {
        "generation": "P", "fedorenko_inner_rows": "48", "iterations": 15, "simple": "", "sigmas": "1.0", "pool": "sum",
        "families": 20, "dtype": "float32", "solver": "ours",
    }  # fmt: skip
    world = Dataset("d", "brain.simulated", {"world": "default", "seed": 1}, 0)
    steps = STUDY.plan(Brief((world,), (model("u0", 0), model("u1", 1)), {}, {}, (0,), settings)).check().steps
    told = {step.name: step.params.get("untrained") for step in steps if step.name in ("choices", "stars")}
    assert told == {"choices": SETS, "stars": None}
