"""JSON answers: what says the same, what a schema allows as the package jsonschema has it, and what is no JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from support_answer_scores import entry, scores, values
from support_cases import each_of

from harness.errors import InputError
from harness.studies.questions.scoring import json_answer, search
from harness.studies.questions.scoring.schema import parse_schema

WHOLE = '{"name": "Ada", "born": 1815, "tags": ["x", null, true]}'
SAME = [
    WHOLE,
    f"```json\n{WHOLE}\n```",
    f"Here:\n```\n{WHOLE}\n```\n",
    '{"tags":["x",null,true],"born":1815.0,"name":"\\u0041da"}',
]
OTHER = [
    "", "null", "{}", WHOLE + "x", WHOLE.replace("true", "1"), WHOLE.replace("1815", "1816"),
    WHOLE.replace('"x", null', 'null, "x"'),
    WHOLE[:-1] + ', "more": 1}', '{"name": "Ada", "name": "Ada", "born": 1815, "tags": ["x", null, true]}',
    f"Sure! {WHOLE}",
    f"```\n{WHOLE}\n```\n```\n{WHOLE}\n```", "NaN", "1e400", '{"x": -1e999}',
    "[" * 100_000, '{"a":' * 50_000, "9" * 100_000, "{'name': 'Ada'}",
    "\ufeff" + WHOLE,
]  # fmt: skip


def test_json_that_says_the_same_is_right_and_no_other(tmp_path: Path) -> None:
    assert values(tmp_path, json_answer.score, "json", SAME, {"target": WHOLE}) == [1] * len(SAME)
    assert values(tmp_path, json_answer.score, "json", OTHER, {"target": WHOLE}) == [0] * len(OTHER)


def test_true_is_not_1_nor_false_0(tmp_path: Path) -> None:
    assert values(tmp_path, json_answer.score, "json", ["1", "true", "1.0"], {"target": "1"}) == [1, 0, 1]
    assert values(tmp_path, json_answer.score, "json", ["[0]", "[false]"], {"target": "[false]"}) == [0, 1]


def test_a_target_that_is_no_json_gives_no_score(tmp_path: Path) -> None:
    assert values(tmp_path, json_answer.score, "json", ["1"], {"target": "one"}) == [{"missing": json_answer.NO_TARGET}]


def test_a_schema_alone_or_with_the_target_decides(tmp_path: Path) -> None:
    schema = json.dumps(
        {"type": "object", "required": ["name"], "properties": {"name": {"type": "string", "minLength": 2}}}
    )
    answers = [WHOLE, '{"name": "A"}', '{"name": "Bo"}', "[]", "no JSON"]
    found = scores(tmp_path, json_answer.score, {"json": {"schema": schema}}, answers, {"target": ""})
    assert [row["value"] for row in found] == [1, 0, 1, 0, 0]
    assert "$.name" in found[1]["detail"]["why"] and found[4]["detail"]["why"] == json_answer.NO_JSON
    both = {"json": {"schema": schema, "equal": "true"}}
    assert values(tmp_path, json_answer.score, both, answers, {"target": WHOLE}) == [1, 0, 0, 0, 0]


SCHEMAS: list[Any] = [
    True, False, {}, {"type": "integer"}, {"type": ["null", "number"]}, {"enum": [1, "a", None, [1.0], {"x": True}]},
    {"const": 0}, {"const": False}, {"minimum": 1, "exclusiveMaximum": 3}, {"multipleOf": 0.5}, {"multipleOf": 2},
    {"minLength": 1, "maxLength": 2}, {"pattern": "^a+$"}, {"required": ["x"]}, {"uniqueItems": True}, {"minItems": 1,
    "maxItems": 2},
    {"properties": {"x": {"type": "boolean"}}, "additionalProperties": False},
    {"additionalProperties": {"type": "integer"}},
    {"prefixItems": [{"type": "integer"}], "items": {"type": "string"}}, {"items": False}, {"minProperties": 1,
    "maxProperties": 1},
    {"anyOf": [{"type": "string"}, {"minimum": 2}]}, {"oneOf": [{"type": "number"}, {"minimum": 2}]},
    {"not": {"type": "null"}},
    {"allOf": [{"type": "number"}, {"maximum": 1}]}, {"$defs": {"n": {"type": "number"}},
    "items": {"$ref": "#/$defs/n"}},
    {"exclusiveMinimum": 0, "maximum": 1}, {"title": "t", "format": "email", "type": "string"},
]  # fmt: skip
VALUES: list[Any] = [
    None, True, False, 0, 1, 1.0, 2, 2.5, 0.3, -1, 3, 10**30, 1e300, "", "a", "aa", "aaa", "b", "\U0001f600", [], [1],
    [1.0], [1, 1.0],
    [1, True], [True, 1], ["a", "a"], [[1], [1]], [1, "a"], [1, 2], ["a"],
    {}, {"x": True}, {"x": 1}, {"y": 1}, {"x": True, "y": 1},
    [{"a": 1, "b": 2}, {"b": 2, "a": 1}],
]  # fmt: skip


@each_of("schema", SCHEMAS)
def test_a_schema_allows_what_the_package_jsonschema_allows(schema: Any) -> None:
    ours, theirs = parse_schema(json.dumps(schema)), jsonschema.Draft202012Validator(schema)
    for value in VALUES:
        assert (ours.violation(value) == "") == theirs.is_valid(value), value


def test_multiples_are_counted_in_decimals_and_not_in_floats() -> None:
    tenths = parse_schema('{"multipleOf": 0.1}')
    assert [tenths.violation(value) for value in (0.3, 1, 1e300, 0)] == [""] * 4
    assert all(tenths.violation(value) for value in (0.35, 1e-9, 1e-300))


def test_a_whole_number_beyond_any_float_is_a_multiple_or_not_exactly() -> None:
    assert parse_schema('{"multipleOf": 1e-300}').violation(10**400) == ""
    threes = parse_schema('{"multipleOf": 3}')
    assert threes.violation(3 * 10**400) == "" and threes.violation(10**400)
    assert parse_schema(f'{{"multipleOf": {10**400}}}').violation(0.5)


@each_of(
    ("schema", "what"),
    [
        ("{", "no JSON"), ('{"a": 1, "a": 2}', "stands twice"), ("[]", "neither an object"),
        ('{"typ": "string"}', "'typ'"),
        ('{"type": "text"}', "'text'"), ('{"$ref": "https://example.org/s"}', "leads nowhere"),
        ('{"minimum": "1"}', "a number"),
        ('{"$ref": "#/$defs/x"}', "leads nowhere"),
        ('{"$defs": {"x": {"items": {"$ref": "#/$defs/x"}}}, "$ref": "#/$defs/x"}', "itself"),
        ('{"pattern": "(a+)+"}', "for ever"), ('{"if": {}}', "'if'"), ('{"items": 3}', "neither"),
        ('{"multipleOf": 0}', "above 0"),
        ('{"required": "x"}', "a list of names"), ('{"anyOf": {}}', "no list"), ('{"properties": []}', "no object"),
        ('{"patternProperties": {}}', "'patternProperties'"),
    ],
)  # fmt: skip
def test_a_schema_that_cannot_be_held_to_is_refused(schema: str, what: str) -> None:
    with pytest.raises(InputError, match=what):
        parse_schema(schema)
    with pytest.raises(ValueError, match=r"json\.schema"):
        entry({"json": {"schema": schema}})


def test_a_schema_that_doubles_with_each_reference_is_refused() -> None:
    defs = {f"d{level}": {"allOf": [{"$ref": f"#/$defs/d{level + 1}"}] * 2} for level in range(40)}
    with pytest.raises(InputError, match="more than 2,000 parts"):
        parse_schema(json.dumps({"$defs": {**defs, "d40": {}}, "$ref": "#/$defs/d0"}))


def test_a_text_that_cannot_be_searched_gives_no_score(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "SECONDS", 0.05)
    written = {"json": {"schema": json.dumps({"items": {"pattern": "(?=(a*)(a*)(a*)b)"}})}}
    answers = [json.dumps([text]) for text in ("ab", "a" * 2_000, "a" * 200_001, "c")]
    missing = [{"missing": search.OUT_OF_TIME}, {"missing": search.TOO_LONG}]
    assert values(tmp_path, json_answer.score, written, answers, {"target": ""}) == [1, *missing, 0]


def test_half_a_character_in_an_answer_is_told_of_and_breaks_nothing(tmp_path: Path) -> None:
    schema = json.dumps(
        {"additionalProperties": {"type": "integer"}, "required": ["x"], "properties": {"x": {"enum": ["y"]}}}
    )
    answers = ['{"\\ud800": "z", "x": "y"}', '{"x": "\\udfff"}', '{"\\udc00": 1}']
    found = scores(tmp_path, json_answer.score, {"json": {"schema": schema}}, answers, {"target": ""})
    assert [row["value"] for row in found] == [0, 0, 0] and all(row["detail"]["why"] for row in found)
