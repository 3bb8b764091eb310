"""Boxes and polygons against closed forms that no library of geometry made, and what is refused, by name."""

from __future__ import annotations

import json
import math
import sys
import time
from fractions import Fraction
from typing import Any

import pytest
from needs import needs
from support_cases import each_of

from harness import seeds
from harness.digest import canonical_json
from harness.errors import MissingError
from harness.studies.curie.reading import areas as reading
from harness.studies.curie.reading.boxes_strict import GeoBox
from harness.studies.curie.reading.json5_grammar import Unreadable
from harness.studies.curie.scoring import areas, boxes_strict
from harness.studies.curie.standalone.areas import SCORERS

needs("shapely")
UNIT = {"W": 0, "S": 0, "E": 10, "N": 10}
SECONDS = 2.0  # of CPU, for one row


def scored(answer: Any, gold: Any = UNIT) -> Any:
    texts = [each if isinstance(each, str) else json.dumps(each) for each in (answer, gold)]
    return areas.score(*texts)


def box(west: float, south: float, east: float, north: float) -> dict[str, float]:
    return {"W": west, "S": south, "E": east, "N": north}


def ring(*corners: tuple[float, float]) -> list[list[float]]:
    return [[*corner] for corner in (*corners, corners[0])]


def rectangle(west: float, south: float, east: float, north: float) -> list[list[float]]:
    return ring((west, south), (east, south), (east, north), (west, north))


def polygon(*rings: list[list[float]]) -> dict[str, Any]:
    return {"type": "Polygon", "coordinates": [*rings]}


def metrics(answer: Any, gold: Any = UNIT) -> tuple[float, ...]:
    found = scored(answer, gold)
    assert found["outcome"] == "valid", found
    return tuple(found["detail"]["metrics"][name] for name in ("iou", "gold_covered", "answer_inside"))


def refused(answer: Any) -> str:
    """Give why an answer is none; the same, as a gold, must give no value."""
    found = scored(answer)
    assert (found["value"], found["outcome"]) == (0, "invalid") and found["detail"]["metrics"]["iou"] == 0
    why = str(found["detail"]["reason"])
    try:
        reading.read_gold(answer if isinstance(answer, str) else json.dumps(answer))
    except Unreadable as bad:
        assert str(bad) == why or "JSON" in why or "bracket" in why
    as_gold = scored(UNIT, answer)
    assert as_gold["outcome"] == "gold_invalid" and as_gold["value"]["missing"].startswith("the ground truth: ")
    assert canonical_json(found) and canonical_json(as_gold)
    return why


CORNER = polygon(rectangle(9, 9, 12, 10))
CLOSED = [
    # answer, gold, and intersection and areas by hand
    (rectangle(5, 0, 15, 10), UNIT, 50, 100, 100),
    (ring((0, 0), (10, 0), (0, 10)), UNIT, 50, 50, 100),  # half of a square
    (ring((0, 0), (10, 0), (0, 10)), ring((10, 10), (0, 10), (10, 0)), 0, 50, 50),  # its two halves share an edge
    (ring((0, 0), (10, 0), (0, 10)), ring((0, 0), (10, 0), (10, 10)), 25, 50, 50),  # they share the lowest triangle
    (ring((5, 0), (10, 5), (5, 10), (0, 5)), UNIT, 50, 50, 100),  # a square on its corner
    (polygon(rectangle(0, 0, 10, 10), rectangle(2, 2, 4, 4)), UNIT, 96, 96, 100),
    (polygon(rectangle(0, 0, 10, 10), rectangle(2, 2, 4, 4)), box(2, 2, 4, 4), 0, 96, 4),
    ([box(0, 0, 6, 10), box(4, 0, 10, 10)], UNIT, 100, 100, 100),  # what two boxes share counts once
    ([box(0, 0, 1, 1), box(5, 5, 6, 7)], UNIT, 3, 3, 100),
    (box(170, 0, -170, 4), [box(170, 0, 180, 4), box(-180, 0, -170, 4)], 80, 80, 80),  # cut by hand
    (rectangle(170, 0, 190, 4), box(170, 0, -170, 4), 80, 80, 80),
    (rectangle(-190, 0, -170, 4), box(175, 0, 180, 4), 20, 80, 20),
    (rectangle(-10, 0, 10, 1), box(350, 0, 10, 1), 20, 20, 20),  # over the prime meridian from the other side
    (rectangle(-180, -90, 180, 90), box(-180, -90, 180, 90), 64800, 64800, 64800),
    (rectangle(-360, 0, 360, 1), box(0, 0, 360, 1), 360, 360, 360),  # twice round is once
    ({"type": "MultiPolygon", "coordinates": [[rectangle(0, 0, 1, 1)], [rectangle(2, 0, 3, 1)]]}, UNIT, 2, 2, 100),
    (
        {"type": "FeatureCollection", "features": [
            {"type": "Feature", "properties": {}, "geometry": polygon(rectangle(0, 0, 1, 1))},
            {"type": "Feature", "geometry": {"type": "GeometryCollection", "geometries": [CORNER]}},
        ]}, UNIT, 2, 4, 100,
    ),
    ([[0, 0, 7.5], [1, 0, 7.5], [1, 1, 7.5], [0, 0, 7.5]], UNIT, 0.5, 0.5, 100),  # heights are nothing here
]  # fmt: skip


