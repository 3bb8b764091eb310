"""How far a long step is: what it prints, what of that is shown, and what is left for its log."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.kit.progress import SHOWN, StepProgress, split_progress, tell_progress
from harness.run.progress import AnswerCounter, ProgressReporter, StepSchedule
from harness.steps import Plan, Step
from harness.store.store import Store


@pytest.mark.parametrize("total", [1, 7, 49, 50, 51, 1000])
def test_a_step_tells_at_most_fifty_times_and_its_end(total: int, capsys: pytest.CaptureFixture[str]) -> None:
    for done in range(1, total + 1):
        tell_progress(done, total, "fits")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == min(total, SHOWN) and lines[-1] == f"progress: {total} of {total} fits"


def test_progress_is_taken_out_of_what_a_step_prints_and_the_rest_is_its_log() -> None:
    printed = b"a warning\nprogress: 1 of 90 fits\nprogress: 2 of 90 fits\nmore\nprogress: not of this kind\n"
    assert split_progress(printed) == (
        StepProgress(2, 90, "fits"),
        b"a warning\nmore\nprogress: not of this kind\n",
    )
    assert split_progress(b"progress: 1 of 9") == (None, b"progress: 1 of 9")  # a line that has not ended
    assert split_progress(b"\xff\n") == (None, b"\xff\n")


def test_a_run_shows_how_far_its_steps_are_and_forgets_them(tmp_path: Path) -> None:
    plan = Plan((Step("fit", "x.y:fit", "scores", {}, {}, ("fits",)), Step("b", "x.y:b", "scores", {}, {}, ("c",))), {})
    reporter = ProgressReporter(StepSchedule(plan), AnswerCounter(plan, Store.make(tmp_path / "store")))
    shown: list[tuple[str, str, int, int]] = []
    reporter.on_step = lambda *told: shown.append(told)
    reporter.count_parts("fit", StepProgress(3, 1090, "fits"))
    reporter.count_parts("fit", StepProgress(4, 1090, "fits"))
    reporter.under_way()
    reporter.under_way()
    assert shown == [("fit", "4 of 1,090 fits", 0, 2)]
