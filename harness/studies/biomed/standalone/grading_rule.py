"""The standalone scorer of the rule grader: grades a response by a gold answer as good, bad or abstaining."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from harness.scorers.given import FieldCheck, Row, ToolOutput
from harness.scorers.tool import Grader, Tool
from harness.studies.biomed import facts, terms
from harness.studies.biomed.judging.rule import ABSTAIN, GOOD, VERSION, grade

_KINDS = (facts.VERDICT, facts.NAME, facts.NAMES, facts.NUMBER, facts.INTEGER)


def _is_fact(one: Any) -> bool:
    if not isinstance(one, Mapping) or one.get("kind") not in _KINDS:
        return False
    texts = isinstance(one.get("slot"), str) and isinstance(one.get("of"), str) and isinstance(one.get("asked"), bool)
    value = one.get("value")
    if one["kind"] == facts.NAMES:
        fits = isinstance(value, list) and bool(value) and all(isinstance(name, str) for name in value)
    elif one["kind"] in (facts.NUMBER, facts.INTEGER):
        fits = isinstance(value, str | int) and not isinstance(value, bool) and len(str(value)[:99]) < 99
    else:
        fits = isinstance(value, str)
    others, of_all = one.get("names"), one.get("of_all")
    return texts and fits and (others is None or _is_names(others)) and (of_all is None or isinstance(of_all, int))


def _is_names(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(others, list) and all(isinstance(one, str) for one in others) for others in value.values()
    )


FACTS = FieldCheck(
    lambda value: value is None or (isinstance(value, list) and all(map(_is_fact, value))),
    "a list of facts {slot, of, kind, value, asked}",
    {"type": "array", "items": {"type": "object"}},
)
NAMES = FieldCheck(
    lambda value: value is None or _is_names(value),
    "other names by name, {name: [names]}",
    {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}},
)


class GradedAnswer(Row):
    """Input: a question, its gold answer, and the response that is graded."""

    question: str = Field(description="the question")
    answer: str = Field(description="the gold answer")
    response: str = Field(description="the response that is graded")
    facts: Annotated[Any, FACTS] = Field(
        default=None, description="the gold answer's facts, where a template made them"
    )
    names: Annotated[Any, NAMES] = Field(default=None, description="other names that mean the same, by name")


class GradedAnswerOutput(ToolOutput):
    """Output: the grade, its value and label, and the reasons."""

    value: float = Field(description="the grade divided by 3; -1 of an answer that says it does not know")
    grade: str = Field(description="the grade on the rubric's scale: 3.0, 2.5 … 0.0, or -1.0")
    label: Literal["good", "bad", "abstain"] = Field(description="good from grade 2 up")
    why: list[str] = Field(description="how each fact of the gold answer fared")
    rule: str = Field(description="the version of the rule and of its tables")


def _graded(row: GradedAnswer) -> dict[str, Any]:
    found = grade(row.question, row.answer, row.response, row.facts, row.names)
    value = terms.NOT_KNOWN if found.label == ABSTAIN else float(found.grade) / terms.FULL
    return {"value": value, "grade": found.grade, "label": found.label, "why": list(found.why), "rule": VERSION}


SCORERS: Mapping[str, Tool] = {
    "biomed.bioscore_rule": Tool(
        about="Grades an answer against a gold answer by its facts, with a rule (OURS) in place of the paper's grader.",
        takes=GradedAnswer,
        gives=GradedAnswerOutput,
        run=_graded,
        grader=Grader(("harness.studies.biomed.judging.rule:judge",), GOOD),
    ),
}
