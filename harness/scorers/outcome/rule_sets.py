"""The names of the rule sets by which answers are labelled; what a name stands for never changes, for old runs.

It must never know a rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeVar, get_args

from harness.errors import InputError

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
