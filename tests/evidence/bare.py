"""A real run of three steps, made in this process: as small as a run can be that has every kind of line and field."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from support import unlocked_project

from harness.engines.engine import Limits
from harness.engines.local import LocalEngine
from harness.evidence.audit.audit import InstalledHarness, audit_stored_run
from harness.evidence.audit.checks import Report
from harness.evidence.audit.reexecution import Reexecute, ReexecutionOptions
from harness.manifest.load import LoadedManifest, load_manifest
from harness.manifest.lockfile import Lock
from harness.run.closure import Code
from harness.run.executing.runner import Runner
from harness.run.executing.workshop import Workshop
from harness.run.lock import resolve_manifest
from harness.run.planning.plan import check_manifest, make_plan
from harness.run.recording.auditing import batch_reexecutor, recordable_isolations
from harness.run.recording.auditing import step_reexecutor as replays
from harness.steps import GATHER, Plan, Ref, Step
from harness.store.store import Store

MAKE, CUT, SHOWN = "addition/make", "addition/items", "shown"


@dataclass(frozen=True)
class Bare:
    """A project whose manifest was run as a plan of three steps: one cached, one with a fan-in that is shown gold."""

    loaded: LoadedManifest
    lock: Lock
    plan: Plan
    store: Store
    name: str = ""  # of the run of three steps

    def workshop(self) -> Workshop:
        """Give a place where its steps are made."""
        return Workshop(self.store, LocalEngine("process"), Limits())

    def run(self, limit: int = 1, planned: Plan | None = None) -> str:
        """Run it once more."""
        runner = Runner(self.loaded, self.lock, planned or self.plan, self.workshop(), limit=limit)
        return runner.run(lambda *_: None).run

    def look(
        self, root: Path, level: str = "hashes", run: str = "", *, replay: Reexecute | None = None, replan: Any = None
    ) -> Report:
        """Audit the whole run of a store, from nothing but its bytes unless a level asks for more."""
        store = Store(root)
        how = ReexecutionOptions(replay, level=level) if replay else ReexecutionOptions(level=level)
        if not replay and level != "hashes":
            workshop = Workshop(store, LocalEngine("process"), Limits())
            how = ReexecutionOptions(replays(workshop), batch_reexecutor(workshop), level=level)
        planned = replan or (lambda *_: self.plan)
        installed = InstalledHarness(planned, lambda kind: Code().closure(kind).files, recordable_isolations)
        return audit_stored_run(store, run or self.name, installed, how)


def bare(folder: Path) -> Bare:
    """Lock a project, run one step of its plan, then three: the first of them is taken from the store."""
    loaded = load_manifest(unlocked_project(folder / "project", count=7, models=("oracle",)))
    this, store = check_manifest(loaded), Store.make(folder / "store")
    workshop = Workshop(store, LocalEngine("process"), Limits())
    lock = resolve_manifest(loaded, this, workshop)
    steps = {step.name: step for step in make_plan(this, lock, 1).steps}
    [part] = steps[CUT].outputs
    parts = {"parts": (Ref(CUT, part), Ref(CUT, part))}
    shown = Step(SHOWN, GATHER, "responses", {"name": "items"}, parts, ("items",), sees_gold=True)
    few = Plan((steps[MAKE], steps[CUT], shown), {"gold": Ref(MAKE, "gold"), "items": Ref(SHOWN, "items")})
    made = Bare(loaded, lock, few, store)
    made.run(planned=Plan(few.steps[:1], {}))
    return replace(made, name=made.run())
