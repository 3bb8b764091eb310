"""What ended a step is read from its error alone; `run/long/test_failed_by_name.py` holds it against real steps."""

from __future__ import annotations

from typing import Any

import pytest

from harness.evidence.record import failed_steps, name_failure

ERRORS = {
    "step a failed: needed more than 256 MiB": "memory",
    "step a needed more than 64 MiB of memory: its manifest allows 2GiB": "memory",
    "step a failed: MemoryError": "memory",
    "step a failed: took more than 1.5 s": "time",
    "step a failed: took more than 600 s": "time",
    "step a failed: wrote 3,000,000 bytes, more than the 2 MiB it may": "disk",
    "the disk is full": "disk",
    "step a failed: was ended by signal 9": "killed",
    "step a failed: was ended by signal 11": "crashed",
    'step a made no "rows"': "outputs",
    "step a removed its own out/": "outputs",
    "the run was stopped": "stopped",
    "step a failed: exited 3": "failed",
    "step a failed: ValueError: needed more than 5 MiB": "failed",
    "step b failed: took more than 5 s": "failed",
    "every request to m was refused": "failed",
}


@pytest.mark.parametrize(("error", "outcome"), ERRORS.items())
def test_an_error_names_what_ended_its_step(error: str, outcome: str) -> None:
    assert name_failure("a", error) == outcome


def test_the_failed_steps_of_a_journal_are_told_in_its_order() -> None:
    events: list[Any] = [
        {"event": "step.failed", "step": "a", "error": "step a failed: was ended by signal 11"},
        {"event": "step.done", "step": "b"},
        {"event": "step.failed", "step": "c", "error": "step c failed: took more than 5 s"},
    ]
    assert [one.text for one in failed_steps(events)] == ["crashed by signal 11: a", "time: c"]
