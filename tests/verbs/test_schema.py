"""`harness schema`: each field has a text and an example, and JSON Schema takes and refuses what the harness does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import jsonschema
import manifest_page
import pytest
import yaml
from support import REPOSITORY, error_of
from support_draws import drawn
from support_inside import inner_data, inside

from harness.errors import InputError
from harness.manifest.load import parse_manifest
from harness.models.providers.baseline import BaselineSettings
from harness.verbs.describing import FIELDS, SchemaResult, schema
from harness.verbs.requests import SchemaRequest

MANIFESTS = sorted((REPOSITORY / "manifests").rglob("*.yaml"))
SMALL = """\
harness: 2
study: reliability
name: small
about: Sums.
models:
  right: {provider: baseline, behaviour: oracle}
datasets:
  sums: {make: reliability.small_addition, seed: 7, count: 20}
prompts: {set: reliability/addition@1}
generation: {temperature: 0.5, max_tokens: 8}
outputs: {scores: exact}
"""
OWN = """\
harness: 2
study: questions
name: capitals
about: Capitals.
models:
  right: {provider: baseline, behaviour: oracle}
datasets:
  capitals: {file: data/capitals.csv, fields: {input: question, target: answer}}
prompts: {text: "{question}"}
settings: {score: [exact, {number: {tolerance: 0.1}}]}
"""


@cache
def done() -> SchemaResult:
    return schema()


@cache
def check() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(done().document)


def wrong(text: str) -> list[str]:
    """List where a schema finds something wrong, as `a.b`, and what."""
    found: list[str] = []
    for error in check().iter_errors(yaml.safe_load(text)):
        for one in (error, *(error.context or ())):
            found.append(".".join(map(str, one.absolute_path)) + ": " + one.message)
    return found


@pytest.mark.long
def test_the_schema_is_one() -> None:
    check().check_schema(done().document)
    assert done().document["title"] and len(done().fields) > 100


@pytest.mark.parametrize("path", drawn(MANIFESTS, 4, len(MANIFESTS)), ids=lambda path: path.stem)
def test_every_manifest_of_the_repository_is_taken(path: Any) -> None:
    assert wrong(path.read_text()) == []


@pytest.mark.parametrize("text", [SMALL, OWN], ids=["small", "own"])
def test_what_the_harness_reads_is_taken(text: str) -> None:
    parse_manifest(text.encode(), "x.yaml")
    assert wrong(text) == []
    for plain, quoted in (("harness: 2", 'harness: "2"'), ("name: ", "seeds: [1, 2]\nname: "), ("8}", "unset}")):
        parse_manifest(text.replace(plain, quoted).encode(), "x.yaml")
        assert wrong(text.replace(plain, quoted)) == []


MISTAKES = [
    (SMALL, "generation:", "generaton:", "generaton"),
    (SMALL, "harness: 2", "harness: 3", "harness"),
    (SMALL, "name: small", "name: Small Sums", "name"),
    (SMALL, "about: Sums.\n", "", "about"),
    (SMALL, "baseline, behaviour", "basline, behaviour", "provider"),
    (SMALL, "behaviour: oracle", "behavior: oracle", "behavior"),
    (SMALL, "temperature: 0.5", "temperature: hot", "temperature"),
    (SMALL, "max_tokens: 8", "max_tokens: 0", "max_tokens"),
    (SMALL, "scores: exact", "scores: roughly", "scores"),
    (SMALL, "scores: exact", "scores: {within: near}", "within"),
    (SMALL, "outputs:", "resources: {memory: 4GB}\noutputs:", "memory"),
    (SMALL, "outputs:", "resources: {gpus: many}\noutputs:", "gpus"),
    (SMALL, "outputs:", "seeds: []\noutputs:", "seeds"),
    (OWN, "input: question, ", "", "input"),
    (OWN, "target: answer", "targets: answer", "targets"),
    (OWN, "file: data/capitals.csv", "file: ../capitals.csv", "file"),
    (OWN, '{text: "{question}"}', '{txt: "{question}"}', "txt"),
    (OWN, "fields: {", "format: xls, fields: {", "format"),
    (OWN, "fields: {", "score: exact, fields: {", "score"),
    (OWN, "fields: {", "score: [], fields: {", "score"),
    (OWN, "fields: {", "score: {with_options: [exact]}, fields: {", "score"),
]


@pytest.mark.parametrize(("text", "sound", "mistake", "named"), MISTAKES, ids=[one[2].strip() for one in MISTAKES])
def test_a_mistake_that_the_harness_refuses_is_refused(text: str, sound: str, mistake: str, named: str) -> None:
    assert sound in text
    with pytest.raises(InputError):
        parse_manifest(text.replace(sound, mistake, 1).encode(), "x.yaml")
    assert any(named in one for one in wrong(text.replace(sound, mistake, 1)))


@pytest.mark.parametrize(
    ("text", "sound", "mistake", "named"),
    [
        (SMALL, "small_addition", "smal_addition", "make"),
        (SMALL, "count: 20", "number: 20", "number"),
        (SMALL, ", count: 20", "", "count"),
        (SMALL, "count: 20", "count: some", "count"),
        (SMALL, "addition@1", "addition@9", "prompts"),
        (SMALL, "outputs:", "settings: {rule: OURS-v1}\noutputs:", "rule"),
        (SMALL, "outputs:", "instruments: {judge: {provider: baseline, behaviour: empty}}\noutputs:", "judge"),
        (SMALL, "study: reliability", "study: reliabilty", "study"),
        (SMALL, '{set: reliability/addition@1}', '{text: "{question}"}', "prompts"),
        (OWN, "[exact, ", "[exakt, ", "exakt"),
        (OWN, "tolerance: 0.1", "tolerances: 0.1", "tolerances"),
        (OWN, "settings: {score: ", "settings: {scores: ", "scores"),
        (OWN, '{text: "{question}"}', "{set: reliability/addition@1}", "prompts"),
    ],
)  # fmt: skip
def test_what_a_study_does_not_know_is_refused(text: str, sound: str, mistake: str, named: str) -> None:
    assert sound in text
    assert any(named in one for one in wrong(text.replace(sound, mistake, 1)))


def parts() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Give each field with the part that holds it and its schema; names that stand for several things, apart."""
    for name, part in {**done().document["$defs"], "Manifest": done().document}.items():
        for field, kind in part.get("properties", {}).items():
            if isinstance(kind, dict) and not name.startswith("Datasets.") and name not in ("Model", "Instrument"):
                yield name, field, kind


