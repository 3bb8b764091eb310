"""Claims: what somebody published, held against what a run made.

A claim is registered by standing in the lock of a run: one that is no longer what the first run registered has moved,
and says so beside its verdict. It knows claims and the values they point to, and nothing of where either lies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from harness.evidence.asks import NEEDS, tolerance, verdict
from harness.evidence.pointed import Found
from harness.manifest.claim import split
from harness.manifest.schema import Claim

# What of a claim asks something of a value; its id, its place in the paper and its remark do not.
ASKS = ("of", "published", "within", "order", "ties", "at_least", "at_most")
Registered = Mapping[str, Any]
Values = Callable[[str], Found]


@dataclass(frozen=True)
class Judged:
    """A claim with what a run says of it."""

    id: str
    manifest: str
    published: str | None
    value: str | list[str | None] | None  # as found: one, or one for each place the claim points to
    tolerance: str
    verdict: str  # met | missed | not run: needs …
    where: str
    status: str | None
    of: str | list[str]
    detail: str
    run: str | None
    moved: bool
    was: Registered | None  # the claim as the first run registered it, where it has moved
    withdrawn: bool  # registered by the first run, and gone from the manifest


def judge(
    manifest: str,
    claims: Sequence[Claim],
    registered: Sequence[Registered] | None,
    values: Values | None = None,
    *,
    lacks: Sequence[str] = ("a run",),
    run: str | None = None,
) -> list[Judged]:
    """Judge the claims of a manifest, and those that its first run registered and that are gone.

    Without values nothing can be held against anything: then `lacks` says what is needed, what a claim names first.
    """
    olds = [(read, old) for old in registered or () if (read := _read(old)) is not None]
    pairs, gone = _paired(claims, [read for read, _ in olds])
    names = _names([*claims, *(olds[place][0] for place in gone)])

    def judged(claim: Claim, was: Registered | None, moved: bool, withdrawn: bool = False) -> Judged:
        found = [values(pointer) for pointer in claim.pointers] if values else []
        word, detail = verdict(claim, found) if found else (NEEDS + _needs(claim, lacks), "")
        texts = [one.text for one in found]
        return Judged(
            next(names), manifest, claim.published, texts if len(texts) > 1 else texts[0] if texts else None,
            tolerance(claim), word, claim.where, claim.status,
            claim.of if isinstance(claim.of, str) else list(claim.of), detail, run, moved, was, withdrawn,
        )  # fmt: skip

    rows = []
    for claim, place in zip(claims, pairs, strict=True):
        before, was = olds[place] if place is not None else (None, None)
        moved = registered is not None and (before is None or _asked(claim) != _asked(before))
        rows.append(judged(claim, was if moved else None, moved))
    return rows + [judged(*olds[place], True, withdrawn=True) for place in gone]


def _paired(claims: Sequence[Claim], olds: Sequence[Claim]) -> tuple[list[int | None], list[int]]:
    """Find for each claim the one it was: by what it asks, its id, where it points, where it was told, its place."""
    left = list(range(len(olds)))
    same: list[Callable[[int, int], bool]] = [
        lambda new, old: _asked(claims[new]) == _asked(olds[old]),
        lambda new, old: claims[new].id is not None and claims[new].id == olds[old].id,
        lambda new, old: claims[new].of == olds[old].of,
        lambda new, old: claims[new].where == olds[old].where,
        lambda new, old: new == old,
    ]
    was: list[int | None] = [None] * len(claims)
    for alike in same:
        for new in range(len(claims)):
            found = next((old for old in left if alike(new, old)), None) if was[new] is None else None
            if found is not None:
                was[new] = found
                left.remove(found)
    return was, left


def _asked(claim: Claim) -> tuple[object, ...]:
    return tuple(getattr(claim, name) for name in ASKS)


def _read(old: Registered) -> Claim | None:
    """Read a claim of an old lock; one that could never be checked is no loss."""
    try:
        return Claim.model_validate(old)
    except ValidationError:
        return None


def _names(claims: Sequence[Claim]) -> Iterator[str]:
    """Name every claim by its id, else by where it points; what would stand there twice is counted."""
    seen: Counter[str] = Counter()
    for claim in claims:
        first, last = claim.pointers[0], claim.pointers[-1]
        name = claim.id or (first if first == last else f"{first} … {last}")
        seen[name] += 1
        yield name if seen[name] == 1 else f"{name} ({seen[name]})"


def _needs(claim: Claim, lacks: Sequence[str]) -> str:
    """List what is lacking, first what the claim itself names."""
    named = {name for pointer in claim.pointers for name in split(pointer)[1]}
    return ", ".join(sorted(lacks, key=lambda lack: lack.partition(".")[2] not in named))
