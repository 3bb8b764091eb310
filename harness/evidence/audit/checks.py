"""The report of an audit: checks, each with an id, a verdict and a subject, and the verdict of the whole audit.

This module checks nothing itself; it collects the findings of the other parts of the audit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from harness.evidence.explain import FirstDifference
from harness.store.journal import FileCoverage

PASS, FAIL, SKIP = "pass", "fail", "skip"
PARTIAL = "coverage.partial"  # skipped: steps that could be executed again were left out for lack of time
SHOWN = 6  # names of steps in a line
UNCONFIRMED = "expect.missing"  # skipped for lack of an expectation: the run is sound, but not accepted
UNSIGNED = "expect.unsigned"  # skipped if no author that the reviewer trusts signed for the expectation


@dataclass(frozen=True)
class Check:
    """One check of an audit: its id, whether it passed, failed or was skipped, and its subject."""

    id: str
    verdict: str
    subject: str
    detail: str = ""


@dataclass
class Coverage:
    """Re-execution coverage of an audit: the steps executed again, taken on trust, and left out for time."""

    steps: int = 0
    again: int = 0
    other: int = 0  # of the steps executed again: those with other code or packages than the run's
    trusted: dict[str, int] = field(default_factory=dict)  # by model: steps with its answers, not executed again
    imported: dict[str, int] = field(default_factory=dict)  # the same for imported answers
    agents: dict[str, int] = field(default_factory=dict)  # the same for answers of an agent in an attempt
    trials: int = 0  # steps with outcomes of untrusted code
    left_out: list[str] = field(default_factory=list)  # for lack of time
    sliced: dict[str, tuple[int, int]] = field(default_factory=dict)  # of these: rows executed again, and all rows
    rows: int = 0  # rows of all steps that the level asks for
    seed: int = 0  # seed of the order in which steps were drawn

    def text(self) -> str:
        """Format the coverage as one line."""
        words = [f"{self.again} of {self.steps} steps made again"]
        if self.other:
            words.append(f"{self.other} of them by other code")
        if self.trusted or self.imported:
            answers = [f"{model} ({_steps(steps)})" for model, steps in sorted(self.trusted.items())]
            answers += [f"{model} (imported, {_steps(steps)})" for model, steps in sorted(self.imported.items())]
            words.append(f"answers of models taken on trust: {', '.join(answers)}")
        if self.agents:
            answers = [f"{model} ({_steps(steps)})" for model, steps in sorted(self.agents.items())]
            words.append(f"answers of an agent taken on trust: {', '.join(answers)}")
        if self.trials:
            words.append(f"outcomes of foreign code taken on trust: {_steps(self.trials)}")
        if self.left_out:
            words.append(self.left_out_text())
        return "; ".join(words)

    def left_out_text(self) -> str:
        """Format the steps that the budget left out, with the probability of finding one forged row."""
        named = [f"{step}{self._part(step)}" for step in self.left_out[:SHOWN]]
        more = ", …" if len(self.left_out) > SHOWN else ""
        return (
            f"{len(self.left_out)} left out, too dear (--budget): {', '.join(named)}{more}; one forged row of "
            f"{self.rows} would have been met with probability {self.chance} (drawn by seed {self.seed})"
        )

    def _part(self, step: str) -> str:
        again, rows = self.sliced.get(step, (0, 0))
        return f" ({again} of {rows} rows made again)" if again else ""

    @property
    def chance(self) -> str:
        """The probability that a forged row, at any position, was among those executed again; rounded down."""
        left = sum(rows - again for again, rows in self.sliced.values())
        return f"{int(1000 * (1 - left / self.rows)) / 1000 if self.rows else 0:.3f}"

    def unverified(self) -> list[str]:
        """Return what the verdict takes on trust, as words to show beside it."""
        models = len({*self.trusted, *self.imported})
        said = [f"answers of {models} model{'s' * (models > 1)} unverified"] if models else []
        said += [f"answers of {len(self.agents)} agent{'s' * (len(self.agents) > 1)} unverified"] * bool(self.agents)
        return said + [f"outcomes of foreign code unverified ({_steps(self.trials)})"] * bool(self.trials)


def _steps(count: int) -> str:
    return f"{count} step{'s' * (count != 1)}"


@dataclass
class Report:
    """The checks of one audit in their order, its coverage, and what the run's data lacked."""

    checks: list[Check] = field(default_factory=list)
    coverage: Coverage | None = None
    packages: Mapping[str, int] = field(default_factory=dict)  # the cost of reading the installed packages
    data: Mapping[str, FileCoverage] = field(default_factory=dict)  # published files that the run had and lacked
    self_checks: str = ""  # verdict of the run's own checks: pass, fail, or empty without any
    limit: int = 0  # items of each dataset that the run was limited to; 0: no limit
    stand_ins: dict[str, bool] = field(default_factory=dict)  # by name: whether a stand-in was shown the answers
    notes: list[str] = field(default_factory=list)  # mismatches in answers taken on trust, by step
    healed: Mapping[str, int] = field(default_factory=dict)  # damage that the run found in its store and repaired
    cause: FirstDifference | None = None  # of a step executed again, or of the run and the expectation

    def fail(self, id: str, subject: str, detail: str = "") -> None:
        """Record a failed check: a disagreement."""
        self.checks.append(Check(id, FAIL, subject, detail))

    def skip(self, id: str, subject: str, detail: str = "") -> None:
        """Record a check that could not be made, which keeps the verdict from `agreed`."""
        self.checks.append(Check(id, SKIP, subject, detail))

    def held(self, id: str, subject: str, detail: str = "") -> None:
        """Record a check that passed."""
        self.checks.append(Check(id, PASS, subject, detail))

    def settle(self, id: str, subject: str, flaws: Iterable[str], good: str = "") -> bool:
        """Record a failed check for each flaw, or one passed check if there is no flaw; return True in that case."""
        found = list(flaws)
        for flaw in found:
            self.fail(id, subject, flaw)
        if not found:
            self.held(id, subject, good)
        return not found

    @property
    def verdict(self) -> str:
        """The verdict in one word: disagreed (a check failed), incomplete (one was skipped), unconfirmed or agreed.

        It is unconfirmed if checks were skipped only for lack of an expectation, or of its signature.
        """
        if any(check.verdict == FAIL for check in self.checks):
            return "disagreed"
        skipped = {check.id for check in self.checks if check.verdict == SKIP}
        return "incomplete" if skipped - {UNCONFIRMED, UNSIGNED} else "unconfirmed" if skipped else "agreed"

    @property
    def words(self) -> str:
        """The verdict and what it takes on trust, in words: `agreed, answers of 2 models unverified`."""
        said = self.coverage.unverified() if self.coverage else []
        told = [f"{len(self.notes)} note{'s' * (len(self.notes) > 1)} on them"] if said and self.notes else []
        return ", ".join([self.verdict, *said, *told])
