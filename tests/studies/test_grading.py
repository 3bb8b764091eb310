"""Figures of a grader's certificate: by hand, instances kept together, and nothing but decimals."""

import pytest
import scipy

from harness.digest import encode_document
from harness.errors import InputError
from harness.kit.certificate import PARTS
from harness.kit.grading import Graded, figures, part_of, require_apart


def graded(counts, each=1):
    """Give rows from {(label, grade): how many}, so many of each instance."""
    pairs = [pair for pair, many in counts.items() for _ in range(many)]
    return [Graded(f"{place}", *pair) for place, pair in enumerate(pairs) for _ in range(each)]


SMALL = {("c", "c"): 20, ("c", "i"): 5, ("i", "c"): 10, ("i", "i"): 15}


def test_the_figures_of_a_small_table_are_those_worked_out_by_hand():
    found = figures(graded(SMALL), "c", 0)
    assert (found["rows"], found["instances"], found["labels"]) == (50, 50, {"c": 25, "i": 25})
    assert found["matrix"] == {"c": {"c": 20, "i": 5}, "i": {"c": 10, "i": 15}}
    assert (found["accuracy"]["value"], found["kappa"]["value"]) == ("0.700000", "0.400000")
    assert (found["false_accept"]["value"], found["false_reject"]["value"]) == ("0.400000", "0.200000")
    wilson = scipy.stats.binomtest(35, 50).proportion_ci(method="wilson")
    assert found["accuracy"]["interval"] == [f"{end:.6f}" for end in wilson]
    low, high = map(float, found["kappa"]["interval"])
    assert low == pytest.approx(0.4 - 1.96 * 0.128, abs=0.05) and high == pytest.approx(0.4 + 1.96 * 0.128, abs=0.05)
    encode_document({"type": "figures/1", **found})  # which refuses floats


def test_more_rows_of_one_instance_make_no_interval_narrower():
    one, four = (figures(graded(SMALL, each), "c", 0)["kappa"] for each in (1, 4))
    assert one == four


def test_resamples_with_different_numbers_of_rows_each_have_their_kappa():
    rows = graded(SMALL) + [Graded("0", "c", "c")] * 30
    found = figures(rows, "c", 0)["kappa"]
    value, (low, high) = found["value"], found["interval"]
    assert isinstance(value, str) and -1 <= float(low) < float(value) < float(high) <= 1


def test_what_is_not_defined_says_why():
    alike = figures(graded({("c", "c"): 3}), "c", 0)
    assert "agreement by chance is certain" in str(alike["kappa"]["value"])
    assert alike["false_accept"]["value"] == {"missing": "no row is labelled otherwise"}
    assert alike["false_reject"]["value"] == "0.000000"
    assert figures([], "c", 0)["accuracy"]["value"] == {"missing": "no responses"}


def test_a_split_depends_on_seed_and_instance_alone_and_is_about_half():
    parts = [part_of(0, f"item-{number}") for number in range(400)]
    assert (
        parts
        == [part_of(0, f"item-{number}") for number in range(400)]
        != [part_of(1, f"item-{n}") for n in range(400)]
    )
    assert 160 < parts.count("frozen") < 240 and set(parts) == set(PARTS)


def test_parts_that_share_an_instance_are_refused():
    rows = [Graded("x", "c", "c")]
    with pytest.raises(InputError, match="1 instances lie in both parts, the first: 'x'"):
        require_apart({"develop": rows, "frozen": rows})
