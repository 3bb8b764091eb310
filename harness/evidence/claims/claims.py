"""Claim checking: published numbers, orders and bounds compared with the outputs of a run.

A claim is registered by being in the lock of a run. A claim that differs from the one that the first run registered is
marked as moved. A verdict comes with the count of runs on the same subject. The module works on claims and the values
that they point to.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal, InvalidOperation
from itertools import pairwise
from pathlib import Path
from typing import Any

from harness.errors import HarnessError
from harness.evidence.claims.kinds import UNKNOWN, OutputKinds
from harness.evidence.claims.subject import (
    History,
    PointerOptions,
    Registered,
    StartedRun,
    Subject,
    canonical_pointer,
    claim_demand,
    equivalent_pointers,
    manifest_likeness_tests,
    match_claims,
    read_claims,
    run_subject,
    same_demand,
    same_subject,
    subject_likeness_tests,
)
from harness.evidence.record import Digested
from harness.manifest.schema import Claim, split_pointer

MAX_BYTES = 1 << 26
MAX_DIGITS = 9  # digits of a list index; no list is longer
KINDS = {dict: "an object", list: "a list", str: "text", bool: "true or false"}
UNBOUNDED = ("nan", "inf", "-inf")  # the spelling of numbers that are not finite in rows


class _Number(str):
    """A number of a document with all digits as written, so that none is lost."""


@dataclass(frozen=True)
class PointerValue:
    """The result of a JSON Pointer: a number with its text, or what is lacking, or why the value is not a number."""

    text: str | None = None
    number: Decimal | None = None
    lacks: str = ""
    flaw: str = ""


class PointerReader:
    """Resolves JSON Pointers in the outputs of one run; each output is read once, and only if pointed into."""

    def __init__(
        self,
        outputs: Mapping[str, Digested],
        deliver: Callable[[str], Path],
        found: dict[tuple[str, str], PointerValue] | None = None,
    ) -> None:
        self._outputs = outputs
        self._deliver = deliver
        self._documents: dict[str, tuple[Any, str]] = {}
        self._found = {} if found is None else found

    def at(self, pointer: str) -> PointerValue:
        """Return the number that a pointer `output#/path` leads to, or the reason why there is none.

        A missing value is described in the result. An output whose bytes are damaged raises an error.
        """
        name, path = split_pointer(pointer)
        made = self._outputs.get(name)
        known = (str(made and made["sha256"]), pointer)
        if known not in self._found:
            if name not in self._documents:
                self._documents[name] = self._document(name)
            value, lacks = self._documents[name]
            self._found[known] = PointerValue(lacks=lacks) if lacks else _followed(value, path, pointer)
        return self._found[known]

    def _document(self, name: str) -> tuple[Any, str]:
        """Return an output as one JSON document, or None and a description of what is lacking."""
        if name not in self._outputs:
            return None, f"an output {name}, which the run does not have"
        path = self._deliver(self._outputs[name]["sha256"])
        if path.stat().st_size > MAX_BYTES:
            return None, f"an output {name} of at most {MAX_BYTES >> 20} MiB"
        try:
            data = path.read_bytes()
            return json.loads(data, parse_int=_Number, parse_float=_Number, parse_constant=_Number), ""
        except (ValueError, RecursionError):
            return None, f"an output {name} that is one JSON document"


def _followed(value: Any, path: list[str], pointer: str) -> PointerValue:
    for name in path:
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and _place(name) < len(value):
            value = value[_place(name)]
        else:
            return PointerValue(lacks=_reason(value, pointer) or f"a value at {pointer}, where there is none")
    if isinstance(value, dict) and "value" in value:
        value = value["value"]
    reason = _reason(value, pointer)
    return PointerValue(lacks=reason) if reason else _number(value)


def _place(name: str) -> int:
    """Return a list index as RFC 6901 spells it; an invalid index is beyond the end of every list."""
    plain = name.isascii() and name.isdigit() and len(name) <= MAX_DIGITS and (name == "0" or name[0] != "0")
    return int(name) if plain else 10**MAX_DIGITS


def _reason(value: Any, pointer: str) -> str:
    """Return why a value is missing, if a study says so."""
    missing = value.get("missing") if isinstance(value, dict) else None
    is_reason = isinstance(missing, str) and not isinstance(missing, _Number)
    return f"a value at {pointer}: {missing}" if is_reason else ""


def _number(value: Any) -> PointerValue:
    if isinstance(value, str) and value.lower() in ("infinity", "-infinity", *UNBOUNDED):
        return PointerValue(str(value), flaw="it is no finite number")
    if not isinstance(value, _Number):
        return PointerValue(flaw=f"it is {KINDS.get(type(value), 'null')}, and no number")
    try:
        return PointerValue(str(value), Decimal(value))
    except InvalidOperation:
        return PointerValue(str(value), flaw="its exponent is beyond what can be compared")


MET, MISSED, NEEDS = "met", "missed", "not run: needs "
DIGITS = 2000  # most digits of a sum of two numbers; those of a claim have 40
SHOWN = 40


def check_claim(claim: Claim, found: Sequence[PointerValue]) -> tuple[str, str]:
    """Check values, one for each pointer of a claim; return `met`, `missed` or `not run: needs …`, and the reason.

    A missing value decides first. Otherwise the reason is the first criterion that is not met.
    """
    lacks = list(dict.fromkeys(one.lacks for one in found if one.lacks))
    if lacks:
        more = f" (and {len(lacks) - 1} more)" if len(lacks) > 1 else ""
        return NEEDS + lacks[0] + more, "; ".join(lacks)
    flaw = next(_flaws(claim, found), "")
    return (MISSED, flaw) if flaw else (MET, "")


def criteria_text(claim: Claim | Registered) -> str:
    """Format the criteria of a claim in words: tolerance, order and bounds; a lone tolerance without `within`."""
    ask: Mapping[str, Any] = claim.model_dump() if isinstance(claim, Claim) else claim
    words = [f"at {side} {ask[f'at_{side}']}" for side in ("least", "most") if ask.get(f"at_{side}") is not None]
    if ask.get("order"):
        words.insert(0, f"{ask['order']}{' or equal' if ask.get('ties') else ''}")
    if ask.get("within") is None:
        return ", ".join(words)
    return ", ".join([f"within {ask['within']}", *words]) if words else str(ask["within"])


def _flaws(claim: Claim, found: Sequence[PointerValue]) -> Iterator[str]:
    numbers: list[Decimal] = []
    for pointer, one in zip(claim.pointers, found, strict=True):
        at = f"{pointer}: " if len(found) > 1 else ""
        if one.number is None:
            yield f"{at}{one.flaw}"
            return
        numbers.append(one.number)
        for bound, kept in _bounds(claim, one.number):
            if not kept:
                yield f"{at}{_cut(one.text)} is not {bound}"
    for (first, second), (left, right) in zip(pairwise(claim.pointers), pairwise(numbers), strict=True):
        if claim.order and not _in_order(claim, left, right):
            yield f"{_cut(left)} at {first}, then {_cut(right)} at {second}: not {criteria_text(claim)}"


def _in_order(claim: Claim, left: Decimal, right: Decimal) -> bool:
    return (left == right and claim.ties) or (left < right if claim.order == "increasing" else left > right)


def _bounds(claim: Claim, number: Decimal) -> Iterator[tuple[str, bool]]:
    """Compare exactly; a sum of too many digits is rounded away from the published number, never towards it."""
    if claim.published is not None and claim.within is not None:
        published, within = Decimal(claim.published), Decimal(claim.within)
        low = _context(ROUND_FLOOR).subtract(published, within)
        high = _context(ROUND_CEILING).add(published, within)
        yield f"within {claim.within} of {claim.published}", low <= number <= high
    if claim.at_least is not None:
        yield f"at least {claim.at_least}", number >= Decimal(claim.at_least)
    if claim.at_most is not None:
        yield f"at most {claim.at_most}", number <= Decimal(claim.at_most)


def _context(rounding: str) -> Context:
    return Context(prec=DIGITS, rounding=rounding, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])


def _cut(number: object) -> str:
    text = str(number)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


FULL, CUT, UNFINISHED, UNREAD = "full", "cut", "unfinished", "unread"
Tally = Counter[tuple[bool, bool, str, str]]  # by other settings, earlier, state of the run, verdict


@dataclass(frozen=True)
class VariantCount:
    """The position of a run among the full runs on a claim's subject, and how many of those missed the claim.

    Full runs are those that ended, without a cut by `--limit`, and met or missed the claim; others are counted
    separately.
    """

    run_number: int
    runs: int
    missed_before: int
    missed_after: int
    limited_missed: int  # earlier, by runs cut by `--limit`
    unfinished: int  # earlier runs that did not end
    other_settings_missed: int  # misses under other settings of the study, before or after, cut or not

    def __str__(self) -> str:
        """Format the counts as words beside a verdict; the rarer ones are left out if they are 0."""
        some = "variant" if self.missed_before == 1 else "variants"
        words = [f"run {self.run_number} of {self.runs}", f"{self.missed_before} earlier {some} missed"]
        more = ((self.missed_after, "later"), (self.limited_missed, "cut by --limit"), (self.unfinished, "unfinished"))
        words += [f"{number} {what}{' missed' * (what != 'unfinished')}" for number, what in more if number]
        words += [f"{self.other_settings_missed} missed under other settings"] * (self.other_settings_missed > 0)
        return "; ".join(words)


@dataclass(frozen=True)
class _LockClaims:
    """The claims under one lock: where its runs hold each claim's values, and the claim that was registered."""

    places: Sequence[PointerOptions | None]
    registered: Sequence[tuple[Claim, Registered] | None]
    outputs: tuple[str, ...]
    rows: int  # rows of the largest dataset, which a lower limit cuts
    apart: bool  # whether the study had other settings


