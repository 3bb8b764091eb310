"""What settles an item of locality: names that can be told apart, and those of a place that stand for it alone."""

from functools import cache

import pytest

from harness.studies.reliability.data.cities import City, CityTable, load
from harness.studies.reliability.data.sections import sections
from harness.studies.reliability.data.settled import PlaceNames, folded, scorable, spellings

pytestmark = pytest.mark.together

HERE = City("Quorl", "Quorl", 10, 20, "Nowhere", 5, 1)
AWAY = City("Quint", "Quint", -40, -100, "Nowhere", 5, 2)


def place(name, population, number, lat=10.0, *alternates):
    return City(name, name, lat, 20, "Nowhere", population, number, alternates)


def accepted(target, others=(), parts=(), d_km=100):
    return PlaceNames([HERE, AWAY, target, *others, *parts], parts).accepted(target, HERE, d_km)


@cache
def packaged():
    table = load({})
    names = PlaceNames(table.rows, sections(table))
    by_number = {city.number: city for city in table.rows}
    return by_number, names, by_number[3833367]  # Ushuaia, far from all that is tried here


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("Köln", "koln"), ("Xi\u2019an", "xi'an"), ("Xi`an", "xi'an"), ("Rostov-on-Don", "rostov on don"),
        ("SÃO  Paulo", "sao paulo"), ("Москва", "москва"),
    ],
)  # fmt: skip
def test_names_are_compared_without_accents_case_and_hyphens(name, form):
    assert folded(name) == form


def test_a_tail_in_brackets_may_lack_and_either_side_of_a_slash_will_do():
    assert spellings("Frankfurt (Oder)") == {"frankfurt (oder)", "frankfurt"}
    assert spellings("Gasteiz / Vitoria") == {"gasteiz / vitoria", "gasteiz", "vitoria"}
    assert spellings("Bern") == {"bern"}


@pytest.mark.parametrize("target", ["Nice", "MOST", "New Quorl", "quorl", "Quorl (Old)", "Nice / Zoz", "As Far As"])
def test_what_the_question_or_a_refusal_tells_is_no_answer(target):
    assert not scorable("Quorl", target)


@pytest.mark.parametrize("target", ["Quorley", "Bath", "Nizza", "Villa Most", "Quo"])
def test_part_of_a_word_tells_nothing(target):
    assert scorable("Quorl", target)


def test_codes_and_words_are_no_names_and_one_of_each_spelling_is_kept():
    target = place("Zorn", 900, 3, 10.0, "ZRN", "zornu", "Zörn", "Zornburg", "ZORNBURG", "Zorn-Burg", "Orange", "Цорн")
    assert accepted(target) == ["ZORNBURG", "Zorn-Burg", "Цорн"]


def test_names_of_countries_and_of_sections_stand_for_no_city():
    part = place("Altzorn", 5, 4, 60.0)
    assert accepted(place("Zorn", 900, 3, 10.0, "Nowhere", "Altzorn", "Zornia"), parts=[part]) == ["Zornia"]
    assert accepted(place("Zorn", 900, 3, 10.0, "Altzorn"), others=[part]) == ["Altzorn"]


@pytest.mark.parametrize(
    ("population", "lat", "d_km", "stands"),
    [
        (179, 60, 100, True), (180, 60, 100, False), (None, 60, 100, True), (1, 10.5, 100, False), (1, 10.5, 55, True),
        (1, 10.5, 56, False),
    ],
)  # fmt: skip
def test_a_name_that_another_place_near_or_large_has_is_dropped(population, lat, d_km, stands):
    target, other = place("Zorn", 900, 3, 10.0, "Zornia"), place("Zornia (West)", population, 4, lat)
    assert accepted(target, others=[other], d_km=d_km) == (["Zornia"] if stands else [])


@pytest.mark.parametrize(
    ("number", "names"),
    [
        (2886242, ["Cologne"]), (3169070, ["Roma"]), (2643743, ["Londres"]), (1275339, ["Bombay"]),
        (1264527, ["Madras"]), (1275004, ["Calcutta"]), (524901, ["Москва"]),
    ],
)  # fmt: skip
def test_of_the_packaged_places_the_well_known_names_are_accepted(number, names):
    by_number, known, asked = packaged()
    found = known.accepted(by_number[number], asked, 1000)
    assert set(names) <= set(found)
    assert all(len(name) > 3 for name in found)


def test_of_the_packaged_places_a_country_s_or_a_section_s_name_is_not():
    by_number, known, asked = packaged()
    assert "Mexico" not in known.accepted(by_number[3530597], asked, 1000)
    assert not {"Buda", "Pest"} & set(known.accepted(by_number[3054643], asked, 1000))


def test_sections_are_rows_of_the_packaged_table_alone():
    rows = [City("Brooklyn", "Brooklyn", 40.65, -73.95, "United States", 5, 5110302), HERE]
    assert sections(CityTable(rows, {}, geonames=True)) == rows[:1]
    assert sections(CityTable(rows, {})) == []
