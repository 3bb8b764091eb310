"""Means over a run's scores: A1 in strict mode, zeros filled in paper mode, runs, distances, the average over ten."""

from __future__ import annotations

import statistics
from typing import Any

import pytest
from studies.curie.measures.score_rows import PRIMARY, TEN, failed, item, made, score

from harness.errors import InputError
from harness.studies.curie.measures import means
from harness.studies.curie.measures.cells import coverage

HFE = [item("hfe", record) for record in "abcd"]
BOXES = [item("biogr", record) for record in "abc"]
ROUGE: dict[str, Any] = {"primary": {"hfe": ["rouge", "rougeLsum"]}, "mode": "paper"}


def cell(found: dict[str, Any], task: str, model: str = "m", *metric: str) -> dict[str, Any]:
    place = found["tasks"][task]["models"][model]
    for name in ("metrics", *metric) if metric else ("primary",):
        place = place[name]
    return dict(place)


def test_a1_blank_and_invalid_answers_are_zero(tmp_path):
    rows = [score("hfe", "a", 0.8), score("hfe", "b", 0, outcome="missing"), score("hfe", "c", 0, outcome="invalid"),
            score("hfe", "d", {"missing": "nothing read"}, outcome="invalid")]  # fmt: skip
    found = cell(made(tmp_path, means.analyse, HFE, rows), "hfe")
    assert (found["value"], found["n"], found["N"]) == (pytest.approx(0.2), 4, 4)


def test_a1_an_error_is_outside_and_counted_and_the_mean_says_of_how_many(tmp_path):
    rows = [score("hfe", "a", 0.5), score("hfe", "b", 1.0), score("hfe", "c", 0.0), failed("hfe", "d")]
    document = made(tmp_path, means.analyse, HFE, rows)
    found = cell(document, "hfe")
    assert (found["value"], found["records"]) == (0.5, "3 of 4")
    states = document["tasks"]["hfe"]["models"]["m"]["states"]["facts"]
    assert (states["error"], states["scored"], states["outcomes"]) == (1, 3, {"valid": 3})


def test_a1_unusable_gold_is_outside_every_mean_and_counted(tmp_path):
    rows = [score("hfe", "a", 0.5), score("hfe", "b", 0.5), score("hfe", "c", 0.5),
            score("hfe", "d", {"missing": "empty gold"}, outcome="gold_invalid")]  # fmt: skip
    document = made(tmp_path, means.analyse, HFE, rows)
    assert cell(document, "hfe")["N"] == 3 and "records" not in cell(document, "hfe")
    assert document["tasks"]["hfe"]["gold_invalid"] == {"facts": 1}


def test_a1_strict_fills_nothing_in_for_a_model_without_rows(tmp_path):
    document = made(tmp_path, means.analyse, HFE, [score("hfe", "a", 0.5)], models=["m", "silent"])
    assert "missing" in cell(document, "hfe", "silent")["value"]


def test_a1_nan_never_enters(tmp_path):
    rows = [score("hfe", "a", 0.5, metrics={"x": "nan"}), score("hfe", "b", 0.5, metrics={"x": 3})]
    found = cell(made(tmp_path, means.analyse, HFE, rows), "hfe", "m", "facts", "x")
    assert (found["value"], found["n"]) == (3, 1)


def distances(record: str, size: Any, model: str = "m", iou: Any = 0.5, mode: str = "strict") -> dict[str, Any]:
    metrics = {"iou": iou, "normalized_distance_error": size}
    return score("biogr", record, 0 if isinstance(iou, str) else iou, model, metrics=metrics, mode=mode)


def test_a1_a_distance_is_the_median_of_valid_answers_without_an_interval(tmp_path):
    rows = [distances("a", 1.0), distances("b", 900.0), distances("c", {"missing": "a box is wider than 180 degrees"})]
    found = cell(made(tmp_path, means.analyse, BOXES, rows), "biogr", "m", "boxes", "normalized_distance_error")
    assert (found["value"], found["n"], found["statistic"]) == (450.5, 2, "median")
    assert "heavy" in found["interval"]["missing"]


def test_paper_mode_takes_mean_distances_and_fills_records_without_a_box(tmp_path):
    unread = "Can not parse model response"
    rows = [distances("a", 3.0, mode="paper"), distances("b", {"missing": "unread"}, iou=unread, mode="paper"),
            *(distances(record, 6.0, "other", mode="paper") for record in "abc")]  # fmt: skip
    given: dict[str, Any] = {"mode": "paper", "models": ["m", "other"]}
    found = cell(
        made(tmp_path, means.analyse, BOXES, rows, **given), "biogr", "m", "boxes", "normalized_distance_error"
    )
    assert (found["value"], found["n"], found["statistic"]) == (1.5, 2, "mean")
    assert "interval" in found and "missing" in found["interval"]


