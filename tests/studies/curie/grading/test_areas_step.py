"""The score step of areas: polygons and several boxes in answers to maps, beside the score of one box."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from needs import needs

from harness import rows
from harness.studies.curie.demo import biogr
from harness.studies.curie.grading import areas, boxes
from harness.studies.curie.scoring.areas import METRICS

needs("shapely")
ABOUT: dict[str, Any] = {"template": 1, "model": "m", "sample": 0}


@pytest.fixture(scope="module")
def maps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make twelve maps of our own, two of them over the antimeridian."""
    folder = tmp_path_factory.mktemp("maps")
    biogr.make({"seed": 7, "count": 12}, {}, folder)
    return folder


def told(folder: Path, maps: Path, answers: dict[str, str], step: Any) -> dict[str, dict[str, Any]]:
    """Score answers to maps by a step; gives the score of each item."""
    given = [{**ABOUT, "item": item, "text": text, "finish": "stop"} for item, text in answers.items()]
    rows.write(folder / "responses", given)
    inputs = {"items": maps / "items", "gold": maps / "gold", "responses": folder / "responses"}
    step.score({"mode": "strict", "task": "biogr"}, inputs, folder)
    return {row["item"]: row for row in rows.read(folder / "scores") if row["scorer"] == step.SCORER}


def ring(box: dict[str, float], part: float = 1.0) -> list[list[float]]:
    """Give a closed ring around the western part of a box, on beyond 180 where it crosses that line."""
    east = box["E"] if box["E"] > box["W"] else box["E"] + 360
    east = box["W"] + (east - box["W"]) * part
    return [[box["W"], box["S"]], [east, box["S"]], [east, box["N"]], [box["W"], box["N"]], [box["W"], box["S"]]]


def golds(maps: Path) -> dict[str, dict[str, float]]:
    return {row["id"]: json.loads(row["gold"]["truth"]) for row in rows.read(maps / "gold")}


def polygon(box: dict[str, float], part: float = 1.0) -> str:
    return json.dumps({"type": "Polygon", "coordinates": [ring(box, part)]})


def test_a_polygon_that_is_the_box_has_all_of_it_and_is_no_box_to_the_other_scorer(tmp_path: Path, maps: Path) -> None:
    answers = {item: polygon(box) for item, box in golds(maps).items()}
    assert any(box["E"] < box["W"] for box in golds(maps).values()), "some map lies over the antimeridian"
    found = told(tmp_path, maps, answers, areas)
    assert [row["value"] for row in found.values()] == pytest.approx([1] * len(answers))
    assert {row["outcome"] for row in found.values()} == {"valid"}
    assert {row["value"] for row in told(tmp_path, maps, answers, boxes).values()} == {0}


def test_half_of_the_box_has_half_and_lies_inside(tmp_path: Path, maps: Path) -> None:
    found = told(tmp_path, maps, {item: polygon(box, 0.5) for item, box in golds(maps).items()}, areas)
    for row in found.values():
        metrics = row["detail"]["metrics"]
        assert set(metrics) == set(METRICS) and row["value"] == metrics["iou"] == pytest.approx(0.5)
        assert (metrics["gold_covered"], metrics["answer_inside"]) == (pytest.approx(0.5), pytest.approx(1))


def test_a_box_has_the_same_value_by_both_scorers(tmp_path: Path, maps: Path) -> None:
    answers = {item: json.dumps({**box, "N": (box["N"] + box["S"]) / 2}) for item, box in golds(maps).items()}
    ours, theirs = (told(tmp_path, maps, answers, step) for step in (areas, boxes))
    assert {item: row["value"] for item, row in ours.items()} == pytest.approx(
        {item: row["value"] for item, row in theirs.items()}
    )


def test_what_is_no_area_is_0_with_the_reason_and_an_error_has_no_value(tmp_path: Path, maps: Path) -> None:
    first, second, *_ = golds(maps)
    given = [{**ABOUT, "item": first, "text": "It is the sea.", "finish": "stop"},
             {**ABOUT, "item": second, "text": "", "finish": "error", "error": "HTTP 500"}]  # fmt: skip
    rows.write(tmp_path / "responses", given)
    inputs = {"items": maps / "items", "gold": maps / "gold", "responses": tmp_path / "responses"}
    areas.score({"mode": "strict", "task": "biogr"}, inputs, tmp_path)
    bad, lost = rows.read(tmp_path / "scores")
    assert (bad["value"], bad["outcome"]) == (0, "invalid") and bad["detail"]["reason"]
    assert "missing" in lost["value"]
