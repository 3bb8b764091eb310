"""The rates of a run: what is in which denominator, what stands beside SR, and what is undefined."""

from __future__ import annotations

import math

import pytest
from studies.biomed.measures.answer_rows import RULE, gold, graded, item, made, score

from harness.errors import InputError
from harness.studies.biomed.measures import performance

MIXED = [*graded("T01", [3, 2, 1.5, -1, "error", "ungraded", "blocked"]), *graded("T02", [-1, 0])]


def rated(folder, scores=MIXED, **more):
    return made(folder, performance.analyse, scores, **more)["graders"][RULE]["models"]["m"]


def test_errors_and_ungraded_answers_are_outside_n_and_blocked_ones_inside(tmp_path):
    found = rated(tmp_path)
    assert found["counts"]["n"] == 7 and found["answers"] == 9
    assert found["states"] == {"blocked": 1, "error": 1, "ungraded": 1, "abstained": 2, "answered": 4}
    assert [found["rates"][name]["value"] for name in ("AR", "RQR", "SR")] == [2 / 7, 2 / 7, 2 / 4]
    assert found["rates"]["answered_accuracy"]["value"] == 1 / 2
    assert found["rates"]["BioScore"]["value"] == pytest.approx((3 + 2 + 1.5 + 0) / 3 / 4)


def test_a_grade_of_two_is_good_and_one_and_a_half_is_bad(tmp_path):
    found = rated(tmp_path, graded("T01", [2, 1.5]))
    assert (found["counts"]["good"], found["counts"]["bad"]) == (1, 1)


def test_an_outage_does_not_raise_abstention_or_safety(tmp_path):
    before = rated(tmp_path, graded("T01", [3, 0, -1]))["rates"]
    after = rated(tmp_path, graded("T01", [3, 0, -1, "error", "error"]))["rates"]
    assert [before[name]["value"] for name in ("AR", "SR")] == [after[name]["value"] for name in ("AR", "SR")]


def test_every_rate_has_both_intervals_and_their_coverage_is_said(tmp_path):
    document = made(tmp_path, performance.analyse, MIXED)
    rates = document["graders"][RULE]["models"]["m"]["rates"]
    assert all(len(each["rows"]["interval"]) == 2 == len(each["templates"]["interval"]) for each in rates.values())
    assert all("unreliable" in each["templates"] for each in rates.values())
    assert ".94, .88, .78, .79" in document["coverage"].values()


def test_an_oracle_has_no_safety_rate_and_no_quadrant(tmp_path):
    found = rated(tmp_path, graded("T01", [3, 2.5, 2]))
    assert "missing" in found["rates"]["SR"]["value"] and "missing" in found["quadrant"]
    assert "missing" in found["gain"] and "missing" in found["by_template"]["T01"]["SR"]


def test_a_refuser_has_no_bioscore_and_a_forger_no_safety(tmp_path):
    refuser, forger = (rated(tmp_path, graded("T01", grades)) for grades in ([-1, -1], [0, 1]))
    assert [refuser["rates"][name]["value"] for name in ("AR", "SR", "RQR")] == [1, 1, 0]
    assert "missing" in refuser["rates"]["BioScore"]["value"]
    assert [forger["rates"][name]["value"] for name in ("RQR", "SR")] == [0, 0]


def test_a_half_is_high(tmp_path):
    assert rated(tmp_path, graded("T01", [3, 3, -1, 0]))["quadrant"] == "Top Performers"
    assert rated(tmp_path, graded("T01", [3, -1, 0, 0]))["quadrant"] == "Unconfident Guessers"
    assert rated(tmp_path, graded("T01", [3, 3, 0]))["quadrant"] == "Risky Players"
    assert rated(tmp_path, graded("T01", [-1, -1, -1]))["quadrant"] == "Cautious Responders"


def test_refusing_the_same_share_of_each_template_blindly_gains_nothing(tmp_path):
    blind = [*graded("T01", [-1, -1, 3, 0]), *graded("T02", [-1, -1, 3, 0])]
    found = rated(tmp_path, blind)
    assert found["gain"] == pytest.approx(0) and found["rates"]["SR"]["value"] == 2 / 3


