"""The groups of models that a plan fits: which models, in which step, with which errors kept."""

from __future__ import annotations

from typing import Any

import pytest
from support_cases import each_of

from harness.errors import InputError
from harness.kit.study import Brief, Dataset, Model
from harness.steps import Pinned, Plan, Step
from harness.studies.brain.asked_models import compared_pairs, joint_models, kept_models, space_models
from harness.studies.brain.study import STUDY

SETTINGS: dict[str, Any] = {
    "generation": "P", "fedorenko_inner_rows": "48", "iterations": 63, "sigmas": "2.2", "pool": "sum", "simple": "",
    "families": 20, "dtype": "float32", "solver": "ours",
}  # fmt: skip
H_SETTINGS = {**SETTINGS, "generation": "H"}
WORLD = {"world": "default", "seed": 1}


def model(name: str, layers: int = 2, facts: dict[str, str] | None = None, **more: Any) -> Model:
    settings = {"batch": "reference", "dtype": "float32", **more}
    said = {"layers": str(layers), **(facts or {})}
    return Model(name, "transformers", settings, {"config.json": Pinned("0" * 64)}, said)


def recordings(*files: str, **params: Any) -> Dataset:
    given = {name: Pinned("0" * 64) for name in ("assembly", "order", "sentences", *files)}
    return Dataset("real", "brain.neural_nlp", {"dataset": "pereira", **params}, 0, given)


def planned(dataset: Dataset, *models: Model, **settings: Any) -> Plan:
    return STUDY.plan(Brief((dataset,), models, {}, {}, (0,), {**SETTINGS, **settings}))


def step(plan: Plan, name: str) -> Step:
    [found] = [one for one in plan.steps if one.name == name]
    return found


def test_an_untrained_model_stands_beside_the_simple_spaces_alone() -> None:
    trained = joint_models(SETTINGS, "pereira", "contiguous", ["WORD"], "m", drawn=False)
    drawn = joint_models(SETTINGS, "pereira", "contiguous", ["WORD"], "m", drawn=True)
    assert len(trained) == 8 and "SP+SL+WORD+m@best" in trained
    assert drawn == ("m@best", "SP+m@best", "SL+m@best", "SP+SL+m@best")


def test_shuffled_a_text_model_stands_beside_time() -> None:
    assert joint_models(SETTINGS, "fedorenko", "shuffled", [], "m", drawn=False) == ("m@best", "OASM@1.8+m@best")


def test_real_recordings_have_the_spaces_whose_files_are_given() -> None:
    plan = planned(recordings("word", "synt", experiment="384"), model("m"))
    models = step(plan, "fit/real/contiguous/spaces").params["models"]
    assert "SP+SL+WORD+SYNT" in models and not [name for name in models if "SENSE" in name or "LLM" in name]
    assert "features" in step(plan, "fit/real/contiguous/spaces").inputs


def test_recordings_without_feature_files_read_no_features() -> None:
    assert "features" not in step(planned(recordings(experiment="384")), "fit/real/contiguous/spaces").inputs


def test_without_an_experiment_both_are_fitted_apart() -> None:
    plan = planned(recordings(), model("m"))
    made = {one.params["experiment"] for one in plan.steps if one.name.startswith("fit/real/")}
    assert made == {"384", "243"} and step(plan, "fit/real/243/shuffled/joint/m")


def test_the_best_layer_is_chosen_of_its_own_rows_and_split() -> None:
    best = step(planned(recordings(experiment="384"), model("m")), "best/real/shuffled/m")
    assert best.params["group"]["models"] == ["m@0", "m@1", "m@2"] and best.params["group"]["split"] == "shuffled"


@each_of("first", [(), ("a",), ("a", "drawn")])
def test_a_further_model_leaves_every_other_fit_as_it_is(first: tuple[str, ...]) -> None:
    given = {"a": model("a"), "drawn": model("drawn", untrained=1), "new": model("new", 3)}
    for more in ("new", "drawn"):
        few, many = ([given[name] for name in sorted({*first, *added})] for added in ((), (more,)))
        before, after = (
            {one.name: one for one in planned(Dataset("d", "brain.simulated", WORLD, 0), *some).steps}
            for some in (few, many)
        )
        fits = {name for name in after if name.startswith(("fit/", "hidden/", "best/", "pieces/"))}
        assert {name for name in fits if name in before and after[name] != before[name]} == set()
        new = {name for name in fits - set(before) if name.startswith("fit/")}
        assert all(name.endswith(f"/{more}") for name in new) and len(new) == (0 if more in first else 4)


def test_a_model_may_say_its_own_pooling() -> None:
    plan = planned(recordings(experiment="384"), model("m", facts={"pool": "last"}))
    assert step(plan, "hidden/real/m/part-00007").params["how"]["pool"] == "last"


def test_real_stimuli_are_read_in_parts_so_that_little_is_lost() -> None:
    plan = planned(recordings(experiment="384"), model("m"))
    made = [one.name for one in plan.steps if one.name.startswith("hidden/real/m/")]
    read = step(plan, "fit/real/contiguous/text/m").inputs["m.layer-01.npy"]
    assert len(made) == 8 and isinstance(read, tuple) and len(read) == 8


def test_generation_h_has_one_simple_band_and_glove() -> None:
    models = space_models(H_SETTINGS, "pereira", "contiguous", ["GLOVE", "WORD"])
    assert "SP&SL+GLOVE+WORD" in models and "SP" not in models


def test_simple_spaces_may_be_said() -> None:
    said = {**H_SETTINGS, "simple": "pereira=SPs@1.2&SL, blank=RAMP@8&RATE"}
    assert space_models(said, "blank", "shuffled", []) == ("RAMP@8&RATE",)
    assert space_models(said, "fedorenko", "shuffled", []) == ("WP",)


@each_of("simple", ["SP", "pereira", "pereira=", "x=SP", "pereira=SP, pereira=SL", "pereira=SP++SL"])
def test_simple_spaces_that_are_none_are_refused(simple: str) -> None:
    with pytest.raises(InputError, match="names no simple spaces") as bad:
        planned(recordings(), simple=simple)
    assert bad.value.where == "settings.simple"


def test_errors_are_kept_of_what_is_tested_and_of_the_subsets_of_a_star() -> None:
    pairs = compared_pairs(SETTINGS, "pereira", "contiguous", [], {"m": True})
    assert ["SP+SL+m@best*", "SP+SL*"] in pairs
    assert kept_models(pairs, ["SP", "SL", "SP+SL", "WORD"]) == ["SP", "SL", "SP+SL"]
    assert kept_models(pairs, ["m@best", "SP+m@best", "SL+m@best", "SP+SL+m@best", "SP+other@best"]) == [
        "m@best", "SP+m@best", "SL+m@best", "SP+SL+m@best",
    ]  # fmt: skip
