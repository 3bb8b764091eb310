"""What points off for irrelevant text move, by model, as counted by hand."""

from __future__ import annotations

import pytest
from studies.biomed.measures.answer_rows import made, score

from harness.studies.biomed.measures import deductions

JUDGE = "bioscore-judge"


def counted(folder, scores):
    return made(folder, deductions.analyse, scores, graders=[JUDGE], grader=JUDGE)["models"]["m"]


def stated(place, worth, off):
    grade = max(0.0, float(worth) - float(off))
    return score(f"T01.{place}", grade, scorer=JUDGE, worth=[worth], off=[off])


def test_stated_points_are_counted_and_what_they_move_is_said(tmp_path):
    parts = [("3.0", "0.0"), ("3.0", "0.5"), ("2.0", "0.5"), ("2.0", "1.0"), ("0.0", "1.0"), ("0.0", "0.5")]
    found = counted(tmp_path, [stated(n, *each) for n, each in enumerate(parts)])
    told = found["stated"]
    assert told["off"] == {"0.0": 1, "0.5": 3, "1.0": 2} and told["n"] == 6
    assert told["share_with_any"] == 5 / 6 and told["mean_off"] == 3.5 / 6
    assert told["before"] == {"BioScore": pytest.approx(10 / 18), "good": 4}
    assert told["after"] == {"BioScore": pytest.approx(8 / 18), "good": 2}
    assert (told["good_before_alone"], told["held_at_0"], told["held_at_0_by_1"]) == (2, 2, 1)
    assert found["grades"] == {"3.0": 1, "2.5": 1, "2.0": 0, "1.5": 1, "1.0": 1, "0.5": 0, "0.0": 2}


def test_one_number_shows_halves_alone(tmp_path):
    found = counted(tmp_path, [score(f"T01.{n}", grade, scorer=JUDGE) for n, grade in enumerate([3, 2.5, 2, 0.5])])
    assert (found["n"], found["halves"]) == (4, 2)
    assert found["stated"] == {"missing": deductions.NONE_STATED} and found["BioScore"] == pytest.approx(8 / 12)


def test_abstentions_errors_and_other_graders_have_nothing_taken_off(tmp_path):
    scores = [score("T01.1", -1, scorer=JUDGE), score("T01.2", "error", scorer=JUDGE), score("T01.3", 2.5)]
    found = counted(tmp_path, scores)
    assert found["n"] == 0 and found["stated"] == {"missing": deductions.NOTHING_ANSWERED}


def test_the_first_repeat_counts(tmp_path):
    one = score("T01.1", 2.5, scorer=JUDGE, worth=["3.0", "3.0"], off=["0.5", "1.0"])
    assert counted(tmp_path, [one])["stated"]["off"] == {"0.0": 0, "0.5": 1, "1.0": 0}