@each_of(("answer", "gold", "common", "ours", "theirs"), CLOSED)
def test_areas_are_those_of_closed_forms(answer: Any, gold: Any, common: float, ours: float, theirs: float) -> None:
    found = scored(answer, gold)
    own = found["detail"]["metrics"]
    assert found["outcome"] == "valid" and found["value"] == own["iou"]
    wanted = (common / (ours + theirs - common), common / theirs, common / ours, ours, theirs)
    assert tuple(own[name] for name in areas.METRICS) == pytest.approx(wanted, rel=1e-12, abs=1e-12)
    turned = scored(gold, answer)["detail"]["metrics"]
    assert turned["iou"] == pytest.approx(own["iou"], rel=1e-12) and turned["gold_covered"] == own["answer_inside"]


def triangle_area(corners: list[tuple[int, int]]) -> Fraction:
    (a, b), (c, d), (e, f) = corners
    return Fraction(abs((c - a) * (f - b) - (e - a) * (d - b)), 2)


def test_random_triangles_in_their_box_have_the_area_of_the_shoelace() -> None:
    source = seeds.random_stream(4)
    for _ in range(200):
        corners = [(seeds.draw_below(source, 180) - 50, seeds.draw_below(source, 160) - 80) for _ in range(3)]
        area = triangle_area(corners)
        if not area:
            continue
        (west, east), (south, north) = ((min(each), max(each)) for each in zip(*corners, strict=True))
        found = metrics(ring(*corners), box(west, south, east, north))
        share = float(area / ((east - west) * (north - south)))
        assert found == pytest.approx((share, share, 1), rel=1e-12)


def test_boxes_have_the_iou_of_strict_mode_over_the_antimeridian_too() -> None:
    source, met = seeds.random_stream(7), 0
    for _ in range(300):
        sides = [seeds.draw_below(source, 720_000) / 1000 - 360 for _ in range(4)]
        heights = [sorted(seeds.draw_below(source, 180_000) / 1000 - 90 for _ in range(2)) for _ in range(2)]
        ours, theirs = (GeoBox(sides[2 * at], heights[at][0], sides[2 * at + 1], heights[at][1]) for at in (0, 1))
        if min(ours.width * ours.height, theirs.width * theirs.height) > 0:
            spelled = [box(each.west, each.south, each.east, each.north) for each in (ours, theirs)]
            assert scored(*spelled)["value"] == pytest.approx(boxes_strict.iou(ours, theirs), abs=1e-9)
            met += 1
    assert met > 250


def test_a_polygon_moved_by_a_turn_has_the_iou_it_had() -> None:
    shape = [(170.0, 0.0), (185.0, 2.0), (178.0, 9.0)]
    moved = [(east - 360, north) for east, north in shape]
    assert metrics(ring(*shape), ring(*moved)) == pytest.approx((1, 1, 1), rel=1e-12)


