"""The fact score (rule F0) and the shapes of its findings, on every task that has one."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from studies.curie.scoring.near_misses.near_miss import of
from support_draws import drawn
from support_pace import soon

from harness.digest import canonical_json
from harness.rowtypes import Found
from harness.studies.curie.scoring import facts, facts_code, facts_geo, facts_hfd, facts_hfe, facts_qecc
from harness.studies.curie.tasks import VERSION

Rule = Callable[[str, str], Found]
RULES: dict[str, Rule] = {
    "geo": facts_geo.score, "qecc": facts_qecc.score, "hfe": facts_hfe.score, "hfd": facts_hfd.score,
    "dft_c": facts_code.score,
}  # fmt: skip
EACH = pytest.mark.parametrize("task", RULES)
HOSTILE = [
    "[" * 10_000, "{" * 10_000 + "}" * 10_000, "(" * 10_000, "x" * 1_000_000, "1" * 300_000, '{"a": ' * 5_000,
    "NaN", "[Infinity, -Infinity]", '{"datasets": [NaN, {"variables": 7}], "Step": 1, "answer": NaN}', "\ud800\udfff",
    '{"code_id": "\\ud800", "answer": "\\ud800", "datasets": [{"dataset_name": "\\ud800"}]}', "\x00", "- " * 10_000,
    "a: &a [*a]", "x = " + "-" * 50_000 + "1", "x = " + "(" * 150 + ")" * 150, "a" + ".b" * 50_000, "```\n" * 100_000,
    "f(" + "fmax=1, " * 20_000 + ")", json.dumps({"datasets": [{"dataset_name": "x"}] * 20_000}),
    json.dumps([{"Step": 1, "answer": r"\sum_{abcdef} V_{ab} + " * 200}] * 60), "fmax = " + "9" * 5_000,
    json.dumps({"datasets": [{"variables": {"description": "5 m, " * 60_000}}]}), "\\cite{" * 60_000, "((" * 150_000,
    "a:\n" + "".join(f" k{n}: '5 km [[n,k,d]] \\cite{{x}}'\n" for n in range(9_000)),
]  # fmt: skip


@EACH
@pytest.mark.parametrize("text", ["", " \n\t "])
def test_f0_a_blank_answer_is_missing_and_worth_nothing(task: str, text: str) -> None:
    found = RULES[task](text, of(task)[0])
    assert (found["value"], found["outcome"]) == (0, "missing")
    assert found["detail"]["metrics"]["facts_f1"] == 0


@EACH
@pytest.mark.parametrize("truth", ["{}", "[]", '{"record_id": "x"}', "no JSON", "", "7", "[" * 10_000])
def test_f0_a_gold_that_states_nothing_gives_no_value(task: str, truth: str) -> None:
    found: Any = RULES[task](of(task)[1][0].answer, truth)
    assert set(found["value"]) == {"missing"} and found["outcome"] == "gold_invalid"


@EACH
def test_f0_a_gold_without_use_is_told_before_a_blank_answer(task: str) -> None:
    assert RULES[task]("", "{}")["outcome"] == "gold_invalid"


@EACH
def test_f0_an_answer_that_cannot_be_used_is_invalid_and_worth_nothing(task: str) -> None:
    found = RULES[task]("I could not find it, sorry.", of(task)[0])
    assert (found["value"], found["outcome"]) == (0, "invalid")


@EACH
def test_f0_an_answer_of_more_than_is_read_is_worth_nothing(task: str) -> None:
    truth, [row, *_] = of(task)
    assert RULES[task](row.answer, truth)["value"] == 1
    assert RULES[task](row.answer + "\n" * 400_000, truth)["value"] == 0


@EACH
def test_f0_the_metrics_fit_together(task: str) -> None:
    truth, rows = of(task)
    for row in rows:
        found = RULES[task](row.answer, truth)
        detail = found["detail"]
        metrics = detail["metrics"]
        assert (detail["mode"], detail["version"]) == ("strict", VERSION)
        assert found["value"] == metrics["facts_f1"]
        if row.outcome == "valid":
            gold, stated, shared = (metrics[f"facts_{name}"] for name in ("gold", "predicted", "shared"))
            assert metrics["facts_f1"] == 2 * shared / (gold + stated)
            assert metrics["facts_recall"] == shared / gold
            assert len(detail["missed"]) == min(10, gold - shared)
            assert len(detail["extra"]) == min(10, stated - shared)


def test_f0_facts_are_multisets() -> None:
    compared = facts.multisets(Counter({("a",): 2, ("b",): 1}), Counter({("a",): 1, ("c",): 3}))
    assert (compared.shared, compared.missed.total(), compared.extra.total()) == (1, 2, 3)


def test_f0_a_fact_that_both_state_several_times_is_shared_as_often() -> None:
    compared = facts.multisets(Counter({("a",): 3, ("b",): 1}), Counter({("a",): 2, ("b",): 4}))
    assert (compared.shared, compared.missed.total(), compared.extra.total()) == (3, 1, 3)


@pytest.mark.exhaustive
@EACH
@pytest.mark.parametrize("text", drawn(HOSTILE, 2, 8), ids=lambda text: repr(text[:16]))
def test_hostile_answers_are_scored_and_end_soon(task: str, text: str) -> None:
    begun = time.process_time()
    found: Any = RULES[task](text, of(task)[0])
    assert 0 <= found["value"] <= 1
    assert canonical_json(found)
    assert soon(time.process_time() - begun, 2)
