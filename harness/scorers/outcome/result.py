"""The result of labelling one response (its label, and the evidence to check it by eye), and the names of rule sets.

What the name of a rule set stands for never changes, so that old runs keep their meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, Literal, TypeVar, get_args

from harness.errors import InputError
from harness.scorers.prepare import Avoidance

CANDIDATES_KEPT = 20
CANDIDATE_LENGTH = 200  # a megabyte of digits is one candidate; the row keeps its head


@dataclass(frozen=True, slots=True)
class LabelResult:
    """A label, with the evidence to check it by eye.

    `matched_span` is [start, end] of what decided, in the text that the benchmark's rules read: for `c` what was found
    right, for `i` the candidate that makes it an attempt, for `a` the cue; None where nothing was found. `candidates`
    are the distinct answers it could be read as, in their order, a right one among them; at most 20 are kept,
    `n_candidates` counts them all. `more` holds what a benchmark records besides.
    """

    label: Literal["c", "a", "i"]
    avoidance: Avoidance | None
    rule_set: str
    matched_span: tuple[int, int] | None
    candidates: tuple[str, ...]
    n_candidates: int
    more: Mapping[str, Any] = field(default_factory=dict)

    def row(self) -> dict[str, Any]:
        """Give the fields a score row keeps in its detail, the label among them."""
        return {
            "label": self.label,
            "avoidance": self.avoidance,
            "rule_set": self.rule_set,
            "matched_span": None if self.matched_span is None else list(self.matched_span),
            "candidates": list(self.candidates),
            "n_candidates": self.n_candidates,
            **self.more,
        }


def truncated(candidates: Iterable[str]) -> tuple[str, ...]:
    """Truncate candidates for a row: only the first 20, and of each only the first 200 characters."""
    return tuple(map(_shortened, islice(candidates, CANDIDATES_KEPT)))


def _shortened(token: str) -> str:
    kept = token if len(token) <= CANDIDATE_LENGTH else token[:CANDIDATE_LENGTH] + "…"
    return kept if kept.isascii() else kept.encode("utf-8", "replace").decode()  # half a character fits in no file


RuleSet = Literal["OURS-v1", "OURS-v2"]
V1: Final = "OURS-v1"
V2: Final = "OURS-v2"
NEWEST: Final = V2  # what is taken where nothing is said
Rules = TypeVar("Rules")
RULE_SETS: tuple[RuleSet, ...] = get_args(RuleSet)


def chosen(name: str, rules: Mapping[str, Rules]) -> Rules:
    """Give the rules of a name; InputError for a name that there is not."""
    if name not in rules:
        raise InputError(f"no rule set is called {name!r:.40}", where="rules", next=f"use one of: {', '.join(rules)}")
    return rules[name]


def of(params: Mapping[str, Any]) -> str:
    """Give the name of the rule set that a step's parameters ask for."""
    return str(params.get("rules", NEWEST))
