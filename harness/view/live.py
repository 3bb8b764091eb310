"""How far a run is that has not ended: its journal is read on from where it was read to, a line a finished step."""

from __future__ import annotations

import datetime
import json
from dataclasses import dataclass
from typing import Any

from harness.clock import current_time
from harness.errors import HarnessError
from harness.store.store import Store
from harness.store.tree import MOST_LOG

STILL = 120.0  # seconds without a line after which a run may have been killed


@dataclass
class RunFollower:
    """Reader of a run's journal while the run writes it: counts finished and failed steps."""

    store: Store
    run: str
    total: int = 0
    done: int = 0
    failed: int = 0
    step: str = ""
    over: bool = False
    broken: bool = False  # the journal cannot be read on
    _at: int = 0

    def read_on(self) -> None:
        """Read the lines that were added to the journal since the last call, and update the counts."""
        try:
            with self.store.tree.open_file(self.store.journal(self.run), MOST_LOG) as lines:
                lines.seek(self._at)
                for line in lines:
                    if not line.endswith(b"\n"):
                        break
                    self._at += len(line)
                    self._take(json.loads(line))
        except (HarnessError, OSError, ValueError, TypeError, AttributeError, RecursionError):  # no line of a run
            self.broken = self.over = True

    def _take(self, event: dict[str, Any]) -> None:
        kind = event.get("event")
        if kind == "run.started":
            self.total = int(event.get("steps", 0))
        elif kind in ("step.done", "step.cached", "step.failed"):
            self.done += 1
            self.failed += kind == "step.failed"
            self.step = str(event.get("step", ""))
        elif kind == "run.finished":
            self.over = True

    @property
    def idle(self) -> float:
        """Seconds since the journal was written to."""
        facts = self.store.tree.facts(self.store.journal(self.run))
        written = datetime.datetime.fromtimestamp(facts.st_mtime, datetime.UTC) if facts else None
        return (datetime.datetime.fromisoformat(current_time()) - written).total_seconds() if written else 0.0

    @property
    def text(self) -> str:
        """The progress of the run in words."""
        if self.broken:
            return "its journal cannot be read: `harness audit` says more"
        told = f"{self.done:,} of {self.total:,} steps"
        told += f", {self.failed} failed" if self.failed else ""
        told += f"; the last: {self.step[:80]}" if self.step else ""
        return told + (
            f"; nothing for {self.idle / 60:.0f} minutes: it may have been killed" if self.idle > STILL else ""
        )

    def document(self) -> dict[str, Any]:
        """Return the progress of the run as plain data, which the page asks for repeatedly."""
        return {"done": self.done, "total": self.total, "text": self.text, "over": self.over}
