"""How many rows may be without an answer: what a person writes, and what that allows."""

import pytest

from harness.errors import InputError
from harness.run.progress import NO_ERRORS, AnswerErrors, errors_over_limit, read_error_limit


def gap(errors, rows=200):
    return AnswerErrors("m", rows, errors, "no")


@pytest.mark.parametrize(
    ("written", "allowed", "refused"),
    [("0", 0, 1), ("12", 12, 13), ("1", 1, 2), ("5%", 10, 11), ("0.05", 10, 11), (".05", 10, 11), ("0.1%", 0, 1),
     ("100%", 200, 201), ("1.0", 200, 201), ("7.5%", 15, 16), ("0%", 0, 1)],
)  # fmt: skip
def test_a_count_and_a_share_are_read_as_they_are_written(written, allowed, refused):
    bound = read_error_limit(written)
    assert bound.allows(gap(allowed)) and not bound.allows(gap(refused))
    assert bound.all is (allowed == 200)


@pytest.mark.parametrize("written", ["many", "-1", "101%", "1.5", "5 %", "%", "1e9", "0x10", "٣"])
def test_what_is_no_bound_is_refused(written):
    with pytest.raises(InputError, match="no number of errors"):
        read_error_limit(written)


def test_where_nothing_is_said_a_model_must_have_answered_something():
    assert read_error_limit("") is None
    assert errors_over_limit([gap(199), gap(200), gap(3, 3)], None) == [gap(200), gap(3, 3)]
    assert errors_over_limit([gap(1)], NO_ERRORS) == [gap(1)]
