"""Agreement of two judges of LLMSim: the answers on which they part, and kappa over gold items."""

from __future__ import annotations

from typing import Any

import pytest
from studies.curie.measures.score_rows import failed, item, made, score

from harness.studies.curie.measures import agreement

ITEMS = [item("mpv", "a"), item("mpv", "b"), item("dft-s", "a")]
BOTH: dict[str, Any] = {"rule": "llmsim.rule", "judge": "llmsim.judge"}


def judged(scorer: str, record: str, gold: int, matched: list[int], task: str = "mpv", **more: Any) -> dict[str, Any]:
    pairs = [[place, 0] for place in matched]
    return score(task, record, len(matched) / gold, scorer=scorer, gold=gold, pairs=pairs, **more)


def found(folder: Any, *rows: Any) -> dict[str, Any]:
    return made(folder, agreement.analyse, ITEMS, rows, **BOTH)


def test_kappa_is_over_the_gold_items_of_the_answers_that_both_judged(tmp_path):
    document = found(
        tmp_path,
        judged("llmsim.rule", "a", 4, [0, 1, 3]), judged("llmsim.judge", "a", 4, [0, 2]),
        judged("llmsim.rule", "b", 6, [0, 1, 2, 3]), judged("llmsim.judge", "b", 6, [0, 1, 2, 3]),
    )  # fmt: skip
    whole = document["together"]
    assert whole["matrix"]["matched"] == {"matched": 5, "unmatched": 1}  # of what the judge matched
    assert whole["matrix"]["unmatched"] == {"matched": 2, "unmatched": 2}
    assert whole["kappa"]["value"] == pytest.approx((0.7 - 0.54) / (1 - 0.54))
    assert document["tasks"].keys() == {"mpv"}


def test_an_answer_on_which_they_part_is_listed_with_the_items(tmp_path):
    document = found(
        tmp_path,
        judged("llmsim.rule", "a", 4, [0, 1]), judged("llmsim.judge", "a", 4, [0, 2]),
        judged("llmsim.rule", "b", 2, [0]), judged("llmsim.judge", "b", 2, [0]),
    )  # fmt: skip
    [row] = document["parted"]
    assert (row["item"], row["rule_only"], row["judge_only"]) == ("mpv-a", [1], [2])
    assert (row["rule_value"], row["judge_value"]) == (0.5, 0.5)


def test_several_predictions_for_one_gold_item_are_one_decision(tmp_path):
    rule = score("mpv", "a", 1, scorer="llmsim.rule", gold=1, pairs=[[0, 0], [0, 3]])
    document = found(tmp_path, rule, judged("llmsim.judge", "a", 1, [0]))
    assert document["together"]["n"] == 1 and document["parted"] == []


def test_what_only_one_of_them_judged_is_counted_and_not_compared(tmp_path):
    document = found(
        tmp_path,
        judged("llmsim.rule", "a", 2, [0]),
        failed("mpv", "a", scorer="llmsim.judge"),
        judged("llmsim.rule", "b", 2, [0]), judged("llmsim.judge", "b", 3, [0]),
        judged("llmsim.judge", "a", 1, [], "dft-s"),
    )  # fmt: skip
    assert document["answers"] == {"n": 0, "n_parted": 0, "n_other_gold": 1, "n_rule_only": 1, "n_judge_only": 1}
    assert "missing" in document["together"]


def test_all_admissible_pairs_decide_where_the_pairs_are_a_matching(tmp_path):
    metrics = {"num_ground_truth": 2}
    one = score("mpv", "a", 1, scorer="llmsim.judge", pairs=[[0, 0]], admissible=[[0, 0], [1, 0]], metrics=metrics)
    document = found(tmp_path, judged("llmsim.rule", "a", 2, [0, 1]), one)
    assert document["parted"] == [] and document["together"]["n"] == 2
