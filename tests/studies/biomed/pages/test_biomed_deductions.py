"""The page's table of points off for irrelevant text: with both parts, with one number, and without a document."""

from __future__ import annotations

from studies.biomed.measures.answer_rows import score
from studies.curie.pages.page_text import text_of

from harness.kit.pages import NONE
from harness.studies.biomed.measures.deductions import deductions as counted
from harness.studies.biomed.pages.tables_deductions import STATED, WITHIN, deductions

JUDGE = "bioscore-judge"


def told(*scores):
    return text_of("".join(map(str, deductions(counted(scores, JUDGE, ["m", "silent"])))))


def test_stated_points_stand_in_a_row_of_each_model():
    text = told(score("T01.1", 2.5, scorer=JUDGE, worth=["3.0"], off=["0.5"]),
                score("T01.2", 1, scorer=JUDGE, worth=["2.0"], off=["1.0"]))  # fmt: skip
    assert STATED in text and "m 2 1 1 100.0 % 0.750 0.83 0.58 1 0" in text and f"silent 0 {NONE}" in text


def test_one_number_says_what_it_cannot_show():
    text = told(score("T01.1", 2.5, scorer=JUDGE), score("T01.2", 2, scorer=JUDGE))
    assert text_of(WITHIN) in text and "m 2 1" in text


def test_without_a_document_there_is_nothing():
    assert [*deductions({})] == []
