"""The choice of a token: a draw that belongs to its request, held against chances computed by hand."""

import math
from collections import Counter

import pytest

from harness.errors import InputError
from harness.models.local.decode import (
    SamplingRule,
    draw_token,
    log_probabilities,
    request_seed,
    sampling_rule,
    token_uniform,
    top_tokens,
)

np = pytest.importorskip("numpy")

SCORES = [math.log(chance) for chance in (0.1, 0.5, 0.25, 0.15)]


def share(how, count=4000):
    """Count what a rule draws over an even grid of numbers."""
    found = Counter(draw_token(SCORES, how, (place + 0.5) / count) for place in range(count))
    return {token: times / count for token, times in found.items()}


def test_draws_follow_the_chances():
    assert share(SamplingRule(1.0, 1.0)) == pytest.approx({0: 0.1, 1: 0.5, 2: 0.25, 3: 0.15}, abs=1e-3)


def test_temperature_sharpens_and_flattens():
    squares = [0.01, 0.25, 0.0625, 0.0225]
    assert share(SamplingRule(0.5, 1.0)) == pytest.approx(
        {token: value / sum(squares) for token, value in enumerate(squares)}, abs=1e-3
    )
    assert share(SamplingRule(100.0, 1.0))[0] > 0.24


@pytest.mark.parametrize(
    ("top_p", "kept"), [(0.3, {1}), (0.5, {1}), (0.6, {1, 2}), (0.75, {1, 2}), (0.8, {1, 2, 3}), (1.0, {0, 1, 2, 3})]
)
def test_top_p_keeps_the_fewest_that_reach_it(top_p, kept):
    assert set(share(SamplingRule(1.0, top_p - 1e-9 if top_p < 1 else 1.0))) == kept


def test_the_ends_of_the_interval_are_tokens_too():
    for top_p in (0.5, 1.0):
        for number in (0.0, 1 - 2**-53):
            assert draw_token(SCORES, SamplingRule(1.0, top_p), number) in range(4)
    assert draw_token([0.0, 0.0, 0.0], SamplingRule(1.0, 0.1), 0.99) == 0  # ties: the smaller token
    assert draw_token([-1e30, 5.0, -1e30], SamplingRule(0.01, 1.0), 0.999) == 1


def test_log_probabilities_sum_to_one_and_name_the_likeliest_first():
    logs = log_probabilities(SCORES)
    assert math.isclose(float(np.exp(logs).sum()), 1.0, rel_tol=1e-12)
    assert [token for token, _ in top_tokens(logs, 3)] == [1, 2, 3]
    assert top_tokens(log_probabilities([1.0, 1.0]), 1)[0][0] == 0


def test_a_request_has_numbers_of_its_own():
    seed = request_seed(7, "item-1", 2, 0)
    assert seed == request_seed(7, "item-1", 2, 0)
    others = {request_seed(7, "item-1", 2, 1), request_seed(7, "item-1", 3, 0), request_seed(7, "item-2", 2, 0),
              request_seed(8, "item-1", 2, 0)}  # fmt: skip
    assert len(others | {seed}) == 5
    numbers = [token_uniform(seed, place) for place in range(2000)]
    assert all(0 <= number < 1 for number in numbers) and len(set(numbers)) == 2000
    assert 0.47 < sum(numbers) / 2000 < 0.53


def test_rules_are_read_from_decimals_and_refused_in_words():
    assert sampling_rule({"temperature": "0.7", "top_p": "0.9"}) == SamplingRule(0.7, 0.9)
    assert sampling_rule({}).greedy and sampling_rule({"temperature": 0}).greedy
    for bad in ({"temperature": "-1"}, {"temperature": "nan"}, {"top_p": "0"}, {"top_p": "1.1"}, {"temperature": "x"}):
        with pytest.raises(InputError):
            sampling_rule(bad)
