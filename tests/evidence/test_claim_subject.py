"""What a run is about: when two runs are about the same thing, and where one holds what the other's claim points to."""

from __future__ import annotations

from typing import Any

import pytest

from harness.evidence.claims.subject import canonical_pointer, equivalent_pointers, run_subject, same_subject

ADA: dict[str, Any] = {"provider": "openai", "model": "ada", "tape": "replay"}
GPT: dict[str, Any] = {"provider": "openai", "model": "gpt-4", "tape": "replay"}
RAW: dict[str, Any] = {"provider": "transformers", "source": "assets/raw", "dtype": "float32"}
ORACLE, REFUSER = ({"provider": "baseline", "behaviour": name} for name in ("oracle", "refuser"))
SUMS = {"make": "reliability.addition", "seed": "1", "count": "20"}
WORDS = {"make": "reliability.anagram", "seed": "1", "per_length": "1"}
BOOK = {"fetch": "https://example.org/book#part", "sha256": "b" * 64}
FILE = {"url": "https://example.org/a.csv", "sha256": "a" * 64}
LIST = {"fetch": {"a.csv": FILE, "book": {"url": "https://example.net/book", "sha256": "b" * 64}}}


def work(models: Any = None, data: Any = None, study: str = "reliability", files: Any = None) -> Any:
    intent: Any = {"study": study, "models": models or {}, "datasets": data or {"addition": SUMS}}
    return run_subject(
        intent, {"models": {name: {"files": each} for name, each in (files or {}).items()}, "datasets": {}}
    )


def weights(digest: str) -> dict[str, dict[str, str]]:
    return {"m": {"model.safetensors": digest, "tokenizer.json": "e" * 64}}


