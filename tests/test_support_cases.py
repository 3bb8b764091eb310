"""One case that stands for many fails where any of them fails, and says which."""

from __future__ import annotations

import inspect

import pytest
from support_cases import each_of


def test_every_case_is_tried_and_the_first_that_fails_is_named() -> None:
    met: list[tuple[int, str]] = []

    @each_of("text", ["x", "y"])
    @each_of(("number", "limit"), [(1, 5), (2, 5), (9, 5)])
    def small(number: int, limit: int, text: str) -> None:
        met.append((number, text))
        assert number < limit

    with pytest.raises(AssertionError) as bad:
        small()
    assert met == [(1, "x"), (2, "x"), (9, "x")]
    assert bad.value.__notes__ == ["case 2 of 3: number=9, limit=5", "case 0 of 2: text='x'"]


def test_what_else_a_test_asks_for_is_left_to_pytest() -> None:
    @each_of("number", range(3))
    def small(number: int, folder: str) -> None:
        assert number < 3 and folder == "here"

    assert [*inspect.signature(small).parameters] == ["folder"]
    small(folder="here")


def test_a_test_of_no_case_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no case of number"):
        each_of("number", [])
