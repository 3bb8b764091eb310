"""Lines of a table of scores, with means and intervals computed by hand: what is scored, and what is only counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from support_cases import each_of

from harness.kit import score_intervals
from harness.kit.meaning import Meaning, plain_metrics
from harness.kit.score_lines import ScoredAnswer, ScoreLine, score_lines
from harness.rowtypes import Score

SHARE = {"exact": Meaning("share of right answers", "higher", 0, 1)}
ERROR = {"missing": "timeout"}


def scored(item: str, value: Any, *, wording: int = 1, model: str = "m", **more: Any) -> ScoredAnswer:
    """Give one answer's score by `exact`, in a wording; `detail` and `unanswered` as they are named."""
    row: Score = {
        "item": item, "template": wording, "model": model, "sample": 0, "scorer": "exact", "value": value,
        "detail": more.get("detail", {}),
    }  # fmt: skip
    return ScoredAnswer(more.get("dataset", "d"), row, plain_metrics(row), more.get("unanswered", False))


def only(answers: Iterable[ScoredAnswer], meanings: Mapping[str, Meaning] = SHARE) -> ScoreLine:
    """Give the table's one line."""
    [line] = score_lines(answers, meanings)
    return line


def test_a_share_of_single_answers_has_wilsons_interval() -> None:
    line = only(scored(f"i{place}", int(place < 7)) for place in range(10))
    assert (line.n, line.items, line.value, line.interval.by) == (10, 10, 0.7, "wilson")
    assert line.interval.ends == pytest.approx((0.3967781, 0.8922087), abs=1e-6)  # scipy.stats.binomtest has it so
    assert line.name == "d/exact"


def test_none_right_of_ten_still_leaves_room_for_a_quarter() -> None:
    line = only(scored(f"i{place}", 0) for place in range(10))
    assert line.interval.ends == pytest.approx((0, 3.841459 / 13.841459), abs=1e-6)  # z² / (n + z²)


def test_two_items_of_unequal_wordings_are_drawn_whole() -> None:
    answers = [scored("a", 1.0), scored("a", 1.0, wording=2), scored("b", 0.5)]
    line = only(answers)
    assert line.value == pytest.approx(2.5 / 3) and (line.n, line.items) == (3, 2)
    assert line.interval.ends == (0.5, 1.0)  # both items twice are a quarter of all resamples each


def test_halves_among_zeros_and_ones_are_no_share() -> None:
    line = only(scored(f"i{place}", place % 3 / 2) for place in range(12))
    assert line.value == 0.5 and line.interval.by == "bootstrap"


def test_repeating_each_answer_narrows_no_interval() -> None:
    values = [(place * 37 % 40) / 40 for place in range(40)]
    once = only(scored(f"i{place:02}", value) for place, value in enumerate(values))
    often = only(
        scored(f"i{place:02}", value, wording=wording) for wording in range(25) for place, value in enumerate(values)
    )
    assert often.n == 25 * once.n and often.interval.by == "bootstrap"
    assert often.interval.ends == pytest.approx(once.interval.ends, abs=1e-12)


def test_a_bootstrap_of_many_items_is_as_wide_as_theory_says() -> None:
    values = [(place * 7 % 400) / 400 for place in range(400)]  # evenly spread: standard deviation 1/√12
    ends = only(scored(f"i{place}", value) for place, value in enumerate(values)).interval.ends
    assert ends is not None and ends[1] - ends[0] == pytest.approx(2 * 1.96 * (1 / 12) ** 0.5 / 20, rel=0.06)


def test_shares_over_wordings_all_alike_count_each_item_once() -> None:
    line = only(scored(f"i{place}", 1, wording=wording) for place in range(10) for wording in range(15))
    assert line.n == 150 and line.interval.ends == pytest.approx((1 - 0.2775328, 1), abs=1e-6)


def test_zeros_of_another_scale_than_a_share_have_no_interval() -> None:
    for meanings in ({}, {"exact": Meaning("per cent", "higher", 0, 100)}):
        line = only((scored(f"i{place}", 0) for place in range(10)), meanings)
        assert line.value == 0 and line.interval.ends is None and line.interval.why == "all values are alike"


def test_one_item_in_several_samples_has_no_interval() -> None:
    line = only([scored("a", 0.2), scored("a", 0.4, wording=2)])
    assert line.value == pytest.approx(0.3) and line.interval.why == "one item alone"


def test_failed_and_unanswered_ones_are_counted_and_not_scored() -> None:
    answers = [
        scored("a", 1), scored("b", 1), scored("c", 0), scored("d", ERROR, detail={"error": "timeout"}),
        scored("e", {"missing": "judge_error"}, detail={"judge_error": "no reply"}),
        scored("f", ERROR, detail={"error": "none"}, unanswered=True), scored("g", {"missing": "the rule has none"}),
    ]  # fmt: skip
    line = only(answers)
    assert (line.n, line.errors, line.unanswered, line.missing) == (3, 2, 1, 1)
    assert line.value == pytest.approx(2 / 3)
    assert line.at_worst == pytest.approx(2 / 6)  # three more answers, none of them right