SAME = {
    "other seeds and counts": (work({"m": ADA}), work({"m": ADA}, {"addition": {**SUMS, "seed": "9", "count": "7"}})),
    "other names": (work({"m": ADA}), work({"n": ADA}, {"sums": SUMS})),
    "another tape and another spelling": (work({"m": ADA}), work({"m": {**ADA, "model": "Ada", "tape": "live"}})),
    "one more model": (work({"m": ADA}), work({"m": ADA, "n": GPT})),
    "other stand-ins": (work({"a": ORACLE}), work({"a": REFUSER})),
    "a model beside the stand-in": (work({"a": ORACLE}), work({"a": ORACLE, "m": ADA})),
    "one more dataset": (work({"m": ADA}), work({"m": ADA}, {"addition": SUMS, "anagram": WORDS})),
    "another part of what was published": (
        work(data={"b": BOOK}), work(data={"b": {**BOOK, "fetch": "https://example.org/book#all", "sha256": "c" * 64}}),
    ),
    "the same bytes from elsewhere": (
        work(data={"b": BOOK}), work(data={"b": {**BOOK, "fetch": "https://example.com/copy"}}),
    ),
    "a list of files that shares one": (
        work(data={"b": LIST}), work(data={"b": {"fetch": {"a.csv": FILE, "z.csv": {**FILE, "sha256": "f" * 64}}}}),
    ),
    "a list of files with a file that was fetched alone": (work(data={"b": LIST}), work(data={"c": BOOK})),
    "the same weights in another folder": (
        work({"m": RAW}, files=weights("a" * 64)), work({"m": {**RAW, "source": "other"}}, files=weights("a" * 64)),
    ),
}  # fmt: skip
OTHER = {
    "another study": (work({"m": ADA}), work({"m": ADA}, study="tiny")),
    "another maker": (work({"m": ADA}), work({"m": ADA}, {"addition": WORDS})),
    "a list of other files": (
        work(data={"b": {"fetch": {"a.csv": FILE}}}),
        work(data={"b": {"fetch": {"a.csv": {"url": "https://example.org/b.csv", "sha256": "f" * 64}}}}),
    ),
    "another model": (work({"m": ADA, "a": ORACLE}), work({"m": GPT, "a": ORACLE})),
    "a stand-in for the model": (work({"m": ADA}), work({"m": ORACLE})),
    "other weights with the same tokens": (
        work({"m": RAW}, files=weights("a" * 64)), work({"m": {**RAW, "source": "other"}}, files=weights("d" * 64)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SAME)
def test_a_history_goes_on_with(case: str) -> None:
    here, there = SAME[case]
    assert same_subject(here, there) and same_subject(there, here)
    assert equivalent_pointers(["out#/x"], here, there) == [("out#/x",)]


@pytest.mark.parametrize("case", OTHER)
def test_a_history_is_another_with(case: str) -> None:
    here, there = OTHER[case]
    assert not same_subject(here, there) and not same_subject(there, here)
    assert equivalent_pointers(["out#/x"], here, there) is None


def test_a_model_that_a_pointer_names_is_looked_for_under_its_other_names() -> None:
    here, there = work({"ada": ADA, "gpt": GPT}), work({"old": ADA, "twin": ADA, "gpt": GPT})
    assert equivalent_pointers(["out#/models/ada/x"], here, there) == [("out#/models/old/x", "out#/models/twin/x")]
    assert equivalent_pointers(["out#/models/gpt/x", "out#/n"], here, there) == [("out#/models/gpt/x",), ("out#/n",)]


def test_a_model_that_a_pointer_names_decides_whatever_else_is_asked() -> None:
    pointer = ["out#/models/m/x"]
    assert equivalent_pointers(pointer, work({"m": ORACLE, "n": ADA}), work({"m": ORACLE, "n": GPT})) == [
        ("out#/models/m/x",)
    ]
    assert equivalent_pointers(pointer, work({"m": ADA, "n": GPT}), work({"m": GPT, "n": RAW})) is None, (
        "m is another there"
    )


def test_a_model_called_as_a_value_is_makes_no_history_begin_anew() -> None:
    here, there = work({"m": ADA, "kept": REFUSER}), work({"m": ADA})
    assert equivalent_pointers(["out#/addition/kept"], here, there) == [("out#/addition/kept",)]


def test_where_no_model_had_a_part_none_parts_two_runs() -> None:
    here, there = work({"m": ADA}), work({"m": ORACLE})
    assert equivalent_pointers(["counts#/addition/kept"], here, there) is None
    assert equivalent_pointers(["counts#/addition/kept"], here, there, {"counts"}) == [("counts#/addition/kept",)]
    assert equivalent_pointers(["counts#/x", "out#/x"], here, there, {"counts"}) is None


def test_a_dataset_in_a_pointer_is_also_found_under_its_other_names() -> None:
    here, there = work(data={"new": SUMS}), work(data={"old": SUMS})
    assert equivalent_pointers(["out#/new/x"], here, there) == [("out#/new/x", "out#/old/x")]
    swapped = work(data={"sums": SUMS, "addition": WORDS})
    assert equivalent_pointers(["out#/addition/x"], swapped, work()) == [("out#/addition/x",)], "another took its name"
    both = {"addition": SUMS, "anagram": WORDS}
    assert (
        equivalent_pointers(["out#/addition/x"], work(data=both), work(data={"addition": BOOK, "anagram": WORDS}))
        is None
    )


def test_pointers_are_spelled_by_the_rule_and_a_statistic_is_its_value() -> None:
    assert equivalent_pointers(["out#/a~1b/~0/0"], work(), work()) == [("out#/a~1b/~0/0",)]
    assert equivalent_pointers(["out#"], work(), work()) == [("out#",)]
    assert canonical_pointer("out#/rate/value") == canonical_pointer("out#/rate")


@pytest.mark.parametrize("intent", [{}, {"models": [], "datasets": "x"}, {"models": {"m": 3}, "datasets": {"d": None}}])
def test_a_lock_of_any_shape_is_read(intent: Any) -> None:
    pins: Any = {"models": {"m": {"files": 3}}}
    here = run_subject(intent, pins)
    assert not same_subject(here, work()) and not same_subject(work(), here)
