"""What a run says it had of published files is held against its lock, and the lock against its manifest."""

from __future__ import annotations

from typing import Any, cast

import pytest

from harness.evidence.audit.audit import _files
from harness.evidence.audit.checks import Report
from harness.manifest.documents import DatasetPin, Intent
from harness.manifest.lockfile import Lock
from harness.store.journal import Event

FILE = {"url": "https://example.org/a", "sha256": "a" * 64}
INTENT: Intent = {"datasets": {"p": {"fetch": {"a": FILE, "b": FILE}}}}
PIN: DatasetPin = {"files": {"a": "a" * 64, "b": "a" * 64}, "absent": ["b"]}
SAID = {"p": {"files": 2, "absent": ["b"]}}


def start(fields: dict[str, Any]) -> Event:
    return cast(Event, fields)


def audited(started: dict[str, Any], pin: DatasetPin | None = None) -> Report:
    report = Report()
    _files(Lock(INTENT, "c" * 64, {"datasets": {"p": pin or PIN}}), start(started), report)
    return report


def test_a_run_with_the_coverage_of_its_lock_agrees_and_reports_it() -> None:
    report = audited({"data": SAID})
    assert (report.verdict, report.data) == ("agreed", SAID)
    assert [check.detail for check in report.checks] == ["p 1 of 2 files (missing: b)"]


@pytest.mark.parametrize(
    "said",
    [{}, {"data": {}}, {"data": {"p": {"files": 2, "absent": []}}}, {"data": {"p": {"files": 1, "absent": ["b"]}}}],
)
def test_a_run_that_hides_an_absent_file_is_named(said: dict[str, Any]) -> None:
    report = audited(said)
    assert report.verdict == "disagreed" and report.checks[0].id == "pin.differs"


def test_a_lock_that_pins_another_file_than_its_manifest_is_named() -> None:
    report = audited({"data": SAID}, {**PIN, "files": {"a": "b" * 64, "b": "a" * 64}})
    assert [check.detail for check in report.checks] == ["/pins/datasets/p/files/a"]


def test_a_lock_that_pins_one_file_for_many_is_named() -> None:
    assert audited({}, {"sha256": "a" * 64}).verdict == "disagreed"


def test_a_run_without_such_data_is_asked_nothing() -> None:
    report = Report()
    _files(Lock({"datasets": {}}, "c" * 64, {"datasets": {}}), start({}), report)
    assert report.checks == []
