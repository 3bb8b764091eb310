"""The plan of what is measured: one measurement for what is shared, nothing made anew by growing, and refusals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from harness.errors import InputError
from harness.kit.study import Brief, Dataset, Model
from harness.steps import Pinned, Plan, Ref, Step
from harness.studies.questions.likelihood.steps import MEASURE
from harness.studies.questions.study import STUDY

PIN = Pinned("0" * 64)
FIELDS = {"input": ["question"], "options": ["a", "b"], "target": ["answer"]}
CHOICE = {"scorer": "choice", "name": "choice", "from": "options", "by": "loglikelihood", "normalise": "sum",
          "show": "text"}  # fmt: skip
PERPLEXITY = {"scorer": "perplexity", "name": "perplexity"}


def model(name: str, **more: Any) -> Model:
    told = {"settings": {"batch": "8"}, "weights": {"w": PIN}, "scores_continuations": True, **more}
    return Model(name, "transformers", **told)


def brief(*score: Any, fields: Any = FIELDS, models: Any = None, rows: int = 3, prompts: bool = True) -> Brief:
    params = {"dataset": "d", "file": "d.csv", "format": "csv", "encoding": "utf-8", "where": [], "fields": fields}
    dataset = Dataset("d", "", params, rows, {"file": PIN})
    told: dict[str, Any] = {"prompts": {"text": "{question}"}, "wordings": ({"id": 0, "text": "{question}"},)}
    settings = {"score": tuple(score), "samples": 1}
    return Brief((dataset,), models or (model("m"),), {}, {}, (0,), settings, **(told if prompts else {}))


def measurements(plan: Plan) -> list[Step]:
    return [step for step in plan.check().steps if step.kind == MEASURE]


def test_rules_that_compare_the_same_texts_share_one_measurement() -> None:
    rules = ("sum", "token", "character", "byte")
    plan = STUDY.plan(brief(*({**CHOICE, "name": rule, "normalise": rule} for rule in rules)))
    assert [step.name for step in measurements(plan)] == ["d/options/text/likelihoods/m/part-00000"]
    scores = [step for step in plan.steps if step.kind.endswith("scores:choice")]
    assert {step.params["normalise"] for step in scores} == set(rules)
    assert not [step for step in plan.steps if step.kind.endswith(":respond")]
    assert {"likelihoods", "scores"} <= plan.outputs.keys() and "responses" not in plan.outputs


def test_a_further_rule_or_model_leaves_every_measurement_as_it_was() -> None:
    before = measurements(STUDY.plan(brief(CHOICE)))
    more = [{**CHOICE, "name": "info", "normalise": "unconditional"}, {**CHOICE, "name": "abc", "show": "letter"}]
    for grown in (
        brief(CHOICE, *more, PERPLEXITY, {"scorer": "exact", "name": "exact"}),
        brief(CHOICE, models=(model("a"), model("m"), model("z"))),
    ):
        after = measurements(STUDY.plan(grown))
        assert len(after) > len(before)
        assert [step for step in after if step in before] == before


def test_appended_rows_leave_the_measurements_of_those_before() -> None:
    start = brief(CHOICE)
    grown = replace(start, datasets=(replace(start.datasets[0], rows=5, cuts=(3,)),))
    before, after = (measurements(STUDY.plan(one)) for one in (start, grown))
    assert [step.params for step in after] == [before[0].params] * 2


def test_a_model_with_its_own_template_is_measured_without_the_space() -> None:
    models = (model("m"), model("chatty", settings={"batch": "8", "chat": True}))
    plan = STUDY.plan(brief(CHOICE, models=models)).check()
    asked = {step.name: step.params["chat"] for step in plan.steps if step.kind.endswith("add_options")}
    assert asked == {"d/options/text/part-00000": False, "d/options/text/chat/part-00000": True}
    read = {step.params["model"]: step.inputs["prompts"] for step in measurements(plan)}
    assert read == {
        "m": Ref("d/options/text/part-00000", "prompts"), "chatty": Ref("d/options/text/chat/part-00000", "prompts"),
    }  # fmt: skip


def test_perplexity_alone_needs_no_prompts() -> None:
    plan = STUDY.plan(brief(PERPLEXITY, fields={"input": ["question"]}, prompts=False))
    [step] = measurements(plan)
    assert step.params["rolling"] is True
    assert "prompts" not in plan.outputs


@pytest.mark.parametrize("entry", [CHOICE, PERPLEXITY])
def test_a_model_that_scores_no_continuations_is_refused_where_it_is_named(entry: Any) -> None:
    models = (model("m"), Model("echo", "baseline", {"behaviour": "echo"}))
    with pytest.raises(InputError, match="provider baseline cannot say how likely") as bad:
        STUDY.plan(brief(entry, models=models))
    assert bad.value.where == "models.echo" and "take this model out" in bad.value.next


def test_a_choice_without_options_is_refused() -> None:
    with pytest.raises(InputError, match="options"):
        STUDY.plan(brief(CHOICE, fields={"input": ["question"], "target": ["answer"]}))


def test_of_several_columns_the_text_must_be_named() -> None:
    fields = {"input": ["question", "a / b"]}
    with pytest.raises(InputError, match=r"perplexity of which column\?.*question, a / b"):
        STUDY.plan(brief(PERPLEXITY, fields=fields))
    [step] = measurements(STUDY.plan(brief({**PERPLEXITY, "column": "a / b"}, fields=fields)))
    assert step.name == "d/texts/1/likelihoods/m/part-00000"
