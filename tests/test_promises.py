"""The page of promises names tests that are there, and no row of it is without one."""

from __future__ import annotations

from pathlib import Path

import pytest
from support_draws import NAMED

pytestmark = pytest.mark.house
ROOT = Path(__file__).resolve().parents[1]
PAGE, LIST = ROOT / "docs" / "promises.md", ROOT / "docs" / "testing.md"


def rows() -> list[list[str]]:
    """Give the cells of every row of the page's tables."""
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if not line.startswith("| promise")]


def test_every_promise_names_its_attack_and_its_test() -> None:
    found = rows()
    assert len(found) > 20
    for cells in found:
        assert len(cells) == 4, cells
        promise, attack, test, _ = cells
        assert promise and attack and NAMED.search(test), promise


def test_every_test_that_is_named_is_there() -> None:
    named = NAMED.findall(PAGE.read_text() + LIST.read_text())
    assert len(named) > 60
    for file, test in named:
        text = (ROOT / file).read_text()
        assert "def test_" in text and (not test or f"def {test}(" in text), (file, test)
