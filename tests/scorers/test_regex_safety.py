"""The ReDoS check: a foreign pattern is searched for only where it cannot take exponential time."""

import pytest
from support_cases import each_of

from harness.answers.regex_safety import endless, refusal
from harness.errors import InputError
from harness.studies.reliability.data import transforms_demo
from harness.studies.reliability.standalone.by_row import score_row


@each_of(
    "pattern",
    [
        r"\d{4}-\d{2}-\d{2}",
        "^(offensive|polite)$",
        r"(?:\d+ )?km",
        "[A-Z][a-z]+(?: [A-Z][a-z]+){1,3}",
        r"(\d{3}){2}",
        "",
    ],
)
def test_plain_patterns_pass(pattern):
    assert refusal(pattern) == ""


@each_of(
    "pattern", ["(a+)+$", "([a-z]+)*x", "(a|aa)+b", "(.*a){11}", "(?=(a+)+)b", "(?:(?:a{1,9})x?)*", "((", "a" * 2001]
)
def test_patterns_that_may_run_for_ever_or_are_invalid_are_refused(pattern):
    row = {"benchmark": "transforms", "input": "x", "expected_output": "y", "answer_shape": pattern}
    with pytest.raises(InputError, match="`answer_shape` is refused"):
        score_row({**row, "response": "a" * 40 + "b"})


@each_of("pattern", ["[a-z]++", "(?:ab)*+c", "(x?+)", "a{2,3}+", "(?>ab|a)c", "(?=a++)", "(?<!(?>a))b"])
def test_a_pattern_that_python_3_11_2_misreads_is_refused(pattern):
    assert "misread" in refusal(pattern)
    assert endless(pattern) == ""  # for an engine that reads it rightly


def test_the_shapes_of_our_own_tasks_pass():
    shapes = {transforms_demo.draw(1, task, 0).answer_shape for task in range(1, 13)} - {None}
    assert shapes
    assert not any(refusal(shape) for shape in shapes if shape)
