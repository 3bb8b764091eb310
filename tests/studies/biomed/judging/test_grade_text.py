"""Grades in replies: the first number of the scale as published, and strict a grade that stands alone."""

from __future__ import annotations

import time

import pytest
from support_cases import each_of
from support_draws import drawn
from support_pace import soon

from harness.studies.biomed.judging.grade_text import GRADES, grade, paper_grade, score_of, strict_grade
from harness.studies.biomed.terms import MODES


@each_of(
    ("reply", "says"),
    [
        *((text, text) for text in (*GRADES, "-1.0")),
        ("3", "3.0"), ("2.50", "2.5"), ("0002.500", "2.5"), ("**3.0**", "3.0"), ("`2`", "2.0"),
        ("\u00a0 1.5\u2003\n", "1.5"),
        ("Score: 2", "2.0"), ("GRADE = 2.5", "2.5"), ("grade2.5", "2.5"), (": 1", "1.0"), ("score:\n 0.5.", "0.5"),
        ("2/3", "2.0"), ("2.5 / 3.0", "2.5"), ("3/3.", "3.0"), ("1 point", "1.0"), ("2 POINTS.", "2.0"),
        ("-1", "-1.0"), ("\u22121", "-1.0"), ("\u20131.00", "-1.0"), ("Score: -1.", "-1.0"),
    ],
)  # fmt: skip
def test_strict_reads_a_grade_that_stands_alone(reply: str, says: str) -> None:
    assert strict_grade(reply) == says


@each_of(
    "reply",
    [
        "", " ", "three", "Score 3.0. The response is -1", "The grade is 2", "2.0 because", "(2)", "2,5", ".5", "+2",
        "1e0", "4", "3.5", "1.75", "0.333", "-0", "-0.0", "-0.5", "-2", "- 1", "-1/3", "-1 points", "2/4", "2/3.5",
        "2 pts", "\u0663", "\uff12", "\u0661.\u0665", "\u017fcore: 2", "2\n3", "rating: 2", "score score 2", "--1",
        "2\u00a0points", "grade: 2 / 3 points",
    ],
)  # fmt: skip
def test_strict_reads_nothing_else(reply: str) -> None:
    assert strict_grade(reply) is None


def test_a_full_stop_may_end_a_strict_grade() -> None:
    assert [strict_grade(text) for text in ("3.", "3.0.", "3..")] == ["3.0", "3.0", None]


@each_of(
    ("reply", "says"),
    [
        ("on a scale from 0.0-3.0 the grade is 2.5", "0.0"), ("3/3", "3.0"), ("- 1", "1.0"), ("\u22121", "1.0"),
        ("-0", "0.0"), ("1e0", "1.0"), ("-1.0, it does not know", "-1.0"), ("2,5", "2.0"), ("Question 7: 2.0", None),
        ("4", None), ("-0.5", None), ("-2", None), ("1.75", None), ("\u0663", None), ("", None),
    ],
)  # fmt: skip
def test_paper_takes_the_first_number_whatever_stands_around_it(reply: str, says: str | None) -> None:
    assert paper_grade(reply) == says


def test_the_digits_of_an_errors_text_would_be_a_grade_of_paper_mode_alone() -> None:
    text = "ERROR: Failed getting response for 'q' after 3 retries. Last error: x"
    assert (paper_grade(text), strict_grade(text)) == ("3.0", None)


def test_a_score_is_a_third_of_a_grade_and_minus_one_for_not_knowing() -> None:
    assert [score_of(text) for text in ("0.0", "0.5", "2.0", "3.0", "-1.0")] == [0, 0.5 / 3, 2 / 3, 1, -1]


HOSTILE = {
    "a number of many digits": "1" * 200_000,
    "a grade with many zeros": "2." + "0" * 200_000,
    "blanks after a name": "score" + " " * 500_000 + "x",
    "blanks after a number": "2" + " " * 500_000 + "x",
    "blanks around a colon": (" " * 200_000 + ":") * 3,
    "blanks around a colon and a stroke": "grade" + " " * 200_000 + ":" + " " * 200_000 + "2" + " " * 200_000 + "/ x",
    "1 MB of brackets": "[" * 1_000_000,
    "1 MB of dots": "." * 1_000_000,
    "1 MB of signs": "-+" * 500_000,
    "1 MB of stars": "*" * 1_000_000,
    "half a pair of surrogates": "\ud800 2",
    "not finite": "NaN Infinity 1e999",
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("what", drawn(HOSTILE, 4, len(HOSTILE)))
def test_a_hostile_reply_is_read_soon(what: str) -> None:
    for mode in MODES:
        begun = time.process_time()
        found = grade(HOSTILE[what], mode)
        assert soon(time.process_time() - begun, 0.5)
        assert found is None or found in GRADES