@dataclass(frozen=True)
class ClaimHistory:
    """The runs of a store on the subject of one manifest: the claims they registered, how often each was missed."""

    history: History
    work: Subject
    standing: Collection[Claim] = ()  # claims of other manifests of the project
    untouched: Collection[str] = ()  # outputs made without any model
    found: dict[tuple[str, str], PointerValue] = field(default_factory=dict)  # values by document and pointer

    def first_registered(self, claims: Sequence[Claim]) -> list[Registered | None]:
        """Return for each claim its oldest registered form, if that demanded something else; otherwise None.

        Only runs under the same settings of the study are considered.
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
        """Return, by manifest name, registered claims that no manifest of the project makes any more.

        `name` is this manifest, whose first run's claims are left out (`judge` handles those). `claimed` gives the
        subject and claims of each manifest of the project. Manifests that are gone count if they are on this subject.
        """
        found: dict[str, list[Registered]] = defaultdict(list)
        known = list(claimed.values())
        for digest, lock in self.history.locks().items():
            old_name, there = str(lock["intent"].get("name")), run_subject(lock["intent"], lock["pins"])
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

        Runs that cannot be read are not counted and are added to `history.unread`.
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
            except HarnessError:  # an output is damaged; these runs are listed as unread and not counted
                self.history.unread.update(runs)
                continue
            for tally, word in zip(tallies, words, strict=True):
                tally[tried[lock].apart, earlier, state, word] += len(runs)
        return [_count(tally) for tally in tallies]

    def _lock_claims(self, claims: Sequence[Claim]) -> dict[str, _LockClaims]:
        """Return the claims in every lock whose runs share a part of their subject, the oldest lock first."""
        found = {}
        for digest, lock in self.history.locks().items():
            there = run_subject(lock["intent"], lock["pins"])
            placed = [equivalent_pointers(claim.pointers, self.work, there, self.untouched) for claim in claims]
            if any(placed):
                olds = read_claims(lock["intent"])
                apart = there.settings != self.work.settings
                found[digest] = _lock_claims(placed, self._was(claims, placed, olds), lock["pins"], apart)
        return found

    def _was(
        self, claims: Sequence[Claim], placed: Sequence[PointerOptions | None], olds: Sequence[tuple[Claim, Registered]]
    ) -> list[tuple[Claim, Registered] | None]:
        """Pair claims with those that a run had registered, except ones that another manifest still claims.

        Such a claim is still paired if both point to exactly the same values; then it has moved.
        """
        exact, whole, part = subject_likeness_tests(claims, placed, [old for old, _ in olds])
        still = {claim_demand(claim) for claim in self.standing}
        free = [claim_demand(old) not in still for old, _ in olds]
        pairs, _ = match_claims(len(claims), len(olds), [exact, whole, lambda new, old: free[old] and part(new, old)])
        return [None if place is None else olds[place] for place in pairs]

    def _made(self, run: StartedRun, tried: _LockClaims) -> tuple[str, tuple[str, ...]]:
        """Return how far a run came, and the digests of the documents that claims point into."""
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
        """Yield the verdict of a run on each claim: judged now, or as it was registered, whichever is worse."""
        held: dict[str, Digested] = {
            name: {"sha256": digest} for name, digest in zip(tried.outputs, digests, strict=False) if digest
        }
        outputs = PointerReader(held, self.history.store.blobs.deliver, self.found)
        for claim, spots, old in zip(claims, tried.places, tried.registered, strict=True):
            if spots is None or state in (UNFINISHED, UNREAD):
                yield state if spots else ""
                continue
            words = [check_claim(claim, [_first(outputs, each) for each in spots])[0]]
            if old:
                words.append(check_claim(old[0], [outputs.at(pointer) for pointer in old[0].pointers])[0])
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
    return _LockClaims(
        placed, was, tuple(sorted({split_pointer(pointer)[0] for pointer in pointers})), int(rows), apart
    )


def _first(outputs: PointerReader, spots: Sequence[str]) -> PointerValue:
    """Return the first value that exists at some places."""
    found = [outputs.at(spot) for spot in spots]
    return next((one for one in found if not one.lacks), found[0])


def _touch(old: Claim, there: Subject, here: Subject, claims: Sequence[Claim]) -> bool:
    """Whether any claim points to some of the values of an old one."""
    wanted = {canonical_pointer(pointer) for pointer in old.pointers}
    placed = (equivalent_pointers(claim.pointers, here, there) for claim in claims)
    return any(canonical_pointer(spot) in wanted for spots in placed for each in spots or () for spot in each)


def _count(tally: Tally) -> VariantCount:
    """Return the counts of a claim's history, and the misses under other settings; no run counts in both."""
    same = {key[1:]: number for key, number in tally.items() if not key[0]}
    met, missed = ([same.get((earlier, FULL, word), 0) for earlier in (True, False)] for word in (MET, MISSED))
    before, after = (one + other for one, other in zip(met, missed, strict=True))
    apart = sum(number for (other, _, _, word), number in tally.items() if other and word == MISSED)
    unfinished = sum(tally[other, True, UNFINISHED, UNFINISHED] for other in (True, False))
    limited = same.get((True, CUT, MISSED), 0)
    return VariantCount(before + 1, before + after + 1, missed[0], missed[1], limited, unfinished, apart)


