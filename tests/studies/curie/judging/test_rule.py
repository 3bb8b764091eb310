"""The rule judge against our own pairs, whose labels a materials scientist gives."""

from __future__ import annotations

import pytest
from studies.curie.judging.property_pairs import PAIRS
from studies.curie.judging.structure_pairs import PARAMETERS, STRUCTURES

from harness.studies.curie.judging.rule import same

EVERY = [("mpv", each) for each in PAIRS] + [("dft-s", each) for each in STRUCTURES]
EVERY += [("dft-p", each) for each in PARAMETERS]


@pytest.mark.parametrize(("task", "pair"), EVERY, ids=[f"{task}: {pair.about}" for task, pair in EVERY])
def test_the_rule_says_what_a_scientist_says(task, pair) -> None:
    found = same(task, pair.gold, pair.other)
    assert found.matches is pair.same, found.why
    back = same(task, pair.other, pair.gold)
    assert back.matches is pair.same or task == "dft-p", back.why
