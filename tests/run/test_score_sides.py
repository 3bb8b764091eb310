"""Which side an answer is on: the better half of its metric's scale, or the worse one, or nobody can say."""

from __future__ import annotations

import pytest

from harness.kit.meaning import Meaning
from harness.kit.sides import is_right
from harness.run.scores.report import AnswerCosts


@pytest.mark.parametrize(
    ("value", "meaning", "right"),
    [
        (1, Meaning("share", "higher", 0, 1), True), (0, Meaning("share", "higher", 0, 1), False),
        (0.5, Meaning("share", "higher", 0, 1), True), (0, Meaning("wrong", "lower", 0, 1), True),
        (1, Meaning("wrong", "lower", 0, 1), False), (0.4, Meaning("grade", "higher", -1, 1), True),
        (60, Meaning("per cent", "higher", 0, 100), True), (2.3, Meaning("nats", "lower", 0), None),
        (1, Meaning("any", "neither", 0, 1), None), (0.7, None, True), (0.2, None, False), (7.0, None, None),
    ],
)  # fmt: skip
def test_right_is_the_better_half(value: float, meaning: Meaning | None, right: bool | None) -> None:
    assert is_right(value, meaning) is right


def test_dollars_are_exact_and_only_told_where_prices_and_tokens_are() -> None:
    costs = AnswerCosts(prices={"input": "0.15", "output": "0.60"})
    assert costs.dollars == "" and costs.document() == {}
    for _ in range(3):
        costs.use(1_000_001, 7)
    assert costs.dollars == "0.45001305"  # (3,000,003 · 0.15 + 21 · 0.60) / 1,000,000
    assert costs.document() == {"tokens": {"prompt": 3_000_003, "completion": 21}, "dollars": "0.45001305"}
    costs.prices = None
    assert costs.dollars == "" and AnswerCosts(prices={"input": "1", "output": "1"}).dollars == ""


def test_seconds_are_those_of_executed_steps_and_stored_ones_say_so() -> None:
    assert AnswerCosts(executed=2, stored=1, milliseconds=2500).document() == {"seconds": 2.5}
    assert AnswerCosts(stored=3).document() == {"stored": True}
    assert AnswerCosts(refused=2, completion_tokens=5).document() == {"refused": 2, "tokens": {"completion": 5}}
