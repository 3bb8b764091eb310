"""pass@k and majority votes beside every draw and every ballot counted out one by one."""

from __future__ import annotations

import itertools

import pytest
from support_cases import each_of

from harness.studies.questions.measures.samples import SampledAnswer, are_verdicts, pass_at, sizes, vote


@each_of("of", range(1, 9))
def test_pass_at_k_is_the_share_of_draws_that_hold_a_right_answer(of: int) -> None:
    for right, k in itertools.product(range(of + 1), range(1, of + 1)):
        draws = list(itertools.combinations([True] * right + [False] * (of - right), k))
        assert pass_at(k, right, of) == pytest.approx(sum(map(any, draws)) / len(draws), abs=1e-15)


def test_pass_at_one_is_the_mean_and_pass_at_all_whether_one_is_right() -> None:
    assert [pass_at(1, right, 10) for right in (0, 3, 10)] == pytest.approx([0, 0.3, 1])
    assert [pass_at(10, right, 10) for right in (0, 1, 10)] == [0, 1, 1]


def test_pass_at_k_of_very_many_answers_neither_overflows_nor_drifts() -> None:
    product = 1.0  # the recipe of the paper that defined it: a running product
    for place in range(10_000 - 7 + 1, 10_000 + 1):
        product *= 1 - 500 / place
    assert pass_at(500, 7, 10_000) == pytest.approx(1 - product, rel=1e-9)


def test_the_mean_of_pass_at_k_is_right_on_average_however_many_are_asked() -> None:
    """Unbiased: over all outcomes of n answers, each right with p, its mean is 1 - (1 - p)^k."""
    p, of, k = 0.2, 6, 3
    expected = sum(
        pass_at(k, sum(outcome), of) * p ** sum(outcome) * (1 - p) ** (of - sum(outcome))
        for outcome in itertools.product((0, 1), repeat=of)
    )
    assert expected == pytest.approx(1 - (1 - p) ** k)


def test_sizes_are_powers_of_two_and_all() -> None:
    assert (sizes(1), sizes(2), sizes(10), sizes(16)) == ((1,), (1, 2), (1, 2, 4, 8, 10), (1, 2, 4, 8, 16))


def test_only_right_and_wrong_are_verdicts() -> None:
    assert are_verdicts([1.0, 0.0, 1]) and not are_verdicts([1.0, 0.5])


def answers(*said: str | None) -> list[SampledAnswer]:
    """Give answers of which `A` is right."""
    return [SampledAnswer(read, float(read == "A")) for read in said]


def test_what_most_answers_say_counts() -> None:
    assert vote(answers("A", "B", "A", None)) == (1.0, False, 1)
    assert vote(answers("A", "B", "B")) == (0.0, False, 0)


def test_of_several_that_tie_each_wins_equally_often() -> None:
    assert vote(answers("A", "B")) == (0.5, True, 0)
    assert vote(answers("C", "B", "A", "A", "B", "C", "D")) == (1 / 3, True, 0)
    assert vote(answers("B", "C")) == (0.0, True, 0)


def test_a_vote_is_what_drawing_among_the_most_frequent_gives_on_average() -> None:
    for said in itertools.product(("A", "B", "C"), repeat=5):
        counts = {each: said.count(each) for each in said}
        winners = [each for each, count in counts.items() if count == max(counts.values())]
        assert vote(answers(*said)).value == pytest.approx(sum(each == "A" for each in winners) / len(winners))
        assert vote(answers(*said)).tied == (len(winners) > 1)


def test_answers_that_nobody_could_read_have_no_vote() -> None:
    assert vote(answers(None, None, "A")) == (1.0, False, 2)
    assert vote([SampledAnswer(None, 0.0), SampledAnswer(None, 0.0)]) == (0.0, False, 2)


def test_the_order_of_the_answers_changes_no_vote() -> None:
    samples = [
        SampledAnswer("x", 0.3),
        SampledAnswer("y", 0.1),
        SampledAnswer("x", 0.7),
        SampledAnswer("y", 0.2),
        SampledAnswer(None, 1.0),
    ]
    found = {vote(order) for order in itertools.permutations(samples)}
    assert {(one.tied, one.unread) for one in found} == {(True, 1)}
    assert max(one.value for one in found) == pytest.approx(min(one.value for one in found))
