"""Boxes in strict mode, rules B1 to B3: which object is the box, which values are coordinates, which boxes are none."""

from __future__ import annotations

import time

import pytest
from support_cases import each_of
from support_pace import soon

from harness.studies.curie.reading.boxes_strict import read_answer, read_gold
from harness.studies.curie.reading.loose_json import Unreadable

BOX = '{"W": 1, "S": 2, "E": 3, "N": 4}'


def sides(text: str) -> tuple[float, ...]:
    box = read_answer(text)
    return box.west, box.south, box.east, box.north


@each_of(
    "text",
    [
        f"First {{W: 9, S: 9, E: 10, N: 10}}, no: {BOX}",
        f"{BOX} and not {{w: 9, s: 9, e: 10, n: 10}} nor {{broken: ",
        f'```json\n{{"boxes": [{{"W": 7, "S": 7, "E": 8, "N": 8}}, {BOX}]}}\n```',
        "{W: '1.0', S: '+2.', E: '3', N: '4', /* of the map */}",
        '{"W": 1, "S": 2, "E": 3, "N": 4, "note": "a brace } and a { too"}',
        '"W": 1, "S": 2, "E": 3, "N": 4',
        '{"W": " 1", "S": "2 ", "E": "\\t3.0 ", "N": 4}',
    ],
)
def test_b1_the_box_is_the_last_object_that_has_four_sides(text: str) -> None:
    assert sides(text) == (1, 2, 3, 4)


def test_b1_the_last_such_object_counts_even_if_it_is_no_box() -> None:
    with pytest.raises(Unreadable):
        read_answer(f'{BOX} or {{"W": null, "S": 2, "E": 3, "N": 4}}')


@each_of("side", ["true", "[1]", '"1°"', '"1e0"', '"0x1"', "NaN", "Infinity", '""', "null", '"nan"', '"1 2"', '" "'])
def test_b2_a_side_is_a_number_or_a_plain_decimal_in_a_text(side: str) -> None:
    with pytest.raises(Unreadable):
        read_answer(BOX.replace("1", side, 1))


@each_of(
    ("west", "east", "width"),
    [
        (-180, 180, 360), (0, 360, 360), (-360, 360, 360), (10, 20, 10), (170, -170, 20), (-10, 190, 200),
        (350, 370 - 360, 20), (-350, 350, 360), (20, 10, 350), (181, 190, 9),
    ],
)  # fmt: skip
def test_b3_the_width_is_told_before_anything_is_normalised(west: int, east: int, width: int) -> None:
    assert read_answer(f"{{W: {west}, S: 0, E: {east}, N: 1}}").width == width


@each_of(
    "box",
    [
        "{W: 180, S: 0, E: -180, N: 1}", "{W: 361, S: 0, E: 362, N: 1}", "{W: 1, S: 0, E: -360.5, N: 1}",
        "{W: 1, S: 0, E: 1, N: 1}", "{W: 1, S: 1, E: 2, N: 1}", "{W: 1, S: 2, E: 2, N: 1}",
        "{W: 1, S: -91, E: 2, N: 1}", "{W: 1, S: 0, E: 2, N: 90.001}", "{W: 1, S: 0, E: 2, N: 1" + "0" * 4000 + "}",
    ],
)  # fmt: skip
def test_b3_a_box_out_of_bounds_or_without_an_area_is_none(box: str) -> None:
    with pytest.raises(Unreadable):
        read_answer(box)


@pytest.mark.parametrize(("west", "east", "swapped"), [(20, 10, True), (170, -170, False), (10, 200, False)])
def test_b5_a_swap_is_suspected_where_east_is_west_of_west_the_long_way(west: int, east: int, swapped: bool) -> None:
    assert read_answer(f"{{W: {west}, S: 0, E: {east}, N: 1}}").swapped is swapped


@pytest.mark.parametrize("text", ["", "[1]", '{"W": 1}', '{"W": true, "S": 2, "E": 3, "N": 4}'])
def test_b6_a_gold_is_held_to_the_same_rules(text: str) -> None:
    with pytest.raises(Unreadable):
        read_gold(text)


@pytest.mark.parametrize(
    "text",
    [
        "{" * 10_000, "{a:" * 10_000, "{W:[" * 10_000 + "}", '{"W":1,"S":' * 100_000 + "}", "1" * 10**6 + " NEWS",
        "{a:[" * 50 + "{b:1}," * 800_000, "\ud800{W: 1}" * 1000, '{"' * 2_000_000 + "}", "{/*" * 1_000_000 + "}",
    ],
    ids=range(9),
)  # fmt: skip
def test_an_answer_of_megabytes_of_brackets_ends_soon(text: str) -> None:
    begun = time.process_time()
    with pytest.raises(Unreadable):
        read_answer(text)
    assert soon(time.process_time() - begun, 1)
