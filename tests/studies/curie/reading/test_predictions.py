"""Predictions are read as the published notebook reads them, defects included."""

from __future__ import annotations

import contextlib
import time
from typing import Any

import pytest
from support_cases import each_of
from support_draws import drawn
from support_pace import soon

from harness.studies.curie.reading.predictions import predictions_dft, predictions_mpv, up_to_last_object
from harness.studies.curie.reading.strict_json import Unreadable


@each_of(
    ("text", "found"),
    [
        ("```json\n[1]\n```", [1]),
        ("`[1]`", [1]),
        (" ```json\n[1]\n``` ", [1]),  # one blank at each end
        ("", {}),
        ("```json```", {}),
        ("['Moss's law']", ["Moss's law"]),
        ('[{"a": "x\ny"}]', [{"a": "xy"}]),
        ('[{"a": 1}, {"b": ', [{"a": 1}]),
        ('[{"a": 1},\n {"b": 2}] That is all.', [{"a": 1}]),  # the last object goes, though it was whole
    ],
)
def test_an_answer_is_read_with_its_fences_and_its_end_cut_off(text: str, found: Any) -> None:
    assert predictions_mpv(text) == found


@pytest.mark.parametrize("text", ["Here you go: [1]", "[None]", "  ```json\n[1]\n```", "[1", '{"a":1},\n{"a":2}'])
def test_prose_python_and_a_second_blank_are_not_read(text: str) -> None:
    with pytest.raises(Unreadable):
        predictions_mpv(text)


def test_a_word_in_single_quotes_before_a_blank_breaks_what_was_json5() -> None:
    assert predictions_mpv("[{'a': 'b'}]") == [{"a": "b"}]
    with pytest.raises(Unreadable):  # docs/curie.md#paper-predictions
        predictions_mpv("[{'a': 'b' }]")


def test_dft_keeps_blanks_and_is_repaired_once_by_a_model_or_is_empty() -> None:
    text = " [1]x"
    with pytest.raises(Unreadable):
        predictions_dft(text)
    assert predictions_dft(text, "```json\n[{'a': 2}]\n```") == [{"a": 2}]
    assert predictions_dft(text, "sorry") == []


def test_the_list_is_cut_at_its_last_object_and_not_at_its_first() -> None:
    assert up_to_last_object("[{1},{2} ,\t{3},4") == "[{1},{2} ]"
    with pytest.raises(Unreadable):
        up_to_last_object("[{1}")


HOSTILE = {
    "apostrophes": "'" * 250_000,
    "genitives": "a'" * 130_000,
    "commas and blanks": ", " * 140_000,
    "commas and braces": ",{" * 140_000,
    "empty objects and a letter": "[{}" + ",{}" * 330_000 + "x",
    "brackets": "[" * 290_000,
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", drawn(HOSTILE, 2, 6))
def test_hostile_answers_end_quickly(name: str) -> None:
    began = time.process_time()
    with contextlib.suppress(Unreadable):
        predictions_dft(HOSTILE[name], HOSTILE[name])
    assert soon(time.process_time() - began, 10)
