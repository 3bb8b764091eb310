"""Prompting stability: the closed form against all pairs of prompts, its bounds, and what noise alone reaches."""

import json
import random
from fractions import Fraction

import pytest
import support
from hypothesis import given
from hypothesis import strategies as st
from studies.reliability import slow

from harness.errors import InputError
from harness.studies.reliability.measures.stability import stability

FIXTURE = support.FIXTURES / "reliability" / "prompting_stability.json"
ragged = st.lists(st.integers(0, 7).flatmap(lambda p: st.tuples(st.integers(0, p), st.just(p))), max_size=12)


@pytest.mark.skipif(not FIXTURE.is_file(), reason="the fixtures do not lie beside this checkout")
def test_the_shared_cases():
    cases = json.loads(FIXTURE.read_text())["cases"]
    assert cases
    for case in cases:
        found = stability(case["positives_per_instance"], case["prompts_per_instance"])
        assert {name: found[name] for name in case["expected"]} == pytest.approx(case["expected"], abs=1e-9)


@pytest.mark.parametrize(
    ("positives", "prompts", "s_pos", "s_neg", "scaled"),
    [
        ([4, 0, 4, 0], 4, 1, 1, 100),
        ([2, 2, 2, 2], 4, 0.5, 0.5, 0),
        ([3, 0, 4, 1, 2], 4, 0.75, 0.75, 50),
        ([15, 14, 0, 7, 3, 15, 1], 15, 0.854545454545, 0.84, 69.454545454545),
    ],
)
def test_the_worked_values_of_the_specification(positives, prompts, s_pos, s_neg, scaled):
    found = stability(positives, [prompts] * len(positives))
    assert (found["s_pos"], found["s_neg"]) == pytest.approx((s_pos, s_neg))
    assert (found["scaled"], found["stability"]) == pytest.approx((scaled, (s_pos + s_neg) / 2))


@given(ragged)
def test_the_closed_form_is_what_all_pairs_of_prompts_say(cells):
    expected = slow.stability([[True] * k + [False] * (p - k) for k, p in cells if p])
    found = stability([k for k, _ in cells], [p for _, p in cells])
    if expected is None:
        assert found["stability"] is found["scaled"] is None
        assert found["degenerate"] is True
    else:
        assert found["stability"] == pytest.approx(float(expected), abs=1e-12)
        assert found["scaled"] == pytest.approx(float(200 * (expected - Fraction(1, 2))), abs=1e-10)
        assert 0 <= found["scaled"] <= 100


@given(ragged)
def test_a_group_and_all_that_is_not_in_it_are_equally_stable(cells):
    one = stability([k for k, _ in cells], [p for _, p in cells])
    other = stability([p - k for k, p in cells], [p for _, p in cells])
    assert one["scaled"] == pytest.approx(other["scaled"], abs=1e-10)
    assert (one["s_pos"], one["degenerate"]) == (other["s_neg"], other["degenerate"])


@given(ragged)
def test_the_variance_between_instances_gives_the_same_value(cells):
    found = stability([k for k, _ in cells], [p for _, p in cells])
    if not found["degenerate"]:
        mean, variance = found["mean"], found["between_instance_variance"]
        assert found["scaled"] == pytest.approx(100 * variance / (mean * (1 - mean)), abs=1e-9)


def test_noise_alone_reaches_its_floor_and_nothing_once_that_is_taken_away():
    source = random.Random(5)
    for prompts in (5, 15):
        answers = [sum(source.random() < 0.4 for _ in range(prompts)) for _ in range(20_000)]
        found = stability(answers, [prompts] * len(answers))
        assert found["noise_floor"] == pytest.approx(100 / prompts)
        assert found["scaled"] == pytest.approx(100 / prompts, abs=0.5)
        assert found["corrected"] == pytest.approx(0, abs=0.6)


def test_noise_with_unequal_prompts_has_the_floor_of_their_mean_number():
    source = random.Random(6)
    prompts = [source.choice([3, 15]) for _ in range(20_000)]
    found = stability([sum(source.random() < 0.4 for _ in range(p)) for p in prompts], prompts)
    assert found["noise_floor"] == pytest.approx(100 * len(prompts) / sum(prompts))
    assert found["corrected"] == pytest.approx(0, abs=0.6)


@pytest.mark.parametrize("positives", [[4, 4, 4], [0, 0, 0], [4], [0]])
def test_all_or_none_in_the_group_is_stable_and_degenerate(positives):
    found = stability(positives, [4] * len(positives))
    assert (found["stability"], found["scaled"], found["corrected"], found["degenerate"]) == (1, 100, 100, True)
    assert None in (found["s_pos"], found["s_neg"])


def test_one_prompt_is_always_stable_and_has_no_value_above_noise():
    found = stability([1, 0, 1], [1, 1, 1])
    assert (found["scaled"], found["noise_floor"], found["corrected"]) == (100, 100, None)


def test_an_instance_without_prompts_says_nothing():
    assert stability([2, 0, 1], [3, 0, 4]) == stability([2, 1], [3, 4])


@pytest.mark.parametrize(("positives", "prompts"), [([], []), ([0, 0], [0, 0])])
def test_nothing_scored_has_no_value(positives, prompts):
    found = stability(positives, prompts)
    assert found.pop("degenerate") is True
    assert set(found.values()) == {None}


@pytest.mark.parametrize(("positives", "prompts"), [([1], [1, 1]), ([2], [1]), ([-1], [1])])
def test_counts_that_cannot_be_are_refused(positives, prompts):
    with pytest.raises(InputError):
        stability(positives, prompts)
