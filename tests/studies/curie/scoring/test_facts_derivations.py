"""Facts of HFE and HFD: what is read of a ground-truth file whose fields are not public, and the steps of an answer."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support_cases import each_of

from harness.studies.curie.reading.loose_json import Unreadable
from harness.studies.curie.scoring import facts_hfd, facts_hfe


def step(number: Any, answer: Any) -> dict[str, Any]:
    return {"Step": number, "task": "t", "answer": answer}


@pytest.mark.parametrize(
    "truth",
    [
        {"record_id": "1", "arxiv_id": "a - b", "text": "H = a - b"},
        {"x": {"hamiltonian": "$H = a - b$"}, "n": 7},
        {"x": ["The general Hartree-Fock Hamiltonian is", "H = a - b"]},
        {"hamiltonian": "H = a", "more": ["- b"]},
        ["H = a - b"],
    ],
)
def test_hfe_all_strings_of_the_truth_are_read_but_ids(truth: Any) -> None:
    assert facts_hfe.facts(json.dumps(truth)) == facts_hfe.facts_of("H = a - b")


def test_hfe_a_fact_is_a_sign_and_a_term() -> None:
    assert dict(facts_hfe.facts_of("H = a - 2 b - 2 b")) == {(1, "a"): 1, (-1, "2 b"): 2}


GOLD = facts_hfd.facts(json.dumps({"steps": [step("1", "H = a"), step("2", "H = b - c")]}))


@each_of(
    "answer",
    [
        [step("1", "H = a"), step("2", "H = b - c")],
        [step(2, "H = -c + b"), step(1, "a")],
        [step("Step 1", "H = a"), step("Step 2: interaction", "H = b - c")],
        [{"answer": "H = a"}, {"answer": "H = b - c"}],
        {"steps": {"first": step("1", "H = a"), "second": step("2", ["H = b", "- c"])}},
        [step("1", "H = a"), step("2", "H = b - c"), step("6", "H = d")],
    ],
)
def test_hfd_steps_are_told_by_their_numbers_else_by_their_places(answer: Any) -> None:
    assert facts_hfd.facts_of(json.dumps(answer)) == GOLD


def test_hfd_a_fact_is_a_step_a_sign_and_a_term() -> None:
    assert dict(GOLD) == {(1, 1, "a"): 1, (2, 1, "b"): 1, (2, -1, "c"): 1}


def test_hfd_the_truth_may_hold_its_steps_as_json_in_a_text() -> None:
    steps = json.dumps([step("1", "H = a"), step("2", "H = b - c")])
    assert facts_hfd.facts(json.dumps({"record_id": "1", "answer_text": steps})) == GOLD


@each_of("formula", [r"\frac{a}{b}", r"\beta", r"\tau", r"\rho", r"\nabla", r"\varepsilon", r"\sum_k \epsilon_k"])
def test_hfd_single_backslashes_are_read_where_json5_can_read_them(formula: str) -> None:
    written = f'[{{"Step": "1", "answer": "H = {formula}"}}]'
    assert facts_hfd.facts_of(written) == facts_hfd.facts_of(written.replace("\\", "\\\\"))


@pytest.mark.parametrize("text", ["[]", "{}", '[{"Step": "1"}]', "no JSON", r'[{"Step": "1", "answer": "\uparrow"}]'])
def test_hfd_without_a_step_an_answer_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        facts_hfd.facts_of(text)
