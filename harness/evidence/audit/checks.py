"""The report of an audit: checks, each with an id, a verdict and what it is about, and the verdict of all.

It looks at nothing itself: it collects what other parts of the audit found.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.evidence.causes import FirstDifference

PASS, FAIL, SKIP = "pass", "fail", "skip"
UNCONFIRMED = "expect.missing"  # skipped for want of an expectation: the run is sound, and nobody has accepted it


@dataclass(frozen=True)
class Check:
    """One check of an audit: its id, whether it passed, failed or was skipped, and what it looked at."""

    id: str
    verdict: str
    subject: str
    detail: str = ""


@dataclass
class Coverage:
    """Re-execution coverage of an audit: the steps executed again, taken on trust, and left out for time."""

    steps: int = 0
    again: int = 0
    other: int = 0  # of these, by other code or packages than the run's
    trusted: dict[str, int] = field(default_factory=dict)  # answers of models: how many steps of each
    imported: dict[str, int] = field(default_factory=dict)  # the same, of answers that somebody else's run gave
    agents: dict[str, int] = field(default_factory=dict)  # the same, of answers that an agent gave in an attempt
    trials: int = 0  # steps that are outcomes of foreign code
    left_out: list[str] = field(default_factory=list)  # for want of time

    def text(self) -> str:
        """Describe the coverage in one line."""
        words = [f"{self.again} of {self.steps} steps made again"]
        if self.other:
            words.append(f"{self.other} of them by other code")
        if self.trusted or self.imported:
            answers = [f"{model} ({steps} steps)" for model, steps in sorted(self.trusted.items())]
            answers += [f"{model} (imported, {steps} steps)" for model, steps in sorted(self.imported.items())]
            words.append(f"answers of models taken on trust: {', '.join(answers)}")
        if self.agents:
            answers = [f"{model} ({steps} steps)" for model, steps in sorted(self.agents.items())]
            words.append(f"answers of an agent taken on trust: {', '.join(answers)}")
        if self.trials:
            words.append(f"outcomes of foreign code taken on trust: {self.trials} steps")
        if self.left_out:
            shown = ", ".join(self.left_out[:6]) + (", …" if len(self.left_out) > 6 else "")
            words.append(f"{len(self.left_out)} left out, too dear (--budget): {shown}")
        return "; ".join(words)

    def as_data(self) -> dict[str, Any]:
        """Return the coverage as the JSON fields that scripts read."""
        return {
            "steps": self.steps, "again": self.again, "other": self.other, "trusted": dict(self.trusted),
            "left_out": list(self.left_out), **({"imported": dict(self.imported)} if self.imported else {}),
            **({"agents": dict(self.agents)} if self.agents else {}),
            **({"trials": self.trials} if self.trials else {}),
        }  # fmt: skip


@dataclass
class Report:
    """The checks of one audit in the order in which they were made, its coverage, and what the run's data lacked."""

    checks: list[Check] = field(default_factory=list)
    coverage: Coverage | None = None
    packages: Mapping[str, int] = field(default_factory=dict)  # what it cost to read what is installed
    data: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # published files that the run had, and had not
    self_checks: str = ""  # what the run's own checks say: pass, fail, or nothing where it makes none
    limit: int = 0  # items of each dataset that the run was limited to; 0: it was not
    healed: Mapping[str, int] = field(default_factory=dict)  # damage that the run met in its store and made anew
    cause: FirstDifference | None = None  # of a step that was made again, or of the run and what is expected

    def fail(self, id: str, subject: str, detail: str = "") -> None:
        """Record a failed check: a disagreement."""
        self.checks.append(Check(id, FAIL, subject, detail))

    def skip(self, id: str, subject: str, detail: str = "") -> None:
        """Record a check that could not be made; it keeps the verdict from `agreed`."""
        self.checks.append(Check(id, SKIP, subject, detail))

    def held(self, id: str, subject: str, detail: str = "") -> None:
        """Record a check that passed."""
        self.checks.append(Check(id, PASS, subject, detail))

    def settle(self, id: str, subject: str, flaws: Iterable[str], good: str = "") -> bool:
        """Record one failed check for each flaw, or a passed one if there is none; return whether there is none."""
        found = list(flaws)
        for flaw in found:
            self.fail(id, subject, flaw)
        if not found:
            self.held(id, subject, good)
        return not found

    @property
    def verdict(self) -> str:
        """The verdict in one word: disagreed (a check failed), incomplete (one was skipped), unconfirmed or agreed.

        It is unconfirmed if the only checks skipped were so for want of an expectation.
        """
        if any(check.verdict == FAIL for check in self.checks):
            return "disagreed"
        skipped = {check.id for check in self.checks if check.verdict == SKIP}
        return "incomplete" if skipped - {UNCONFIRMED} else "unconfirmed" if skipped else "agreed"
