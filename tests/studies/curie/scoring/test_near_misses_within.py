"""Answers that are almost right are worth what a scientist gives, or the table says why not; and the page of them."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from studies.curie.scoring.near_misses.page import counted, judged, page
from studies.curie.scoring.near_misses.scored import RULES, as_given, strictly
from studies.curie.scoring.near_misses.within import NearMissWithin
from support_cases import each_of

from harness.studies.curie.tasks import AVERAGED, STRICT

ROOT = Path(__file__).resolve().parents[4]
PAGE = ROOT / "docs" / "curie-near-misses.md"


def rows(task: str) -> list[NearMissWithin]:
    return list(import_module(f"studies.curie.scoring.near_misses.{task.replace('-', '_')}").ROWS)


@each_of("task", RULES)
def test_strict_mode_gives_what_a_scientist_gives_or_says_why_not(task: str) -> None:
    found = [(row, strictly(task, row)) for row in rows(task)]
    assert [(row.name, value, row.why) for row, value in found if as_given(row, value) is bool(row.apart)] == []


@pytest.mark.long
@pytest.mark.parametrize("task", AVERAGED)
def test_paper_mode_alone_puts_a_wrong_answer_above_a_right_one(task: str) -> None:
    """As the page says: in every task, and strict mode only where a right answer is one at which it parts."""
    found = judged(task)
    right, wrong = [row for row in found if row.low == 1], [row for row in found if row.high < 1]
    assert min(counted(row.paper) for row in right) < max(counted(row.paper) for row in wrong)
    assert min(row.strict for row in right if not row.parts) > max(row.strict for row in wrong)


def test_b5_sides_that_are_changed_about_are_flagged() -> None:
    [row] = [each for each in rows("biogr") if each.name == "west and east changed about"]
    assert RULES["biogr"]("biogr", row, STRICT)["detail"]["suspected_swap"] is True


@pytest.mark.long
@pytest.mark.parametrize("task", AVERAGED)
def test_every_task_has_ten_near_misses_with_names_of_their_own(task: str) -> None:
    names = [row.name for row in judged(task)]
    assert len(names) == len(set(names)) >= 10


@pytest.mark.long
def test_the_page_is_what_its_command_writes(tmp_path: Path) -> None:
    written = tmp_path / "page.md"
    subprocess.run([sys.executable, ROOT / "tests" / "near_misses.py", written], check=True, cwd=tmp_path)
    assert written.read_text(encoding="utf-8") == page()
    assert PAGE.read_text(encoding="utf-8") == page(), "`python tests/near_misses.py` writes it again"
