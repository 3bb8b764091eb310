"""Judges and several scorers stand in a plan between answers and analyses; a study without them has the plan it had."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.errors import InputError
from harness.kit.ask import Asked, How, Scorer, ask, make
from harness.kit.judge import Judge, RuleJudge
from harness.kit.study import Brief, Dataset, Instrument, Model, Templates
from harness.models.provider import StandIn
from harness.steps import Pinned, Plan, Ref

WORDS = Templates(Pinned("a" * 64), 1)
MODELS = (Model("m", "baseline", {"behaviour": "empty"}, stand_in=StandIn()), Model("n", "openai", {}, calls=True))
JUDGE = Instrument("judge", Model("judge", "openai", {"id": "j", "tape": "b" * 64}, calls=True), {"max_tokens": 9}, 3)
BRIEF = Brief((Dataset("d", "t.d", {}, 7),), MODELS, {}, {}, (0, 1), instruments={"judge": JUDGE})
TWO = (Judge("judge", "t:asks", "t:reads", WORDS, rounds=2, needs=("refs",)), RuleJudge("rule", "t:rule"))
SCORERS = (Scorer("first", "t:first", judges=("judge", "rule"), instead={"error": 0}), Scorer("second", "t:second"))


def planned(how: How, brief: Brief = BRIEF) -> tuple[Asked, Plan]:
    asked = Asked()
    for dataset in brief.datasets:
        make(asked, dataset, "t:make", ("items", "gold", "counts", "refs"))
        ask(asked, brief, dataset, how)
    outputs = asked.tables()
    return asked, Plan(tuple(asked.steps), outputs).check()


def test_one_scorer_has_the_names_inputs_and_tables_it_always_had() -> None:
    asked, plan = planned(How("t:score", WORDS))
    score = next(step for step in plan.steps if step.name == "d/scores/m/part-00000")
    assert (score.kind, dict(score.params), set(score.inputs)) == ("t:score", {}, {"responses", "items", "gold"})
    assert set(plan.outputs) == {"items", "gold", "prompts", "responses", "scores", "counts"}
    assert asked.scores == {("d", name): [Ref(f"d/scores/{name}/part-00000", "scores")] for name in ("m", "n")}


def test_a_judge_is_asked_in_rounds_and_may_see_the_gold() -> None:
    _, plan = planned(How(SCORERS, WORDS, judges=TWO))
    name = "d/judgements/judge/m/part-00000"
    steps = {step.name: step for step in plan.steps if step.name.startswith(name)}
    order = [f"{name}/round-{n}/{part}" for n in (0, 1) for part in ("prompts", "replies", "judgements")]
    assert [*steps] == [*order, name] and {step.stage for step in steps.values()} == {"judgements"}
    first, second = (steps[f"{name}/round-{n}/replies"] for n in (0, 1))
    assert first.kind == "harness.models.providers.openai:respond" and first.calls and first.params["tape"] == "b" * 64
    assert (first.params["seeds"], second.params["seeds"], first.params["model"]) == ([0, 1, 2], [0], "judge")
    asks = steps[f"{name}/round-1/prompts"].inputs
    assert asks["unread"] == Ref(f"{name}/round-0/judgements", "unread") and asks["templates"] == WORDS.pinned
    assert {"gold", "items", "responses", "refs"} < set(asks)
    assert [steps[f"{name}/round-{n}/judgements"].params["last"] for n in (0, 1)] == [False, True]


def test_a_rule_reads_the_pinned_tables_that_it_names() -> None:
    words = Pinned("c" * 64)
    _, plan = planned(How(SCORERS, WORDS, judges=(TWO[0], RuleJudge("rule", "t:rule", tables={"words": words}))))
    [rule] = [step for step in plan.steps if step.name == "d/judgements/rule/m/part-00000"]
    assert rule.inputs["words"] == words and set(rule.inputs) == {"words", "responses", "items", "gold"}


def test_each_scorer_sees_what_it_asks_for_and_nothing_else() -> None:
    _, plan = planned(How((*SCORERS, Scorer("third", "t:third", prompts=True, needs=("refs",))), WORDS, judges=TWO))
    first, second, third = (
        next(step for step in plan.steps if step.name == f"d/scores/{name}/m/part-00000")
        for name in ("first", "second", "third")
    )
    usual = {"responses", "items", "gold"}
    assert set(first.inputs) == usual | {"judgements"} and dict(first.params) == {"instead": {"error": 0}}
    assert first.inputs["judgements"] == tuple(
        Ref(f"d/judgements/{name}/m/part-00000", "judgements") for name in ("judge", "rule")
    )
    assert set(second.inputs) == usual and set(third.inputs) == usual | {"prompts", "refs"}


def test_the_tables_do_not_depend_on_how_the_rows_were_cut() -> None:
    brief = replace(BRIEF, datasets=(replace(BRIEF.datasets[0], rows=6000),))
    asked, plan = planned(How(SCORERS, WORDS, judges=TWO), brief)
    parts = len(asked.scored["d", "m", "first"])
    assert parts > 1
    for table, names in (("scores", ("first", "second")), ("judgements", ("judge", "rule"))):
        told = [ref.step.split("/") for ref in asked.parts[table]]
        assert told == [
            ["d", table, name, model, f"part-{n:05d}"] for model in "mn" for name in names for n in range(parts)
        ]
        assert plan.outputs[table] == Ref(table, table)
    assert len(asked.scores["d", "m"]) == 2 * parts


def test_a_scorer_of_an_unknown_judge_or_a_judge_without_model_is_refused() -> None:
    with pytest.raises(InputError, match="'first' reads judgements of 'judge'"):
        planned(How(SCORERS, WORDS))
    with pytest.raises(InputError, match="instrument 'judge'"):
        planned(How("t:score", WORDS, judges=TWO), replace(BRIEF, instruments={}))
    oracle = replace(JUDGE, model=Model("judge", "baseline", {}, stand_in=StandIn(sees_gold=True)))
    with pytest.raises(InputError, match="answers from the gold"):
        planned(How("t:score", WORDS, judges=TWO), replace(BRIEF, instruments={"judge": oracle}))


def test_a_paper_gives_its_value_to_what_has_no_score_and_to_nothing_else() -> None:
    with pytest.raises(InputError, match="a value for 'eror'"):
        planned(How((Scorer("first", "t:first", instead={"eror": 0}),), WORDS))