def test_paper_mode_puts_zero_where_another_model_has_a_row(tmp_path):
    rows = [score("hfe", "a", 40, scorer="rouge", mode="paper"),
            score("hfe", "a", 20, "other", scorer="rouge", mode="paper"),
            score("hfe", "b", 20, "other", scorer="rouge", mode="paper")]  # fmt: skip
    document = made(tmp_path, means.analyse, HFE, rows, models=["m", "other", "silent"], **ROUGE)
    assert (cell(document, "hfe")["value"], cell(document, "hfe")["n"]) == (20, 2)
    assert cell(document, "hfe", "silent")["value"] == 0


def test_paper_mode_skips_nan_and_counts_a_text_as_zero(tmp_path):
    metrics: tuple[dict[str, Any], ...] = ({"x": 0.5}, {"x": "nan"}, {"x": "Can not parse model response"})
    rows = [score("hfe", record, 1, scorer="rouge", metrics=told, mode="paper")
            for record, told in zip("abc", metrics, strict=True)]  # fmt: skip
    found = cell(made(tmp_path, means.analyse, HFE, rows, **ROUGE), "hfe", "m", "rouge", "x")
    assert (found["value"], found["n"]) == (0.25, 2)


def test_paper_mode_leaves_a_record_out_that_no_model_could_be_scored_on(tmp_path):
    absent = {"missing": "the metric function raised"}
    rows = [score("hfe", "a", 40, scorer="rouge", mode="paper"),
            score("hfe", "b", absent, scorer="rouge", mode="paper", outcome="gold_invalid")]  # fmt: skip
    found = cell(made(tmp_path, means.analyse, HFE, rows, **ROUGE), "hfe")
    assert (found["value"], found["n"], found["N"]) == (40, 1, 4)


def test_a_strategy_fills_in_for_no_model(tmp_path):
    rows = [score("hfe", "a", 40, scorer="rouge", mode="paper"),
            score("hfe", "b", 90, "copy", scorer="rouge", mode="paper")]  # fmt: skip
    document = made(tmp_path, means.analyse, HFE, rows, strategies=["copy"], **ROUGE)
    assert cell(document, "hfe")["n"] == 1 and cell(document, "hfe", "copy")["n"] == 2
    assert document["strategies"] == ["copy"]


def test_paper_mode_gives_a_strategy_no_zeros_on_a_task_it_does_not_answer(tmp_path):
    rows = [score("hfe", "a", 40, scorer="rouge", mode="paper"),
            score("hfe", "a", 0, "copy", scorer="rouge", mode="paper")]  # fmt: skip
    document = made(tmp_path, means.analyse, HFE, rows, strategies=["copy", "world box"], **ROUGE)
    assert cell(document, "hfe", "copy")["value"] == 0
    assert "missing" in cell(document, "hfe", "world box")["value"]


def test_paper_mode_does_not_count_a_run_that_was_never_imported(tmp_path):
    rows = [score("hfe", "a", 40, scorer="rouge", mode="paper"), score("hfe", "b", 20, scorer="rouge", mode="paper"),
            *(failed("hfe", record, sample=run, scorer="rouge") for record in "ab" for run in (1, 2))]  # fmt: skip
    document = made(tmp_path, means.analyse, HFE, rows, **ROUGE)
    assert cell(document, "hfe")["value"] == 30 and "runs" not in cell(document, "hfe")
    assert document["tasks"]["hfe"]["models"]["m"]["states"]["rouge"]["error"] == 4


def test_paper_mode_gives_a_model_whose_answers_are_all_errors_zeros(tmp_path):
    rows = [score("hfe", "a", 40, scorer="rouge", mode="paper"), failed("hfe", "a", "ill", scorer="rouge")]
    assert cell(made(tmp_path, means.analyse, HFE, rows, models=["m", "ill"], **ROUGE), "hfe", "ill")["value"] == 0


def test_paper_mode_gives_an_error_in_a_run_that_was_made_a_zero(tmp_path):
    rows = [score("hfe", "a", 40, scorer="rouge", mode="paper"), failed("hfe", "a", sample=1, scorer="rouge"),
            *(score("hfe", "b", 20, scorer="rouge", mode="paper", sample=run) for run in (0, 1))]  # fmt: skip
    found = cell(made(tmp_path, means.analyse, HFE, rows, **ROUGE), "hfe")
    assert (found["value"], found["runs"]["means"]) == (20, [30, 10])


def test_runs_are_averaged_by_record_first_and_their_spread_stands_beside(tmp_path):
    told = {("a", 0): 0.2, ("a", 1): 0.4, ("b", 0): 0.6, ("b", 1): 1.0}
    rows = [score("hfe", record, value, sample=sample) for (record, sample), value in told.items()]
    found = cell(made(tmp_path, means.analyse, HFE[:2], rows), "hfe")
    assert found["value"] == pytest.approx((0.3 + 0.8) / 2)
    assert found["runs"] == {"n": 2, "means": pytest.approx([0.4, 0.7]), "spread": pytest.approx(0.3 / 2**0.5)}
    assert (found["q25"], found["median"], found["q75"]) == pytest.approx((0.425, 0.55, 0.675))


