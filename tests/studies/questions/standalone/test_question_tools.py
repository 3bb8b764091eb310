"""The study's standalone scorers: a row in, a value out, as in a run; wrong rows are refused by their field."""

from __future__ import annotations

from typing import Any

import pytest
from support_cases import each_of

from harness.errors import InputError
from harness.studies.questions.standalone.catalogue import SCORERS

ROWS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {  # of each: a right row, and what makes it wrong
    "questions.exact": ({"response": " Rome ", "target": "Rome"}, {"response": "rome"}),
    "questions.match": ({"response": "It is rome!", "target": "Rome", "where": "end"}, {"where": "whole"}),
    "questions.f1": ({"response": "the rome", "target": "Rome"}, {"response": "Paris"}),
    "questions.regex": ({"response": "#### 42 km", "target": "42", "pattern": r"#### (\d+)"}, {"group": 0}),
    "questions.number": ({"response": "about 1,001", "target": "1000", "relative": "0.01"}, {"relative": "0"}),
    "questions.choice": ({"response": "(B)", "target": "B", "options": {"A": "x", "B": "y"}}, {"target": "A"}),
    "questions.json": ({"response": "[1.0]", "target": "[1]"}, {"response": "[1"}),
    "questions.judge": ({"reply": "GRADE: 1"}, {"reply": "GRADE: 0"}),
    "questions.code": (
        {"response": "def f(): pass", "tests": "assert f() == 1", "trial": {"outcome": "done",
        "stdout": '{"values": ["1"]}'}},
        {"trial": {"outcome": "time", "stdout": ""}},
    ),
}  # fmt: skip


def test_each_tool_has_a_row_here() -> None:
    assert ROWS.keys() == SCORERS.keys()


@each_of("name", ROWS)
def test_a_right_row_is_worth_1_and_a_wrong_one_0_in_the_declared_form(name: str) -> None:
    right, wrong = ROWS[name]
    tool = SCORERS[name]
    for row, value in ((right, 1), ({**right, **wrong}, 0)):
        found = tool.gives.model_validate(tool.run(row)).model_dump()
        assert found["value"] == value


@each_of(
    ("name", "change", "where"),
    [
        ("questions.exact", {"response": 3}, "response"), ("questions.match", {"where": "middle"}, "where"),
        ("questions.regex", {"pattern": "(a+)+"}, "pattern"), ("questions.regex", {"group": 7}, "group"),
        ("questions.number", {"tolerance": "x"}, "tolerance"), ("questions.number", {"decimal": "dot"}, "decimal"),
        ("questions.choice", {"options": {"A": 1}}, "options"), ("questions.judge", {"best": 0}, "best"),
        ("questions.code", {"tests": None}, "tests"),
    ],
)  # fmt: skip
def test_a_row_that_is_wrong_is_refused_by_its_field(name: str, change: dict[str, Any], where: str) -> None:
    with pytest.raises(InputError) as bad:
        SCORERS[name].run({**ROWS[name][0], **change})
    assert where in f"{bad.value.where} {bad.value.what}"


def test_a_row_of_json_may_be_held_against_a_schema_instead() -> None:
    row = {"response": "{}", "schema_text": '{"required": ["a"]}'}
    assert SCORERS["questions.json"].run(row)["value"] == 0
    assert SCORERS["questions.json"].run({**row, "response": '{"a": 1}'})["value"] == 1
    with pytest.raises(InputError, match="'requires'"):
        SCORERS["questions.json"].run({**row, "schema_text": '{"requires": []}'})


def test_a_row_of_code_says_which_program_is_to_be_tried_unless_it_was() -> None:
    row = {name: value for name, value in ROWS["questions.code"][0].items() if name != "trial"}
    found = SCORERS["questions.code"].program(row)
    assert found and "def f(): pass" in found[1] and '"1"' not in found[1]
    assert SCORERS["questions.code"].program(ROWS["questions.code"][0]) is None
    assert SCORERS["questions.code"].program({**row, "response": " "}) is None
