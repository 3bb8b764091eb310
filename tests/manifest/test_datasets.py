"""A list of published files in a manifest: each path has one plain spelling; what is wrong is told with its line."""

from __future__ import annotations

import json
from typing import Any

import pytest
from manifest.parsing import GOOD, parse, refused

from harness.digest import encode_document
from harness.errors import InputError
from harness.manifest.datasets import MOST_FILES, contradicted_files, coverage_text, file_coverage
from harness.manifest.documents import DatasetPin, Intent, Pins
from harness.manifest.lockfile import Lock, read_lock

ONE = {"url": "https://example.org/a", "sha256": "a" * 64}


def listing(files: Any, more: str = "") -> str:
    return GOOD.replace("datasets:\n", f"datasets:\n  p:\n    licence: CC0\n{more}    fetch: {json.dumps(files)}\n")


def test_a_list_of_files_is_typed_and_kept_in_the_intent_as_written() -> None:
    intent = parse(listing({"a.csv": ONE, "in a/b.npz": {**ONE, "size": "12"}})).intent()
    assert encode_document({"type": "x", **intent})
    assert intent["datasets"]["p"] == {"licence": "CC0", "fetch": {"a.csv": ONE, "in a/b.npz": {**ONE, "size": 12}}}


@pytest.mark.parametrize(
    "path",
    ["", "/etc/passwd", "../a", "a/../../b", "a/..", "./a", "a//b", "a/", "a\\..\\b", "a\nb", "\x00", "ä.csv", " a",
     "a /b", "x" * 201, "."],
)  # fmt: skip
def test_a_path_that_leads_out_or_has_two_spellings_is_refused(path: str) -> None:
    text = listing({"a.csv": ONE, path: ONE})
    error = refused(text)
    assert "path" in error.what
    assert error.where == f"m.yaml:{text[: text.index('fetch:')].count(chr(10)) + 1}"


@pytest.mark.parametrize(
    ("files", "what"),
    [
        ({}, "`datasets.p.fetch` is wrong"),
        ({"a": {"url": "https://x.org/a"}}, "`datasets.p.fetch.a.sha256` is missing"),
        ({"a": {**ONE, "url": "http://x.org/a"}}, "`datasets.p.fetch.a.url` is wrong"),
        ({"a": {**ONE, "url": "file:///etc/passwd"}}, "`datasets.p.fetch.a.url` is wrong"),
        ({"a": {**ONE, "sha256": "a" * 63}}, "`datasets.p.fetch.a.sha256` is wrong"),
        ({"a": {**ONE, "size": "-1"}}, "`datasets.p.fetch.a.size` is wrong"),
        ({"a": "https://x.org/a"}, "`datasets.p.fetch.a` is wrong"),
        ({"a": ONE, "a/b": ONE}, "'a' is a file, and 'a/b' would lie in it"),
        ({f"{number}": ONE for number in range(MOST_FILES + 1)}, f"at most {MOST_FILES}"),
    ],
)
def test_what_is_no_list_of_files_is_told(files: Any, what: str) -> None:
    assert what in refused(listing(files)).what


def test_the_key_that_was_meant_is_named_in_a_file_and_beside_the_list() -> None:
    error = refused(listing({"a.csv": {**ONE, "sha25": "b" * 64}}))
    assert (error.what, error.next) == ("unknown key `datasets.p.fetch.a.csv.sha25`", "did you mean `sha256`?")
    error = refused(listing({"a.csv": ONE}, more=f"    sha256: {'a' * 64}\n"))
    assert error.next == "remove it; known here: fetch, licence"


def test_a_path_that_stands_twice_is_refused() -> None:
    text = listing({"a.csv": ONE}).replace('{"a.csv"', f'{{"a.csv": {json.dumps(ONE)}, "a.csv"')
    assert "stands twice" in refused(text).what


@pytest.mark.parametrize("absent", [["c"], ["b", "a"], ["a", "a"], []])
def test_a_lock_names_absent_files_of_its_own_in_order_and_each_once(absent: list[str]) -> None:
    kinds: Pins = {"models": {}, "prompts": {}, "images": {}, "packages": {}}
    pin: DatasetPin = {"files": {"a": "a" * 64, "b": "b" * 64}, "absent": absent}
    intent: Intent = {"name": "m", "study": "tiny", "models": {}, "datasets": {}}
    with pytest.raises(InputError, match="datasets/p"):
        read_lock(Lock(intent, "c" * 64, {**kinds, "datasets": {"p": pin}}).data, "x")
    pin["absent"] = ["a"]
    assert read_lock(Lock(intent, "c" * 64, {**kinds, "datasets": {"p": pin}}).data, "x").pins["datasets"]["p"] == pin


def test_coverage_counts_files_and_names_the_first_missing_ones() -> None:
    files = {f"f{number:02}": "a" * 64 for number in range(40)}
    pins: dict[str, Any] = {"made": {"items": {}, "files": {}}, "q": {"files": files}}
    pins["p"] = {"files": files, "absent": sorted(files)[:9]}
    named = ", ".join(sorted(files)[:8])
    told = f"p 31 of 40 files (missing: {named} and 1 more), q 40 of 40 files"
    assert coverage_text(file_coverage(pins)) == told
    assert list(file_coverage(pins, partial=True)) == ["p"]


def test_a_lock_whose_files_are_not_those_of_its_manifest_is_pointed_at() -> None:
    said: Any = {"p": {"fetch": {"a": ONE, "b": ONE}}, "q": {"fetch": "https://x.org"}, "r": "odd"}
    pins: Any = {
        "p": {"files": {"a": "b" * 64, "b": "a" * 64}},
        "q": {"sha256": "a" * 64},
        "r": {"files": {"x": "a" * 64}},
    }
    assert list(contradicted_files(said, pins)) == ["/p/files/a", "/r/files/x"]