def test_an_error_in_one_run_leaves_the_record_its_other_runs(tmp_path):
    rows = [score("hfe", "a", 0.4), failed("hfe", "a", sample=1), score("hfe", "a", 0.8, sample=2)]
    assert cell(made(tmp_path, means.analyse, HFE[:1], rows), "hfe")["value"] == pytest.approx(0.6)


def test_scores_of_the_other_mode_count_nowhere(tmp_path):
    rows = [score("hfe", "a", 0.4), score("hfe", "b", 0.9, mode="paper")]
    assert cell(made(tmp_path, means.analyse, HFE, rows), "hfe")["n"] == 1


def ten() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    values = dict(zip(TEN, (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, -0.5), strict=True))
    return [item(task, "a") for task in TEN], [score(task, "a", value) for task, value in values.items()]


def test_the_average_is_over_ten_tasks_and_nine_stand_beside_without_biogr(tmp_path):
    items, rows = ten()
    found = made(tmp_path, means.analyse, items, rows)["averages"]
    assert found["ten"]["m"] == {"value": pytest.approx(0.4), "n_tasks": 10}
    assert found["nine"]["m"] == {"value": pytest.approx(3.1 / 9), "n_tasks": 9}


def test_a1_without_all_ten_tasks_there_is_no_average(tmp_path):
    items, rows = ten()
    document = made(tmp_path, means.analyse, items[:-1], rows[:-1])
    assert document["averages"]["ten"]["m"] == {"value": {"missing": "no mean of pdb"}, "n_tasks": 9}
    assert document["absent"] == {"n": 3, "tasks": ["mpv-non-trivial", "mpv-specific", "pdb"]}


def test_rouge_counts_on_zero_to_one_in_an_average(tmp_path):
    items, rows = ten()
    primary = {**PRIMARY, "hfe": ["rouge", "rougeLsum"]}
    rows = [row if row["item"] != "hfe-a" else score("hfe", "a", 60, scorer="rouge") for row in rows]
    found = made(tmp_path, means.analyse, items, rows, primary=primary)
    assert found["averages"]["ten"]["m"]["value"] == pytest.approx(0.4)


def test_leaving_biogr_out_can_change_the_order_of_models(tmp_path):
    items, rows = ten()
    blind = [{**row, "model": "blind", "value": 0 if row["item"] == "biogr-a" else 0.43} for row in rows]
    found = made(tmp_path, means.analyse, items, [*rows, *blind], models=["m", "blind"])["averages"]["order"]
    assert found == {"ten": ["m", "blind"], "nine": ["blind", "m"]}


def test_an_interval_holds_the_mean_and_its_coverage_stands_beside(tmp_path):
    items = [item("hfe", f"{place:02}") for place in range(15)]
    rows = [score("hfe", f"{place:02}", place % 4 / 4) for place in range(15)]
    found = cell(made(tmp_path, means.analyse, items, rows, resamples=500), "hfe")
    low, high = found["interval"]
    assert low < found["value"] < high
    wide = statistics.stdev(place % 4 / 4 for place in range(15)) / 15**0.5
    assert high - low == pytest.approx(2 * 1.96 * wide, rel=0.25)
    assert found["coverage"] == {"nominal": 0.95, "simulated": [0.91, 0.94], "at_records": 15}


def test_the_coverage_is_that_of_the_next_smaller_simulation():
    assert coverage(14)["simulated"] == [0.88, 0.90] and "missing" in coverage(7)


def test_flags_and_judge_errors_are_counted_beside_the_states(tmp_path):
    rows = [score("biogr", "a", 0.1, suspected_swap=True, wide=False, judge_errors=2),
            score("biogr", "b", 0.1, suspected_swap=True, judge_errors=1)]  # fmt: skip
    states = made(tmp_path, means.analyse, BOXES, rows)["tasks"]["biogr"]["models"]["m"]["states"]["boxes"]
    assert (states["flags"], states["sums"]) == ({"suspected_swap": 2}, {"judge_errors": 3})


@pytest.mark.parametrize(
    ("more", "rows"),
    [({}, [score("hfe", "a", 1, "stranger")]), ({}, [score("hfe", "a", 1), score("hfe", "a", 0)]),
     ({"mode": "both"}, []), ({"primary": {}}, []), ({"tasks": ["haiku"]}, [])],
    ids=["a model nobody named", "two scores of one answer", "no mode", "no primary", "no such task"],
)  # fmt: skip
def test_a_request_or_scores_that_cannot_be_are_refused(tmp_path, more, rows):
    with pytest.raises(InputError):
        made(tmp_path, means.analyse, HFE, rows, **more)
