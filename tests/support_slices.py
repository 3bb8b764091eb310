"""Audits in which every scorer is too dear to be made again whole, so that only slices of it are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from harness.evidence.audit.checks import PARTIAL, Report
from harness.evidence.audit.reexecution import OverBudget, RecordedKey, ReexecutedStep, ReexecutionOptions, is_sliceable
from harness.run.executing.workshop import Workshop
from harness.run.recording import auditing
from harness.run.recording.auditing import batch_reexecutor, step_reexecutor
from harness.steps import Step
from harness.store.journal import Preimage
from harness.store.store import Store


def sliced_audit(
    store: Path, run: str, budget: float = 120.0, dear: Callable[[Step], bool] = lambda _step: True
) -> Report:
    """Audit a run as if each scorer of answers, or those that are called dear, took longer than the budget."""

    def one(workshop: Workshop, processor: str = "") -> Any:
        make = step_reexecutor(workshop, processor)

        def again(step: Step, parts: Preimage, seconds: float) -> ReexecutedStep:
            if is_sliceable(step) and dear(step):
                raise OverBudget("it is too dear")
            return make(step, parts, seconds)

        return again

    def batch(workshop: Workshop) -> Any:
        make = batch_reexecutor(workshop)

        def again(steps: Sequence[RecordedKey], seconds: float) -> Mapping[str, ReexecutedStep]:
            whole = [(step, parts) for step, parts in steps if not (is_sliceable(step) and dear(step))]
            return make(whole, seconds) if whole else {}

        return again

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(auditing, "step_reexecutor", one)
        patch.setattr(auditing, "batch_reexecutor", batch)
        return auditing.audit_run(Store.open(store), run, how=ReexecutionOptions(budget=budget, jobs=2))


def require_equal_slices(store: Path, run: str, models: Sequence[str] | None = None) -> int:
    """Assert that an audit has nothing to say where all rows of scorers are made again in slices; returns how many.

    Everything else is made again whole; so are the scores of other models, where some are named.
    """

    def dear(step: Step) -> bool:
        return models is None or any(f"/{model}/" in step.name for model in models)

    report = sliced_audit(store, run, dear=dear)
    assert [one for one in report.checks if one.verdict != "pass" and one.id != PARTIAL] == []
    assert report.coverage and report.coverage.left_out, "nothing was sliced"
    trusted = report.coverage.trials + sum(report.coverage.trusted.values())
    assert report.coverage.again + len(report.coverage.left_out) + trusted == report.coverage.steps
    assert all(again == rows for again, rows in report.coverage.sliced.values()), report.coverage.sliced
    assert report.coverage.chance == "1.000" and report.verdict == "incomplete"
    return sum(rows for _, rows in report.coverage.sliced.values())
