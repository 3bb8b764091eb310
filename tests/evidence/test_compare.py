"""Outputs held against what is expected: bytes, numbers within a tolerance, intervals that contain a value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.digest import canonical, sha256
from harness.errors import InputError
from harness.evidence.compare import compare, leaves, overall, values_of
from harness.evidence.record import Record
from harness.manifest.lockfile import Expect

LOCK = "a" * 64


class Shelf:
    """Files by digest, as a store delivers them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, value: Any) -> str:
        data = canonical(value) + b"\n"
        (self.folder / sha256(data)).write_bytes(data)
        return sha256(data)

    def deliver(self, digest: str) -> Path:
        return self.folder / digest


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


def record(**outputs: str) -> Record:
    return Record("r", {"status": "done", "outputs": {name: {"sha256": digest} for name, digest in outputs.items()}})


def expect(shelf: Shelf, level: Any, value: Any, lock: str = LOCK) -> Expect:
    digest = shelf.put(value)
    outputs = {"out": {"sha256": digest, "level": level, "values": values_of(level, shelf.deliver(digest))}}
    return Expect(lock, "b" * 64, outputs, {}, {})


def verdict(shelf: Shelf, level: Any, expected: Any, found: Any) -> tuple[str, str]:
    [one] = compare(record(out=shelf.put(found)), expect(shelf, level, expected), LOCK, {"out": level}, shelf.deliver)
    return one.verdict, one.detail


def test_exact_means_bytes(shelf: Shelf) -> None:
    assert verdict(shelf, "exact", {"a": 1}, {"a": 1})[0] == "agreed"
    assert verdict(shelf, "exact", {"a": 1}, {"a": 1.5})[0] == "disagreed"


def test_within_holds_every_number_and_names_the_first_that_strays(shelf: Shelf) -> None:
    level = {"within": "0.01"}
    assert verdict(shelf, level, {"a": [1, 2.5]}, {"a": [1, 2.509]}) == ("agreed", "")
    word, detail = verdict(shelf, level, {"a": [1, 2.5]}, {"a": [1, 2.511]})
    assert word == "disagreed" and "/a/1" in detail


def test_within_refuses_numbers_that_appear_or_vanish(shelf: Shelf) -> None:
    assert verdict(shelf, {"within": "1"}, {"a": 1}, {"a": 1, "b": 1})[0] == "disagreed"
    assert verdict(shelf, {"within": "1"}, {"a": 1, "b": 1}, {"a": 1})[0] == "disagreed"


def test_an_interval_must_contain_the_expected_value(shelf: Shelf) -> None:
    level = {"interval": "0.95"}
    expected = {"rate": {"value": 0.5, "interval": [0.4, 0.6]}}
    assert verdict(shelf, level, expected, {"rate": {"value": 0.55, "interval": [0.45, 0.65]}})[0] == "agreed"
    assert verdict(shelf, level, expected, {"rate": {"value": 0.7, "interval": [0.6, 0.8]}})[0] == "disagreed"


def test_an_interval_that_misses_its_own_value_does_not_part_a_run_from_itself(shelf: Shelf) -> None:
    level = {"interval": "0.95"}
    beside = {"rate": {"value": -0.99, "interval": [-0.98, -0.9]}, "n": {"value": 3, "interval": {"missing": "few"}}}
    assert verdict(shelf, level, beside, {**beside, "more": {"value": 1, "interval": [0, 2]}})[0] == "disagreed"
    again = {**beside, "rate": {"value": -0.99, "interval": [-0.97, -0.8], "undefined_resamples": 2}}
    assert verdict(shelf, level, beside, again) == ("agreed", "")
    assert (
        verdict(shelf, level, beside, {**beside, "n": {"value": 4, "interval": {"missing": "few"}}})[0] == "disagreed"
    )


def test_an_interval_level_without_any_statistic_forgives_nothing(shelf: Shelf) -> None:
    level = {"interval": "0.95"}
    assert verdict(shelf, level, {"n": 500, "rate": 0.5}, {"n": 500, "rate": 0.5})[0] == "agreed"
    word, detail = verdict(shelf, level, {"n": 500, "rate": 0.5}, {"n": 5, "rate": 0.5})
    assert word == "disagreed" and "/n" in detail


def test_what_is_no_json_is_to_be_compared_by_bytes(shelf: Shelf) -> None:
    (shelf.folder / "figure").write_bytes(b"<svg/>")
    with pytest.raises(InputError, match="not JSON") as refused:
        leaves(shelf.folder / "figure")
    assert "exact" in refused.value.next


def test_without_an_expectation_under_this_lock_nothing_is_confirmed(shelf: Shelf) -> None:
    digest = shelf.put({"a": 1})
    other = expect(shelf, "exact", {"a": 1}, lock="c" * 64)
    for known in (None, other):
        verdicts = compare(record(out=digest), known, LOCK, {}, shelf.deliver)
        assert [one.verdict for one in verdicts] == ["unconfirmed"] * len(verdicts)
        assert overall(record(out=digest), verdicts) == "unconfirmed"


def test_an_expected_output_that_was_not_made_is_a_disagreement(shelf: Shelf) -> None:
    verdicts = compare(record(), expect(shelf, "exact", {"a": 1}), LOCK, {}, shelf.deliver)
    assert [(one.name, one.verdict) for one in verdicts] == [("out", "missing")]
    assert overall(record(), verdicts) == "disagreed"


def test_an_unfinished_or_limited_run_is_incomplete_whatever_it_made() -> None:
    for body in ({"status": "failed", "outputs": {}}, {"status": "done", "limit": 3, "outputs": {}}):
        assert overall(Record("r", body), []) == "incomplete"


def test_an_output_of_too_many_numbers_is_to_be_compared_by_bytes(shelf: Shelf) -> None:
    with pytest.raises(InputError, match="more than"):
        leaves(shelf.deliver(shelf.put(list(range(100_001)))))


def test_within_forgives_numbers_only(shelf: Shelf) -> None:
    word, detail = verdict(shelf, {"within": "1"}, {"verdict": "pass", "n": 1}, {"verdict": "fail", "n": 1})
    assert word == "disagreed" and "/verdict" in detail
    assert verdict(shelf, {"within": "1"}, {"n": 1}, {"n": True})[0] == "disagreed"


def test_a_table_is_compared_row_by_row(shelf: Shelf) -> None:
    rows = b'{"id":"a","x":1}\n{"id":"b","x":2}\n'
    (shelf.folder / "table").write_bytes(rows)
    assert leaves(shelf.folder / "table") == {"/0/id": '"a"', "/0/x": "1", "/1/id": '"b"', "/1/x": "2"}


def test_an_expectation_accepted_at_another_level_than_the_lock_declares_confirms_nothing(shelf: Shelf) -> None:
    lax = expect(shelf, {"within": "1e9"}, {"a": 1})
    [one] = compare(record(out=shelf.put({"a": 2})), lax, LOCK, {"out": "exact"}, shelf.deliver)
    assert one.verdict == "disagreed" and "another level" in one.detail
