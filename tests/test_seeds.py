"""A seed depends on what a draw is for and on nothing else, and a stream gives the same draws everywhere."""

import hashlib

import pytest

from harness.errors import InputError
from harness.seeds import below, derive, sample, stream, unit


def test_a_seed_is_the_first_eight_bytes_of_the_digest_of_what_it_is_for():
    spelled = b'[7,"addition","item/1",3,2]'
    assert derive(7, "addition", "item/1", 3, 2) == int.from_bytes(hashlib.sha256(spelled).digest()[:8], "big")


def test_a_unit_lies_from_zero_to_below_one():
    assert (unit(0), unit(1 << 63)) == (0, 0.5)
    assert 0.999 < unit(2**64 - 1) < 1


def test_a_draw_keeps_its_bound_and_meets_every_value():
    source = stream(7)
    for bound in (1, 2, 3, 8, 9):
        assert {below(source, bound) for _ in range(500)} == set(range(bound))


@pytest.mark.parametrize("bound", [0, -1])
def test_a_draw_from_nothing_is_refused_and_does_not_go_on_for_ever(bound):
    with pytest.raises(InputError, match="nothing to draw"):
        below(stream(7), bound)


def test_a_sample_draws_nothing_twice_and_all_where_there_is_no_more():
    items = list(range(10))
    drawn = sample(stream(7), items, 4)
    assert len(set(drawn)) == 4 and set(drawn) < set(items)
    assert sample(stream(7), items, 4) == drawn != sample(stream(8), items, 4)
    assert sorted(sample(stream(7), items, 99)) == items and items == list(range(10))
