"""Fact scores (OURS, rule F0): the F1 of the facts that an answer states against those of the ground truth.

F1 = 2·|G ∩ P| / (|G| + |P|) on multisets. Independent of what a fact of a task is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sized
from dataclasses import dataclass
from typing import Any, TypeVar

from harness.rowtypes import Found
from harness.studies.curie.reading.loose_json import Unreadable, check_size
from harness.studies.curie.scoring.found import GOLD_INVALID, VALID, finding, missing, unusable, without
from harness.studies.curie.tasks import STRICT

METRICS = ("facts_f1", "facts_precision", "facts_recall", "facts_gold", "facts_predicted", "facts_shared")
MOST = 400_000  # characters of an answer that are read; OURS, some four times what the paper's models could write
_SHOWN, _WIDTH = 10, 200  # facts of either side that a score lists, and characters of each
Fact = tuple[Any, ...]
Stated = TypeVar("Stated", bound=Sized)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The number of shared facts, the gold facts that the answer lacks, and facts of the answer that the gold lacks."""

    shared: int
    missed: Counter[Fact]
    extra: Counter[Fact]


def multisets(gold: Counter[Fact], stated: Counter[Fact]) -> Comparison:
    """Compare two multisets of facts, in which two facts are either equal or not."""
    return Comparison((gold & stated).total(), gold - stated, stated - gold)


def scored(
    response: str,
    truth: str,
    facts: Callable[[str], Stated],
    facts_of: Callable[[str, Stated], Stated],
    compare: Callable[[Stated, Stated], Comparison],
    more: Mapping[str, Any] | None = None,
) -> Found:
    """Score an answer against a ground-truth file by its facts; `more` holds further metrics.

    If the gold cannot be read, or states nothing, there is no value. A blank or unreadable answer is worth 0.
    `facts_of` also gets the gold's facts, which may determine the fields that count.
    """
    further = dict(more or {})
    try:
        gold = facts(truth)
    except Unreadable as bad:
        return without(STRICT, (*METRICS, *further), GOLD_INVALID, f"the ground truth: {bad}")
    if not len(gold):
        return without(STRICT, (*METRICS, *further), GOLD_INVALID, "the ground truth states no fact")
    try:
        if not response.strip():
            raise Unreadable("a blank answer")
        check_size(response, MOST)
        compared = compare(gold, facts_of(response, gold))
    except Unreadable as bad:
        none = {name: 0 if name in ("facts_f1", "facts_recall") else missing(str(bad)) for name in METRICS}
        return finding(STRICT, 0, unusable(response), {**none, **further})
    metrics = {**_metrics(compared), **further}
    return finding(
        STRICT, metrics["facts_f1"], VALID, metrics, missed=_shown(compared.missed), extra=_shown(compared.extra)
    )


def _metrics(compared: Comparison) -> dict[str, Any]:
    shared = compared.shared
    gold, stated = shared + compared.missed.total(), shared + compared.extra.total()
    precision = shared / stated if stated else missing("the answer states no fact")
    values = (2 * shared / (gold + stated), precision, shared / gold, gold, stated, shared)
    return dict(zip(METRICS, values, strict=True))


def _shown(facts: Counter[Fact]) -> list[str]:
    """Format some of the facts, so that a person can see the reason for a value."""
    return [" | ".join(map(str, _flat(fact)))[:_WIDTH] for fact in sorted(facts.elements(), key=repr)[:_SHOWN]]


def _flat(fact: Iterable[Any]) -> Iterable[Any]:
    for part in fact:
        if isinstance(part, tuple):
            yield from _flat(part)
        else:
            yield part
