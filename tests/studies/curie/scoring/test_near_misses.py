"""Fact scores give what a scientist would give: answers that are nearly right, and right ones that look otherwise."""

from __future__ import annotations

import pytest
from studies.curie.scoring.near_misses.near_miss import TASKS, found, of, table
from support_cases import each_of


@each_of("task", TASKS)
def test_strict_mode_gives_what_a_scientist_gives(task: str) -> None:
    truth, rows = of(task)
    for row in rows:
        scored = found(task, row.answer, truth, "strict")
        assert scored["value"] == pytest.approx(float(row.value), abs=1e-12), (row.name, row.why, scored["detail"])
        assert scored["outcome"] == row.outcome, row.name


@pytest.mark.parametrize("task", TASKS)
def test_words_cannot_tell_what_facts_can(task: str) -> None:
    """ROUGE-L puts some answer with a wrong fact above some answer that is right in all; no fact score does."""
    truth, rows = of(task)
    right = min(found(task, row.answer, truth, "paper")["value"] for row in rows if row.value == 1)
    wrong = max(found(task, row.answer, truth, "paper")["value"] for row in rows if row.value < 1)
    assert right < wrong
    assert len(rows) >= 10


def test_the_table_has_a_line_for_each_near_miss() -> None:
    assert len(table().splitlines()) == 2 + sum(len(of(task)[1]) for task in TASKS)
