"""Table cells: how values are formatted on cards and pages."""

import re
from typing import Any

from support_cases import each_of
from support_reliability_documents import SHARES

from harness.kit.pages import NONE, bounds, percent, value
from harness.studies.reliability.pages.fragments import FEW, MARKS, bars
from harness.studies.reliability.pages.tables import stated


def plain(markup):
    return " ".join(re.sub(r"<[^>]*>", " ", markup).split())


def test_a_value_is_spelled_with_its_interval_or_with_why_it_is_absent():
    assert plain(value({"value": 61.25, "interval": [58.0, 64.04], "degenerate": True})) == "61.2 † [58.0, 64.0]"
    assert plain(value({"value": 1.0, "interval": {"missing": "x"}})) == "1.0 no interval"
    assert (
        plain(value({"value": {"missing": "no scored responses"}, "interval": {"missing": "y"}}))
        == f"{NONE} no scored responses"
    )
    assert plain(value({"missing": "<b>"})) == f"{NONE} &lt;b&gt;" and plain(value(None)) == f"{NONE} no value"
    assert plain(percent({"value": 0.5, "interval": [0.25, 1]})) == "50.0 % [25.0, 100.0]"
    assert plain(bounds([0.1, 0.9], 100, 0, " %")) == "10 to 90 %" and plain(bounds({"missing": "x"})) == NONE
    assert (
        plain(value(-0.0001)) == "0.0"
        and plain(value(True)) == f"{NONE} no value"
        and plain(value(float("nan"))) == f"{NONE} no value"
    )


@each_of(
    ("found", "expected"),
    [
        ({"value": 70.0, "interval": [71.0, 80.0]}, "70.0 ‡ [71.0, 80.0]"),
        ({"value": 81.0, "interval": [71.0, 80.0], "degenerate": True}, "81.0 †‡ [71.0, 80.0]"),
        ({"value": 71.0, "interval": [71.0, 80.0]}, "71.0 [71.0, 80.0]"),
        ({"value": 80.0 + 1e-12, "interval": [71.0, 80.0]}, "80.0 [71.0, 80.0]"),
        ({"value": -0.2, "interval": [-0.1, 0.1]}, "-0.2 ‡ [-0.1, 0.1]"),
        ({"value": 0.3, "interval": {"missing": "x"}}, "0.3 no interval"),
    ],
)
def test_a_value_beside_its_interval_is_marked(found, expected):
    assert plain(value(found)) == expected
    assert "‡" not in expected or plain(percent(found)).split()[2].endswith("‡")
    assert "the interval lies beside the value" in MARKS[1]


def test_equal_values_say_how_many_they_are_and_a_mean_that_each_benchmarks_are_equal():
    few = {"at_items": 30, "holds_from": 100}
    same = {"value": 0.2, "interval": [0.2, 0.2], "coverage": few}
    assert plain(stated(same, percent, 32)) == "20.0 % n = 32, all 20"
    assert plain(stated({**same, "benchmarks": 5}, percent)) == "20.0 % all alike in each"
    assert plain(stated({**same, "interval": [0.1, 0.3]}, percent, 32)) == f"20.0 % [10.0, 30.0] {FEW}"


def test_small_bars_stack_the_shares_and_leave_out_the_unscored():
    missing = {"missing": "no scored responses"}
    bins: list[dict[str, Any]] = [
        {"correct": 0.5, "avoidant": 0.25, "incorrect": 0.25},
        dict.fromkeys(SHARES, missing),
        {"correct": 0.0, "avoidant": 0.0, "incorrect": 1.0},
    ]
    found = bars(bins, "<addition>")
    drawn = re.findall(r'class="(\w)" x="(\d+)" y="([\d.]+)" width="4" height="([\d.]+)"', found)
    assert drawn == [
        ("c", "0", "18.0", "18.0"), ("a", "0", "9.0", "9.0"), ("i", "0", "0.0", "9.0"), ("i", "8", "0.0", "36.0"),
    ]  # fmt: skip
    assert "&lt;addition&gt;: easiest bin 50% correct, 25% avoidant, 25% incorrect; hardest bin 0% correct" in found
    assert bars([], "x") == bars([bins[1]], "x") == NONE