LATE = ("count", "imported", "without", "kind_reason", "computed")  # in another form for a script, or only if set
Values = Callable[[str], PointerValue]


@dataclass(frozen=True)
class JudgedClaim:
    """A claim with its verdict: met, missed or what it needs, the value found, and its first form if it moved."""

    id: str
    manifest: str
    published: str | None
    value: str | list[str | None] | None  # as found: one, or one for each pointer of the claim
    tolerance: str
    verdict: str  # met | missed | not run: needs …
    where: str
    status: str | None
    of: str | list[str]
    detail: str
    run: str | None
    moved: bool
    was: Registered | None  # the claim as first registered, if it moved
    withdrawn: bool  # registered by an earlier run, but no longer in the manifest
    count: VariantCount | None  # counts of other runs, if there is a verdict
    without: tuple[str, ...] = ()  # absent published files that the value would have used
    imported: tuple[str, ...] = ()  # models with imported answers that the value depends on
    kind: str = UNKNOWN  # what the value is compared with: `kinds.py`
    kind_reason: str = ""  # why the kind is unknown
    computed: bool = False  # the value was made for this verdict, and no run recorded it

    @property
    def data(self) -> dict[str, Any]:
        """The judged claim as JSON fields for a script: flat variant counts, no empty `imported` or `without`."""
        counts = vars(self.count) if self.count else dict.fromkeys(VariantCount.__annotations__)
        more: dict[str, Any] = {
            name: list(getattr(self, name)) for name in ("imported", "without") if getattr(self, name)
        }
        more |= {name: getattr(self, name) for name in ("kind_reason", "computed") if getattr(self, name)}
        return {**{name: value for name, value in vars(self).items() if name not in LATE}, **counts, **more}


