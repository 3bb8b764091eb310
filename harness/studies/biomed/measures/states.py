"""Counts of the states of one model's answers by one grader; every rate of the study is a ratio of such counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from harness.errors import InputError
from harness.kit.judged import missing
from harness.rowtypes import Score
from harness.studies.biomed.terms import ABSTAINED, ANSWERED, BLOCKED, FULL, GOOD, NOT_KNOWN, PAPER, STATES, UNGRADED

HALVES = int(2 * FULL)  # grades are counted in halves of a point: whole numbers, whose sums are exact
GOOD_HALVES = int(2 * GOOD)
CLOSE = 1e-6  # how far a score may lie from a grade that was divided by 3


class CountedAnswer(NamedTuple):
    """One graded answer: its item, template and state (good, bad, abstained, ...), and how the mode counts it."""

    item: str
    template: str
    run: tuple[int, int]  # wording and sample
    state: str
    counted: str
    halves: int | None  # twice the grade, if it counts as answered


@dataclass
class StateTally:
    """Counts of answers by state (good, bad, abstained, blocked, ...), and of answered ones by grade."""

    whole: bool = False  # whether `n` includes ungraded and failed answers, as in the published code
    states: Counter[str] = field(default_factory=Counter)
    halves: Counter[int] = field(default_factory=Counter)

    def add(self, answer: CountedAnswer) -> None:
        """Count one answer."""
        self.states[answer.counted] += 1
        if answer.halves is not None:
            self.halves[answer.halves] += 1

    @property
    def abstained(self) -> int:
        """The number of answers that say they do not know."""
        return self.states[ABSTAINED]

    @property
    def good(self) -> int:
        """The number of answers with a grade of at least 2."""
        return sum(count for halves, count in self.halves.items() if halves >= GOOD_HALVES)

    @property
    def bad(self) -> int:
        """The number of answers with a lower grade."""
        return sum(count for halves, count in self.halves.items() if halves < GOOD_HALVES)

    @property
    def n(self) -> int:
        """The number of answers in a rate's denominator: abstained, good, bad and blocked ones, or all if `whole`."""
        kept = STATES if self.whole else (ABSTAINED, ANSWERED, BLOCKED)
        return sum(self.states[name] for name in kept)

    def document(self) -> dict[str, int]:
        """Return all counts by name."""
        parts = {"n": self.n, "K": self.abstained, "good": self.good, "bad": self.bad}
        return {**parts, **{name: self.states[name] for name in STATES}}


def tally(answers: Iterable[CountedAnswer], *, whole: bool = False) -> StateTally:
    """Count answers by state (good, bad, abstained, ...)."""
    found = StateTally(whole)
    for answer in answers:
        found.add(answer)
    return found


def by_template(answers: Iterable[CountedAnswer], *, whole: bool = False) -> dict[str, StateTally]:
    """Count answers by state for each question template, with the templates sorted."""
    found: dict[str, StateTally] = {}
    for answer in answers:
        found.setdefault(answer.template, StateTally(whole)).add(answer)
    return {name: found[name] for name in sorted(found)}


def read_answer(row: Score, template: str, mode: str) -> CountedAnswer:
    """Read one score: strict mode counts it by its state, paper mode by its value, whatever its state is.

    Raise InputError for an unknown state, and for an answered row whose score is not a grade divided by 3.
    """
    state, value = row.get("outcome"), row["value"]
    if state not in STATES:
        raise InputError(
            f"a score of {row['item']} has no known state", where="scores", next=f"use {', '.join(STATES)}"
        )
    counted = state
    if mode == PAPER:
        counted = UNGRADED if missing(value) else ABSTAINED if value == NOT_KNOWN else ANSWERED
    halves = grade_halves(row["item"], value) if counted == ANSWERED else None
    return CountedAnswer(row["item"], template, (row["template"], row["sample"]), state, counted, halves)


def grade_halves(item: str, value: Any) -> int:
    """Return twice the grade of a score; raise InputError, which names the item, if it is not a grade divided by 3."""
    if isinstance(value, int | float) and not isinstance(value, bool) and -CLOSE <= value <= 1 + CLOSE:
        halves = round(value * HALVES)
        if abs(value * HALVES - halves) <= HALVES * CLOSE:
            return halves
    raise InputError(f"the score of {item} is no grade divided by 3", where="scores", next="grade it again")
