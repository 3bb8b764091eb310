"""Ideal answers of the demo are worth everything in strict mode, those of another record next to nothing."""

from __future__ import annotations

import json
import statistics

import pytest
from studies.curie.demo.made import TASKS, made
from support_draws import drawn

from harness.studies.curie.judging.rule import pairs
from harness.studies.curie.scoring import facts_code, facts_hfd, facts_hfe, llmsim
from harness.studies.curie.scoring.llmsim_strict import gold_items, prediction_items, score_pairs

FACTS = {"dft-c": facts_code, "hfe": facts_hfe, "hfd": facts_hfd}
COUNT = 15
EACH = pytest.mark.parametrize("task", drawn(TASKS, 3, len(TASKS)))


def worth(task, record, answer):
    """Give the primary value of an answer in strict mode, by the rule judge where a judge is asked."""
    truth = json.dumps(record.truth)
    if task in FACTS:
        return FACTS[task].score(answer, truth)["value"]
    gold, stated = gold_items(task, truth).items, prediction_items(answer)
    return score_pairs(len(gold), len(stated), pairs(task, gold, stated))["f1"]


@pytest.mark.exhaustive
@EACH
def test_an_ideal_answer_is_worth_one(task):
    assert {worth(task, record, record.answer) for record in made(task, 0, COUNT)} == {1}


@pytest.mark.exhaustive
@EACH
def test_the_answer_to_another_record_is_worth_little(task):
    records = made(task, 0, COUNT)
    values = [worth(task, one, other.answer) for one, other in zip(records, (*records[1:], records[0]), strict=True)]
    assert statistics.mean(values) < (0.45 if task == "dft-c" else 0.2)  # programs share fields such as a type


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("task", "right", "wrong"),
    drawn([
        ("dft-s", '"composition": "', '"composition": "Xe'), ("dft-p", '"energy_cutoff": ', '"energy_cutoff": 1'),
        ("dft-c", "'composition': '", "'composition': 'Xe"), ("mpv", '"low_value": "', '"low_value": "7'),
        ("hfe", " + ", " - "), ("hfd", " + ", " - "),
    ], 2, 6),
)  # fmt: skip
def test_an_answer_with_a_mistake_is_worth_less(task, right, wrong):
    changed = [one for one in made(task, 0, COUNT) if right in one.answer]
    assert len(changed) > 5
    assert all(worth(task, one, one.answer.replace(right, wrong, 1)) < 1 for one in changed)


def test_no_record_needs_a_model_to_be_repaired_in_paper_mode():
    for task in ("dft-s", "dft-p"):
        for record in made(task, 0, COUNT):
            assert not llmsim.repairs(task, json.dumps(record.truth), record.answer)


def test_paper_mode_meets_its_duplicates_and_foreign_items_here_too():
    """By docs/curie.md#paper-dft each item counts twice, and one structure is taken for a set of parameters."""
    for s, p in zip(made("dft-s", 0, COUNT), made("dft-p", 0, COUNT), strict=True):
        truth = json.dumps(s.truth)
        assert len(llmsim.gold_items("dft-s", truth)) == 2 * len(json.loads(s.answer))
        assert len(llmsim.gold_items("dft-p", truth)) == 2 * len(json.loads(p.answer)) + 1