def test_every_field_says_what_it_is_and_has_an_example() -> None:
    lacking = [
        f"{name}.{field}" for name, field, kind in parts() if not (kind.get("description"), kind.get("examples"))[1]
    ]
    assert lacking == [], "add them to harness/verbs/field_texts.py or question_field_texts.py"
    assert [one.field for one in done().fields if not (one.about and one.example and one.kind != "anything")] == []


def test_no_text_is_of_a_field_that_is_not_there() -> None:
    there = {(name.removesuffix("Instrument"), field) for name, field, _ in parts()}
    shared = {"Settings": "BaselineSettings", "RemoteSettings": "OpenaiSettings", "Asking": "BaselineSettings"}
    told = {(shared.get(name, name), field) for name, fields in FIELDS.items() for field in fields}
    assert told - there == set()


def test_every_example_is_one_that_its_field_takes() -> None:
    for name, field, kind in parts():
        whole = {**kind, "$defs": done().document["$defs"]}
        for example in kind["examples"] if "const" not in kind else ():
            jsonschema.Draft202012Validator(whole).validate(example), f"{name}.{field}"


def test_settings_may_bring_their_texts_along(monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"behaviour": ("What it does.", "refuser")}
    monkeypatch.setattr(BaselineSettings, "SAID", said, raising=False)
    [shown] = schema(SchemaRequest(field="models.NAME (baseline).behaviour")).fields
    assert (shown.about, shown.example) == said["behaviour"] and shown.kind == "text"


def test_the_page_has_the_tables_of_the_schema() -> None:
    written = manifest_page.page_with(manifest_page.tables())
    assert manifest_page.PAGE.read_text() == written, "run: python tests/manifest_page.py --write"
    assert all(f"`{one.field.rpartition('.')[2]}`" in written for one in done().fields)


@pytest.mark.long
def test_the_command_line_gives_both_forms(tmp_path: Any) -> None:
    assert inner_data("schema", cwd=tmp_path) == done().document
    text = inside("schema", "generation", cwd=tmp_path, check=0).stdout
    assert "generation.temperature" in text and "outputs" not in text
    error = error_of(inside("schema", "nothing", "--json", cwd=tmp_path, check=2))
    assert "'nothing'" in error["what"] and json.dumps(error)