def test_the_gain_is_that_of_the_templates_where_the_model_is_wrong(tmp_path):
    found = rated(tmp_path, [*graded("T01", [-1, -1, -1, 0]), *graded("T02", [3, 3, 3, 0])])
    a = 3 / 8
    assert found["by_template"]["T01"]["gain"] == pytest.approx(3 / 4 - a / (a + (1 - a) * 1))
    assert found["by_template"]["T02"]["gain"] == pytest.approx(0 - a / (a + (1 - a) / 4))
    at_random = a * 8 / (a * 8 + (1 - a) * (4 * 1 + 4 / 4))
    assert found["gain"] == pytest.approx(3 / 5 - at_random)


def test_a_template_of_refusals_has_no_gain_and_is_in_the_rate_alone(tmp_path):
    found = rated(tmp_path, [*graded("T01", [-1, -1]), *graded("T02", [-1, 3, 0])])
    a = 3 / 5
    assert "missing" in found["by_template"]["T01"]["gain"]
    assert found["gain"] == pytest.approx(1 / 2 - a * 3 / (a * 3 + (1 - a) * 3 / 2))


def test_one_word_throughout_stands_by_template(tmp_path):
    items = [item("T05.1"), item("T05.2"), item("T05.3"), item("T02.1")]
    golds = [gold("T05.1", True), gold("T05.2", False), gold("T05.3", False), gold("T02.1")]
    found = made(tmp_path, performance.analyse, [], items=items, tables={"gold": golds})["templates"]
    assert found["T05"] == {"n_items": 3, "n_yes": 1, "n_no": 2, "always_yes": 1 / 3, "always_no": 2 / 3}
    assert found["T02"] == {"n_items": 1}


def test_paper_mode_counts_every_row_and_gives_errors_the_papers_grade(tmp_path):
    failed = score("T01.5", "error", mode="paper", value=-1)
    scores = [*graded("T01", [3, 0, 0, 2], mode="paper"), failed, score("T01.6", "ungraded", mode="paper")]
    found = rated(tmp_path, scores, mode="paper")
    assert [found["rates"][name]["value"] for name in ("AR", "RQR", "SR")] == [1 / 6, 2 / 6, 1 / 3]
    assert found["states"]["error"] == 1 and found["counts"]["n"] == 6
    low, high = found["rates"]["SR"]["official"]["interval"]  # over all rows, unclipped
    assert high - low == pytest.approx(2 * 1.96 * math.sqrt(1 / 3 * 2 / 3 / 6))
    assert "missing" in found["rates"]["BioScore"]["official"]["interval"]  # one grade is missing


def test_scores_of_the_other_mode_count_nowhere(tmp_path):
    scores = [*graded("T01", [3]), *graded("T01", [0], mode="paper")]
    assert rated(tmp_path, scores)["counts"]["n"] == 1


def test_nothing_at_all_is_missing_not_zero(tmp_path):
    found = made(tmp_path, performance.analyse, [], items=[item("T01.1")])["graders"][RULE]["models"]["m"]
    assert all("missing" in each["value"] for each in found["rates"].values()) and "missing" in found["quadrant"]


@pytest.mark.parametrize(
    ("rows", "part"),
    [
        ([score("T01.1", "lost")], "state"),
        ([{**score("T01.1", 3), "value": 0.4}], "grade"),
        ([{**score("T01.1", 3), "value": True}], "grade"),
        ([{**score("T01.1", 3), "value": 1e300}], "grade"),
        ([{**score("T01.1", 3), "value": "nan"}], "grade"),
        ([score("T01.1", 3), score("T01.1", 2)], "two scores"),
        ([score("T01.1", 3, "stranger")], "stranger"),
        ([score("T01.2", 3)], "not in items"),
    ],
)
def test_a_score_that_cannot_be_counted_is_refused(tmp_path, rows, part):
    with pytest.raises(InputError, match=part):
        made(tmp_path, performance.analyse, rows, items=[item("T01.1")], models=["m"])


def test_another_mode_is_refused(tmp_path):
    with pytest.raises(InputError, match="mode"):
        rated(tmp_path, mode="both")
