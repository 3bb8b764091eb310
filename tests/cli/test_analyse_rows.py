"""Several objects, a line each, are the rows of one analysis."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support_inside import inside

ROWS = [{"uuid": f"Q1.{number}", "template_uuid": "Q1"} for number in range(1, 15)]


def analysed(given: str, folder: Path, check: int = 0):
    (folder / "given").write_text(given)
    return inside("analyse", "biomed.sampling", "-i", "given", cwd=folder, check=check)


@pytest.mark.parametrize("after", ["\n", "\r\n", "\n\n"])
def test_lines_are_the_rows_of_a_document_without_parameters(tmp_path, after):
    lines = after.join(map(json.dumps, ROWS))
    assert analysed(lines, tmp_path).stdout == analysed(json.dumps({"rows": ROWS}), tmp_path).stdout


def test_a_document_over_several_lines_is_no_rows(tmp_path):
    whole = {"rows": ROWS, "params": {}}
    assert analysed(json.dumps(whole, indent=1), tmp_path).stdout == analysed(json.dumps(whole), tmp_path).stdout


def test_a_line_that_is_no_object_is_named(tmp_path):
    told = analysed(f"{json.dumps(ROWS[0])}\n{json.dumps(ROWS[1])}\n[1]", tmp_path, check=2)
    assert "given:3" in told.stderr and "object" in told.stderr
