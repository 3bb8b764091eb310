"""What a score adds to a table of scores: the rates of each study as means, on rows made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from harness.kit.score_lines import ScoredAnswer, score_lines
from harness.kit.study import Study
from harness.rowtypes import Score
from harness.studies.biomed.study import Biomed
from harness.studies.curie.study import Curie
from harness.studies.registry import find
from harness.studies.reliability.study import Reliability


def table(study: Study, *rows: tuple[str, Any, str, Mapping[str, Any]]) -> dict[str, Any]:
    """Give value, n and errors of each line by its name, of rows (scorer, value, outcome, detail) of one item each."""
    scores: list[Score] = [
        {
            "item": f"i{place}", "template": 1, "model": "m", "sample": 0, "scorer": scorer, "value": value,
            "outcome": outcome, "detail": detail,
        }
        for place, (scorer, value, outcome, detail) in enumerate(rows)
    ]  # fmt: skip
    answers = [ScoredAnswer("d", row, study.read_score(row)) for row in scores]
    return {line.name: (line.value, line.n, line.errors) for line in score_lines(answers, study.meanings)}


def graded(value: Any, state: str = "answered", mode: str = "strict", **more: Any) -> Any:
    """Give a row of BioScore."""
    return "bioscore-rule", value, state, {"mode": mode, **more}


def test_biomed_rates_are_shares_of_the_answers_they_are_of() -> None:
    rows = [graded(1), graded(2 / 3), graded(0.5), graded(0), graded(-1, "abstained"), graded(-1, "abstained")]
    rows.append(graded({"missing": "a filter stopped the answer"}, "blocked"))
    rows.append(graded({"missing": "no grade"}, "ungraded", judge_error="no reply"))
    found = table(Biomed(), *rows)
    assert found == {
        "d/bioscore-rule": (pytest.approx(6.5 / 12), 4, 1),  # grades 3, 2, 1.5 and 0 of 3
        "d/bioscore-rule/RQR": (pytest.approx(2 / 7), 7, 1),  # the blocked answer is of it, the ungraded one is not
        "d/bioscore-rule/SR": (pytest.approx(2 / 4), 4, 1),  # two not known, two below grade 2
        "d/bioscore-rule/AR": (pytest.approx(2 / 7), 7, 1),
    }


def test_biomed_in_paper_mode_counts_every_answer_by_its_value() -> None:
    rows = [graded(1, mode="paper"), graded(-1, "error", "paper", error="failed: 503")]
    rows.append(graded({"missing": "no grade"}, "ungraded", "paper", judge_error="no reply"))
    found = table(Biomed(), *rows)
    assert found["d/bioscore-rule/RQR"] == (pytest.approx(1 / 3), 3, 2)
    assert found["d/bioscore-rule/AR"] == (pytest.approx(1 / 3), 3, 2)  # the failed one passes for not known
    assert found["d/bioscore-rule/SR"] == (1, 1, 2) and found["d/bioscore-rule"] == (1, 1, 2)


def test_biomed_texts_keep_their_own_metrics() -> None:
    found = table(Biomed(), ("text", 0.5, "", {"metrics": {"BLEU": 0.25}, "mode": "strict"}))
    assert found == {"d/text": (0.5, 1, 0), "d/text/BLEU": (0.25, 1, 0)}


def test_curie_leaves_out_unusable_gold_and_counts_bad_answers_as_nothing() -> None:
    def row(value: Any, outcome: str, mode: str = "strict") -> Any:
        return "boxes", value, outcome, {"mode": mode, "metrics": {"iou": value}}

    rows = [row(0.5, "valid"), row({"missing": "no box"}, "invalid"), row({"missing": "no gold"}, "gold_invalid")]
    assert table(Curie(), *rows) == {"d/boxes": (0.25, 2, 0), "d/boxes/iou": (0.5, 1, 0)}
    assert table(Curie(), row(1, "valid", "paper"), row("Can not parse", "invalid", "paper"))["d/boxes"] == (0.5, 2, 0)
    assert table(Curie(), row(1, "valid", "paper"), row("nan", "valid", "paper"))["d/boxes"] == (1, 1, 0)


def test_reliability_tells_avoidant_from_incorrect() -> None:
    rows = [("reliability.outcome", int(label == "c"), label, {}) for label in "cccai"]
    assert table(Reliability(), *rows) == {
        "d/reliability.outcome": (pytest.approx(0.6), 5, 0),
        "d/reliability.outcome/avoidant": (pytest.approx(0.2), 5, 0),
        "d/reliability.outcome/incorrect": (pytest.approx(0.2), 5, 0),
    }


@pytest.mark.parametrize("study", ["reliability", "curie", "biomed"])
def test_every_stated_bound_holds_its_baseline(study: str) -> None:
    meanings = find(study).meanings
    assert meanings
    for name, said in meanings.items():
        low, high = said.floor, said.ceiling
        assert low is None or high is None or low < high, name
        assert said.baseline is None or (said.baseline_of and (low or 0) <= said.baseline <= (high or 1)), name
