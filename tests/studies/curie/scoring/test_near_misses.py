"""Fact scores give what a scientist would give: answers that are nearly right, and right ones that look otherwise."""

from __future__ import annotations

import pytest
from studies.curie.scoring.near_misses.near_miss import TASKS, NearMiss, found, of, table

CASES = [pytest.param(task, row, id=f"{task}: {row.name}") for task in TASKS for row in of(task)[1]]


@pytest.mark.parametrize(("task", "row"), CASES)
def test_strict_mode_gives_what_a_scientist_gives(task: str, row: NearMiss) -> None:
    scored = found(task, row.answer, of(task)[0], "strict")
    assert scored["value"] == pytest.approx(float(row.value), abs=1e-12), (row.why, scored["detail"])
    assert scored["outcome"] == row.outcome


@pytest.mark.parametrize("task", TASKS)
def test_words_cannot_tell_what_facts_can(task: str) -> None:
    """ROUGE-L puts some answer with a wrong fact above some answer that is right in all; no fact score does."""
    truth, rows = of(task)
    right = min(found(task, row.answer, truth, "paper")["value"] for row in rows if row.value == 1)
    wrong = max(found(task, row.answer, truth, "paper")["value"] for row in rows if row.value < 1)
    assert right < wrong
    assert len(rows) >= 10


def test_the_table_has_a_line_for_each_near_miss() -> None:
    assert len(table().splitlines()) == 2 + len(CASES)
