"""Outputs held against what is expected: bytes, numbers within a tolerance, intervals that contain a value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.digest import canonical_json, sha256
from harness.errors import InputError
from harness.evidence.compare import compare_outputs, expected_values, json_leaves, overall_verdict, tolerance_text
from harness.evidence.record import Record, RecordBody
from harness.manifest.lockfile import Expect

LOCK = "a" * 64
WITHIN, NEAR = (("agreed", f"agreed {how}, bytes differ") for how in ("within 0.01", "by interval 0.95"))


class Shelf:
    """Files by digest, as a store delivers them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, value: Any) -> str:
        data = canonical_json(value) + b"\n"
        (self.folder / sha256(data)).write_bytes(data)
        return sha256(data)

    def deliver(self, digest: str) -> Path:
        return self.folder / digest


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


def record(**outputs: str) -> Record:
    body: Any = {"status": "done", "outputs": {name: {"sha256": digest} for name, digest in outputs.items()}}
    return Record("r", body)


def expect(shelf: Shelf, level: Any, value: Any, lock: str = LOCK) -> Expect:
    digest = shelf.put(value)
    outputs: Any = {"out": {"sha256": digest, "level": level, "values": expected_values(level, shelf.deliver(digest))}}
    return Expect(lock, "b" * 64, outputs, {}, {})


def verdict(shelf: Shelf, level: Any, expected: Any, found: Any) -> tuple[str, str]:
    [one] = compare_outputs(
        record(out=shelf.put(found)), expect(shelf, level, expected), LOCK, {"out": level}, shelf.deliver
    )
    return one.verdict, one.detail


def test_exact_means_bytes(shelf: Shelf) -> None:
    assert verdict(shelf, "exact", {"a": 1}, {"a": 1})[0] == "agreed"
    assert verdict(shelf, "exact", {"a": 1}, {"a": 1.5})[0] == "disagreed"


def test_within_holds_every_number_and_names_the_first_that_strays(shelf: Shelf) -> None:
    level = {"within": "0.01"}
    assert verdict(shelf, level, {"a": [1, 2.5]}, {"a": [1, 2.509]}) == WITHIN
    word, detail = verdict(shelf, level, {"a": [1, 2.5]}, {"a": [1, 2.511]})
    assert word == "disagreed" and "/a/1" in detail


def test_agreement_by_a_tolerance_alone_is_told_from_equal_bytes(shelf: Shelf) -> None:
    level = {"within": "0.01"}
    same, near = ([{"a": value}, {"a": 1}] for value in (1, 1.001))
    for found, by in ((same, False), (near, True)):
        expected = expect(shelf, level, found[0])
        [one] = compare_outputs(record(out=shelf.put(found[1])), expected, LOCK, {"out": level}, shelf.deliver)
        assert (one.verdict, one.by_tolerance) == ("agreed", by)
    assert tolerance_text(0) == ""
    assert tolerance_text(1) == "1 output within tolerance alone: bytes differ"
    assert tolerance_text(2).startswith("2 outputs within")


def test_within_refuses_numbers_that_appear_or_vanish(shelf: Shelf) -> None:
    assert verdict(shelf, {"within": "1"}, {"a": 1}, {"a": 1, "b": 1})[0] == "disagreed"
    assert verdict(shelf, {"within": "1"}, {"a": 1, "b": 1}, {"a": 1})[0] == "disagreed"


LEVEL = {"interval": "0.95"}
RATE = {"value": 0.5, "interval": [0.4, 0.6]}


def held(shelf: Shelf, found: Any, expected: Any = RATE, **beside: Any) -> tuple[str, str]:
    """Hold one statistic against another, each in a document with what else stands there."""
    return verdict(shelf, LEVEL, {"rate": expected, **beside}, {"rate": found, **beside})


def test_each_value_must_lie_in_the_interval_of_the_other(shelf: Shelf) -> None:
    assert held(shelf, {"value": 0.55, "interval": [0.45, 0.65]}) == NEAR
    assert held(shelf, {"value": 0.7, "interval": [0.6, 0.8]}) == (
        "disagreed", "/rate/value: the expected 0.5 lies outside [0.6, 0.8], the interval of 0.7",
    )  # fmt: skip
    assert held(shelf, {"value": 0.7, "interval": [0.45, 0.74]}) == (
        "disagreed", "/rate/value: 0.7 lies outside [0.4, 0.6], the expected interval of 0.5",
    )  # fmt: skip


