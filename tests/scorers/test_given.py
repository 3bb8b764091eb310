"""Input validation of scorers and analyses: an error names the field and what to correct, and never the value."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import Field
from support_cases import each_of

from harness.errors import InputError
from harness.scorers.given import (
    AnalysisInput,
    Counts,
    Number,
    Row,
    Text,
    ToolOutput,
    UncheckedList,
    check_input,
    finite_number,
    one_of_words,
    whole_number,
)
from harness.scorers.tool import Tool, describe_fields
from harness.studies.registry import analyses, scorers
from harness.studies.reliability.standalone.outcome import SCORERS

SHARED = "two that go together"


class Inner(Row):
    """One of many."""

    at: Number


class Everything(AnalysisInput):
    """All kinds of fields."""

    name: Text = Field(description="who it is")
    left: Number = Field(description=SHARED)
    right: Number = Field(description=SHARED)
    counts: Counts = Field(description="how many")
    each: list[Inner] = Field(default=[], description="many")
    far: Annotated[list[Any], UncheckedList(list[Inner])] = Field(default=[], description="looked at later")
    by_name: dict[Text, Number] = Field(default={}, description="by name")
    way: Annotated[str, one_of_words("a way", "up", "down")] | None = None
    seed: Annotated[int, whole_number(0)] = 0
    share: Annotated[float, finite_number(0, 1)] = 0.5


class Name(ToolOutput):
    """What it gives."""

    name: str = Field(description="who it was")


GOOD: dict[str, Any] = {"name": "n", "left": 1, "right": 2.5, "counts": [0, 3]}


@each_of(
    ("change", "where", "what", "mend"),
    [
        ({"name": None}, "name", "is not text but null", "give text"),
        ({"name": ["n"]}, "name", "is not text but a list", "give text"),
        ({"left": "1"}, "left", "is not a finite number but text", "up to 1e15"),
        ({"left": True}, "left", "is not a finite number but true or false", "up to 1e15"),
        ({"left": float("nan")}, "left", "is not a finite number", "up to 1e15"),
        ({"left": 10**16}, "left", "is not a finite number", "up to 1e15"),
        ({"counts": 3}, "counts", "is not a list but a whole number", "give a list"),
        (
            {"counts": [1, -1]},
            "counts",
            "is not a list of whole numbers from 0 up: look at [1]",
            "give a list of whole",
        ),
        ({"each": [{"at": 1}, {"at": "x"}]}, "each[1]/at", "is not a finite number but text", "up to 1e15"),
        ({"each": [{"at": 1}, {}]}, "each[1]/at", "is missing", "give `at`"),
        ({"each": [3]}, "each[0]", "is not an object but a whole number", "give an object"),
        ({"each": {}}, "each", "is not a list but an object", "give a list, or leave it out"),
        ({"far": "secret"}, "far", "is not a list but text", "or leave it out"),
        ({"by_name": []}, "by_name", "is not an object but a list", "or leave it out"),
        ({"by_name": {"x": "secret"}}, "by_name/x", "is not a finite number but text", "up to 1e15"),
        ({"way": "secret"}, "way", "is not a way but text", "use one of: up, down, or leave it out"),
        ({"seed": 1.5}, "seed", "is not a whole number from 0 up", "or leave it out"),
        ({"share": 1.5}, "share", "is not a number from 0 to 1", "or leave it out"),
        ({"sed": 4}, "sed", "is not known", "did you mean `seed`?"),
    ],
)
def test_what_is_wrong_is_named_by_its_place_with_the_mend(
    change: dict[str, Any], where: str, what: str, mend: str
) -> None:
    with pytest.raises(InputError) as refused:
        check_input(Everything, {**GOOD, **change})
    assert (refused.value.where, refused.value.what) == (where, f"the field `{where}` {what}")
    assert mend in refused.value.next and "secret" not in str(refused.value)


def test_a_field_that_is_missing_says_what_it_is_or_which_was_meant() -> None:
    with pytest.raises(InputError) as refused:
        check_input(Everything, {name: value for name, value in GOOD.items() if name != "name"})
    assert (refused.value.where, refused.value.next) == ("name", "give `name`: who it is")
    with pytest.raises(InputError) as refused:
        SCORERS["reliability.outcome"].run({"benchmark": "addition", "a": "1", "b": "2", "respons": "3"})
    assert (refused.value.where, refused.value.next) == ("response", "`respons` is given: did you mean `response`?")


def test_what_is_given_is_not_changed_and_may_hold_more_than_is_asked() -> None:
    rows, name = [{"at": "x"}], "half a character \ud800"
    found = check_input(Everything, {**GOOD, "name": name, "far": rows, "note": "of the caller's own"})
    assert found.name is name and found.far is rows
    assert (type(found.left), type(found.right)) == (int, float)
    assert check_input(Inner, {"at": 1, "att": 2}).at == 1, "a row may have columns of any name"


def test_the_list_and_the_schema_come_from_the_models() -> None:
    assert list(describe_fields(Everything).items())[:3] == [
        ("name", "who it is"), ("left, right", SHARED), ("counts", "how many"),
    ]  # fmt: skip
    schema = Tool("Names.", Everything, Name, lambda given: {"name": given.name}).schema()
    takes = schema["takes"]["properties"]
    assert schema["takes"]["required"] == ["name", "left", "right", "counts"]
    assert takes["counts"]["items"] == {"type": "integer", "minimum": 0, "maximum": 2**53}
    assert (
        takes["far"]["items"] == {"$ref": "#/$defs/Inner"} and "at" in schema["takes"]["$defs"]["Inner"]["properties"]
    )
    assert takes["seed"]["default"] == 0 and takes["name"]["description"] == "who it is"
    assert schema["gives"]["additionalProperties"] is False


def test_the_parts_of_a_union_are_listed_by_name_and_what_they_share_once() -> None:
    listed = describe_fields(SCORERS["reliability.outcome"].takes)
    assert list(listed)[:4] == ["benchmark", "response", "rule_set", "a, b (addition)"]
    assert listed["target (anagram)"] != listed["target (locality)"]
    told = SCORERS["reliability.outcome"].schema()["takes"]
    assert told["discriminator"]["propertyName"] == "benchmark" and len(told["oneOf"]) == 5


def test_every_field_of_every_tool_is_described_and_has_a_schema() -> None:
    for name, tool in {**scorers(), **analyses()}.items():
        assert tool.about.endswith("."), name
        for model in (tool.takes, tool.gives):
            assert all(describe_fields(model).values()), (name, model)
        assert set(tool.schema()) == {"takes", "gives"}
