"""What a tool says that it gives is what it gives: every golden case, ours and those beside the checkout."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from golden.every import main

from harness.scorers.tool import Tool

HERE = Path(__file__).parent
FIXTURES = HERE.parents[2] / "shared" / "fixtures"


@pytest.mark.long
def test_what_every_golden_case_gives_fits_the_model_of_its_tool(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plain, fit = Tool.run, set[str]()

    def held(tool: Tool, given: Mapping[str, Any]) -> Mapping[str, Any]:
        found = plain(tool, given)
        tool.gives.model_validate(found)  # what does not fit is a case that failed
        fit.add(tool.about)
        return found

    monkeypatch.setattr(Tool, "run", held)
    for folder in (HERE / "cases", FIXTURES):
        if folder.is_dir():
            assert main(folder) == 0, capsys.readouterr().out
    assert len(fit) >= (10 if FIXTURES.is_dir() else 1)  # beside a checkout alone lie fewer
