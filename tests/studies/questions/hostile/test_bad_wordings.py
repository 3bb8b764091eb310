"""Wordings that reach for more than they may, through the command line: refused at `lock`, or plain text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from studies.questions.hostile.file_project import QUESTIONS, FileProject
from support_draws import drawn

SUSPICIOUS = "Why {answer}? {question.__class__} {0} %s $HOME ${x} {{7*7}} {% raw %}"
REACHING = {
    "an attribute": "{question.__class__.__mro__}",
    "an index": "{question[0]}",
    "a conversion": "{question!r}",
    "the target": "{question} It is {answer}.",
    "a column that is not shown": "{question} {continent}",
    "a column that is none": "{question} {whatever}",
    "options that are none": "{question}\n{options}",
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("reach", drawn(REACHING, 2, 7))
def test_a_wording_that_reaches_too_far_is_refused_with_its_line(tmp_path: Path, reach: str) -> None:
    project = FileProject(tmp_path).write(prompts=f"{{text: {json.dumps(REACHING[reach])}}}")
    error = project.refused()
    assert "q.yaml:7" in error["where"], error


@pytest.mark.long
def test_nothing_formats_and_a_width_in_braces_is_a_text(tmp_path: Path) -> None:
    project = FileProject(tmp_path).write(prompts='{text: "{question} {question:>1000000000}"}')
    texts = [row["text"] for row in project.rows(project.run(), "prompts")]
    assert texts == [f"{question} {{question:>1000000000}}" for question, _ in QUESTIONS]


@pytest.mark.exhaustive
def test_the_target_is_refused_in_every_form_of_wordings(tmp_path: Path) -> None:
    project, secret = FileProject(tmp_path), "{question} {answer}"
    lines = tmp_path / "mine.jsonl"
    lines.write_text(json.dumps({"id": 0, "text": "{question}"}) + "\n" + json.dumps({"id": 1, "text": secret}) + "\n")
    told = json.dumps(secret)
    forms = (
        f"{{texts: [\"{{question}}\", {told}]}}", f"{{turns: [{{system: {told}}}, {{user: \"{{question}}\"}}]}}",
        f"{{turns: [{{user: {told}}}]}}", "{file: mine.jsonl}",
    )  # fmt: skip
    for form in drawn(forms, 2, 4):
        error = project.write(prompts=form).refused()
        assert "tell the answer" in error["what"], form
        assert ("mine.jsonl, wording 2" if "file" in form else "q.yaml:7") in error["where"], error


@pytest.mark.long
def test_what_a_cell_says_is_never_read_as_a_wording(tmp_path: Path) -> None:
    rows = [{"question": SUSPICIOUS, "answer": "x"}, {"question": "{shots}{options}{question}", "answer": "y"}]
    project = FileProject(tmp_path, "".join(json.dumps(row) + "\n" for row in rows), "mine.jsonl")
    ran = project.write(prompts='{text: "Q: {question} {0} {} {{question}} {", shot: "{question} {answer}"}').run()
    assert [row["text"] for row in project.rows(ran, "prompts")] == [
        f"Q: {row['question']} {{0}} {{}} {{question}} {{" for row in rows
    ]


MANY: dict[str, Any] = {
    "open braces": "{" * 99_000 + "{question}",
    "pairs of braces": "{}" * 49_000 + "{question}",
    "nested braces": "{" * 49_000 + "question" + "}" * 49_000,
    "names": "{question}" * 9_000,
}


@pytest.mark.long
@pytest.mark.parametrize("form", MANY)
def test_braces_without_number_are_a_text_like_any_other(tmp_path: Path, form: str) -> None:
    ran = FileProject(tmp_path).write(prompts=f"{{text: {json.dumps(MANY[form])}}}").run()
    assert ran["runs"][0]["steps"]["failed"] == 0


@pytest.mark.long
def test_a_million_braces_are_more_than_a_wording_may_have(tmp_path: Path) -> None:
    error = FileProject(tmp_path).write(prompts=f"{{text: {json.dumps('{' * 1_000_000)}}}").refused()
    assert "q.yaml" in error["where"]
    lines = tmp_path / "mine.jsonl"
    lines.write_text(json.dumps({"id": 0, "text": "{" * 1_000_000}) + "\n")
    error = FileProject(tmp_path).write(prompts="{file: mine.jsonl}").refused()
    assert "mine.jsonl" in error["where"]


BAD_LINES = {
    "no JSON": '{"id": 0, "text"',
    "no object": '["{question}"]',
    "brackets without end": "[" * 100_000,
    "a number for a text": '{"id": 0, "text": 7}',
    "an id that is none": '{"id": -1, "text": "{question}"}',
    "an id twice": '{"id": 0, "text": "{question}"}\n{"id": 0, "text": "{question}?"}',
    "a role that is none": '{"id": 0, "turns": [{"tool": "{question}"}]}',
    "half of a surrogate pair": '{"id": 0, "text": "\\ud800{question}"}',
    "a field that is none": '{"id": 0, "text": "{question}", "code": "x"}',
    "nothing": "\n",
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("form", drawn(BAD_LINES, 2, 5))
def test_a_bad_file_of_wordings_is_refused_by_its_place(tmp_path: Path, form: str) -> None:
    project = FileProject(tmp_path).write(prompts="{file: mine.jsonl}")
    (tmp_path / "mine.jsonl").write_text(BAD_LINES[form] + "\n")
    assert "mine.jsonl" in project.refused()["where"]
