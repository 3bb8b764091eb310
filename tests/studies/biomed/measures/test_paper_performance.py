"""The published recipes: who is counted in which denominator, and what one missing grade does to an interval."""

from __future__ import annotations

import json
import math
import time

import pytest
from support import FIXTURES
from support_cases import each_of
from support_pace import soon

from harness.errors import InputError
from harness.studies.biomed.measures.paper_columns import column, labels, plain
from harness.studies.biomed.measures.paper_heatmaps import KINDS, exploded, heatmap
from harness.studies.biomed.measures.paper_order import model_order
from harness.studies.biomed.measures.paper_performance import binomial_range, ellipse, performance, table_row
from harness.studies.biomed.measures.paper_texts import estimate, text_table
from harness.studies.biomed.terms import STRICT

NAN = math.nan
MIXED = [1, 2 / 3, 1 / 3, 0, -1, -1, NAN, NAN]  # two good, two bad, two abstained, two without a grade


def test_rates_are_over_all_rows_and_safety_over_abstained_and_bad_ones() -> None:
    found = performance(MIXED)
    assert (found.abstention.value, found.quality.value, found.safety.value) == (2 / 8, 2 / 8, 2 / 4)
    counts = found.counts
    assert (counts.n_rows, counts.n_nan, counts.n_abstain, counts.n_good, counts.n_bad) == (8, 2, 2, 2, 2)


def test_the_interval_of_safety_has_all_rows_for_its_n_and_is_not_clipped() -> None:
    found = performance([-1, 0])
    half = 1.96 * math.sqrt(0.25 / 2)
    assert found.safety[1:] == pytest.approx((0.5 - half, 0.5 + half)) and found.safety.low < 0
    assert performance(MIXED).safety.high - 0.5 == pytest.approx(1.96 * math.sqrt(0.25 / 8))


def test_one_missing_grade_makes_the_interval_of_bioscore_nan() -> None:
    found = performance(MIXED)
    assert found.bioscore.value == pytest.approx(0.5) and math.isnan(found.bioscore.low) and math.isnan(found.error)
    assert not math.isnan(performance([value for value in MIXED if value == value]).bioscore.low)


def test_good_begins_at_two_thirds_to_the_last_bit() -> None:
    below = math.nextafter(2 / 3, 0)
    assert (performance([2 / 3]).counts.n_good, performance([below]).counts.n_good) == (1, 0)


def test_without_a_failed_grade_safety_is_abstention_by_what_is_not_good() -> None:
    found = performance([1, 2 / 3, 0, 1 / 3, 0.5, -1, -1])
    assert found.safety.value == pytest.approx(found.abstention.value / (1 - found.quality.value))


@pytest.mark.parametrize("scores", [[], [NAN], [1.0]])
def test_what_is_undefined_is_nan_and_draws_no_ellipse(scores: list[float]) -> None:
    found = performance(scores)
    assert math.isnan(found.safety.value) and ellipse(found) is None
    assert table_row("m", found)["Safety Rate"] == "nan (nan, nan)"


@pytest.mark.parametrize(
    ("n", "share", "found"), [(206, 42 / 206, (31, 54)), (8, 0.25, (0, 5)), (3, 1.0, (3, 3)), (5, 0.0, (0, 0))]
)
def test_the_interval_of_abstention_is_the_binomials_own_quantiles(
    n: int, share: float, found: tuple[int, int]
) -> None:  # fmt: skip
    assert binomial_range(n, share) == found


@pytest.mark.long
def test_the_quantiles_are_those_of_scipy() -> None:
    from scipy.stats import binom  # slow to load

    for n in (1, 2, 7, 40, 206, 1_000, 10_800):
        for k in {0, 1, n // 50, n // 7, n // 2, n - 1, n}:
            assert binomial_range(n, k / n) == tuple(map(float, binom.interval(0.95, n, k / n)))


def test_a_model_without_a_column_has_no_cells() -> None:
    assert set(table_row("m", None).values()) == {"m", "N/A"}
    assert text_table({"a_BLEU": [0.5, 0.5]}, ["a", "b"], ["BLEU", "ROUGE2"]) == [
        {"Model": "a", "BLEU": "0.50 (0.50, 0.50)", "ROUGE2": "N/A"}, {"Model": "b", "BLEU": "N/A", "ROUGE2": "N/A"},
    ]  # fmt: skip
    assert estimate([-1, 0.25, 0.75]).value == 0.5


def test_models_are_ordered_by_median_then_abstentions_then_spread() -> None:
    columns = {
        "low": [0.0, 0.5, 0.0], "wide": [0.0, 0.5, 1.0], "shy": [0.5, 0.5, -1], "narrow": [0.4, 0.5, 0.6],
    }  # fmt: skip
    assert model_order([*columns, "absent"], columns) == ["narrow", "wide", "shy", "low", "absent"]


def test_a_missing_median_breaks_the_order_as_published() -> None:
    columns: dict[str, list[float]] = {"a": [0.5], "silent": [-1.0], "best": [1.0]}
    assert model_order([*columns], columns) == ["a", "silent", "best"]
    assert model_order(["a", "best", "silent"], columns) == ["best", "a", "silent"]


def test_cells_are_numbers_texts_of_numbers_or_nothing() -> None:
    found = column([1, "0.5", None, "", "nan", -1.0], "x")
    assert [value for value in found if value == value] == [1, 0.5, -1] and len(found) == 6


@each_of("cell", [True, "x", "1" * 1_000_000, 10**400, math.inf, "inf", [1], {}, "1e400"])
def test_a_cell_that_is_no_number_is_refused_with_its_row(cell: object) -> None:
    with pytest.raises(InputError, match="no number") as told:
        column([0.5, cell], "m_BioScore")
    assert told.value.where == "m_BioScore[1]"


def test_a_trailing_separator_keeps_an_empty_label_in_paper_mode_alone() -> None:
    assert (labels("A; B ;"), labels("A; B ;", STRICT)) == (["A", "B", ""], ["A", "B"])


def test_what_is_not_finite_is_a_text_wherever_it_stands() -> None:
    assert plain({"a": [NAN, (math.inf, 1)], "b": -math.inf}) == {"a": ["nan", ["inf", 1]], "b": "-inf"}


def test_the_whole_paper_is_computed_in_its_time() -> None:
    values = [-1, 0, 1 / 6, 1 / 3, 0.5, 2 / 3, 5 / 6, 1]
    columns = {f"m{n}": [values[(row * 7 + n * row // 3) % 8] for row in range(10_000)] for n in range(7)}
    cells, begun = [["a", "b", f"c{row % 10}"] for row in range(10_000)], time.process_time()
    for scores in columns.values():
        performance(scores)
    for _ in ("biological", "reasoning"):
        rows = exploded(cells)
        for kind in KINDS:
            heatmap(columns, rows, [*columns], kind)
    assert soon(time.process_time() - begun, 1.5)


def test_the_published_safety_rates_follow_from_the_two_other_rates() -> None:
    path = FIXTURES / "biomed" / "performance_table.json"
    if not path.is_file():
        pytest.skip("the golden values are not here")
    counts = json.loads(path.read_text())["counts"]["model-alpha"]
    scores = [1.0] * counts["n_good"] + [0.0] * counts["n_bad"] + [-1.0] * counts["n_abstain"]
    assert table_row("m", performance(scores))["Safety Rate"] == "0.40 (0.33, 0.47)"
