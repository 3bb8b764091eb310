"""The published figures in numbers: rows of heat maps, boxes, donuts, histograms and the file of statistics."""

from __future__ import annotations

import math

import pytest

from harness.errors import InputError
from harness.studies.biomed.measures.paper_figures import boxplot, donut, histogram, statistics_text
from harness.studies.biomed.measures.paper_heatmaps import (
    ABSTENTION,
    FORMULA,
    KINDS,
    MEAN,
    QUALITY,
    SAFETY,
    exploded,
    heatmap,
)

NAN = math.nan
CELLS = exploded([["A"], ["A", "B"], ["A"], ["A"], ["A"], ["B"]])  # five of A, two of B
SURE = [1.0, 1.0, 0.0, 0.5, 1.0, 0.0]
SHY = [-1.0, -1.0, 1.0, 0.0, NAN, -1.0]
BOTH = {"sure": SURE, "shy": SHY}


def cells(kind: str, order: list[str], **more: object) -> dict[str, list[str]]:
    found = heatmap(BOTH, CELLS, order, kind, **more)  # type: ignore[arg-type]
    return dict(zip(found.index, found.annotations(), strict=True))


def test_a_question_counts_once_in_each_of_its_labels() -> None:
    assert cells(MEAN, ["sure"], threshold=1) == {"A": ["0.70"], "B": ["0.50"]}


def test_the_first_model_decides_which_categories_are_shown() -> None:
    assert cells(MEAN, ["sure", "shy"]) == {"A": ["0.70", "NA"]}
    assert cells(QUALITY, ["shy", "sure"], threshold=4) == {"A": ["0.25", "0.60"]}
    assert cells(MEAN, ["sure", "shy"], every=True) == {"A": ["0.70", "NA"], "B": ["NA", "NA"]}


def test_a_first_model_without_any_value_leaves_the_choice_to_the_next() -> None:
    assert cells(MEAN, ["shy", "sure"]) == {"A": ["NA", "0.70"]}
    assert cells(MEAN, ["absent", "sure"]) == {"A": ["NA", "0.70"]}
    assert cells(MEAN, ["shy"]) == {}


def test_abstention_counts_rows_without_a_grade_and_has_no_threshold() -> None:
    assert cells(ABSTENTION, ["shy", "absent"]) == {"A": ["0.40", "NA"], "B": ["1.00", "NA"]}


def test_the_other_rates_leave_rows_without_a_grade_out() -> None:
    assert cells(QUALITY, ["shy"], threshold=1)["A"] == ["0.25"]
    assert cells(SAFETY, ["shy"], threshold=1)["A"] == ["0.50"]


def test_the_published_safety_is_no_safety_rate_and_the_formula_is() -> None:
    assert cells(SAFETY, ["sure", "shy"], threshold=1)["A"] == ["0.00", "0.50"]
    assert cells(SAFETY, ["sure", "shy"], threshold=1, safety=FORMULA)["A"] == ["0.00", "0.67"]


def test_a_safety_rate_of_nothing_has_no_value() -> None:
    found = heatmap({"m": [1.0, 1.0]}, exploded([["A"], ["A"]]), ["m"], SAFETY, threshold=1, safety=FORMULA)
    assert (found.index, found.annotations()) == (["A"], [["NA"]])


@pytest.mark.parametrize("kind", KINDS)
def test_no_rows_make_no_map(kind: str) -> None:
    assert heatmap({"m": []}, exploded([]), ["m"], kind).index == []


def test_a_calculation_that_there_is_not_is_refused() -> None:
    with pytest.raises(InputError):
        heatmap({}, CELLS, [], "median")


def test_a_box_is_without_abstentions_and_its_share_is_of_all_rows() -> None:
    found = boxplot({"m": [-1, 0.5, NAN, 1]}, ["m", "absent"])
    assert found["texts"] == [[0, -0.12, "(25.00%)"], [1, -0.12, "(0.00%)"]]
    assert found["per_model"]["m"][0] == 0.5 and math.isnan(found["per_model"]["m"][1])
    assert boxplot({"m": [0.5]}, ["m"], "BLEU")["texts"] == []


def test_a_donut_counts_labels_and_not_questions() -> None:
    assert donut([["B", "A"], ["A"], ["C"]])["labels"] == ["A", "B", "C"]
    assert donut([["B", "A"], ["A"], ["C"]])["sizes"] == [2, 1, 1]


def test_a_median_of_two_and_a_half_prints_as_two() -> None:
    found = histogram([1, 2, 3, 4, 100])
    assert (found["kept"], found["label"], found["xticks"]) == ([1, 2, 3, 4], "Median: 2", [0, 10])


@pytest.mark.parametrize(
    ("counts", "ticks"),
    [([0, 0], [0]), ([100], [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]), ([101], [0, 20, 40, 60, 80, 100, 120])],
)
def test_ticks_end_with_the_first_that_is_not_below_the_greatest_count(counts: list[int], ticks: list[int]) -> None:
    assert histogram(counts)["xticks"] == ticks


def test_counts_without_bounds_have_few_ticks_and_none_are_refused() -> None:
    assert len(histogram([2**53])["xticks"]) <= 12
    with pytest.raises(InputError, match="no counts"):
        histogram([])


def test_statistics_name_a_column_that_is_lacking() -> None:
    counts = {"question_token_count": [1, 2], "answer_token_count": [3]}
    assert statistics_text(counts, [], "t").splitlines()[:4] == [
        "t", "=", "Sum token count for question: 3", "Median token count for question: 1.5",
    ]  # fmt: skip
    with pytest.raises(InputError, match="m responses"):
        statistics_text(counts, ["m"])
