"""The rule grader called alone: its fields, its grade, and what a certificate needs of it."""

from __future__ import annotations

import pytest

from harness.errors import InputError
from harness.run.closure import Code
from harness.run.locking.certificates import grader_code
from harness.studies.biomed.judging.rule import VERSION
from harness.studies.biomed.standalone.grading_rule import SCORERS

TOOL = SCORERS["biomed.bioscore_rule"]
ROW = {
    "question": "When was Escitavex approved by the FDA?",
    "answer": "The drug Escitavex was first FDA approved for use in 2002.",
    "response": "In 2002.",
}


@pytest.mark.parametrize(
    ("response", "value", "grade", "label"),
    [("In 2002.", 1.0, "3.0", "good"), ("In 1998.", 0.0, "0.0", "bad"), ("I do not know.", -1.0, "-1.0", "abstain")],
)
def test_a_response_gets_a_value_a_grade_and_a_label(response, value, grade, label):
    found = TOOL.run({**ROW, "response": response})
    assert (found["value"], found["grade"], found["label"]) == (value, grade, label)
    assert found["rule"] == VERSION
    TOOL.gives.model_validate(found)


def test_facts_and_other_names_are_taken_where_they_are_given():
    facts = [{"slot": "gene", "of": "", "kind": "name", "value": "ZZQ9", "asked": True}]
    given = {**ROW, "response": "quuxin", "facts": facts, "names": {"ZZQ9": ["quuxin"]}}
    assert TOOL.run(given)["grade"] == "3.0"


@pytest.mark.parametrize(
    "wrong",
    [
        {"response": None},
        {"facts": [{"slot": "gene"}]},
        {"facts": [{"slot": "p", "of": "", "kind": "number", "value": True, "asked": True}]},
        {"facts": [{"slot": "gene", "of": "", "kind": "names", "value": [], "asked": True}]},
        {"names": {"a": "b"}},
    ],
)
def test_a_wrong_field_is_named(wrong):
    with pytest.raises(InputError) as bad:
        TOOL.run({**ROW, **wrong})
    assert next(iter(wrong)) in str(bad.value)


def test_a_certificate_names_every_file_of_the_rule():
    assert TOOL.grader and TOOL.grader.accepts == "good"
    named = grader_code(TOOL.grader.code, Code()).files
    own = "harness/studies/biomed/"
    for name in ("judging/rule", "judging/rule_rubric", "reading/golds", "reading/known_names", "reading/verdicts"):
        assert f"{own}{name}.py" in named
    assert f"{own}judging/llm.py" not in named
