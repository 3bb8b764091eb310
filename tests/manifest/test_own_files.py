"""A dataset that is a person's own file: its fields are typed, its intent holds any name, what is wrong has a line."""

from __future__ import annotations

from typing import Any

import pytest
from manifest.parsing import parse, refused

from harness.digest import encode_document
from harness.manifest.datasets import OwnFile

QUESTIONS = """harness: 2
study: questions
name: capitals
about: Capitals of the world.
models: {oracle: {provider: baseline, behaviour: oracle}}
datasets:
  capitals:
    file: data/capitals.csv
    fields: {input: question, target: answer, group: Ort}
prompts: {text: "Question: {question}\\nAnswer:"}
settings: {score: [exact]}
"""


def with_line(line: str) -> str:
    """Give the manifest with one more line of its dataset."""
    return QUESTIONS.replace("prompts:", f"    {line}\nprompts:", 1)


def own(text: str = QUESTIONS) -> OwnFile:
    """Read the dataset of a manifest."""
    found = parse(text).datasets["capitals"]
    assert isinstance(found, OwnFile)
    return found


def test_columns_of_any_name_stand_in_the_intent() -> None:
    text = with_line("where: {größe: [1, ü], split: test}").replace("group: Ort", "group: [Ort, Länge], show: 名")
    intent = parse(text).intent()
    assert encode_document({"type": "x", **intent})
    said = intent["datasets"]["capitals"]
    assert said["where"] == [["größe", ["1", "ü"]], ["split", ["test"]]]
    assert said["fields"]["group"] == ["Ort", "Länge"]
    assert OwnFile.model_validate(said).model_dump(mode="json") == said


@pytest.mark.parametrize(
    ("file", "format"),
    [
        ("a.csv", "csv"),
        ("a.CSV", "csv"),
        ("a.tsv", "tsv"),
        ("a.jsonl", "jsonl"),
        ("a.ndjson", "jsonl"),
        ("a.tab", "tsv"),
    ],
)
def test_a_file_is_known_by_its_name(file: str, format: str) -> None:
    found = own(QUESTIONS.replace("data/capitals.csv", file))
    assert found.format_of(found.told) == format


@pytest.mark.parametrize(
    ("said", "meant"),
    [("UTF-8", "utf-8"), ("utf8", "utf-8"), ("utf-8-sig", "utf-8"), ("latin1", "latin-1"), ("CP1252", "cp1252"),
     ("shift_jis", "shift-jis")],
)  # fmt: skip
def test_an_encoding_has_one_name(said: str, meant: str) -> None:
    assert own(with_line(f"encoding: {said}")).encoding == meant


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("data/capitals.csv", "/etc/passwd", "datasets.capitals.file"),
        ("data/capitals.csv", "../capitals.csv", "datasets.capitals.file"),
        ("data/capitals.csv", "data/capitals.ods", "add `format: csv`"),
        ("{input: question", "{inptu: question", "datasets.capitals.fields.inptu"),
        ("input: question", "input: []", "datasets.capitals.fields.input"),
        ("input: question", "input: [a, a]", "datasets.capitals.fields.input"),
        ("input: question", 'input: "a\\nb"', "datasets.capitals.fields.input"),
        ("input: question", "input: answer", "is the target, which no wording may show"),
        ("group: Ort", "show: [answer]", "is the target, which no wording may show"),
        ("group: Ort", "options: [answer, b]", "is the target, which no wording may show"),
        ("group: Ort", "cluster: answer", "is the target, and no cluster"),
        ("group: Ort", "accepted: answer", "columns of their own"),
        ("group: Ort", "target_is: letter", "speaks of `options`"),
        ("group: Ort", "options: [a, b], target_is: number", "datasets.capitals.fields.target_is"),
    ],
)
def test_what_a_field_cannot_be_is_told_with_its_line(old: str, new: str, field: str) -> None:
    text = QUESTIONS.replace(old, new, 1)
    error = refused(text)
    assert field in error.what
    assert error.where == f"m.yaml:{7 if 'format' in field else 8 if 'file' in field else 9}"


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("encoding: rot13", "datasets.capitals.encoding"),
        ("encoding: idna", "datasets.capitals.encoding"),
        ("format: ods", "datasets.capitals.format"),
        ("count: 0", "datasets.capitals.count"),
        ("seed: -1", "datasets.capitals.seed"),
        ("where: {split: }", "datasets.capitals.where.split"),
        ("where: {split: []}", "datasets.capitals.where.split"),
        ("shots: {count: 0}", "datasets.capitals.shots.count"),
        ("shots: {seed: 3}", "datasets.capitals.shots.count"),
        ("shots: {count: 3, file: data/capitals.csv}", "leave their `file` out"),
        ("shots: {count: 3, file: ../x.csv}", "datasets.capitals.shots.file"),
        ("licence: MIT", "datasets.capitals.licence"),
    ],
)
def test_what_a_dataset_cannot_say_is_told_with_its_line(line: str, field: str) -> None:
    assert field in refused(with_line(line)).what


PROMPTS: list[tuple[str, dict[str, Any]]] = [
    ('{text: " a "}', {"text": " a ", "shot": None}),
    ("{texts: [a, b], shot: c}", {"texts": ["a", "b"], "shot": "c"}),
    ("{turns: [{system: s}, {user: u}]}", {"turns": [{"system": "s"}, {"user": "u"}], "shot": None}),
    ("{file: prompts/mine.jsonl}", {"file": "prompts/mine.jsonl"}),
    ("{set: reliability/addition@1}", {"set": "reliability/addition@1"}),
]


@pytest.mark.parametrize(("said", "meant"), PROMPTS)
def test_prompts_have_a_form_each_by_their_key(said: str, meant: dict[str, Any]) -> None:
    text = "\n".join(line if not line.startswith("prompts") else f"prompts: {said}" for line in QUESTIONS.split("\n"))
    assert parse(text).intent()["prompts"] == meant


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ("{text: }", "prompts.text"),
        ('{text: " "}', "prompts.text"),
        ("{texts: []}", "prompts.texts"),
        ('{texts: [a, ""]}', "prompts.texts.1"),
        ("{turns: []}", "prompts.turns"),
        ("{turns: [{user: a}, {user: b}]}", "prompts.turns"),
        ("{turns: [{user: a}, {system: b}]}", "prompts.turns"),
        ("{turns: [{user: a, system: b}]}", "prompts.turns"),
        ("{turns: [{tool: a}]}", "prompts.turns"),
        ("{turns: [{user: a}, {assistant: b}]}", "prompts.turns"),
        ("{text: a, texts: [b]}", "prompts.texts"),
        ("{text: a, file: b}", "prompts.file"),
        ("{file: ../b}", "prompts.file"),
        ("{txet: a}", "prompts.txet"),
        ("{}", "prompts.text"),
    ],
)
def test_what_is_no_wording_is_told_with_its_line(said: str, field: str) -> None:
    text = "\n".join(line if not line.startswith("prompts") else f"prompts: {said}" for line in QUESTIONS.split("\n"))
    error = refused(text)
    assert field in error.what
    assert error.where == "m.yaml:10"
