"""What audit says: checks with ids, verdicts and the names of what they are about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

PASS, FAIL, SKIP = "pass", "fail", "skip"


@dataclass(frozen=True)
class Check:
    """One thing that was held against another."""

    id: str
    verdict: str
    subject: str
    detail: str = ""


@dataclass
class Report:
    """Everything an audit looked at, in the order it looked."""

    checks: list[Check] = field(default_factory=list)

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
        """Give one word: agreed, disagreed, or incomplete where a required check could not be made."""
        words = {check.verdict for check in self.checks}
        return "disagreed" if FAIL in words else "incomplete" if SKIP in words else "agreed"
