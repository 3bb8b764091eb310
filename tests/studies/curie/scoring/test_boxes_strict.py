"""Boxes in strict mode, rules B4 to B7: IoU on the circle as shapely has it, distances where they mean something."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import pytest
import support

from harness import seeds
from harness.studies.curie.reading.boxes_strict import GeoBox, read_gold
from harness.studies.curie.scoring import boxes, boxes_strict

PUBLISHED = support.REPOSITORY.parent / "shared" / "data" / "curie" / "biogr_boxes_114.csv"
GOLD = {"W": 10.0, "S": 0.0, "E": 14.0, "N": 3.0}


def scored(box: Any, gold: Any = GOLD) -> Any:
    return boxes_strict.score(json.dumps(box), json.dumps(gold))


def drawn(source: seeds.Stream, step: int) -> GeoBox:
    while True:
        west, east = (seeds.draw_below(source, 720 * step + 1) / step - 360 for _ in range(2))
        south, north = sorted(seeds.draw_below(source, 180 * step + 1) / step - 90 for _ in range(2))
        box = GeoBox(west, south, east, north)
        if box.width * box.height > 0:
            return box


def parts(box: GeoBox) -> Any:
    """Lay a box on the plane from -360 to 1080 five times, and keep what lies within one circle."""
    shapely = pytest.importorskip("shapely")
    turns = [box.west + turn for turn in range(-720, 721, 360)]
    whole = [shapely.box(west, box.south, west + box.width, box.north) for west in turns]
    return shapely.union_all(whole).intersection(shapely.box(0, -90, 360, 90))


@pytest.mark.long
@pytest.mark.parametrize("step", [1, 1000])
def test_iou_is_that_of_shapely_for_boxes_split_at_the_antimeridian(step: int) -> None:
    source = seeds.random_stream(step)
    met = 0
    for _ in range(2000):
        box, gold = drawn(source, step), drawn(source, step)
        ours, theirs = parts(box), parts(gold)
        want = ours.intersection(theirs).area / ours.union(theirs).area
        found = boxes_strict.iou(box, gold)
        assert found == pytest.approx(want, abs=1e-9), (box, gold)
        assert boxes_strict.iou(gold, box) == pytest.approx(found, abs=1e-12)
        met += 0 < found < 1
    assert met > 1000


def test_a_box_on_its_gold_has_iou_1_to_the_last_bit_also_a_turn_away() -> None:
    source = seeds.random_stream(3)
    for _ in range(300):
        box = drawn(source, 977)
        assert boxes_strict.iou(box, box) == 1
    assert scored({"W": -350, "S": 0, "E": -346, "N": 3})["value"] == 1


def test_distances_agree_with_the_paper_where_both_mean_the_same() -> None:
    box = {"W": 9, "S": 1, "E": 12, "N": 5}
    strict = scored(box)["detail"]["metrics"]
    for name, value in boxes.score(json.dumps(box), json.dumps(GOLD))["detail"]["metrics"].items():
        assert strict[name] == pytest.approx(value)
    assert strict["log_relative_size"] == pytest.approx(abs(math.log(strict["relative_box_size"])))


def test_b4_the_half_diagonal_runs_eastward_over_the_antimeridian() -> None:
    over = scored({"W": 178, "S": 0, "E": -178, "N": 3}, {"W": 178, "S": 0, "E": 182, "N": 3})
    assert over["value"] == 1
    assert over["detail"]["metrics"]["normalized_distance_error"] == pytest.approx(0, abs=1e-9)
    assert over["detail"]["metrics"]["relative_box_size"] == pytest.approx(1)


@pytest.mark.parametrize(("east", "wide"), [(190.0, False), (190.5, True)])
def test_b4_beyond_180_degrees_there_are_no_distances(east: float, wide: bool) -> None:
    for box, gold in (({**GOLD, "E": east}, GOLD), (GOLD, {**GOLD, "E": east})):
        found = scored(box, gold)
        assert found["detail"]["wide"] is wide and found["outcome"] == "valid" and found["value"] > 0
        told = [found["detail"]["metrics"][name] for name in boxes_strict.DISTANCES]
        assert all(isinstance(value, dict) is wide for value in told)


def test_b5_a_suspected_swap_is_flagged_and_scored_as_it_is_written() -> None:
    found = scored({"W": 14, "S": 0, "E": 10, "N": 3})
    assert found["detail"]["suspected_swap"] is True and found["value"] == 0
    assert scored(GOLD)["detail"]["suspected_swap"] is False


def test_b6_a_gold_without_an_area_gives_no_value_even_for_no_answer() -> None:
    for answer in ("", '{"W": 1, "S": 1, "E": 2, "N": 2}'):
        found: Any = boxes_strict.score(answer, json.dumps({**GOLD, "E": 10.0}))
        assert found["outcome"] == "gold_invalid" and "missing" in found["value"]


@pytest.mark.parametrize(("answer", "outcome"), [(" \n", "missing"), ("no idea", "invalid"), ('{"W": 1}', "invalid")])
def test_b7_no_box_is_worth_0_and_has_no_distances(answer: str, outcome: str) -> None:
    found = boxes_strict.score(answer, json.dumps(GOLD))
    assert (found["value"], found["outcome"], found["detail"]["metrics"]["iou"]) == (0, outcome, 0)
    assert all("missing" in found["detail"]["metrics"][name] for name in boxes_strict.DISTANCES)


def test_boxes_too_small_for_a_length_divide_by_nothing() -> None:
    tiny = {"W": 0.0, "S": 0.0, "E": 1e-160, "N": 1e-160}
    assert "missing" in scored(GOLD, tiny)["detail"]["metrics"]["relative_box_size"]
    assert scored(tiny)["detail"]["metrics"]["log_relative_size"] == "inf"


def test_every_published_box_is_valid_and_three_are_the_whole_circle() -> None:
    if not Path(PUBLISHED).is_file():
        pytest.skip("the published boxes are not here")
    with open(PUBLISHED, newline="", encoding="utf-8") as file:
        texts = [json.dumps({side: float(row[side]) for side in "WSEN"}) for row in csv.DictReader(file)]
    golds = [read_gold(text) for text in texts]
    assert len(golds) == 114 and sum(gold.width == 360 for gold in golds) == 3
    assert all(boxes_strict.score(text, text)["value"] == 1 for text in texts)
