"""YAML that a model wrote: its scalars stay texts, and neither aliases nor depth exhaust anything."""

from __future__ import annotations

import time

import pytest
import yaml
from support_cases import each_of
from support_pace import soon

from harness.studies.curie.reading.loose_json import Unreadable
from harness.studies.curie.reading.yaml_text import MOST_NODES, read_yaml


def test_values_stay_as_they_are_written() -> None:
    text = "a: no\nb: 2020-01-01\nc: 1_000\nd: 0x10\ne: 1e3\nf: ~\ng: '~'\nh: |\n  one\n  two\n"
    expected = {
        "a": "no",
        "b": "2020-01-01",
        "c": "1_000",
        "d": "0x10",
        "e": "1e3",
        "f": None,
        "g": "~",
        "h": "one\ntwo\n",
    }
    assert read_yaml(text) == expected


def test_a_day_that_is_none_and_a_tag_of_yaml_are_no_errors() -> None:
    assert read_yaml("a: 2020-13-45\nb: !!str 5\nc: !!seq [x]\n") == {"a": "2020-13-45", "b": "5", "c": ["x"]}


def test_an_alias_is_what_its_anchor_names() -> None:
    assert read_yaml("a: &x {b: c}\nd: *x\n") == {"a": {"b": "c"}, "d": {"b": "c"}}


def test_marks_of_one_document_are_no_errors() -> None:
    assert read_yaml("---\na: b\n...\n") == {"a": "b"}


@pytest.mark.parametrize(
    "text",
    ["---\na: b\n---\nc: d\n", "a: b\n---\n", "a: b\nc: !!python/object/apply:os.system [x]\n", "a: !mine b\n"],
)
def test_qecc_what_safe_load_refuses_is_unreadable(text: str) -> None:
    with pytest.raises(yaml.YAMLError):
        yaml.safe_load(text)
    with pytest.raises(Unreadable):
        read_yaml(text)


@each_of("text", ["a: 'open", "a: b: c", "\tx: y", '"\\cite"', "a: *nowhere", "a: &a [*a]", "\x00"])
def test_what_is_no_yaml_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        read_yaml(text)


def test_empty_yaml_is_nothing() -> None:
    assert read_yaml("") is None and read_yaml("# a comment\n") is None


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x]\n"
        + "".join(f"{n}: &{n} [{', '.join([f'*{m}'] * 9)}]\n" for m, n in zip("abcdefghi", "bcdefghij", strict=True)),
        "[" * 10_000,
        "- " * 5_000 + "x",
        "- x\n" * (MOST_NODES + 1),
    ],
)
def test_bombs_and_depth_are_unreadable_and_end_soon(text: str) -> None:
    begun = time.process_time()
    with pytest.raises(Unreadable):
        read_yaml(text)
    assert soon(time.process_time() - begun, 1)


def test_a_lone_surrogate_does_not_stop_the_reading() -> None:
    assert read_yaml("a: x\ud800") == {"a": "x?"}
