"""Trials for tests: a store of their own, the programs that are tried in it, and what came of each."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

from harness import trial
from harness.digest import canonical_json, sha256
from harness.engines.engine import Engine
from harness.evidence.trail import ExecutionIndex
from harness.run.closure import Code
from harness.run.environment import NUMERICS
from harness.run.executing.execute import StepTask
from harness.run.executing.trials import Trials
from harness.steps import JUDGED, Pinned, Step
from harness.store.journal import Preimage
from harness.store.store import Store

KIND = "harness.trial:table"
SHORT = trial.TrialLimits(seconds=6, cpu_seconds=2, memory=256 << 20, output=1 << 20)


class Tried:
    """A store with trials in it, and what came of programs."""

    def __init__(self, folder: Path) -> None:
        self.store = Store.make(folder / "store")
        self.lines: list[tuple[str, str, str]] = []
        self.trials = Trials(self.store, ExecutionIndex(self.store), threading.Event())
        self.trials.told = self._told
        self.trials.at_once(2)

    def _told(self, *line: str) -> None:
        self.lines.append((line[0], line[1], line[2]))
        self.trials.executed.note_trial(line[1], line[2])

    def run(
        self, programs: list[Any], engine: Engine, limits: trial.TrialLimits = SHORT, most: int = 0
    ) -> list[dict[str, Any]]:
        """Try programs, each of its own item, where anything gets `most` bytes of memory; gives the rows."""
        rows = [
            {"item": f"i-{n:04d}", "template": 1, "model": "m", "sample": 0, **one} for n, one in enumerate(programs)
        ]
        digest = self.store.blobs.put(b"".join(canonical_json(row) + b"\n" for row in rows))
        inputs = {"programs": Pinned(digest)}
        step = Step("t", KIND, JUDGED, {"trial": "t", "limits": limits.as_params()}, inputs, ("trials",), trial=True)
        parts: Preimage = {"environment": sha256(b""), "numerics": NUMERICS, "code": sha256(b"code")}
        task = StepTask(step, {"programs": digest}, Code().closure(KIND))
        with self.store.folder("step") as folder:
            self.trials.make(task, parts, engine, folder, most)
            return [json.loads(line) for line in (folder / "out" / "trials").read_bytes().splitlines()]
