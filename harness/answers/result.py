"""The result of labelling one response (its label, and the evidence to check it by eye), and the names of rule sets.

The meaning of a rule set's name never changes, so that old runs keep their meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, Literal, TypeVar, get_args

from harness.answers.prepare import Avoidance
from harness.errors import InputError

CANDIDATES_KEPT = 20
CANDIDATE_LENGTH = 200  # a megabyte of digits is one candidate; the row keeps its beginning


@dataclass(frozen=True, slots=True)
class LabelResult:
    """A label, with the evidence to check it by eye.

    `matched_span` is [start, end] of the deciding text, in the text that the benchmark's rules read: for `c` the right
    answer, for `i` the candidate that makes it an attempt, for `a` the cue; None if nothing was found. `candidates` are
    the distinct possible answers in their order, including a right one. At most 20 are kept; `n_candidates` counts all.
    `more` has additional fields of a benchmark.
    """

    label: Literal["c", "a", "i"]
    avoidance: Avoidance | None
    rule_set: str
    matched_span: tuple[int, int] | None
    candidates: tuple[str, ...]
    n_candidates: int
    more: Mapping[str, Any] = field(default_factory=dict)

    def row(self) -> dict[str, Any]:
        """Return the fields that a score row keeps in its detail, including the label."""
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
    """Truncate candidates for a row: the first 20, and the first 200 characters of each."""
    return tuple(map(_shortened, islice(candidates, CANDIDATES_KEPT)))


def _shortened(token: str) -> str:
    kept = token if len(token) <= CANDIDATE_LENGTH else token[:CANDIDATE_LENGTH] + "…"
    return kept if kept.isascii() else kept.encode("utf-8", "replace").decode()  # a lone surrogate cannot be encoded


RuleSet = Literal["OURS-v1", "OURS-v2"]
V1: Final = "OURS-v1"
V2: Final = "OURS-v2"
NEWEST: Final = V2  # the default
Rules = TypeVar("Rules")
RULE_SETS: tuple[RuleSet, ...] = get_args(RuleSet)


def chosen(name: str, rules: Mapping[str, Rules]) -> Rules:
    """Return the rules with a name; raises InputError for an unknown name."""
    if name not in rules:
        raise InputError(f"no rule set is called {name!r:.40}", where="rules", next=f"use one of: {', '.join(rules)}")
    return rules[name]


def of(params: Mapping[str, Any]) -> str:
    """Return the name of the rule set in a step's parameters, or the newest."""
    return str(params.get("rules", NEWEST))
