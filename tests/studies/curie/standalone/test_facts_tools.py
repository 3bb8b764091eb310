"""The standalone scorers of the tasks with facts: names, modes, fields."""

from __future__ import annotations

import pytest
from studies.curie.scoring.near_misses.near_miss import TASKS, of
from support_cases import each_of

from harness.digest import canonical_json
from harness.errors import InputError
from harness.studies.curie.scoring.rouge import METRICS
from harness.studies.curie.standalone.facts import SCORERS

EACH = each_of("task", TASKS)


def row(task: str, **fields: str) -> dict[str, str]:
    truth, rows = of(task)
    return {"model_response": rows[0].answer, "ground_truth_text": truth, **fields}


def test_each_task_has_its_scorer() -> None:
    assert set(SCORERS) == {"curie.geo", "curie.qecc", "curie.hfe", "curie.hfd", "curie.dft_c"}


@EACH
@pytest.mark.parametrize("mode", ["paper", "strict"])
def test_a_scorer_gives_what_it_declares(task: str, mode: str) -> None:
    tool = SCORERS[f"curie.{task}"]
    found = tool.run(row(task, mode=mode))
    assert tool.gives.model_validate(found) and canonical_json(found)
    assert found["detail"]["mode"] == mode


@EACH
def test_paper_mode_is_the_default_and_gives_rouge_of_the_serialised_gold(task: str) -> None:
    found = SCORERS[f"curie.{task}"].run(row(task))
    assert set(found["detail"]["metrics"]) == set(METRICS)
    assert found["value"] == found["detail"]["metrics"]["rougeLsum"] and 0 < found["value"] <= 100


@EACH
def test_strict_mode_gives_the_facts_and_shows_rouge_beside(task: str) -> None:
    found = SCORERS[f"curie.{task}"].run(row(task, mode="strict"))
    assert found["value"] == found["detail"]["metrics"]["facts_f1"] == 1
    assert set(METRICS) < set(found["detail"]["metrics"])


@EACH
@pytest.mark.parametrize("mode", ["paper", "strict"])
def test_a_gold_that_cannot_be_read_gives_no_value(task: str, mode: str) -> None:
    tool = SCORERS[f"curie.{task}"]
    found = tool.run(row(task, mode=mode, ground_truth_text="no JSON"))
    assert "missing" in found["value"] and found["outcome"] == "gold_invalid"
    assert tool.gives.model_validate(found)


@EACH
def test_a_missing_field_and_another_mode_are_refused(task: str) -> None:
    with pytest.raises(InputError, match="ground_truth_text"):
        SCORERS[f"curie.{task}"].run({"model_response": "x"})
    with pytest.raises(InputError, match="mode"):
        SCORERS[f"curie.{task}"].run(row(task, mode="loose"))
