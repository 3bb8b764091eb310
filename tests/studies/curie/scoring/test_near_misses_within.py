"""Answers that are almost right are worth what a scientist gives, or the table says why not; and the page of them."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from studies.curie.scoring.near_misses.page import judged, page
from studies.curie.scoring.near_misses.scored import RULES, as_given, values
from studies.curie.scoring.near_misses.within import NearMissWithin

from harness.studies.curie.tasks import AVERAGED, STRICT

ROOT = Path(__file__).resolve().parents[4]
PAGE = ROOT / "docs" / "curie-near-misses.md"


def rows(task: str) -> list[NearMissWithin]:
    return list(import_module(f"studies.curie.scoring.near_misses.{task.replace('-', '_')}").ROWS)


CASES = [pytest.param(task, row, id=f"{task}: {row.name}") for task in RULES for row in rows(task)]


@pytest.mark.parametrize(("task", "row"), CASES)
def test_strict_mode_gives_what_a_scientist_gives_or_says_why_not(task: str, row: NearMissWithin) -> None:
    strict, _ = values(task, row)
    assert as_given(row, strict) is not bool(row.apart), (strict, row.why)


@pytest.mark.parametrize("task", RULES)
def test_words_and_planes_put_a_wrong_answer_above_a_right_one(task: str) -> None:
    """Paper mode does so in every task; strict mode does in none, the answers aside where it parts."""
    found = [(row, *values(task, row)) for row in rows(task)]
    assert len(found) >= 10
    right = [each for each in found if each[0].low == 1]
    wrong = [each for each in found if each[0].high < 1]
    counted = [value if isinstance(value, int | float) else 0 for _, _, value in right]
    assert min(counted) < max(value for _, _, value in wrong if isinstance(value, int | float))
    kept = [strict for row, strict, _ in right if not row.apart]
    assert min(kept) > max(strict for _, strict, _ in wrong)


def test_b5_sides_that_are_changed_about_are_flagged() -> None:
    [row] = [each for each in rows("biogr") if each.name == "west and east changed about"]
    assert RULES["biogr"]("biogr", row, STRICT)["detail"]["suspected_swap"] is True


@pytest.mark.parametrize("task", AVERAGED)
def test_every_task_has_ten_near_misses_with_names_of_their_own(task: str) -> None:
    names = [row.name for row in judged(task)]
    assert len(names) == len(set(names)) >= 10


def test_the_page_is_what_its_command_writes(tmp_path: Path) -> None:
    written = tmp_path / "page.md"
    subprocess.run([sys.executable, ROOT / "tools" / "near_misses.py", written], check=True, cwd=tmp_path)
    assert written.read_text(encoding="utf-8") == page()
    assert PAGE.read_text(encoding="utf-8") == page(), "`python tools/near_misses.py` writes it again"
