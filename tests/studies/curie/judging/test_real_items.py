"""The rule judge on the real ground truth, where it is at hand: an item is itself, and its neighbours are others."""

from __future__ import annotations

import json
from itertools import combinations

import pytest
from support import FIXTURES
from support_cases import each_of
from support_draws import drawn

from harness.studies.curie.judging.rule import pairs, same
from harness.studies.curie.scoring.llmsim_strict import gold_items

RECORDS = FIXTURES.parent / "data" / "curie" / "records"
FILES = {
    "mpv": sorted((RECORDS / "mpve" / "ground_truth").glob("*.json")),
    "dft-s": sorted((RECORDS / "dft" / "ground_truth").glob("*.json")),
    "dft-p": sorted((RECORDS / "dft" / "ground_truth").glob("*.json")),
}
pytestmark = pytest.mark.skipif(not any(FILES.values()), reason="the records are not here")


@each_of("task", FILES)
def test_every_gold_item_is_found_among_the_gold(task) -> None:
    for path in drawn(FILES[task], 5, len(FILES[task])):
        items = gold_items(task, path.read_text()).items
        found = pairs(task, items, json.loads(json.dumps(items)))
        assert {(place, place) for place in range(len(items))} <= set(found), path


# The few that are differ in nothing that both state, such as a calculation with and one without a note.
@pytest.mark.exhaustive
@pytest.mark.parametrize(("task", "most"), drawn([("mpv", 0.0), ("dft-s", 0.0), ("dft-p", 0.1)], 1, 3))
def test_hardly_any_two_items_of_a_record_are_called_the_same(task, most) -> None:
    told = called = 0
    for path in FILES[task]:
        for one, two in combinations(gold_items(task, path.read_text()).items, 2):
            told += 1
            called += same(task, one, two).matches
    assert told > 20 and called <= most * told
