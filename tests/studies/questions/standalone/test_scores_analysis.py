"""The analysis `questions.scores`: what it makes of rows, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest
from support_cases import each_of

from harness import stats
from harness.errors import InputError
from harness.studies.questions.standalone.analyses import ANALYSES

TOOL = ANALYSES["questions.scores"]


def found(*rows: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Run the analysis on rows, as a caller would; its output has the declared form."""
    told = dict(TOOL.run({"rows": list(rows), **more}))
    TOOL.gives.model_validate(told)
    return told


def test_rows_become_means_groups_samples_and_counts() -> None:
    told = found(
        {"item": "a", "value": 1, "answer": "x", "group": {"g": "one"}},
        {"item": "a", "value": 0, "answer": "y", "sample": 1},
        {"item": "b", "value": 1, "answer": "x", "group": {"g": "two"}},
        {"item": "c", "error": "timeout"},
        {"item": "d"},
    )
    line = told["scores"]["model"]["dataset"]["score"]
    assert (line["n"], line["errors"], line["missing"], line["at_worst"]) == (3, 1, 1, 0.5)
    assert told["groups"]["dataset"]["g"]["values"]["one"]["model"]["score"]["value"] == 0.5
    repeated = told["samples"]["model"]["dataset"]["score"]
    assert (repeated["pass_at"]["2"]["value"], repeated["majority"]["ties"]) == (1, 1)
    assert told["states"]["model"]["dataset"]["score"]["error"] == 1


def test_the_same_item_of_two_datasets_is_two_items() -> None:
    told = found({"item": "1", "value": 1, "dataset": "d"}, {"item": "1", "value": 0, "dataset": "e"})["scores"]
    assert {name: line["score"]["value"] for name, line in told["model"].items()} == {"d": 1, "e": 0}


def test_without_a_scale_zeros_alone_are_no_share() -> None:
    rows = [{"item": name, "value": 0} for name in "abc"]
    assert found(*rows, share=True)["scores"]["model"]["dataset"]["score"]["interval"] == list(stats.wilson(0, 3))
    assert "no_interval" in found(*rows, share=False)["scores"]["model"]["dataset"]["score"]


@each_of(
    "row", [{"value": 1}, {"item": "a", "value": "1"}, {"item": "a", "value": True}, {"item": 3, "value": 1},
            {"item": "a", "value": 1, "group": {"g": 7}}, {"item": "a", "value": float("nan")}]
)  # fmt: skip
def test_a_row_that_is_none_is_refused_by_its_field(row: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="rows") as refused:
        found({"item": "z", "value": 1}, row)
    assert "[1]" in refused.value.where
