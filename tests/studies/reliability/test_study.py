"""The plan of the study: which steps a manifest means, what each is given, and what it is not."""

import pytest
from support import REPOSITORY
from support_cases import each_of

from harness.errors import InputError
from harness.kit.study import Brief, Dataset, Model, Templates
from harness.run.closure import Code
from harness.steps import Pinned
from harness.studies.reliability.benchmarks import BENCHMARKS, TASKS
from harness.studies.reliability.study import Reliability

CODE = Code(REPOSITORY)
# What a maker may know of scorers: how names are spelled, and which words prompts and refusals are made of.
NO_RULES = {"__init__.py", "outcome/__init__.py", "outcome/names.py", "outcome/common_words.py"}
SOME = Pinned("0" * 64)
MAKES = {
    "addition": "addition", "anagram": "anagram", "locality": "locality", "obqa": "openbookqa",
    "transforms": "transforms_demo",
}  # fmt: skip


def planned(models=(), makes=MAKES, sets=TASKS, tokens="benchmark"):
    study = Reliability()
    datasets = tuple(Dataset(name, f"reliability.{make}", {}, 3, {}) for name, make in makes.items())
    templates = {f"reliability/{task}@1": Templates(SOME, 15) for task in sets}
    brief = Brief(datasets, tuple(models), templates, {"max_tokens": tokens}, (0,))
    return study.plan(brief).check()


def model(name, **facts):
    return Model(name, "openai", {"id": name, "endpoint": "chat"}, facts=facts)


def budgets(plan, name):
    steps = [step for step in plan.steps if step.stage == "responses" and step.params.get("model") == name]
    return {step.name.partition("/")[0]: step.params["generation"]["max_tokens"] for step in steps}


def test_conversational_models_have_their_own_budget_but_on_transforms():
    plan = planned([model("llama"), model("gpt-4-v1", group="gpt-4")])
    assert set(budgets(plan, "llama").values()) == {"benchmark"}
    assert budgets(plan, "gpt-4-v1") == {**dict.fromkeys(MAKES, 1000), "transforms": "benchmark"}
    assert set(budgets(planned([model("gpt-4-v1", group="gpt-4")], tokens=48), "gpt-4-v1").values()) == {48}


def test_each_benchmark_has_its_own_rules_and_only_locality_needs_names():
    plan = planned([model("m")])
    kinds = {step.name.partition("/")[0]: step for step in plan.steps if step.stage == "scores" and "/" in step.name}
    assert {name: step.kind.rpartition(".")[2] for name, step in kinds.items()} == {
        name: f"{'science' if name == 'obqa' else name}:score" for name in MAKES
    }
    assert {name for name, step in kinds.items() if "gazetteer" in step.inputs} == {"locality"}


def test_no_step_that_asks_a_model_is_given_an_answer():
    for step in planned([model("m")]).steps:
        if step.stage == "responses" and "/responses/" in step.name:
            assert set(step.inputs) == {"prompts"}


def test_a_benchmark_without_wordings_is_told():
    with pytest.raises(InputError, match="no wordings for science") as told:
        planned([model("m")], sets=("addition", "anagram", "locality", "transforms"))
    assert "reliability/science@1" in told.value.next


def test_pairs_are_compared_where_a_model_names_the_one_it_was_made_of():
    plan = planned([model("raw"), model("shaped", raw_twin="raw"), model("lonely", raw_twin="elsewhere")])
    [step] = [step for step in plan.steps if step.name == "comparisons"]
    assert step.params["pairs"] == [["raw", "shaped"]]


def test_the_published_dataset_brings_its_prompts_and_the_report_says_so():
    makes = {"sums": "published_addition"}
    plan = planned([model("m")], makes, sets=())
    [prompts] = [step for step in plan.steps if step.stage == "prompts"]
    assert prompts.kind.endswith("prompts:pick")
    assert next(step for step in plan.steps if step.name == "page").params["imported"] == ["addition"]
    assert next(step for step in planned([model("m")]).steps if step.name == "page").params["imported"] == []


def test_simulated_people_are_asked_only_where_a_manifest_has_them():
    assert "people" not in planned([model("m")]).outputs
    plan = planned([model("m")], {**MAKES, "people": "simulated_people"})
    assert "people" in plan.outputs
    assert not [step for step in plan.steps if step.name.startswith("people/") and step.stage == "responses"]


@pytest.mark.parametrize(
    ("facts", "what"),
    [
        ({"flops": "abc"}, "no amount of compute"),
        ({"flops": "-1"}, "no amount of compute"),
        ({"flops": "1e999"}, "no amount of compute"),
        ({"group": "gpt4"}, "no group of models"),
    ],
)
def test_what_would_fail_after_all_answers_is_refused_before_any(facts, what):
    with pytest.raises(InputError, match=what):
        planned([model("m", **facts)])


def test_a_second_seed_and_a_benchmark_of_two_wordings_are_refused():
    brief = Brief((), (model("m"),), {}, {}, (0, 1))
    with pytest.raises(InputError, match="asks each model once"):
        Reliability().plan(brief)
    with pytest.raises(InputError, match="in other wordings"):
        planned([model("m")], {"science": "science_demo", "published": "published_science"})


@each_of("name", BENCHMARKS)
def test_an_edit_of_a_rule_makes_no_data_again(name):
    files = CODE.closure(BENCHMARKS[name].maker.kind).files
    rules = [path for path in files if path.startswith("harness/scorers/")]
    assert set(rules) <= {f"harness/scorers/{path}" for path in NO_RULES}
    assert not [path for path in files if "/scoring/" in path]
