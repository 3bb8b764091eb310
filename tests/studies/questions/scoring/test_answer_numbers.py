"""Numbers in answers: how they are written, which is taken, and how near is near enough, without rounding."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from support_answer_scores import scores, values
from support_cases import each_of

from harness.studies.questions.scoring import number

WRITTEN = {
    "42": 42, "-42": -42, "\u221242": -42, "+42": 42, "1,234,567.89": "1234567.89", "1'000'000": 1_000_000,
    "1_000": 1000, "1\u202f000": 1000, "1\u00a0000 km": 1000, "3.14": "3.14", ".5": "0.5", "-.5": "-0.5", "$5": 5,
    "-$5": -5, "5 €": 5, "50%": 50, "1e3": 1000, "1.5E-3": "0.0015", "\uff14\uff12": 42, "\u0664\u0662": 42, "007": 7,
    "42.": 42, "(42)": 42, "x=42": 42, "**42**": 42, "5kg": 5, "\\boxed{42}": 42, "1e1234567": 1,
}  # fmt: skip


@each_of(("written", "meant"), WRITTEN.items())
def test_a_number_is_read_however_it_is_written(written: str, meant: Any) -> None:
    first = next(number.numbers(written))
    assert first == Decimal(meant)


@each_of(
    ("text", "found"),
    [
        ("1,23", [1, 23]), ("1234,567", [1234, 567]), ("12-5", [12, 5]), ("2024-01-05", [2024, 1, 5]), ("1.2.3",
        ["1.2", 3]),
        ("9.8 m/s\u00b2", ["9.8"]), ("44 g of CO\u2082", [44]), ("x\u00b2-5", [5]), ("10\u207b\u00b3", [None]),
        ("10\u00b2 = 100", [None, 100]), ("", []), ("no number", []), ("x2y", [2]), ("3/4", [3, 4]),
        ("1, 2, 3", [1, 2, 3]), ("12,345,67", [12345, 67]),
    ],
)  # fmt: skip
def test_what_is_no_one_number_is_read_as_several(text: str, found: list[Any]) -> None:
    assert list(number.numbers(text)) == [None if one is None else Decimal(one) for one in found]


def test_a_decimal_comma_is_read_where_the_manifest_says_so(tmp_path: Path) -> None:
    answers = ["1.234,5", "1234,5", "1234.5", "1,234.5"]
    assert values(tmp_path, number.score, {"number": {"decimal": "comma"}}, answers, {"target": "1234,5"}) == [
        1,
        1,
        0,
        0,
    ]
    assert values(tmp_path, number.score, "number", answers, {"target": "1234.5"}) == [0, 0, 1, 1]


@pytest.mark.parametrize(("take", "right"), [("last", [1, 0, 1, 0]), ("first", [0, 1, 1, 0]), ("only", [0, 0, 1, 0])])
def test_which_of_several_numbers_counts_is_the_manifests_to_say(tmp_path: Path, take: str, right: list[int]) -> None:
    answers = ["2 and 40 make 42", "42 = 2 + 40", "42", "none"]
    assert values(tmp_path, number.score, {"number": {"take": take}}, answers, {"target": "42"}) == right


@pytest.mark.parametrize(
    ("told", "answer", "right"),
    [
        ({}, "0.30000000000000000001", 0), ({}, "0.30", 1), ({"tolerance": "0.01"}, "0.31", 1),
        ({"tolerance": "0.01"}, "0.310000000000000000001", 0), ({"tolerance": "0.01"}, "0.29", 1),
        ({"relative": "0.1"}, "0.33", 1), ({"relative": "0.1"}, "0.3300001", 0), ({"relative": "0.1",
        "tolerance": "1"}, "1.3", 1),
        ({"relative": "0.1", "tolerance": "1"}, "1.32", 0),  # the wider of two, and not their sum
        ({"tolerance": "1e-400"}, "0.3", 1), ({"tolerance": "1e999"}, "-1e999", 1),
    ],
)  # fmt: skip
def test_tolerances_are_held_to_the_last_digit(tmp_path: Path, told: Any, answer: str, right: int) -> None:
    assert values(tmp_path, number.score, {"number": told}, [answer], {"target": "0.3"}) == [right]


def test_numbers_without_bounds_are_read_in_no_time_and_are_wrong(tmp_path: Path) -> None:
    answers = [
        "9" * 1_000_000,
        "1" + ",234" * 300_000,
        "1e999999",
        "-1e-999999",
        "1e99999999999999999999",
        "$" * 1_000_000,
    ]
    assert values(tmp_path, number.score, "number", answers, {"target": "7"}) == [0] * 6


def test_equal_numbers_are_shown_alike_so_that_samples_can_be_counted(tmp_path: Path) -> None:
    answers = ["1000", "1,000.0", "1e3", "0.10", ".1", "-0", "0", "1e999999"]
    found = scores(tmp_path, number.score, "number", answers, {"target": "1000"})
    assert [row["detail"]["answer"] for row in found] == ["1000"] * 3 + ["0.1"] * 2 + ["0"] * 2 + ["1E+999999"]


def test_a_power_is_no_number_of_its_digits_side_by_side(tmp_path: Path) -> None:
    for target in ("102", "10", "2"):
        assert values(tmp_path, number.score, "number", ["10\u00b2"], {"target": target}) == [0]
    assert values(tmp_path, number.score, "number", ["102"], {"target": "10\u00b2"}) == [{"missing": number.NO_NUMBER}]


def test_a_target_that_is_no_number_gives_no_score_at_all(tmp_path: Path) -> None:
    for target in ("many", "3 of 4", ""):
        [row] = scores(tmp_path, number.score, "number", ["4"], {"target": target})
        assert row["value"] == {"missing": number.NO_NUMBER}
    assert values(tmp_path, number.score, "number", ["4"], {"target": "many", "accepted": ["4"]}) == [1]
