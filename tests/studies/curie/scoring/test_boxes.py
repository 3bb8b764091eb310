"""Boxes in paper mode: what the published notebook gives for odd values, and that its speed costs no equality."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from harness import seeds
from harness.studies.curie.scoring import boxes

GOLD = {"W": 5.0, "S": 5.0, "E": 7.0, "N": 7.0}


def scored(box: Any, gold: Any = GOLD) -> Any:
    return boxes.score(box if isinstance(box, str) else json.dumps(box), json.dumps(gold))


def by_numpy(ours: list[float], theirs: list[float]) -> float:
    import numpy as np

    left, right = np.array(ours), np.array(theirs)
    width, height = min(left[2], right[2]) - max(left[0], right[0]), min(left[3], right[3]) - max(left[1], right[1])
    shared = 0.0 if width < 0 or height < 0 else width * height
    areas = [(each[2] - each[0]) * (each[3] - each[1]) for each in (left, right)]
    with np.errstate(all="ignore"):
        return float(shared / (sum(areas) - shared))


def test_iou_is_that_of_numpy_for_every_order_of_sides() -> None:
    source = seeds.random_stream(11)
    values = [[seeds.draw_below(source, 41) / 4 - 5 for _ in range(8)] for _ in range(3000)]
    for sides in values:
        ours, theirs = sides[:4], sides[4:]
        try:
            found = boxes.iou(ours, theirs)
        except ZeroDivisionError:
            assert (ours[2] - ours[0]) * (ours[3] - ours[1]) + (theirs[2] - theirs[0]) * (theirs[3] - theirs[1]) == 0
            continue
        want = by_numpy(ours, theirs)
        assert found == want or (math.isnan(found) and math.isnan(want)), sides


def test_a_box_turned_inside_out_has_a_signed_area_and_no_check() -> None:
    assert math.copysign(1, scored({"W": 7, "S": 5, "E": 6, "N": 8})["value"]) == 1
    assert math.copysign(1, scored({"W": 9, "S": 5, "E": 5, "N": 7})["value"]) == -1  # minus nothing over minus 4
    assert boxes.iou([0, 0, 1, 1], [2, -1, -1, 2]) == 0
    assert boxes.iou([0, 0, 4, 4], [3, 3, 1, 1]) == 0


def test_a_point_on_its_own_gold_is_nan_and_one_apart_raises() -> None:
    point = {"W": 5.0, "S": 5.0, "E": 5.0, "N": 5.0}
    assert scored(point, point)["value"] == "nan"
    apart = scored({"W": 4.0, "S": 4.0, "E": 4.0, "N": 4.0}, point)
    assert "ZeroDivisionError" in apart["value"]["missing"] and apart["outcome"] == "invalid"


def test_no_end_of_numbers_is_written_as_text() -> None:
    found = scored('{"W": -Infinity, "S": 5, "E": 7, "N": 7}')
    assert found["value"] == 0 and found["detail"]["metrics"]["relative_box_size"] == "nan"
    assert scored({"W": 4, "S": 4, "E": 6, "N": 6}, {**GOLD, "E": 5.0, "N": 5.0})["detail"]["metrics"] == {
        "iou": 0.0, "normalized_distance_error": "nan", "relative_box_size": "inf",
    }  # fmt: skip


@pytest.mark.parametrize("side", [None, "5", [5], {"a": 1}, 10**4000])
def test_a_side_on_which_the_notebook_raises_leaves_no_metric(side: Any) -> None:
    found = scored({"W": side, "S": 5, "E": 6, "N": 6})
    assert found["outcome"] == "invalid" and set(found["detail"]["metrics"]) == set(boxes.METRICS)
    assert all("missing" in value for value in (found["value"], *found["detail"]["metrics"].values()))


def test_what_cannot_be_parsed_is_worth_0_and_has_no_distances() -> None:
    found = scored("the box {W, S} of E and N")
    assert (found["value"], found["outcome"]) == (0, "invalid")
    assert found["detail"]["metrics"]["iou"] == "Can not parse model response"
    assert "missing" in found["detail"]["metrics"]["relative_box_size"]
    assert scored(" \n")["outcome"] == "missing"


def test_without_braces_the_text_behind_each_key_is_a_number() -> None:
    assert scored('"W": 5 deg, "S": 5, "E": 1, "E": 7, "N": 7 and so on')["value"] == 1
    assert scored('W 5, S 5, E 7, "N": 7')["outcome"] == "invalid"


@pytest.mark.parametrize("truth", ["", "{", "[]", '{"W": 1}', "{" * 9999])
def test_a_ground_truth_without_a_box_gives_no_value(truth: str) -> None:
    found: Any = boxes.score('{"W": 1, "S": 1, "E": 2, "N": 2}', truth)
    assert found["outcome"] == "gold_invalid" and "missing" in found["value"]


def test_the_distance_is_that_of_the_sphere() -> None:
    assert boxes.distance(0, 0, 0, 180) == pytest.approx(math.pi * boxes.RADIUS)
    assert boxes.distance(52.52, 13.405, 48.8566, 2.3522) == pytest.approx(877_463, rel=1e-3)
    assert math.isnan(boxes.distance(math.inf, 0, 0, 0))
