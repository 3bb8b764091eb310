"""Strict reading of models and judges, rules R1 and R2, and L3's reading of a broken list."""

from __future__ import annotations

import contextlib
import math
import time
from typing import Any

import pytest
from support_cases import each_of
from support_draws import drawn
from support_pace import soon

from harness.studies.curie.reading.strict_json import Unreadable, json_part, read_first, read_list, read_value_of


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[None, True, False]", [None, True, False]),
        ("{'a': .5, b: 0x10, /* c */ \"d\": [1,],}", {"a": 0.5, "b": 16, "d": [1]}),
        ('{"a": null, "b": Infinity}', {"a": None, "b": math.inf}),
    ],
)
def test_r1_json5_and_the_constants_of_python_are_read(text: str, value: Any) -> None:
    assert read_first(text) == value


def test_r1_nan_is_read_in_both_spellings() -> None:
    assert [math.isnan(one) for one in read_first("[nan, NaN, -NaN]")] == [True] * 3


@each_of("text", ["[none]", "[NULL]", "[nil]", "[undefined]", '["a\nb"]', "[1 2]", "{a}"])
def test_r1_nothing_else_is_a_value(text: str) -> None:
    with pytest.raises(Unreadable):
        read_first(text)


@each_of(
    "text",
    [
        "```json\n[7]\n```",
        "```\n  [7]\n```\n[8]",
        "[8] was a guess:\n```json\n[7]\n``` and then ```json\n[9]\n```",
        "```python\nx = [8]\n```\n```json5\n[7]\n```",
        "Here: ```json [7]``` as asked",
        "````json\n[7]\n````",
        "```json\n[7]",
        "So it is [7], as I said in [8].",
        "[7]",
        "Fences ``` without JSON ``` and then [7]",
    ],
)
def test_r2_the_first_fence_with_json_counts_else_the_first_bracket(text: str) -> None:
    assert read_first(text) == [7]


def test_r2_an_unclosed_fence_runs_to_the_end() -> None:
    assert json_part('```json\n[{"a": 1},\n{"b": ') == '[{"a": 1},\n{"b": '


@pytest.mark.parametrize("text", ["", "  \n", "no JSON at all", "```json\nnothing\n```"])
def test_r2_a_text_without_a_bracket_holds_nothing(text: str) -> None:
    with pytest.raises(Unreadable):
        read_first(text)


@each_of(
    ("text", "found"),
    [
        ('{"a": 1}', [{"a": 1}]),
        ('The item: {"a": 1}. Good luck!', [{"a": 1}]),
        ('[{"a": 1}, "loose", 2]', [{"a": 1}, "loose", 2]),
        ('[{"a": 1}, {"b": [2, 3]}, {"c": "cut of', [{"a": 1}, {"b": [2, 3]}]),
        ('[{"a": 1}, {"b": 2}', [{"a": 1}, {"b": 2}]),
        ("[{'a': 1}, ...]", [{"a": 1}]),
        ('[{"a": 1} {"b": 2}]', [{"a": 1}]),
        ('["x", {"a": 1}, 2', [{"a": 1}]),
        ("[]", []),
    ],
)
def test_l3_an_object_is_a_list_and_a_broken_list_keeps_whole_objects(text: str, found: Any) -> None:
    assert read_list(text) == found


@pytest.mark.parametrize("text", ['{"a": 1, "b": ', "{", "no list", '[{"a": "cut', "[see the table]"])
def test_l3_what_breaks_before_an_object_is_whole_is_no_list(text: str) -> None:
    with pytest.raises(Unreadable):
        read_list(text)


def test_a_whole_text_is_one_value_and_nothing_besides() -> None:
    assert read_value_of(' {"a": None} ') == {"a": None}
    with pytest.raises(Unreadable):
        read_value_of('{"a": 1} and more')


HOSTILE = {
    "brackets": "[" * 10_000,
    "braces": '{"a":' * 10_000,
    "5 MB": "x" * 5_000_000,
    "one long fence": "```" * 100_000,
    "many fences": "``` ``` " * 60_000,
    "a fence of blanks": "```json" + " " * 900_000,
    "a broken list of empty objects": "[{}" + ",{}" * 300_000,
    "a broken list of JSON5": "[" + "{a:.5}," * 40_000 + "x",
    "half surrogates": '["' + "\ud800" * 250_000,
    "digits": "[" + "9" * 900_000,
    "comments": "[" + "/**/" * 200_000 + "// /*\n" * 60_000 + "1]",
    "a comment without an end": "[/*" + "/* *" * 200_000,
    "escapes without an end": '["' + "\\a\\\r\n" * 160_000,
    "strings without an end": '["a' * 200_000,
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", drawn(HOSTILE, 4, 14))
def test_hostile_texts_end_quickly(name: str) -> None:
    began = time.process_time()
    with contextlib.suppress(Unreadable):
        read_list(HOSTILE[name])
    assert soon(time.process_time() - began, 5)  # seconds where it were not bounded: minutes
