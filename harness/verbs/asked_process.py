"""The process of a run that an agent asked for: it runs the manifest within the budget, and writes how the run stands.

It holds the run's lock as long as it lives. Its starter may end before it; a request to stop is a file in the store.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from harness.errors import HarnessError, InputError, Interrupted, StepError
from harness.manifest.load import LoadedManifest
from harness.run.executing.forecast import AskingForecast
from harness.run.item_gate import keeps_words
from harness.run.progress import AnswerProgress, progress_text
from harness.run.service import FinishedRun, RunTarget, run_manifest
from harness.store.asked import (
    DONE,
    FAILED,
    OVER_BUDGET,
    RUNNING,
    STOPPED,
    AskedRun,
    has_state,
    hold_run_lock,
    read_asked,
    wants_stop,
    write_state,
)
from harness.store.store import Store
from harness.verbs.agent_runs import derived_request
from harness.verbs.project import Project, Watch, choose_engine
from harness.verbs.requests import EngineRequest
from harness.verbs.running import write_derived

__all__ = ["perform_asked"]

LOOK = 0.5  # seconds between two looks for a request to stop
TURN = 1.0  # seconds between two notes of how far the run is
LONGEST = 500  # letters of a reason
WORDLESS = "its data is private, gated or hidden, so its words are not told; an operator sees them"


class BudgetSpentError(InputError):
    """Raised if an agent's run would cost, or has cost, more dollars or seconds than its budget."""

    name = "over-budget"


class _Performance:
    """One run under way: its clock, what stops it, and how far it is."""

    def __init__(self, store: Store, asked: AskedRun) -> None:
        self.store, self.asked = store, asked
        self.stop, self.over = threading.Event(), threading.Event()
        self.state, self.why = "", ""  # set with the event: how the run ends, and why
        self._noted = 0.0
        self._far: dict[str, Any] = {}

    def ends(self, state: str, why: str) -> None:
        """Stop the run for a reason; the first one counts."""
        if not self.stop.is_set():
            self.state, self.why = state, why
            self.stop.set()

    def watch(self) -> None:
        """Look for a request to stop and at the clock until the run is over."""
        until = time.monotonic() + self.asked.seconds
        while not self.over.wait(LOOK):
            if wants_stop(self.store, self.asked.run):
                self.ends(STOPPED, "it was asked to stop")
            elif time.monotonic() > until:
                self.ends(OVER_BUDGET, f"its {self.asked.seconds} seconds are over")

    def step(self, step: str, state: str, done: int, total: int) -> None:
        """Note how many steps are done."""
        self._far |= {"step": f"{step} {state}", "done": done, "total": total}
        self._note(last=done == total)

    def answers(self, found: AnswerProgress) -> None:
        """Note how many answers there are, and stop the run if they cost too much."""
        self._far["answers"] = progress_text(found)
        if found.dollars is not None:
            self._far["dollars"] = f"{found.dollars:f}"
            if found.dollars > Decimal(self.asked.dollars):
                self.ends(OVER_BUDGET, f"it spent {found.dollars:f} of {self.asked.dollars} dollars")
        self._note()

    def foreseen(self, found: list[AskingForecast]) -> None:
        """Raise BudgetSpentError, before any model is asked, if the cost is not in the budget or not known."""
        paid = [one for one in found if one.service and one.tape != "replay" and one.to_ask]
        if not paid:
            return
        if not Decimal(self.asked.dollars):
            raise BudgetSpentError(f"{paid[0].model} would be paid for, and the budget has no dollars")
        if unknown := next((one for one in paid if one.service != "priced"), None):
            raise BudgetSpentError(f"what {unknown.model} costs is not known: the manifest has no prices of it")

    def _note(self, *, last: bool = False) -> None:
        if last or time.monotonic() - self._noted > TURN:
            self._noted = time.monotonic()
            write_state(self.store, self.asked.run, RUNNING, **self._far)

    @property
    def far(self) -> Mapping[str, Any]:
        """How far the run came."""
        return {name: value for name, value in self._far.items() if name != "step"}


def perform_asked(project: Project, run: str) -> None:
    """Execute the run that an agent asked for under this id, and write its state and how it ended."""
    store = project.open()
    asked = read_asked(store, run)
    if asked is None:
        raise InputError("nobody asked for this run", where=run)
    with hold_run_lock(store, run):
        if has_state(store, run):
            return  # its process began before, and is over
        write_state(store, run, RUNNING)
        under_way = _Performance(store, asked)
        watcher = threading.Thread(target=under_way.watch, name="budget", daemon=True)
        watcher.start()
        state, more = FAILED, {"why": "defect: the harness met a defect of its own"}
        try:
            state, more = DONE, _summed(_run(project, asked, under_way))
        except Interrupted:
            state, more = under_way.state or STOPPED, {"why": under_way.why or "it was interrupted"}
        except BudgetSpentError as bad:
            state, more = OVER_BUDGET, {"why": bad.what}
        except HarnessError as bad:
            state, more = FAILED, {"why": _words(project, asked, bad)}
        finally:
            under_way.over.set()
            write_state(store, run, state, **{**under_way.far, **more})


def _run(project: Project, asked: AskedRun, under_way: _Performance) -> FinishedRun:
    """Derive, lock and run the manifest as it was asked for."""
    named = project.manifest(project.root / asked.path)
    if named.sha256 != asked.sha256:
        raise InputError("the manifest was changed after the run was asked for", next="start it with a new key")
    watch = Watch(stop=under_way.stop)
    request, limit = derived_request(asked.overrides)
    engine = choose_engine(EngineRequest(**asked.engine), project, watch)
    who = {"principal": asked.principal, "key": asked.key}
    place = RunTarget(project.store, engine, stop=under_way.stop, run=asked.run, asked=who)
    loaded = write_derived(named, request, place, watch)
    return run_manifest(loaded, place, under_way.step, limit, under_way.answers, under_way.foreseen)


def _summed(ran: FinishedRun) -> dict[str, Any]:
    """Return what is told of a run that ended: its verdict, its steps, and what models left without an answer."""
    gaps = {gap.model: f"{gap.errors} of {gap.rows} rows" for gap in ran.gaps}
    return {
        "verdict": ran.verdict,
        "steps": dict(ran.record.body["steps"]),
        **({"unanswered": gaps} if gaps else {}),
    }


def _words(project: Project, asked: AskedRun, bad: HarnessError) -> str:
    """Return why a run failed: the error's words, unless they may repeat data that is not shown, or are a step's."""
    try:
        loaded: LoadedManifest = project.manifest(project.root / asked.path)
        wordless = keeps_words(loaded, Store.make(project.store))
    except HarnessError:
        wordless = True
    if wordless:
        return f"{bad.name}: {WORDLESS}"
    if isinstance(bad, StepError):
        return f"{bad.name}: a step failed ({getattr(bad, 'ended', 'failed')}); an operator sees why"
    told = f"{bad.name}: {bad.what}" + (f". Next: {bad.next}" if bad.next else "")
    return told.replace(str(project.root), ".").replace(str(project.store), ".harness")[:LONGEST]