def test_what_may_be_meant_the_other_way_round_is_scored_as_written() -> None:
    crossing = rectangle(179, 0, -179, 1)  # as written, 358 degrees of longitude
    found = scored(crossing, box(179, 0, -179, 1))
    assert found["detail"]["suspected"] is True and found["detail"]["metrics"]["answer_area"] == pytest.approx(358)
    assert found["value"] == pytest.approx(0, abs=1e-12)
    assert scored(box(3, 2, 1, 4))["detail"]["suspected"] is True
    for plain in (rectangle(170, 0, 190, 1), rectangle(-180, 0, 180, 1), UNIT):
        assert scored(plain)["detail"]["suspected"] is False


@each_of(
    ("answer", "told"),
    [
        (ring((0, 0), (10, 10), (10, 0), (0, 10)), "crosses itself"),
        (ring((0, 0), (4, 0), (4, 4), (0, 0), (-4, 4)), "itself"),
        (polygon(rectangle(0, 0, 4, 4), rectangle(5, 5, 6, 6)), "a hole outside of its ring"),
        (polygon(rectangle(0, 0, 9, 9), rectangle(1, 1, 8, 8), rectangle(2, 2, 3, 3)), "holes inside of holes"),
        (polygon(rectangle(0, 0, 4, 4), ring((0, 2), (2, 0), (4, 2), (2, 4))), "cut in two"),
        ('[[0, 0], [NaN, 0], [1, 1], [0, 0]]', "not finite"),
        ('{W: 0, S: 0, E: Infinity, N: 1}', "not finite"),
        ('{W: 0, S: -Infinity, E: 1, N: 1}', "not finite"),
        ('{W: 0, S: 0, E: 1e999, N: 1}', "not finite"),
        (ring((0, 0), (1, 0), (1, 90.001)), "a latitude beyond 90 degrees"),
        (box(0, -91, 1, 1), "a latitude beyond 90 degrees"),
        (ring((0, 0), (361, 0), (1, 1)), "a longitude beyond 360 degrees"),
        (box(0, 0, 10**400, 1), "a longitude beyond 360 degrees"),
        (ring((0, 0), (1, 1)), "fewer than 4 vertices"),
        ([], "fewer than 4 vertices"),
        (ring((0, 0), (1, 1), (2, 2)), "different vertices|itself"),
        (ring((3, 3), (3, 3), (3, 3)), "different vertices|itself"),
        ([[0, 0], [1, 0], [1, 1], [0, 1]], "not closed"),
        ([[0, 70], [90, 70], [180, 70], [270, 70], [360, 70]], "goes round a pole"),
        ([[0, -70], [120, -70], [-120, -70], [0, -70]], "goes round a pole"),
        (polygon(), "a polygon without a ring"),
        (polygon([]), "fewer than 4 vertices"),
        ({"type": "MultiPolygon", "coordinates": []}, "no box and no polygon"),
        ({"type": "MultiPolygon", "coordinates": [7]}, "no list of rings"),
        ({"type": "Polygon", "coordinates": [1, 2]}, "a ring that is no list"),
        ({"type": "Polygon", "coordinates": [None]}, "a ring that is no list"),
        ({"type": "MultiPolygon", "coordinates": [[1]]}, "a ring that is no list"),
        ({"type": "FeatureCollection", "features": []}, "no box and no polygon"),
        ({"type": "Point", "coordinates": [0, 0]}, "neither a box with W, S, E and N nor a polygon"),
        ({"type": "Polygon", "coordinates": 3}, "its `coordinates` are no list"),
        ({"type": "Polygon"}, "its `coordinates` are no list"),
        ({"type": "Feature", "geometry": None}, "neither a box nor a polygon"),
        ({"W": 0, "S": 0, "E": 1}, "neither a box with W, S, E and N nor a polygon"),
        (box(0, 5, 10, 1), "a box without an area"),
        (box(4, 0, 4, 1), "a box without an area"),
        ('{W: true, S: 0, E: 1, N: 1}', "a coordinate that is no number"),
        ('[[0, 0], ["1", 0], [1, 1], [0, 0]]', "a coordinate that is no number"),
        ([[0, 0], [1], [1, 1], [0, 0]], "no longitude and latitude"),
        ([[0, 0], 7, [1, 1], [0, 0]], "no longitude and latitude"),
        ([box(0, 0, 1, 1)] * (reading.MOST_PARTS + 1), "more than 200 boxes and polygons"),
        ([[at / 100, at % 2] for at in range(reading.MOST_VERTICES + 1)], "more than 2,000 vertices"),
    ],
)  # fmt: skip
def test_what_is_no_area_is_refused_by_name(answer: Any, told: str) -> None:
    assert any(part in refused(answer) for part in told.split("|")), refused(answer)