def test_worst_of_a_metric_that_should_be_low_is_its_ceiling() -> None:
    answers = [scored("a", 0), scored("b", 1), scored("c", ERROR, detail={"error": "x"})]
    assert only(answers, {"exact": Meaning("wrong", "lower", 0, 1)}).at_worst == pytest.approx(2 / 3)
    assert only(answers, {"exact": Meaning("any", "neither", 0, 1)}).at_worst is None


def test_an_error_to_which_a_paper_gave_a_value_counts_with_it() -> None:
    line = only([scored("a", 1), scored("b", 0, detail={"error": "x"})])
    assert (line.n, line.errors, line.missing, line.value, line.at_worst) == (2, 1, 0, 0.5, None)


def test_nothing_scored_has_a_line_that_says_so() -> None:
    line = only([scored("a", ERROR, detail={"error": "x"})])
    assert (line.value, line.n, line.errors, line.interval.why) == (None, 0, 1, "no answer has a value of it")
    assert line.document()["errors"] == 1 and "value" not in line.document()


@each_of("odd", ["nan", "inf", float("nan"), float("inf"), True, "1", None, 1e300, {"missing": "x"}])
def test_no_mean_is_spoilt_by_what_is_no_number(odd: Any) -> None:
    line = only([scored("a", 0.5), scored("b", odd)])
    assert (line.value, line.n, line.missing) == (0.5, 1, 1)


def test_every_metric_of_a_score_has_its_own_line() -> None:
    metrics = {"recall": 0.5, "precision": {"missing": "nothing was said"}}
    lines = score_lines([scored("a", 1, detail={"metrics": metrics})], {})
    assert [(line.name, line.value, line.n, line.missing) for line in lines] == [
        ("d/exact", 1, 1, 0), ("d/exact/precision", None, 0, 1), ("d/exact/recall", 0.5, 1, 0),
    ]  # fmt: skip


def test_lines_stand_by_model_and_dataset_whatever_the_order() -> None:
    answers = [scored(item, 1, model=model, dataset=where) for model in "ba" for where in "zy" for item in "ts"]
    forth, back = score_lines(answers, SHARE), score_lines(reversed(answers), SHARE)
    assert forth == back and [(line.model, line.dataset) for line in forth] == [(m, d) for m in "ab" for d in "yz"]


def test_two_models_with_equal_answers_have_equal_intervals() -> None:
    values = {f"i{place}": place % 7 / 7 for place in range(30)}
    answers = [scored(item, value, model="a") for item, value in values.items()]
    answers += [scored(item, value, model="b") for item, value in reversed(values.items())]
    first, second = score_lines(answers, SHARE)
    assert first.interval == second.interval


def clustered_answers(each: int, shares: Iterable[int]) -> list[ScoredAnswer]:
    """Give answers that are right or wrong cluster by cluster."""
    row = scored("i", 1)
    return [
        ScoredAnswer("d", {**row.row, "item": f"i{at}.{place}", "value": right}, {"": right}, cluster=f"c{at}")
        for at, right in enumerate(shares)
        for place in range(each)
    ]


def test_of_items_in_clusters_what_varies_between_these_counts() -> None:
    line = only(clustered_answers(20, [1, 0] * 4))
    assert (line.n, line.value, line.interval.by, line.interval.clusters) == (160, 0.5, "clusters", 8)
    assert line.interval.ends == pytest.approx(score_intervals.share_interval([(20, 20.0), (20, 0.0)] * 4))
    assert line.document()["clusters"] == 8
    assert line.interval.ends == pytest.approx(only(clustered_answers(5, [1, 0] * 4)).interval.ends, abs=1e-12)


def test_clusters_that_are_all_right_count_once_each() -> None:
    line = only(clustered_answers(20, [1] * 5))
    assert line.interval.ends == pytest.approx(only(scored(f"i{at}", 1) for at in range(5)).interval.ends)


def test_a_mean_over_clusters_stays_within_the_bounds_that_are_known() -> None:
    answers = clustered_answers(3, [1, 0])
    halves = [ScoredAnswer("d", {**one.row, "value": 0.9 * one.row["value"]}, {"": 0.9 * one.row["value"]},  # type: ignore[operator]
                           cluster=one.cluster) for one in answers]  # fmt: skip
    assert only(halves).interval.ends == (0, 1)
    ends = only(halves, {}).interval.ends
    assert ends is not None and ends[0] < 0


def test_an_item_without_a_cluster_stands_for_itself_even_where_a_cluster_has_its_name() -> None:
    answers = [*clustered_answers(4, [1, 0]), scored("c0", 1)]
    interval = only(answers).interval
    assert interval.clusters == 3
    assert interval.ends == pytest.approx(score_intervals.share_interval([(4, 4.0), (4, 0.0), (1, 1.0)]))
