"""What audit says: checks with ids, verdicts and the names of what they are about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

PASS, FAIL, SKIP = "pass", "fail", "skip"
UNCONFIRMED = "expect.missing"  # skipped for want of an expectation: the run is sound, and nobody has accepted it


@dataclass(frozen=True)
class Check:
    """One thing that was held against another."""

    id: str
    verdict: str
    subject: str
    detail: str = ""


@dataclass
class Coverage:
    """How much of a run an audit has made again, and what it took on trust."""

    steps: int = 0
    again: int = 0
    other: int = 0  # of these, by other code or packages than the run's
    trusted: dict[str, int] = field(default_factory=dict)  # answers of models: how many steps of each
    imported: dict[str, int] = field(default_factory=dict)  # the same, of answers that somebody else's run gave
    trials: int = 0  # steps that are outcomes of foreign code
    left_out: list[str] = field(default_factory=list)  # for want of time

    def text(self) -> str:
        """Say it in one line."""
        words = [f"{self.again} of {self.steps} steps made again"]
        if self.other:
            words.append(f"{self.other} of them by other code")
        if self.trusted or self.imported:
            answers = [f"{model} ({steps} steps)" for model, steps in sorted(self.trusted.items())]
            answers += [f"{model} (imported, {steps} steps)" for model, steps in sorted(self.imported.items())]
            words.append(f"answers of models taken on trust: {', '.join(answers)}")
        if self.trials:
            words.append(f"outcomes of foreign code taken on trust: {self.trials} steps")
        if self.left_out:
            shown = ", ".join(self.left_out[:6]) + (", …" if len(self.left_out) > 6 else "")
            words.append(f"{len(self.left_out)} left out, too dear (--budget): {shown}")
        return "; ".join(words)

    def as_data(self) -> dict[str, Any]:
        """Give the fields that scripts rely on."""
        return {
            "steps": self.steps, "again": self.again, "other": self.other, "trusted": dict(self.trusted),
            "left_out": list(self.left_out), **({"imported": dict(self.imported)} if self.imported else {}),
            **({"trials": self.trials} if self.trials else {}),
        }  # fmt: skip


@dataclass
class Report:
    """Everything an audit looked at, in the order it looked."""

    checks: list[Check] = field(default_factory=list)
    coverage: Coverage | None = None
    packages: Mapping[str, int] = field(default_factory=dict)  # what it cost to read what is installed
    data: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # published files that the run had, and had not
    self_checks: str = ""  # what the run's own checks say: pass, fail, or nothing where it makes none

    def fail(self, id: str, subject: str, detail: str = "") -> None:
        """Name a disagreement."""
        self.checks.append(Check(id, FAIL, subject, detail))

    def skip(self, id: str, subject: str, detail: str = "") -> None:
        """Name something that could not be looked at, which keeps the verdict from `agreed`."""
        self.checks.append(Check(id, SKIP, subject, detail))

    def held(self, id: str, subject: str, detail: str = "") -> None:
        """Name something that was looked at and agrees."""
        self.checks.append(Check(id, PASS, subject, detail))

    def settle(self, id: str, subject: str, flaws: Iterable[str], good: str = "") -> bool:
        """Fail once for each flaw found, or pass once where there is none."""
        found = list(flaws)
        for flaw in found:
            self.fail(id, subject, flaw)
        if not found:
            self.held(id, subject, good)
        return not found

    @property
    def verdict(self) -> str:
        """Give one word: agreed, disagreed, incomplete where a required check could not be made, or unconfirmed."""
        if any(check.verdict == FAIL for check in self.checks):
            return "disagreed"
        skipped = {check.id for check in self.checks if check.verdict == SKIP}
        return "incomplete" if skipped - {UNCONFIRMED} else "unconfirmed" if skipped else "agreed"
