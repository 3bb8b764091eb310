"""The full-size addition benchmark, seed after seed: how many draws the filter keeps.

Rule: docs/reliability-rules.md#addition-count.
"""

import statistics

import pytest

from harness.studies.reliability.data.addition import draw, kept

DRAWN = 5000


@pytest.mark.long
def test_the_filter_keeps_as_many_as_it_must_for_each_of_20_seeds():
    found = []
    for seed in range(20):
        pairs = (draw(seed, index) for index in range(DRAWN))
        found.append(sum(kept(pair.a, pair.b) for pair in pairs))
    assert all(3040 <= count <= 3270 for count in found), found
    # Expected are 3,154 with a standard deviation of 34: the mean of 20 lies within four standard errors of it.
    assert abs(statistics.mean(found) - 3154) < 4 * 34.1 / 20**0.5
    assert 15 < statistics.stdev(found) < 60
