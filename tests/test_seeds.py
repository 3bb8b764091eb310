"""A seed depends on what a draw is for and on nothing else, and a stream gives the same draws everywhere."""

import hashlib

import pytest

from harness.errors import InputError
from harness.seeds import derive_seed, draw_below, draw_sample, random_stream, unit_number


def test_a_seed_is_the_first_eight_bytes_of_the_digest_of_what_it_is_for():
    spelled = b'[7,"addition","item/1",3,2]'
    assert derive_seed(7, "addition", "item/1", 3, 2) == int.from_bytes(hashlib.sha256(spelled).digest()[:8], "big")


def test_a_unit_lies_from_zero_to_below_one():
    assert (unit_number(0), unit_number(1 << 63)) == (0, 0.5)
    assert 0.999 < unit_number(2**64 - 1) < 1


def test_a_draw_keeps_its_bound_and_meets_every_value():
    source = random_stream(7)
    for bound in (1, 2, 3, 8, 9):
        assert {draw_below(source, bound) for _ in range(500)} == set(range(bound))


@pytest.mark.parametrize("bound", [0, -1])
def test_a_draw_from_nothing_is_refused_and_does_not_go_on_for_ever(bound):
    with pytest.raises(InputError, match="nothing to draw"):
        draw_below(random_stream(7), bound)


def test_a_sample_draws_nothing_twice_and_all_where_there_is_no_more():
    items = list(range(10))
    drawn = draw_sample(random_stream(7), items, 4)
    assert len(set(drawn)) == 4 and set(drawn) < set(items)
    assert draw_sample(random_stream(7), items, 4) == drawn != draw_sample(random_stream(8), items, 4)
    assert sorted(draw_sample(random_stream(7), items, 99)) == items and items == list(range(10))
