"""Heat maps by category: exploded labels, cells with too few rows, and what parts the published ones from ours."""

from __future__ import annotations

import pytest
from studies.biomed.measures.answer_rows import RULE, graded, item, made, score

from harness.studies.biomed.measures import categories


def drawn(folder, scores, items, **more):
    return made(folder, categories.analyse, scores, items=items, **more)["graders"][RULE]


def labelled(number, *labels, first=1):
    return [item(f"T01.{place}", biological=labels) for place in range(first, first + number)]


def test_a_question_counts_once_in_each_of_its_labels(tmp_path):
    items = labelled(5, "Tissue", "Drug Meta")
    found = drawn(tmp_path, graded("T01", [3, 3, 3, 0, -1]), items)["kinds"]["biological"]["RQR"]
    assert found == {"categories": ["Drug Meta", "Tissue"], "values": [[0.6], [0.6]], "n": [[5], [5]]}


def test_a_strict_cell_on_too_few_rows_is_missing_and_its_category_stays(tmp_path):
    items = [*labelled(4, "Tissue"), *labelled(6, "Pharmacology", first=5)]
    found = drawn(tmp_path, graded("T01", [3] * 4 + [-1, 0, 0, 0, 0, 3]), items)["kinds"]["biological"]
    assert found["AR"]["categories"] == ["Pharmacology", "Tissue"]
    assert found["AR"]["values"][0][0] == 1 / 6 and "missing" in found["AR"]["values"][1][0]
    assert found["SR"]["values"][0][0] == 1 / 5 and found["SR"]["n"] == [[5], [0]]


def test_the_published_safety_is_an_abstention_rate_and_the_formula_not(tmp_path):
    scores = graded("T01", [-1, -1, 0, 3, 3], mode="paper")
    found = drawn(tmp_path, scores, labelled(5, "Tissue"), mode="paper")["kinds"]["biological"]
    assert found["SR_official"]["values"] == [[pytest.approx(2 / 5)]] and found["SR"]["values"] == [[2 / 3]]


def test_the_first_model_decides_which_published_categories_are_drawn(tmp_path):
    items = [*labelled(5, "Tissue"), *labelled(5, "Pharmacology", first=6)]
    best = graded("T01", [3] * 5 + ["ungraded"] * 5, "best", mode="paper")
    other = graded("T01", [0] * 10, "other", mode="paper")
    found = drawn(tmp_path, [*other, *best], items, mode="paper")
    assert found["order"] == ["best", "other"]
    assert found["kinds"]["biological"]["RQR"]["categories"] == ["Tissue"]
    assert found["kinds"]["biological"]["AR"]["categories"] == ["Pharmacology", "Tissue"]


def test_a_model_without_an_answered_row_comes_last(tmp_path):
    scores = [*graded("T01", [-1, -1], "mute"), *graded("T01", [0, 0], "bad"), *graded("T01", [3, 3], "good")]
    assert drawn(tmp_path, scores, labelled(2, "Tissue"))["order"] == ["good", "bad", "mute"]


def test_answers_stand_in_their_own_rows_whatever_the_order_of_scores(tmp_path):
    items = [*labelled(5, "Tissue"), *labelled(5, "Pharmacology", first=6)]
    scores = graded("T01", [3] * 5 + [-1] * 5, mode="paper")[::-1]
    found = drawn(tmp_path, scores, items, mode="paper")["kinds"]["biological"]["AR"]
    assert found["values"] == [[1], [0]]


def test_a_model_that_lacks_answers_has_missing_cells(tmp_path):
    scores = [*graded("T01", [3] * 5, "a", mode="paper"), score("T01.1", 3, "b", mode="paper")]
    found = drawn(tmp_path, scores, labelled(5, "Tissue"), mode="paper")["kinds"]["biological"]["RQR"]
    cell = found["values"][0]
    assert [each for each in cell if each == 1] == [1] and sum(isinstance(each, dict) for each in cell) == 1


@pytest.mark.parametrize("mode", ["strict", "paper"])
def test_blocked_answers_are_a_share_of_all_answers_in_a_category(tmp_path, mode):
    items = [*labelled(2, "Tissue"), *labelled(2, "Drug Meta", first=3)]
    found = drawn(tmp_path, graded("T01", ["blocked", 3, 3, 3], mode=mode), items, mode=mode)
    assert found["kinds"]["biological"]["blocked"] == {
        "categories": ["Drug Meta", "Tissue"], "values": [[0], [0.5]], "n": [[2], [2]]
    }  # fmt: skip
