"""Claim checking: published numbers, orders and bounds compared with the outputs of a run.

A claim is registered by standing in the lock of a run. One that differs from what the first run registered is marked
as moved, and a verdict comes with the count of runs on the same subject. It knows claims and values they point to;
it never reads a file or a store.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from harness.errors import HarnessError
from harness.evidence.claims.subject import (
    History,
    PointerOptions,
    Registered,
    StartedRun,
    Subject,
    by_manifest,
    by_subject,
    canonical,
    demand_of,
    equivalent_pointers,
    match_claims,
    read_claims,
    same_demand,
    same_subject,
    subject_of,
)
from harness.evidence.claims.values import MET, MISSED, NEEDS, PointerReader, PointerValue, criteria_text, verdict
from harness.manifest.schema import Claim, split

FULL, CUT, UNFINISHED, UNREAD = "full", "cut", "unfinished", "unread"
Tally = Counter[tuple[bool, bool, str, str]]  # by other settings, earlier, how far it came, the word


@dataclass(frozen=True)
class VariantCount:
    """The position of a run among the full runs on a claim's subject, and how many of those missed the claim.

    Full are those that ended, without a cut by `--limit`, and met or missed it; others are counted apart.
    """

    run_number: int
    runs: int
    missed_before: int
    missed_after: int
    limited_missed: int  # before it, by runs that `--limit` had cut short
    unfinished: int  # runs before it that never came to their end
    other_settings_missed: int  # runs under other settings of the study, before or after it, cut short or not

    def __str__(self) -> str:
        """Spell the counts as words beside a verdict; the rarer ones are left out where they are 0."""
        some = "variant" if self.missed_before == 1 else "variants"
        words = [f"run {self.run_number} of {self.runs}", f"{self.missed_before} earlier {some} missed"]
        more = ((self.missed_after, "later"), (self.limited_missed, "cut by --limit"), (self.unfinished, "unfinished"))
        words += [f"{number} {what}{' missed' * (what != 'unfinished')}" for number, what in more if number]
        words += [f"{self.other_settings_missed} missed under other settings"] * (self.other_settings_missed > 0)
        return "; ".join(words)


@dataclass(frozen=True)
class _LockClaims:
    """What the runs under one lock say of each claim: where each holds it, and what it had registered of it."""

    places: Sequence[PointerOptions | None]
    registered: Sequence[tuple[Claim, Registered] | None]
    outputs: tuple[str, ...]
    rows: int  # of the largest dataset: a limit below it cut something
    apart: bool  # under other settings of the study


@dataclass(frozen=True)
class ClaimHistory:
    """The runs of a store on the subject of one manifest: the claims they registered, how often each was missed."""

    history: History
    work: Subject
    standing: Collection[Claim] = ()  # what other manifests of the project claim
    untouched: Collection[str] = ()  # outputs in which no model has a part
    found: dict[tuple[str, str], PointerValue] = field(default_factory=dict)  # in documents, whichever run made them

    def first_registered(self, claims: Sequence[Claim]) -> list[Registered | None]:
        """Return for each claim its oldest registered form, if that demanded something else; otherwise None.

        Only runs under the same settings of the study are looked at.
        """
        found: dict[int, Registered | None] = {}
        for tried in (each for each in self._lock_claims(claims).values() if not each.apart):
            for number, (spots, old) in enumerate(zip(tried.places, tried.registered, strict=True)):
                if spots and old and number not in found:
                    found[number] = None if same_demand(claims[number], spots, old[0]) else old[1]
        return [found.get(number) for number in range(len(claims))]

    def dropped_claims(
        self, name: str, claimed: Mapping[str, tuple[Subject, Sequence[Claim]]]
    ) -> dict[str, list[Registered]]:
        """Return, by manifest name, claims once registered that no manifest of the project makes any more.

        `name` is this manifest, whose first run's claims are left out (`judge` handles those); `claimed` gives the
        subject and claims of each manifest of the project. Of manifests that are gone, those on this subject count.
        """
        found: dict[str, list[Registered]] = defaultdict(list)
        known = list(claimed.values())
        for digest, lock in self.history.locks().items():
            old_name, there = str(lock["intent"].get("name")), subject_of(lock["intent"], lock["pins"])
            if old_name == name or (old_name not in claimed and same_subject(self.work, there)):
                olds = read_claims(lock["intent"])
                if old_name != name or digest != self.history.of(name)[0].lock:
                    lost = [(old, said) for old, said in olds if not any(_touch(old, there, *each) for each in known)]
                    found[old_name] += [said for _, said in lost]
                    olds = [*lost]
                known.append((there, [old for old, _ in olds]))
        return {old_name: gone for old_name, gone in found.items() if gone}

    def counts(self, claims: Sequence[Claim], run: str) -> list[VariantCount | None]:
        """Count for each claim the other runs on its subject, before and after one run.

        Runs that cannot be read are left out of the counts and added to `history.unread`.
        """
        tried, before = self._lock_claims(claims), True
        groups: dict[tuple[bool, str, str, tuple[str, ...]], list[str]] = defaultdict(list)
        for each in self.history.runs:
            before = before and each.run != run
            if each.run != run and each.lock in tried:
                state, digests = self._made(each, tried[each.lock])
                groups[before, state, each.lock, digests].append(each.run)
        tallies: list[Tally] = [Counter() for _ in claims]
        for (earlier, state, lock, digests), runs in groups.items():
            try:
                words = list(self._words(claims, tried[lock], state, digests))
            except HarnessError:  # an output of theirs is damaged: they are named, and count as nothing
                self.history.unread.update(runs)
                continue
            for tally, word in zip(tallies, words, strict=True):
                tally[tried[lock].apart, earlier, state, word] += len(runs)
        return [_count(tally) for tally in tallies]

    def _lock_claims(self, claims: Sequence[Claim]) -> dict[str, _LockClaims]:
        """Find the claims in every lock whose runs are about something of what they are about, the oldest first."""
        found = {}
        for digest, lock in self.history.locks().items():
            there = subject_of(lock["intent"], lock["pins"])
            placed = [equivalent_pointers(claim.pointers, self.work, there, self.untouched) for claim in claims]
            if any(placed):
                olds = read_claims(lock["intent"])
                apart = there.settings != self.work.settings
                found[digest] = _lock_claims(placed, self._was(claims, placed, olds), lock["pins"], apart)
        return found

    def _was(
        self, claims: Sequence[Claim], placed: Sequence[PointerOptions | None], olds: Sequence[tuple[Claim, Registered]]
    ) -> list[tuple[Claim, Registered] | None]:
        """Pair claims with those a run had registered; what another manifest still claims is none of these.

        Unless both are about the very same places: then the one is the other, moved.
        """
        exact, whole, part = by_subject(claims, placed, [old for old, _ in olds])
        still = {demand_of(claim) for claim in self.standing}
        free = [demand_of(old) not in still for old, _ in olds]
        pairs, _ = match_claims(len(claims), len(olds), [exact, whole, lambda new, old: free[old] and part(new, old)])
        return [None if place is None else olds[place] for place in pairs]

    def _made(self, run: StartedRun, tried: _LockClaims) -> tuple[str, tuple[str, ...]]:
        """Say how far a run came, and which documents it holds of those that are pointed into."""
        try:
            made = self.history.made(run.run) if self.history.ended(run.run) else None
            if made is None or not made.complete:
                return UNFINISHED, ()
            digests = tuple(str(made.outputs.get(name, "")) for name in tried.outputs)
            return CUT if 0 < run.limit < tried.rows else FULL, digests
        except HarnessError:
            self.history.unread.add(run.run)
            return UNREAD, ()

    def _words(self, claims: Sequence[Claim], tried: _LockClaims, state: str, digests: Sequence[str]) -> Iterator[str]:
        """Say of each claim what a run makes of it: as it is judged now, or as it was registered, if that was worse."""
        held = {name: {"sha256": digest} for name, digest in zip(tried.outputs, digests, strict=False) if digest}
        outputs = PointerReader(held, self.history.store.blobs.deliver, self.found)
        for claim, spots, old in zip(claims, tried.places, tried.registered, strict=True):
            if spots is None or state in (UNFINISHED, UNREAD):
                yield state if spots else ""
                continue
            words = [verdict(claim, [_first(outputs, each) for each in spots])[0]]
            if old:
                words.append(verdict(old[0], [outputs.at(pointer) for pointer in old[0].pointers])[0])
            yield MISSED if MISSED in words else MET if MET in words else ""


def _lock_claims(
    placed: Sequence[PointerOptions | None],
    was: Sequence[tuple[Claim, Registered] | None],
    pins: Mapping[str, Any],
    apart: bool,
) -> _LockClaims:
    pointers = {pointer for spots in placed for each in spots or () for pointer in each}
    pointers |= {pointer for old in was if old for pointer in old[0].pointers}
    tables = [pin.get("items") for pin in pins.get("datasets", {}).values() if isinstance(pin, Mapping)]
    rows = max((table["rows"] for table in tables if isinstance(table, Mapping)), default=0)
    return _LockClaims(placed, was, tuple(sorted({split(pointer)[0] for pointer in pointers})), int(rows), apart)


def _first(outputs: PointerReader, spots: Sequence[str]) -> PointerValue:
    """Return what stands at the first of some places at which anything does."""
    found = [outputs.at(spot) for spot in spots]
    return next((one for one in found if not one.lacks), found[0])


def _touch(old: Claim, there: Subject, here: Subject, claims: Sequence[Claim]) -> bool:
    """Whether any claim is about some of what an old one was about."""
    wanted = {canonical(pointer) for pointer in old.pointers}
    placed = (equivalent_pointers(claim.pointers, here, there) for claim in claims)
    return any(canonical(spot) in wanted for spots in placed for each in spots or () for spot in each)


def _count(tally: Tally) -> VariantCount:
    """Count the history of a claim, and beside it the misses under other settings; no run is in both."""
    same = {key[1:]: number for key, number in tally.items() if not key[0]}
    met, missed = ([same.get((earlier, FULL, word), 0) for earlier in (True, False)] for word in (MET, MISSED))
    before, after = (one + other for one, other in zip(met, missed, strict=True))
    apart = sum(number for (other, _, _, word), number in tally.items() if other and word == MISSED)
    unfinished = sum(tally[other, True, UNFINISHED, UNFINISHED] for other in (True, False))
    limited = same.get((True, CUT, MISSED), 0)
    return VariantCount(before + 1, before + after + 1, missed[0], missed[1], limited, unfinished, apart)


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
        rows.append(
            JudgedClaim(
                next(names),
                manifest,
                claim.published,
                texts if len(texts) > 1 else texts[0] if texts else None,
                criteria_text(claim),
                word,
                claim.where,
                claim.status,
                claim.of if isinstance(claim.of, str) else list(claim.of),
                detail,
                run,
                one.moved,
                one.was,
                one.withdrawn,
                count if word in (MET, MISSED) else None,
            )
        )
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
    """Return the verdict without a run: what is lacking, or the claim's own line where pins are: the detail."""
    needs = _needs(claim, lacks)
    pins = [lack for lack in lacks if " " not in lack]  # `models.NAME`; `a run` or `a lock` is said as it is
    return (NEEDS + claim.waits, needs) if claim.waits and pins else (NEEDS + needs, "")


def _needs(claim: Claim, lacks: Sequence[str]) -> str:
    """List what is lacking, first what the claim itself names."""
    named = {name for pointer in claim.pointers for name in split(pointer)[1]}
    return ", ".join(sorted(lacks, key=lambda lack: lack.partition(".")[2] not in named))
