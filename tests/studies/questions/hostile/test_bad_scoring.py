"""Patterns, schemas and targets that would run for ever or fit nowhere, through the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from studies.questions.hostile.file_project import FileProject
from support_draws import drawn

TINY = "{tiny: {provider: transformers, source: package:repro-harness/tiny-shaped}}"
FOR_EVER = {
    "a repeat around a repeat": "(a+)+$",
    "a repeat around a choice": "(a|aa)+$",
    "deeper down": "x(?:(b|(c*))*)*y",
    "a count of counts": "(a{1,99}){1,99}$",
    "no pattern": "(",
    "a pattern of 10,000 letters": "a" * 10_000,
    "counts without end": "((((a{1,999}){1,999}){1,999}){1,999}){1,999}",
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("form", drawn(FOR_EVER, 2, 7))
def test_a_pattern_that_may_run_for_ever_is_refused_at_lock(tmp_path: Path, form: str) -> None:
    entry = json.dumps({"regex": {"pattern": FOR_EVER[form]}})
    error = FileProject(tmp_path).write(score=f"[{entry}]").refused()
    assert "q.yaml:9" in error["where"], error


@pytest.mark.exhaustive
@pytest.mark.parametrize("given", drawn(["[a, b, c]", "{a: b}", "null"], 1, 3))
def test_options_of_a_wrong_type_are_refused_with_what_to_write(tmp_path: Path, given: str) -> None:
    error = FileProject(tmp_path).write(score=f"[{{choice: {{from: {given}}}}}]").refused()
    assert "`settings.score.0.choice.from` is wrong: write the name of one column" in error["what"], error
    assert "`from: options`" in error["what"] and "`fields: {options: [a, b, c]}`" in error["what"]


@pytest.mark.long
def test_a_pattern_that_is_merely_slow_ends_in_an_error_and_no_score(tmp_path: Path) -> None:
    """Its time grows with the cube of the answer, which the oracle takes from the file."""
    project = FileProject(tmp_path, "question,answer\nWho?," + "a" * 100_000 + "\nWhy?,abc\n")
    entry = json.dumps({"regex": {"pattern": "a.*a.*a.*b", "matches": True}})
    ran = project.write(score=f"[{entry}]").run()
    slow, quick = project.rows(ran, "scores")
    assert isinstance(slow["value"], dict) and slow["value"]["missing"]
    assert quick["value"] == 0


@pytest.mark.long
def test_an_option_or_a_question_longer_than_the_context_is_an_error_of_its_item(tmp_path: Path) -> None:
    rows = [
        {"question": "1 + 1?", "options": ["2", "3"], "answer": "A"},
        {"question": "1 + 2?", "options": ["4 " * 20_000, "3"], "answer": "B"},
        {"question": "long " * 50_000, "options": ["2", "3"], "answer": "A"},
    ]
    project = FileProject(tmp_path, "".join(json.dumps(row) + "\n" for row in rows), "mine.jsonl")
    project.write(
        fields="{input: question, target: answer, options: options}", models=TINY,
        score="[exact, {choice: {from: options, by: loglikelihood}}]",
    )  # fmt: skip
    ran = project.run()
    found = {
        name: [row for row in project.rows(ran, "scores") if row["scorer"] == name] for name in ("exact", "choice")
    }
    for name, errors in {"exact": [False, False, True], "choice": [False, True, True]}.items():
        for row, error in zip(found[name], errors, strict=True):
            missing = isinstance(row["value"], dict) and row["value"]["missing"] and row["detail"]["error"]
            assert missing if error else row["value"] in (0, 1), (name, row["item"])
    lines = {line["scorer"]: (line["n"], line["errors"]) for line in ran["runs"][0]["scores"]}
    assert lines == {"exact": (2, 1), "choice": (1, 2)}


OPTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "no list": ({"options": "2 or 3", "answer": "A"}, "column 'options'"),
    "one option": ({"options": ["2"], "answer": "A"}, "column 'options'"),
    "27 options": ({"options": [str(at) for at in range(27)], "answer": "A"}, "column 'options'"),
    "an empty option": ({"options": ["2", ""], "answer": "A"}, "column 'options'"),
    "a letter of none": ({"options": ["2", "3"], "answer": "C"}, "column 'answer'"),
    "a text of none": ({"options": ["2", "3"], "answer": "4"}, "column 'answer'"),
    "lists in lists": ({"options": [["2"], ["3"]], "answer": "A"}, "column 'options'"),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("form", drawn(OPTIONS, 1, 4))
def test_options_that_are_none_are_refused_by_row_and_column(tmp_path: Path, form: str) -> None:
    row, where = OPTIONS[form]
    data = [{"question": "1 + 1?", "options": ["2", "3"], "answer": "A"}, {"question": "2?", **row}]
    project = FileProject(tmp_path, "".join(json.dumps(row) + "\n" for row in data), "mine.jsonl")
    project.write(fields="{input: question, target: answer, options: options}", score="[choice]")
    error = project.refused()
    assert "row 2" in error["where"] and where in error["where"], error


@pytest.mark.exhaustive
def test_a_schema_that_is_none_or_fetches_is_refused_at_lock(tmp_path: Path) -> None:
    for schema in drawn(["{", '{"type": 7}', '{"$ref": "http://localhost/x.json"}', "[" * 10_000], 2, 4):
        entry = json.dumps({"json": {"schema": schema}})
        assert "q.yaml:9" in FileProject(tmp_path).write(score=f"[{entry}]").refused()["where"], schema
