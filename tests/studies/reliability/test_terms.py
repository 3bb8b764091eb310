"""The terms that analyses share: what counts as labels, and what a share of nothing is."""

import pytest
from support_cases import each_of

from harness.errors import InputError
from harness.studies.reliability.terms import NAMES, are_labels, counted, discounts, pooled, shares


def test_shares_are_of_what_was_scored():
    assert shares([1, 1, 2]) == {"correct": 0.25, "avoidant": 0.25, "incorrect": 0.5}
    assert all("missing" in value for value in shares([0, 0, 0]).values())


def test_labels_are_counted_in_the_order_of_their_names():
    assert list(NAMES) == ["c", "a", "i"]
    assert counted("iic-a") == counted(["i", "i", "c", "-", "a"]) == (1, 1, 2)
    assert pooled([(1, 0, 2), [3, 1, 0]]) == [4, 1, 2] and pooled([]) == [0, 0, 0]


@pytest.mark.parametrize("given", ["cai", ["c", "i"], (), ""])
def test_texts_and_lists_of_letters_are_labels(given):
    assert are_labels(given)


@each_of("given", ["cx", "c-", ["ca"], [["c"]], [""], None, 3, {"c": 1}])
def test_anything_else_is_none(given):
    assert not are_labels(given)
    assert are_labels("c-", "-")


def test_a_discount_is_a_share():
    assert discounts({"science": "0.25"}) == {"science": 0.25}
    for wrong in ("-0.1", "1.5", "nan"):
        with pytest.raises(InputError, match="outside 0 to 1"):
            discounts({"science": wrong})
