"""The plan of `curie`: which tasks, judges, trials and scorers a manifest gets, and what it is refused for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from support_cases import each_of

from harness.errors import InputError
from harness.kit.study import Answered, Brief, Dataset, Instrument, Model, Templates
from harness.steps import Pinned, Plan
from harness.studies.curie.study import STUDY
from harness.studies.curie.tasks import AVERAGED, TASKS

SOME = Pinned("0" * 64)
SETS = {name: Templates(SOME, 1) for name in STUDY.prompt_sets}
CLOSED = Model("closed", "openai", {}, calls=True)


def dataset(task: str, name: str = "", make: str = "") -> Dataset:
    return Dataset(name or task, make or f"curie.demo_{task}", {"seed": 7, "count": 8}, 8)


def brief(*tasks: str, mode: str = "strict", instruments: dict[str, Any] | None = None) -> Brief:
    tables = {"curie/published@1": SOME}
    datasets = tuple(dataset(task) for task in tasks)
    return Brief(datasets, (CLOSED,), SETS, {}, (0,), {"mode": mode}, instruments or {}, tables=tables)


def named(plan: Plan, part: str) -> set[str]:
    return {step.name for step in plan.steps if part in step.name}


def test_ten_tasks_are_averaged_and_every_task_has_wordings_and_a_demo() -> None:
    assert len(AVERAGED) == 10 and len(TASKS) == 12
    assert {f"curie/{name}@1" for name in TASKS} == set(STUDY.prompt_sets)
    assert {f"curie.demo_{name}" for name in TASKS} <= set(STUDY.makers)
    assert set(STUDY.plan(brief(*TASKS)).check().outputs) >= {"means", "slices", "comparisons", "tables", "published"}


@each_of("mode", ["paper", "strict"])
@each_of("task", list(TASKS))
def test_each_task_can_be_planned_alone_in_either_mode(task: str, mode: str) -> None:
    plan = STUDY.plan(brief(task, mode=mode)).check()
    scored = {step.params["mode"] for step in plan.steps if "/scores/" in step.name}
    assert scored == {mode} and {"means", "scores"} <= plan.outputs.keys()


def test_the_cheap_strategies_answer_beside_every_model() -> None:
    steps = {step.name: step for step in STUDY.plan(brief("pdb", "mpv")).steps}
    assert {f"{task}/responses/strategies/part-00000" for task in ("pdb", "mpv")} <= steps.keys()
    assert "strategy: unrelated sequence" in steps["means"].params["strategies"]
    assert steps["means"].params["models"] == ["closed"]


def test_areas_are_scored_beside_boxes_where_the_settings_say_so_and_in_strict_mode_alone() -> None:
    plain, asked = brief("biogr"), brief("biogr")
    asked = replace(asked, settings={**asked.settings, "areas": True})
    assert not named(STUDY.plan(plain), "/areas/")
    found = named(STUDY.plan(asked), "/scores/")
    assert any("/areas/" in name for name in found) and any("/boxes/" in name for name in found)
    assert STUDY.plan(asked).outputs.keys() == STUDY.plan(plain).outputs.keys()
    with pytest.raises(InputError, match="one box and no polygons"):
        STUDY.plan(replace(asked, settings={"mode": "paper", "areas": True}))


def test_facts_score_in_strict_mode_alone_and_words_in_both() -> None:
    assert not named(STUDY.plan(brief("hfe", mode="paper")), "/facts/")
    assert named(STUDY.plan(brief("hfe")), "/facts/") and named(STUDY.plan(brief("hfe", mode="paper")), "/rouge/")


def test_programs_are_tried_for_structures_of_proteins_and_nothing_else() -> None:
    plan = STUDY.plan(brief(*TASKS))
    assert {step.name.partition("/")[0] for step in plan.steps if step.trial} == {"pdb"}


def test_maps_are_asked_three_times_and_a_model_without_eyes_is_asked_none() -> None:
    plan = STUDY.plan(brief("biogr"))
    [asked] = [step for step in plan.steps if step.name == "biogr/responses/closed/part-00000"]
    assert asked.params["seeds"] == [0, 1, 2] and "media" in asked.inputs
    blind = replace(brief("biogr"), models=(replace(CLOSED, facts={"images": "no"}),))
    [asked] = [step for step in STUDY.plan(blind).steps if step.name == "biogr/responses/closed/part-00000"]
    assert "media" not in asked.inputs and named(STUDY.plan(blind), "biogr/skipped")


def test_a_judge_of_the_manifest_scores_beside_the_rule_and_is_primary() -> None:
    judge = {"judge": Instrument("judge", Model("j", "openai", {}, calls=True), {})}
    plan = STUDY.plan(brief("mpv", "hfe", instruments=judge)).check()
    steps = {step.name: step for step in plan.steps}
    assert steps["means"].params["primary"] == {"mpv": ["llmsim-judge", "f1"], "hfe": ["facts", "facts_f1"]}
    assert "agreement" in plan.outputs and named(plan, "mpv/judgements/judge/closed")
    assert "agreement" not in STUDY.plan(brief("mpv")).outputs


def test_a_budget_of_tokens_is_a_fact_of_the_model() -> None:
    bounded = replace(brief("hfe"), models=(replace(CLOSED, facts={"max_tokens": "4000"}),))
    bounded = replace(bounded, generation={"max_tokens": "benchmark"})
    [step] = [step for step in STUDY.plan(bounded).steps if step.name == "hfe/responses/closed/part-00000"]
    assert step.params["generation"]["max_tokens"] == 4000
    wrong = replace(bounded, models=(replace(CLOSED, facts={"max_tokens": "many"}),))
    with pytest.raises(InputError, match="no budget"):
        STUDY.plan(wrong)


def test_two_datasets_of_one_task_and_one_without_wordings_are_refused() -> None:
    twice = replace(brief("pdb"), datasets=(dataset("pdb"), dataset("pdb", "again", "curie.archive_pdb")))
    with pytest.raises(InputError, match="both hold records of pdb"):
        STUDY.plan(twice)
    with pytest.raises(InputError, match="no wordings for pdb"):
        STUDY.plan(replace(brief("pdb"), templates={}))


def test_published_prompts_are_asked_as_they_are() -> None:
    own = replace(brief(), datasets=(dataset("hfe", "hfe", "curie.archive_prompts_hfe"),), templates={})
    [step] = [step for step in STUDY.plan(own).steps if step.name == "hfe/prompts/part-00000"]
    assert step.kind == "harness.kit.prompts:pick"


def test_imported_answers_are_counted_by_how_often_a_task_is_asked():
    theirs = Model("theirs", "imported", {}, imported=Answered("x", SOME))
    for tasks, often in ((("biogr", "pdb"), [3, 1]), (("pdb", "biogr"), [1, 3])):
        steps = {step.name: step for step in STUDY.plan(replace(brief(*tasks), models=(theirs,))).steps}
        assert steps["imported/theirs"].params["samples"] == often
    [alone] = [step for step in STUDY.plan(replace(brief("pdb"), models=(theirs,))).steps if "imported/" in step.name]
    assert "samples" not in alone.params


def test_a_model_of_the_strategies_name_is_refused():
    with pytest.raises(InputError, match="as are the cheap strategies"):
        STUDY.plan(replace(brief("pdb"), models=(replace(CLOSED, name="strategies"),)))
