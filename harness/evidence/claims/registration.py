"""Registered claims: read from the locks of earlier runs, and matched with the claims of today.

It knows claims and what they ask; it must never know a value or a run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from harness.evidence.claims.subject import canonical
from harness.manifest.schema import Claim

# What of a claim asks something of a value; its id, its place in the paper and its remark do not.
DEMANDS = ("published", "within", "order", "ties", "at_least", "at_most")
Registered = Mapping[str, Any]
PointerOptions = Sequence[Sequence[str]]  # for each pointer of a claim, where a run may hold what it points to
Likeness = Callable[[int, int], bool]


def read_claims(intent: Mapping[str, Any]) -> list[tuple[Claim, Registered]]:
    """Read the claims in the intent of a lock, each with its fields as written; without any the schema rejects."""
    found = []
    claims = intent.get("claims")
    for old in claims if isinstance(claims, list) else ():
        try:
            found.append((Claim.model_validate(old), old))
        except ValidationError:
            continue
    return found


def demand_of(claim: Claim) -> tuple[object, ...]:
    """Return what a claim demands and of which values, without its id, its place in the paper or its remark."""
    return (claim.of, *_bar(claim))


def same_demand(claim: Claim, spots: PointerOptions, old: Claim) -> bool:
    """Whether a claim demands what an old one did of the same values, whatever datasets and models were called.

    `spots` are, for each pointer of the claim, the places where the old run may hold the same value.
    """
    if len(spots) != len(old.pointers) or _bar(claim) != _bar(old):
        return False
    return all(canonical(one) in map(canonical, each) for each, one in zip(spots, old.pointers, strict=True))


def match_claims(count: int, olds: int, alike: Sequence[Likeness]) -> tuple[list[int | None], list[int]]:
    """Pair `count` new claims with `olds` old ones by likeness tests, tried in turn, each old one used at most once.

    Returns for each new claim the index of its old one or None, and the indices of the old ones left over.
    """
    left = list(range(olds))
    was: list[int | None] = [None] * count
    for likeness in alike:
        for new in range(count):
            found = next((old for old in left if likeness(new, old)), None) if was[new] is None else None
            if found is not None:
                was[new] = found
                left.remove(found)
    return was, left


def by_subject(
    claims: Sequence[Claim], placed: Sequence[PointerOptions | None], olds: Sequence[Claim]
) -> list[Likeness]:
    """Likeness tests, strictest first, for claims of different manifests: same demand, same values, some values.

    `placed` gives, for each claim, where the old run may hold the values it points to; None where it holds none.
    """
    new = [{canonical(one) for each in spots for one in each} if spots else set() for spots in placed]
    old = [{canonical(one) for one in each.pointers} for each in olds]

    def all_of(one: int, other: int) -> bool:
        spots = placed[one] or ()
        return bool(spots) and old[other] <= new[one] and all(old[other] & set(map(canonical, each)) for each in spots)

    return [
        lambda one, other: same_demand(claims[one], placed[one] or (), olds[other]),
        all_of,
        lambda one, other: not new[one].isdisjoint(old[other]),
    ]


def by_manifest(claims: Sequence[Claim], olds: Sequence[Claim]) -> list[Likeness]:
    """Likeness tests, strictest first, for claims of one manifest: demand, id, pointers, place in paper, position."""
    return [
        lambda new, old: demand_of(claims[new]) == demand_of(olds[old]),
        lambda new, old: claims[new].id is not None and claims[new].id == olds[old].id,
        lambda new, old: claims[new].of == olds[old].of,
        lambda new, old: claims[new].where == olds[old].where,
        lambda new, old: new == old,
    ]


def _bar(claim: Claim) -> tuple[object, ...]:
    return tuple(getattr(claim, name) for name in DEMANDS)