def test_a_run_cannot_widen_its_interval_until_it_holds_anything(shelf: Shelf) -> None:
    word, detail = held(shelf, {"value": 8.5, "interval": [-9, 9]})
    assert word == "disagreed"
    assert detail == "/rate/interval is [-9, 9], more than 1.5 times as wide as the expected [0.4, 0.6]"
    assert held(shelf, {"value": 0.5, "interval": [-9, 9]}, RATE)[0] == "disagreed", "also around the same value"
    assert held(shelf, {"value": 0.55, "interval": [0.4, 0.7]}) == NEAR, "1.5 times is near enough"
    assert held(shelf, {"value": 0.55, "interval": [0.4, 0.7001]})[0] == "disagreed"
    assert held(shelf, {"value": 0.55, "interval": [0.5, 0.55]}) == NEAR, "a narrower one is no harm"
    assert held(shelf, {"value": 0.5, "interval": [0.6, 0.4]})[0] == "disagreed", "nor may its ends change places"


@pytest.mark.parametrize("name", ["n", "n_items", "count", "participants", "benchmarks"])
def test_what_was_counted_is_equal_beside_a_value_and_around_it(shelf: Shelf, name: str) -> None:
    few = {**RATE, "value": 0.55}
    assert held(shelf, {**few, name: 500}, {**RATE, name: 500}) == NEAR
    assert held(shelf, {**few, name: 3}, {**RATE, name: 500}) == ("disagreed", f"/rate/{name} is 3, expected 500")
    word, detail = verdict(shelf, LEVEL, {"rate": RATE, name: 500}, {"rate": few, name: 3})
    assert (word, detail) == ("disagreed", f"/{name} is 3, expected 500")


def test_a_number_without_interval_is_equal_unless_a_statistic_decides(shelf: Shelf) -> None:
    assert held(shelf, {**RATE, "spread": 0.2}, {**RATE, "spread": 0.1}) == NEAR
    assert held(shelf, {**RATE, "degenerate": True}, {**RATE, "degenerate": False})[0] == "disagreed"
    assert verdict(shelf, LEVEL, {"rate": RATE, "p": 0.5}, {"rate": RATE, "p": 0.001})[0] == "disagreed"
    lone = {"rate": RATE, "mean": {"value": 1}}
    word, detail = verdict(shelf, LEVEL, lone, {**lone, "mean": {"value": 2}})
    assert word == "disagreed" and "/mean/value is 2, expected 1" in detail


def test_an_interval_of_no_width_is_met_by_itself_alone(shelf: Shelf) -> None:
    sure = {"value": 1, "interval": [1, 1]}
    assert held(shelf, sure, sure) == ("agreed", "")
    for other in ([1, 1.0001], [0.5, 0.5], {"missing": "few"}):
        assert held(shelf, {"value": 1, "interval": other}, sure)[0] == "disagreed", other
    assert held(shelf, {"value": 0.5, "interval": [0.5, 0.5]}, RATE) == NEAR
    assert held(shelf, {"value": 0.55, "interval": [0.55, 0.55]}, RATE)[0] == "disagreed"


def test_what_is_missing_is_missing_on_both_sides(shelf: Shelf) -> None:
    none = {"value": {"missing": "nothing scored"}, "interval": {"missing": "nothing scored"}}
    unsure = {"value": 0.5, "interval": {"missing": "undefined in 1001 of 2000 resamples"}}
    assert held(shelf, none, none) == ("agreed", "")
    assert held(shelf, none)[0] == held(shelf, RATE, none)[0] == "disagreed"
    assert held(shelf, unsure)[0] == held(shelf, RATE, unsure)[0] == "disagreed"
    assert (
        held(shelf, {**unsure, "interval": {"missing": "undefined in 1003 of 2000 resamples"}}, unsure)[0] == "agreed"
    )
    assert held(shelf, {**unsure, "value": 0.51}, unsure)[0] == "disagreed"


