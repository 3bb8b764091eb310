"""On every engine a command is ended for the same reasons, and its end is told in the same words."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from harness.engines.engine import Limits, Outcome
from harness.engines.monitor import JobMonitor


def monitored(folder: Path, **limits: float) -> tuple[JobMonitor, threading.Event, list[bytes]]:
    cancel, heard = threading.Event(), list[bytes]()
    return JobMonitor(Limits(**limits), heard.append, cancel, (folder,)), cancel, heard  # type: ignore[arg-type]


def ended_as(outcome: Outcome) -> tuple[int, int, bool, bool, str]:
    return outcome.exit, outcome.signal, outcome.timed_out, outcome.cancelled, outcome.over


@pytest.mark.parametrize(
    ("code", "exit_", "signal"), [(0, 0, 0), (7, 7, 0), (128, 128, 0), (-9, 0, 9), (137, 0, 9), (139, 0, 11)]
)
def test_a_command_that_ended_by_itself_tells_its_code_or_its_signal(
    code: int, exit_: int, signal: int, tmp_path: Path
) -> None:
    here, _, _ = monitored(tmp_path)
    assert not here.must_end()
    outcome = here.outcome(code, "none")
    assert ended_as(outcome) == (exit_, signal, False, False, "") and outcome.fine is (code == 0)
    assert outcome.isolation == "none" and outcome.usage["wall_ms"] >= 0


def test_a_command_that_was_ended_has_no_code_of_its_own(tmp_path: Path) -> None:
    late, cancel, _ = monitored(tmp_path, seconds=0)
    assert late.must_end() and late.poll_seconds == 0
    assert ended_as(late.outcome(-9, "none")) == (0, 0, True, False, "")
    late.begin()
    cancel.set()  # the user's word comes first: what is cancelled did not fail
    assert late.must_end() and ended_as(late.outcome(137, "none")) == (0, 0, False, True, "")


def test_what_a_command_wrote_at_last_is_counted_when_it_has_ended(tmp_path: Path) -> None:
    here, _, _ = monitored(tmp_path, disk=1 << 20)
    (tmp_path / "big").write_bytes(bytes(2 << 20))
    assert ended_as(here.outcome(0, "none")) == (0, 0, False, False, "more than 1 MiB")
    spent, cancel, _ = monitored(tmp_path, disk=1 << 20, seconds=0)
    cancel.set()
    assert spent.must_end() and ended_as(spent.outcome(-9, "none")) == (0, 0, False, False, "more than 1 MiB")


def test_all_that_is_printed_is_handed_on_and_the_end_of_it_kept(tmp_path: Path) -> None:
    here, _, heard = monitored(tmp_path, log_bytes=4)
    for text in (b"one", b"two", b"three"):
        here.log_output(text)
    assert heard == [b"one", b"two", b"three"] and here.outcome(0, "none").log == b"hree"
