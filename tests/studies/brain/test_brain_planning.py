"""The plan of the study: what cannot be run is refused where a manifest is locked, not by a step an hour later."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest
from needs import needs
from support_cases import each_of

from harness.errors import InputError, MissingError
from harness.kit.study import Brief, Dataset, Model
from harness.run.closure import Code
from harness.run.engines import require_packages
from harness.steps import Pinned, Plan
from harness.studies.brain.study import STUDY

SETTINGS = {
    "generation": "P", "fedorenko_inner_rows": "48", "iterations": 15, "sigmas": "1.0, 2.2", "pool": "sum",
    "simple": "", "families": 20, "dtype": "float32", "solver": "ours",
}  # fmt: skip


def planned(models: tuple[Model, ...] = (), more: dict[str, Any] | None = None, **settings: Any) -> Plan:
    world = {"world": "default", "seed": 1, **(more or {})}
    brief = Brief((Dataset("d", "brain.simulated", world, 0),), models, {}, {}, (0,), {**SETTINGS, **settings})
    return STUDY.plan(brief).check()


def encoder(layers: str = "2", **more: Any) -> Model:
    settings = {"batch": "reference", "dtype": "float32", **more}
    return Model("mini", "transformers", settings, {"config.json": Pinned("0" * 64)}, {"layers": layers})


@each_of(
    ("sigmas", "told"),
    [
        ("x", "'x' is no number"), ("1.0,", "'' is no number"), ("-1", "'-1' is no number"), ("nan", "'nan' is no"),
        ("1000.5", "no number from 0 to 1000"), ("1e3", "'1e3' is no number"),
        ("1.0, 2.2, 1.00", "'1.00' stands twice"),
        ("\N{ARABIC-INDIC DIGIT ONE}", "is no number"),
    ],
)  # fmt: skip
def test_a_width_that_is_none_or_stands_twice_is_refused(sigmas: str, told: str) -> None:
    with pytest.raises(InputError, match=told) as bad:
        planned(sigmas=sigmas)
    assert bad.value.where == "settings.sigmas" and "1.0, 2.2" in bad.value.next


def test_widths_become_models_of_time_as_they_are_written() -> None:
    [step] = [step for step in planned(sigmas="0, 2.20 ,1000").steps if step.name == "fit/d/contiguous/spaces"]
    assert step.params["models"][:3] == ["OASM@0", "OASM@2.20", "OASM@1000"]


@pytest.mark.parametrize("families", [-1, 0, 10_001])
def test_a_number_of_families_that_there_cannot_be_is_refused(families: int) -> None:
    with pytest.raises(InputError, match=f"`families` is {families}"):
        planned(families=families)


@pytest.mark.parametrize("layout", ["fedorenko", "blank"])
def test_an_experiment_of_what_has_none_is_refused(layout: str) -> None:
    with pytest.raises(InputError, match=f"{layout} has no experiments") as bad:
        planned(more={"layout": layout, "experiment": "243"})
    assert bad.value.where == "datasets.d.experiment"


def test_too_few_iterations_are_told_how_many_it_takes() -> None:
    with pytest.raises(InputError) as bad:
        planned(iterations=5)
    assert bad.value.next == "give 15 at least, not 5"
    assert planned(iterations=15)


def test_the_step_that_reads_texts_holds_a_model_to_its_number_of_layers() -> None:
    [step] = [step for step in planned((encoder(),)).steps if step.name == "hidden/d/mini"]
    assert step.params["layers"] == [0, 1, 2] and step.params["all_layers"] is True


def test_the_page_alone_is_told_of_changed_weights() -> None:
    steps = planned(more={"context": "0.6"}).steps
    about: dict[str, Any] = {step.name: step.params.get("datasets") for step in steps}
    assert about["page"]["d"]["weights"] == {"context": "0.6"} and "weights" not in about["tests"][0]


def test_the_page_is_told_of_a_model_that_nothing_trained() -> None:
    models = {True: encoder(untrained=7), False: encoder()}
    told = {
        drawn: next(step for step in planned((model,)).steps if step.name == "page").params["models"]["mini"]
        for drawn, model in models.items()
    }
    assert told == {True: {"provider": "transformers", "untrained": 7}, False: {"provider": "transformers"}}


@pytest.mark.parametrize("solver", ["himalaya", "himalaya-torch"])
def test_another_solver_stands_in_the_steps_that_fit_and_in_no_other(solver: str) -> None:
    ours, its = planned((encoder(),), dtype="float64"), planned((encoder(),), dtype="float64", solver=solver)
    changed = [two for one, two in zip(ours.steps, its.steps, strict=True) if one != two]
    assert {step.name for step in changed} == {step.name for step in its.steps if step.name.startswith("fit/")}
    assert {step.params["solver"] for step in changed} == {solver}
    assert {step.kind for step in changed} == {"harness.studies.brain.fitting.himalaya_step:fit"}
    assert not [step for step in ours.steps if "solver" in step.params]


def test_himalaya_in_float32_is_refused_where_it_is_planned() -> None:
    with pytest.raises(InputError, match="err by more than what counts as equal") as bad:
        planned(solver="himalaya")
    assert bad.value.where == "settings.dtype" and "float64" in bad.value.next


def test_only_steps_of_another_solver_need_himalaya() -> None:
    code = Code()
    for solver, needed in (("ours", False), ("himalaya", True)):
        kinds = {step.kind for step in planned((encoder(),), dtype="float64", solver=solver).steps}
        assert any("himalaya" in code.packages(kind) for kind in kinds) == needed


def test_a_lack_of_himalaya_is_named_before_a_step_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    needs("torch")  # which is named first
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: None if name == "himalaya" else find(name))
    require_packages(planned(dtype="float64").steps)
    with pytest.raises(MissingError, match="needs the package himalaya, which is not installed") as bad:
        require_packages(planned(dtype="float64", solver="himalaya").steps)
    assert bad.value.code == 3 and "repro-harness[brain]" in bad.value.next