def test_collections_in_collections_are_followed_so_far() -> None:
    def nested(deep: int) -> Any:
        found: Any = polygon(rectangle(0, 0, 10, 10))
        for _ in range(deep):
            found = {"type": "GeometryCollection", "geometries": [found]}
        return found

    assert metrics(nested(reading.DEEPEST - 1)) == (1, 1, 1)
    assert "nested too deep" in refused(nested(reading.DEEPEST))
    assert scored("[" * 100_000)["outcome"] == "invalid"


def test_an_answer_in_prose_is_read_from_its_first_json() -> None:
    said = f"The map shows:\n```json\n{json.dumps(polygon(rectangle(0, 0, 10, 5)))}\n```\nso [1] it is."
    assert scored(said)["value"] == pytest.approx(0.5)
    assert scored("no box at all")["outcome"] == "invalid" and scored(" \n")["outcome"] == "missing"


def slowness() -> float:
    """Say how much slower this machine is than those on which a bound in seconds was set; 1 at least."""
    began = time.process_time()
    sum(number * number for number in range(1_000_000))
    return max(1.0, (time.process_time() - began) / 0.04)


def comb(teeth: int, turned: bool) -> Any:
    """Give a ring of so many teeth from edge to edge; turned ones cross all those that are not."""
    zigzag = [corner for at in range(teeth) for corner in ((160 * at / teeth - 80, -80), (160 * at / teeth - 79.9, 80))]
    corners = [*zigzag, (80.0, -80.0), (80.0, -85.0), (-80.0, -85.0)]
    return ring(*((north, east) if turned else (east, north) for east, north in corners))


@pytest.mark.parametrize("teeth", [20, 80, pytest.param(990, marks=pytest.mark.long)])
def test_outlines_that_meet_as_often_as_they_can_take_no_time(teeth: int) -> None:
    began = time.process_time()
    found = scored(comb(teeth, False), comb(teeth, True))
    both = {"type": "MultiPolygon", "coordinates": [[comb(min(teeth, 480), False)], [comb(min(teeth, 480), True)]]}
    alone = scored(both)
    assert time.process_time() - began < 2 * SECONDS * slowness()
    if teeth > 50:
        assert "meet more than 10,000 times" in found["detail"]["reason"]
        assert "meet more than 10,000 times" in alone["detail"]["reason"]
    else:
        assert found["outcome"] == alone["outcome"] == "valid" and 0 < found["value"] < 1


def test_a_circle_of_as_many_vertices_as_may_be_is_scored() -> None:
    count = reading.MOST_VERTICES - 1
    turns = [2 * math.pi * at / count for at in range(count)]
    found = metrics(ring(*((50 * math.cos(turn), 50 * math.sin(turn)) for turn in turns)), box(-50, -50, 50, 50))
    share = count * math.sin(2 * math.pi / count) / 8  # of a regular polygon in the square around its circle
    assert found == pytest.approx((share, share, 1), rel=1e-6)


def test_the_tool_gives_what_it_declares() -> None:
    tool = SCORERS["curie.biogr_areas"]
    for answer in (UNIT, rectangle(0, 0, 5, 5), "nothing", ""):
        row = {"model_response": answer if isinstance(answer, str) else json.dumps(answer)}
        for gold in (json.dumps(UNIT), "[]"):
            found = tool.run({**row, "ground_truth_text": gold})
            assert tool.gives.model_validate(found) and canonical_json(found)


def test_a_machine_without_shapely_is_told_what_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "shapely", None)
    with pytest.raises(MissingError, match="shapely is not installed") as bad:
        scored(UNIT)
    assert bad.value.code == 3 and "repro-harness[science]" in bad.value.next
