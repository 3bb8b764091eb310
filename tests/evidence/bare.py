"""A real run of three steps, made in this process: as small as a run can be that has every kind of line and field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from support import unlocked_project

from harness.engines.engine import Limits
from harness.engines.local import LocalEngine
from harness.evidence.audit import audit
from harness.evidence.checks import Report
from harness.manifest.load import Loaded, load
from harness.manifest.lockfile import Lock
from harness.run.lock import resolve
from harness.run.plan import meant, plan
from harness.run.runner import Runner
from harness.run.workshop import Workshop
from harness.steps import GATHER, Plan, Ref, Step
from harness.store.store import Store

MAKE, CUT, SHOWN = "addition/make", "addition/items", "shown"


@dataclass(frozen=True)
class Bare:
    """A project whose manifest was run as a plan of three steps: one cached, one with a fan-in that is shown gold."""

    loaded: Loaded
    lock: Lock
    plan: Plan
    store: Store

    def workshop(self) -> Workshop:
        """Give a place where its steps are made."""
        return Workshop(self.store, LocalEngine("process"), Limits())

    def run(self, limit: int = 1, planned: Plan | None = None) -> str:
        """Run it once more."""
        runner = Runner(self.loaded, self.lock, planned or self.plan, self.workshop(), limit=limit)
        return runner.run(lambda *_: None).run

    def look(
        self, root: Path, level: str = "hashes", installed: Callable[[str], Mapping[str, str]] | None = None
    ) -> Report:
        """Audit the first run of a store, from nothing but its bytes."""
        store = Store(root)
        run = store.run_ids()[0]
        return audit(store, run, lambda *_: self.plan, lambda *_: None, level=level, installed=installed)


def bare(folder: Path) -> Bare:
    """Lock a project and run three steps of its plan; what `lock` has made, the run takes from the store."""
    loaded = load(unlocked_project(folder / "project", count=7, models=("oracle",)))
    this, store = meant(loaded), Store.make(folder / "store")
    workshop = Workshop(store, LocalEngine("process"), Limits())
    lock = resolve(loaded, this, workshop)
    steps = {step.name: step for step in plan(this, lock, 1).steps}
    [part] = steps[CUT].outputs
    parts = {"parts": (Ref(CUT, part), Ref(CUT, part))}
    shown = Step(SHOWN, GATHER, "responses", {"name": "items"}, parts, ("items",), sees_gold=True)
    few = Plan((steps[MAKE], steps[CUT], shown), {"gold": Ref(MAKE, "gold"), "items": Ref(SHOWN, "items")})
    made = Bare(loaded, lock, few, store)
    made.run()
    return made