def test_an_interval_that_misses_its_own_value_agrees_with_itself(shelf: Shelf) -> None:
    low = {"value": -0.99, "interval": [-0.98, -0.9]}
    assert held(shelf, {"value": -0.99, "interval": [-0.97, -0.88], "undefined_resamples": 2}, low) == NEAR
    assert held(shelf, {"value": -0.99, "interval": [-0.5, -0.42]}, low)[0] == "disagreed", "but it lies near the other"
    half = {"value": 0.5, "interval": [0.4, 0.6]}
    for interval in ([0.1, 0.2], [0.8, 0.9]):
        assert held(shelf, {"value": 0.5, "interval": interval}, half)[0] == "disagreed"
        assert held(shelf, half, {"value": 0.5, "interval": interval})[0] == "disagreed"


def test_fields_that_come_or_go_part_two_documents(shelf: Shelf) -> None:
    assert verdict(shelf, LEVEL, {"rate": RATE}, {"rate": RATE, "more": RATE})[0] == "disagreed"
    hidden = {"rate": 0.5, "interval": {"n": 500}}
    assert verdict(shelf, LEVEL, hidden, {**hidden, "interval": {"n": 3}})[0] == "disagreed", (
        "no value stands beside it"
    )


def test_an_interval_level_without_any_statistic_forgives_nothing(shelf: Shelf) -> None:
    assert verdict(shelf, LEVEL, {"n": 500, "rate": 0.5}, {"n": 500, "rate": 0.5})[0] == "agreed"
    word, detail = verdict(shelf, LEVEL, {"n": 500, "rate": 0.5}, {"n": 5, "rate": 0.5})
    assert word == "disagreed" and "/n" in detail


def test_what_is_no_json_is_to_be_compared_by_bytes(shelf: Shelf) -> None:
    (shelf.folder / "figure").write_bytes(b"<svg/>")
    with pytest.raises(InputError, match="not JSON") as refused:
        json_leaves(shelf.folder / "figure")
    assert "exact" in refused.value.next


def test_without_an_expectation_under_this_lock_nothing_is_confirmed(shelf: Shelf) -> None:
    digest = shelf.put({"a": 1})
    other = expect(shelf, "exact", {"a": 1}, lock="c" * 64)
    for known in (None, other):
        verdicts = compare_outputs(record(out=digest), known, LOCK, {}, shelf.deliver)
        assert [one.verdict for one in verdicts] == ["unconfirmed"] * len(verdicts)
        assert overall_verdict(record(out=digest), verdicts) == "unconfirmed"


def test_an_expected_output_that_was_not_made_is_a_disagreement(shelf: Shelf) -> None:
    verdicts = compare_outputs(record(), expect(shelf, "exact", {"a": 1}), LOCK, {}, shelf.deliver)
    assert [(one.name, one.verdict) for one in verdicts] == [("out", "missing")]
    assert overall_verdict(record(), verdicts) == "disagreed"


def test_an_unfinished_or_limited_run_is_incomplete_whatever_it_made() -> None:
    bodies: list[RecordBody] = [
        {"status": "failed", "outputs": {}},
        {"status": "done", "limit": 3, "outputs": {}},
    ]
    for body in bodies:
        assert overall_verdict(Record("r", body), []) == "incomplete"


def test_an_output_of_too_many_numbers_is_to_be_compared_by_bytes(shelf: Shelf) -> None:
    with pytest.raises(InputError, match="more than"):
        json_leaves(shelf.deliver(shelf.put(list(range(100_001)))))


def test_within_forgives_numbers_only(shelf: Shelf) -> None:
    word, detail = verdict(shelf, {"within": "1"}, {"verdict": "pass", "n": 1}, {"verdict": "fail", "n": 1})
    assert word == "disagreed" and "/verdict" in detail
    assert verdict(shelf, {"within": "1"}, {"n": 1}, {"n": True})[0] == "disagreed"


def test_a_table_is_compared_row_by_row(shelf: Shelf) -> None:
    rows = b'{"id":"a","x":1}\n{"id":"b","x":2}\n'
    (shelf.folder / "table").write_bytes(rows)
    assert json_leaves(shelf.folder / "table") == {"/0/id": '"a"', "/0/x": "1", "/1/id": '"b"', "/1/x": "2"}


def test_an_expectation_accepted_at_another_level_confirms_nothing(shelf: Shelf) -> None:
    lax = expect(shelf, {"within": "1e9"}, {"a": 1})
    [one] = compare_outputs(record(out=shelf.put({"a": 2})), lax, LOCK, {"out": "exact"}, shelf.deliver)
    assert one.verdict == "disagreed" and "another level" in one.detail