@dataclass(frozen=True)
class _Meant:
    """A claim to be judged, and how it compares with the registered one."""

    claim: Claim
    moved: bool
    was: Registered | None
    withdrawn: bool = False


def judge_claims(
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

    `values` returns a run's value at a pointer. Without it every verdict is `not run: needs …` with the `lacks`, or
    with what the claim itself `waits` for. `past` has the runs on the same subject, for earlier forms of the claims,
    and the counts for a claim met or missed.
    """
    every = _meant(claims, registered, past.first_registered(claims) if past else [None] * len(claims))
    names = _names([one.claim for one in every])
    found = [[values(pointer) for pointer in one.claim.pointers] if values else [] for one in every]
    tried = past.counts([one.claim for one in every], run) if past and run else [None] * len(every)
    rows = []
    for one, here, count in zip(every, found, tried, strict=True):
        claim = one.claim
        word, detail = check_claim(claim, here) if here else _not_run(claim, lacks)
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


def with_imported_models(
    one: JudgedClaim, imported: Collection[str], models: Collection[str], untouched: Collection[str] = ()
) -> JudgedClaim:
    """Return a judged claim with the models whose imported answers its value depends on; unchanged if not run.

    A pointer that names some of `models` depends on the `imported` ones among those it names, any other pointer on all
    of `imported`. A pointer into an output in `untouched`, made without any model, depends on none.
    """
    if one.verdict.startswith(NEEDS):
        return one
    found: set[str] = set()
    for pointer in [one.of] if isinstance(one.of, str) else one.of:
        output, path = split_pointer(pointer)
        if output not in untouched:
            found |= set(path) & set(imported) if set(path) & set(models) else set(imported)
    return replace(one, imported=tuple(sorted(found)))


def with_absent_files(one: JudgedClaim, without: Mapping[str, Collection[str]]) -> JudgedClaim:
    """Return a judged claim with the published files that were absent when its outputs were made.

    `without` gives these files by output. A claim without a verdict `met` or `missed` is returned unchanged.
    """
    outputs = {split_pointer(pointer)[0] for pointer in ([one.of] if isinstance(one.of, str) else one.of)}
    absent = {path for output in outputs for path in without.get(output, ())}
    return one if one.verdict.startswith(NEEDS) else replace(one, without=tuple(sorted(absent)))


def with_claim_kind(one: JudgedClaim, kinds: OutputKinds) -> JudgedClaim:
    """Return a judged claim with its kind, by the outputs that it points into."""
    name, reason = kinds.of(
        [split_pointer(pointer)[0] for pointer in ([one.of] if isinstance(one.of, str) else one.of)]
    )
    return replace(one, kind=name, kind_reason=reason)


def same_number(study: str, one: JudgedClaim) -> tuple[object, ...]:
    """Return a key by which claims of one study on the same number are grouped."""
    of = (one.of,) if isinstance(one.of, str) else one.of
    return study, tuple(map(canonical_pointer, of)), one.published, one.tolerance, one.withdrawn


def _meant(
    claims: Sequence[Claim], registered: Sequence[Registered] | None, elders: Sequence[Registered | None]
) -> list[_Meant]:
    """Pair each claim with its first registered form; claims that are gone from the manifest come last."""
    olds = read_claims({"claims": list(registered or ())})
    pairs, gone = match_claims(len(claims), len(olds), manifest_likeness_tests(claims, [old for old, _ in olds]))
    found = []
    for claim, place, elder in zip(claims, pairs, elders, strict=True):
        before, was = olds[place] if place is not None else (None, None)
        moved = registered is not None and (before is None or claim_demand(claim) != claim_demand(before))
        found.append(_Meant(claim, moved or elder is not None, elder or (was if moved else None)))
    return found + [_Meant(olds[place][0], moved=True, was=olds[place][1], withdrawn=True) for place in gone]


def _names(claims: Sequence[Claim]) -> Iterator[str]:
    """Yield a name for every claim: its id, else its pointers; repeated names are numbered."""
    seen: Counter[str] = Counter()
    for claim in claims:
        first, last = claim.pointers[0], claim.pointers[-1]
        name = claim.id or (first if first == last else f"{first} … {last}")
        seen[name] += 1
        yield name if seen[name] == 1 else f"{name} ({seen[name]})"


def _not_run(claim: Claim, lacks: Sequence[str]) -> tuple[str, str]:
    """Return the verdict without a run: what is lacking, or the claim's `waits` if pins are, and a detail."""
    needs = _needs(claim, lacks)
    pins = [lack for lack in lacks if " " not in lack]  # `models.NAME`, but not `a run` or `a lock`
    return (NEEDS + claim.waits, needs) if claim.waits and pins else (NEEDS + needs, "")


def _needs(claim: Claim, lacks: Sequence[str]) -> str:
    """Format what is lacking, first the parts that the claim itself names."""
    named = {name for pointer in claim.pointers for name in split_pointer(pointer)[1]}
    return ", ".join(sorted(lacks, key=lambda lack: lack.partition(".")[2] not in named))
