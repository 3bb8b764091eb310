"""Shared terms of all analyses: labels and their names, shares, discounts for guessing, and groups of models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeGuard

from harness.errors import InputError

LABELS = ("c", "a", "i")  # the order of every triple of counts
UNSCORED = "-"  # an error or a missing response: counted separately, never part of a value
NAMES: Mapping[str, str] = {"c": "correct", "a": "avoidant", "i": "incorrect"}
SUBTYPES = ("ethical", "epistemic", "non_conforming")  # kinds of avoidance
SIX = tuple(
    f"{kind}_{what}" for what in ("proportion", "stability", "concordance") for kind in ("correctness", "prudence")
)
GROUPS: Mapping[str, str] = {"false": "raw", "true": "shaped"}  # a model's fact `shaped` in a manifest -> its group
BINS = 30  # docs/reliability-rules.md#bins
GUESSED: Mapping[str, float] = {"science": 0.25}  # docs/reliability-rules.md#discount: one of four options
NOTHING_SCORED = "no scored responses"
NONE_SCORED = {"missing": NOTHING_SCORED}
Counts = Sequence[int]
Triple = tuple[int, int, int]


def group(facts: Mapping[str, Any]) -> str | None:
    """Return whether a model is `raw` or `shaped` (instruction-tuned), by its facts; None for a stand-in or no fact."""
    return None if is_stand_in(facts) else GROUPS.get(str(facts.get("shaped")).lower())


def is_stand_in(facts: Mapping[str, Any]) -> bool:
    """Whether a model's facts mark it as a stand-in (baseline) and no language model."""
    return facts.get("stand_in") is True or facts.get("provider") == "baseline"


def are_labels(given: Any, more: str = "") -> TypeGuard[str | Sequence[str]]:
    """Whether a text or a list contains only label letters: c, a, i (or letters of `more`)."""
    allowed = (*LABELS, *more)
    return isinstance(given, str | list | tuple) and all(each in allowed for each in given)


def counted(labels: str | Sequence[str]) -> Triple:
    """Return the numbers of correct, avoidant and incorrect labels in a text of label letters."""
    return labels.count("c"), labels.count("a"), labels.count("i")


def pooled(counts: Iterable[Counts]) -> list[int]:
    """Return the element-wise sum of triples of counts (correct, avoidant, incorrect)."""
    total = [0, 0, 0]
    for triple in counts:
        total = [left + right for left, right in zip(total, triple, strict=True)]
    return total


def discounts(given: Mapping[str, str]) -> dict[str, float]:
    """Parse guessing discounts: the share of answers that guessing gets right, by benchmark.

    Raises InputError for a share outside 0 to 1.
    """
    found = {benchmark: float(text) for benchmark, text in given.items()}
    for benchmark, part in found.items():
        if not 0 <= part <= 1:
            raise InputError(
                f"the discount {given[benchmark]} lies outside 0 to 1", where="discount", next="give a share"
            )
    return found


def share(count: float, scored: int) -> Any:
    """Return a count's share of the scored responses; a missing value if there are none."""
    return count / scored if scored else NONE_SCORED


def shares(total: Counts) -> dict[str, Any]:
    """Return the shares of correct, avoidant and incorrect in a triple of counts; `missing` if nothing was scored."""
    return {name: share(count, sum(total)) for name, count in zip(NAMES.values(), total, strict=True)}
