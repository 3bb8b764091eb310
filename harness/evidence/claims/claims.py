"""Claim checking: published numbers, orders and bounds compared with the outputs of a run.

A claim is registered by standing in the lock of a run. One that differs from what the first run registered is marked
as moved, and a verdict comes with the count of runs on the same subject. It knows claims and values they point to;
it never reads a file or a store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from harness.evidence.claims.registration import Registered, by_manifest, demand_of, match_claims, read_claims
from harness.evidence.claims.values import MET, MISSED, NEEDS, PointerValue, criteria_text, verdict
from harness.evidence.claims.variants import ClaimHistory, VariantCount
from harness.manifest.schema import Claim, split

LATE = ("count", "imported", "without")  # what a script finds otherwise, or only where there is some
Values = Callable[[str], PointerValue]


@dataclass(frozen=True)
class JudgedClaim:
    """A claim with its verdict: met, missed or what it needs, the value found, and its first form if it moved."""

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
    was: Registered | None  # the claim as it was first registered, where it has moved
    withdrawn: bool  # registered by an earlier run, and gone from the manifest
    count: VariantCount | None  # how often the same was tried, where there is a verdict
    without: tuple[str, ...] = ()  # published files that were absent, and that what made the value would have read
    imported: tuple[str, ...] = ()  # models whose answers somebody else's run gave, and the value rests on

    @property
    def data(self) -> dict[str, Any]:
        """The judged claim as JSON fields for a script: flat variant counts, no empty `imported` or `without`."""
        counts = vars(self.count) if self.count else dict.fromkeys(VariantCount.__annotations__)
        more = {name: list(getattr(self, name)) for name in ("imported", "without") if getattr(self, name)}
        return {**{name: value for name, value in vars(self).items() if name not in LATE}, **counts, **more}


@dataclass(frozen=True)
class _Meant:
    """A claim that is to be judged, and how it stands to what was registered."""

    claim: Claim
    moved: bool
    was: Registered | None
    withdrawn: bool = False


def judge(
    manifest: str,
    claims: Sequence[Claim],
    registered: Sequence[Registered] | None,
    values: Values | None = None,
    *,
    lacks: Sequence[str] = ("a run",),
    run: str | None = None,
    past: ClaimHistory | None = None,
) -> list[JudgedClaim]:
    """Judge the claims of a manifest, and those in `registered` (by its first run) that the manifest no longer has.

    `values` returns what a run has at a pointer; without it every verdict is `not run: needs …` with the `lacks`, or
    with what the claim itself `waits` for.
    `past` holds the runs on the same subject: earlier forms of the claims, and the counts for a claim met or missed.
    """
    every = _meant(claims, registered, past.first_registered(claims) if past else [None] * len(claims))
    names = _names([one.claim for one in every])
    found = [[values(pointer) for pointer in one.claim.pointers] if values else [] for one in every]
    tried = past.counts([one.claim for one in every], run) if past and run else [None] * len(every)
    rows = []
    for one, here, count in zip(every, found, tried, strict=True):
        claim = one.claim
        word, detail = verdict(claim, here) if here else _not_run(claim, lacks)
        texts = [each.text for each in here]
        rows.append(JudgedClaim(
            next(names), manifest, claim.published, texts if len(texts) > 1 else texts[0] if texts else None,
            criteria_text(claim), word, claim.where, claim.status,
            claim.of if isinstance(claim.of, str) else list(claim.of), detail, run,
            one.moved, one.was, one.withdrawn, count if word in (MET, MISSED) else None,
        ))  # fmt: skip
    return rows


def with_imported(
    one: JudgedClaim, imported: Collection[str], models: Collection[str], untouched: Collection[str] = ()
) -> JudgedClaim:
    """Return a judged claim with the models whose imported answers its value rests on; unchanged if not run.

    A pointer that names some of `models` rests on the `imported` among those it names, any other pointer on all of
    `imported`; a pointer into an output in `untouched`, where no model had a part, rests on none.
    """
    if one.verdict.startswith(NEEDS):
        return one
    found: set[str] = set()
    for pointer in [one.of] if isinstance(one.of, str) else one.of:
        output, path = split(pointer)
        if output not in untouched:
            found |= set(path) & set(imported) if set(path) & set(models) else set(imported)
    return replace(one, imported=tuple(sorted(found)))


def with_absent_files(one: JudgedClaim, without: Mapping[str, Collection[str]]) -> JudgedClaim:
    """Return a judged claim with the published files that were absent when the outputs it points into were made.

    `without` gives them by output; a claim without a verdict `met` or `missed` is returned unchanged.
    """
    outputs = {split(pointer)[0] for pointer in ([one.of] if isinstance(one.of, str) else one.of)}
    absent = {path for output in outputs for path in without.get(output, ())}
    return one if one.verdict.startswith(NEEDS) else replace(one, without=tuple(sorted(absent)))


def _meant(
    claims: Sequence[Claim], registered: Sequence[Registered] | None, elders: Sequence[Registered | None]
) -> list[_Meant]:
    """Find what each claim was when it was registered first; what is gone from the manifest comes last."""
    olds = read_claims({"claims": list(registered or ())})
    pairs, gone = match_claims(len(claims), len(olds), by_manifest(claims, [old for old, _ in olds]))
    found = []
    for claim, place, elder in zip(claims, pairs, elders, strict=True):
        before, was = olds[place] if place is not None else (None, None)
        moved = registered is not None and (before is None or demand_of(claim) != demand_of(before))
        found.append(_Meant(claim, moved or elder is not None, elder or (was if moved else None)))
    return found + [_Meant(olds[place][0], moved=True, was=olds[place][1], withdrawn=True) for place in gone]


def _names(claims: Sequence[Claim]) -> Iterator[str]:
    """Name every claim by its id, else by where it points; what would stand there twice is counted."""
    seen: Counter[str] = Counter()
    for claim in claims:
        first, last = claim.pointers[0], claim.pointers[-1]
        name = claim.id or (first if first == last else f"{first} … {last}")
        seen[name] += 1
        yield name if seen[name] == 1 else f"{name} ({seen[name]})"


def _not_run(claim: Claim, lacks: Sequence[str]) -> tuple[str, str]:
    """Give the verdict without a run: what is lacking, or the claim's own line where pins are; these are the detail."""
    needs = _needs(claim, lacks)
    pins = [lack for lack in lacks if " " not in lack]  # `models.NAME`; `a run` or `a lock` is said as it is
    return (NEEDS + claim.waits, needs) if claim.waits and pins else (NEEDS + needs, "")


def _needs(claim: Claim, lacks: Sequence[str]) -> str:
    """List what is lacking, first what the claim itself names."""
    named = {name for pointer in claim.pointers for name in split(pointer)[1]}
    return ", ".join(sorted(lacks, key=lambda lack: lack.partition(".")[2] not in named))
