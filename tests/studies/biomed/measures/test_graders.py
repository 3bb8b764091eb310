"""Agreement of a grader with itself and of two graders, beside the published ceiling."""

from __future__ import annotations

import pytest
from studies.biomed.measures.answer_rows import RULE, graded, made, score

from harness.stats import kappa
from harness.studies.biomed.measures import graders

JUDGE = "bioscore-judge"


def compared(folder, scores):
    return made(folder, graders.analyse, scores, graders=[RULE, JUDGE], seed=1)


def both(ours, theirs):
    return [*graded("T01", ours), *graded("T01", theirs, scorer=JUDGE)]


def test_three_states_and_half_points_are_compared(tmp_path):
    found = compared(tmp_path, both([3, 2, 1, 0, -1, -1], [2.5, 1.5, 1, 3, -1, 0]))
    [pair] = found["pairs"]
    matrix = [[1, 1, 0], [1, 1, 0], [0, 1, 1]]  # good, bad, abstained by ours; the same by theirs
    found = pair["states"]["matrix"]
    assert [[found[one][other] for other in graders.CLASSES] for one in graders.CLASSES] == matrix
    assert pair["states"]["kappa"]["value"] == pytest.approx(kappa(matrix))
    assert pair["within_half_a_point"]["value"] == 4 / 6


def test_an_abstention_against_a_zero_is_no_agreement_within_half_a_point(tmp_path):
    [pair] = compared(tmp_path, both([-1], [0]))["pairs"]
    assert pair["within_half_a_point"]["value"] == 0 and pair["n_disagreements"] == 1


def test_fifty_disagreements_are_listed_worst_first_and_all_are_counted(tmp_path):
    [pair] = compared(tmp_path, both([3] * 60 + [2], [1.5] * 59 + [0, 3]))["pairs"]
    assert pair["n_disagreements"] == 61 and len(pair["disagreements"]) == 50
    assert pair["disagreements"][0] == {"item": "T01.60", "template": 1, "model": "m", "sample": 0, "a": 3, "b": 0}


def test_answers_that_one_grader_could_not_grade_are_counted_apart(tmp_path):
    [pair] = compared(tmp_path, both([3, 3, "error"], [3, "ungraded", "error"]))["pairs"]
    assert (pair["n"], pair["n_a_only"], pair["n_b_only"]) == (1, 1, 0)


def test_two_graders_are_compared_by_first_repeats_and_by_no_later_one(tmp_path):
    scores = [score("T01.1", 3, grades=[None, "3"]), score("T01.1", 3, scorer=JUDGE)]
    scores += [score("T01.2", 3, grades=["3", "0"]), score("T01.2", 0, scorer=JUDGE, grades=["0", "3"])]
    [pair] = compared(tmp_path, scores)["pairs"]
    assert (pair["n"], pair["n_a_only"], pair["n_b_only"]) == (1, 0, 1)
    assert [(one["item"], one["a"], one["b"]) for one in pair["disagreements"]] == [("T01.2", 3, 0)]


def test_repeats_have_a_variance_and_an_agreement(tmp_path):
    given = (2, ["2.0", "3.0", None]), (0, ["0"]), (-1, ["-1.0", "-1.0"])
    scores = [score(f"T01.{place}", grade, scorer=JUDGE, grades=each) for place, (grade, each) in enumerate(given)]
    told = compared(tmp_path, scores)["repeats"][JUDGE]["m"]
    assert (told["n"], told["n_pairs"], told["variance"]) == (2, 2, 0.25)  # half of (2, 3), nothing of (-1, -1)
    assert (told["same_grade"], told["same_state"], told["within_half_a_point"]) == (0.5, 1, 0.5)
    assert told["kappa"] == 1


def test_a_grader_without_repeats_has_no_variance(tmp_path):
    told = compared(tmp_path, graded("T01", [3, 2]))["repeats"][RULE]["m"]
    assert told["n"] == 0 and "missing" in told["variance"]


def test_graders_without_a_common_answer_have_no_kappa(tmp_path):
    [pair] = compared(tmp_path, graded("T01", [3]))["pairs"]
    assert "missing" in pair["states"] and "missing" in pair["within_half_a_point"]["value"]


@pytest.mark.parametrize("grade", [None, 2, "", "nan", "Infinity", "9" * 400, "1e9", "4", ["2"]])
def test_an_odd_grade_is_no_grade(tmp_path, grade):
    scores = [score("T01.1", 3, grades=[grade]), score("T01.1", 3, scorer=JUDGE)]
    [pair] = compared(tmp_path, scores)["pairs"]
    assert (pair["n"], pair["n_b_only"]) == (0, 1)


def test_the_published_ceiling_stands_beside(tmp_path):
    found = compared(tmp_path, graded("T01", [3]))["ceiling"]
    assert (found["within_half_a_point"]["k"], found["within_half_a_point"]["n"], found["kappa"]) == (86, 100, 0.85)


def test_ten_equal_grades_vary_by_nothing(tmp_path):
    told = compared(tmp_path, [score("T01.1", 0.1, scorer=JUDGE, grades=["0.1"] * 10)])["repeats"][JUDGE]["m"]
    assert told["variance"] == 0  # added one by one they make their mean less than 0.1
