"""The subject of a run, by which runs are compared; the claims that earlier runs registered; the history of a store.

A subject is a study, its data by maker or URL, its models by identity. Other seeds, counts, templates, generation
settings, instruments or names do not make another subject, because a claim could be fished for by varying them until it
is met. The study's own settings are recorded too, but do not decide. The history lists runs oldest first, with the lock
of each and the outputs of finished ones; it trusts only what the list of runs confirms.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, product
from typing import Any, NamedTuple, cast
from urllib.parse import urldefrag

from pydantic import ValidationError

from harness.digest import differing_pointers, parse_document, sha256
from harness.errors import DamageError, HarnessError
from harness.evidence.record import Record, read_record
from harness.manifest.documents import ClaimFields, Intent, LockBody, Pins
from harness.manifest.lockfile import Lock
from harness.manifest.models import is_stand_in
from harness.manifest.schema import Claim, split_pointer
from harness.steps import STAGES
from harness.store.blobs import is_digest
from harness.store.store import Store

SAID = ("model", "source", "behaviour")  # the settings in which providers name the model
WEIGHTS = ".safetensors"
MOST_PLACES = 16  # most places at which a pointer is searched in a run with other names
Names = Mapping[str, frozenset[str]]  # names in a manifest, and the identities of each


@dataclass(frozen=True)
class Subject:
    """The subject of a run: its study, data and models by name with their identities, and the study's settings."""

    study: str
    data: Names
    models: Names
    real: frozenset[str]  # the models that are not stand-ins
    settings: Mapping[str, Any] = field(default_factory=dict)  # the study's own settings, as written


def run_subject(intent: Intent, pins: Pins) -> Subject:
    """Return the subject of a run, from a manifest's intent and the pins of its lock."""
    models, data = (_parts(intent, pins, kind) for kind in ("models", "datasets"))
    return Subject(
        str(intent.get("study")),
        {name: frozenset(_data(said, pin)) for name, said, pin in data},
        {name: frozenset(_model(said, pin)) for name, said, pin in models},
        frozenset(name for name, said, _ in models if not is_stand_in(said)),
        _mapping(intent.get("settings")),
    )


def _parts(
    intent: Mapping[str, Any], pins: Mapping[str, Any], kind: str
) -> list[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    """Return the named parts of one kind in a manifest, each with its settings and what the lock pins."""
    said, pinned = (_mapping(side.get(kind)) for side in (intent, pins))
    return [(str(name), _mapping(said[name]), _mapping(pinned.get(name))) for name in said]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _model(said: Mapping[str, Any], pin: Mapping[str, Any]) -> Iterator[str]:
    """Yield the identities of a model: its provider's name for it, and the digests of its weights."""
    known = next((str(said[name]) for name in SAID if said.get(name)), "")
    yield f"{said.get('provider')} {known.casefold()}"
    yield from (str(digest) for file, digest in _mapping(pin.get("files")).items() if str(file).endswith(WEIGHTS))
    if "answers" in pin:
        yield str(pin["answers"])


def _data(said: Mapping[str, Any], pin: Mapping[str, Any]) -> Iterator[str]:
    """Yield the identities of data: its maker, or its URL and digest; the URL does not matter."""
    if "make" in said:
        yield f"make {said['make']}"
    elif isinstance(files := said.get("fetch"), Mapping):  # lists that share a file count as the same data
        for file in map(_mapping, files.values()):
            yield f"fetch {urldefrag(str(file.get('url'))).url}"
            yield str(file.get("sha256"))
    else:
        yield f"fetch {urldefrag(str(files)).url}"
        yield from (str(side["sha256"]) for side in (said, pin) if side.get("sha256"))


def canonical_pointer(pointer: str) -> str:
    """Return a claim's pointer without a final `/value`, because a statistic and its value are the same."""
    return pointer.removesuffix("/value")


def equivalent_pointers(
    pointers: Sequence[str], here: Subject, there: Subject, untouched: Collection[str] = ()
) -> list[tuple[str, ...]] | None:
    """Return for each pointer the places where another run holds the same value, likeliest first, or None.

    None means another subject: another study, no shared data, or other models. Models do not matter for outputs in
    `untouched`, which are made without models. Elsewhere a model that a pointer names must be in the other run, under
    any name. If no pointer names a model, `same_subject` decides.
    """
    if not same_subject(here, there, models=False):
        return None
    found, names, free = [], False, True
    for pointer in pointers:
        output, path = split_pointer(pointer)
        asked = output not in untouched
        twins = [_twins(here.models.get(name), there.models) if asked else [] for name in path]
        options = [_renamed(name, here, there, known, asked=asked) for name, known in zip(path, twins, strict=True)]
        names, free = names or any(twins), free and not asked
        found.append(tuple(output + "#" + "".join(map(_spelt, chosen)) for chosen in _some(options)))
    return found if all(found) and (free or names or same_subject(here, there)) else None


def same_subject(here: Subject, there: Subject, *, models: bool = True) -> bool:
    """Whether two subjects have the same study and share data and, if `models` and either has a real one, a model.

    If both have real models, they must share one of those.
    """
    known = here.study == there.study and bool(_every(here.data) & _every(there.data))
    if not known or not models or not (here.real or there.real):
        return known
    mine, others = here.models, there.models
    if here.real and there.real:
        mine, others = (
            {name: known[name] for name in real} for known, real in ((mine, here.real), (others, there.real))
        )
    return bool(_every(mine) & _every(others))


def _renamed(name: str, here: Subject, there: Subject, twins: Sequence[str], *, asked: bool) -> Sequence[str]:
    """Return the possible names of one part of a pointer in another run; models and data are matched by identity."""
    if twins:
        return [name] if name in twins else twins
    if asked and name in here.models and name in there.models:
        return []  # another model has this name there
    mine, others = here.data.get(name), there.data.get(name)
    if mine is None:
        return [name]
    if others is None:
        return [name, *_twins(mine, there.data)]
    # Another dataset may have this name there, while the one that is meant has another name.
    return [name] if mine & _every(there.data) or others & _every(here.data) else []


def _twins(mine: frozenset[str] | None, others: Names) -> list[str]:
    return [name for name, known in others.items() if mine and mine & known]


def _some(options: Sequence[Sequence[str]]) -> Iterator[tuple[str, ...]]:
    return islice(product(*options), MOST_PLACES)


def _every(names: Names) -> frozenset[str]:
    return frozenset().union(*names.values())


def _spelt(name: str) -> str:
    return "/" + name.replace("~", "~0").replace("/", "~1")


# The fields of a claim that demand something of a value; its id, place in the paper and remark do not.
DEMANDS = ("published", "within", "order", "ties", "at_least", "at_most")
Registered = ClaimFields  # a claim as a run registered it
PointerOptions = Sequence[Sequence[str]]  # for each pointer of a claim, the places where a run may hold its value
Likeness = Callable[[int, int], bool]


def read_claims(intent: Intent) -> list[tuple[Claim, Registered]]:
    """Return the claims in the intent of a lock, each with its fields as written.

    Claims that the schema rejects are left out.
    """
    found = []
    claims = intent.get("claims")
    for old in claims if isinstance(claims, list) else ():
        try:
            found.append((Claim.model_validate(old), old))
        except ValidationError:
            continue
    return found


def claim_demand(claim: Claim) -> tuple[object, ...]:
    """Return what a claim demands and of which values, without its id, its place in the paper or its remark."""
    return (claim.of, *_bar(claim))


def same_demand(claim: Claim, spots: PointerOptions, old: Claim) -> bool:
    """Whether a claim demands the same as an old one of the same values, whatever the names of datasets and models.

    `spots` are, for each pointer of the claim, the places where the old run may hold the same value.
    """
    if len(spots) != len(old.pointers) or _bar(claim) != _bar(old):
        return False
    return all(
        canonical_pointer(one) in map(canonical_pointer, each) for each, one in zip(spots, old.pointers, strict=True)
    )


def match_claims(count: int, olds: int, alike: Sequence[Likeness]) -> tuple[list[int | None], list[int]]:
    """Pair `count` new claims with `olds` old ones by likeness tests, tried in turn, each old one used at most once.

    Returns for each new claim the index of its old one or None, and the indices of the old ones that are left.
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


def subject_likeness_tests(
    claims: Sequence[Claim], placed: Sequence[PointerOptions | None], olds: Sequence[Claim]
) -> list[Likeness]:
    """Return tests, strictest first, by which claims of two manifests are taken for the same.

    `placed` gives, for each claim, where the old run may hold the values it points to; None if it holds none.
    """
    new = [{canonical_pointer(one) for each in spots for one in each} if spots else set() for spots in placed]
    old = [{canonical_pointer(one) for one in each.pointers} for each in olds]

    def all_of(one: int, other: int) -> bool:
        spots = placed[one] or ()
        return (
            bool(spots)
            and old[other] <= new[one]
            and all(old[other] & set(map(canonical_pointer, each)) for each in spots)
        )

    return [
        lambda one, other: same_demand(claims[one], placed[one] or (), olds[other]),
        all_of,
        lambda one, other: not new[one].isdisjoint(old[other]),
    ]


def manifest_likeness_tests(claims: Sequence[Claim], olds: Sequence[Claim]) -> list[Likeness]:
    """Return tests, strictest first, by which an old and a new claim of one manifest are taken for the same."""
    return [
        lambda new, old: claim_demand(claims[new]) == claim_demand(olds[old]),
        lambda new, old: claims[new].id is not None and claims[new].id == olds[old].id,
        lambda new, old: claims[new].of == olds[old].of,
        lambda new, old: claims[new].where == olds[old].where,
        lambda new, old: new == old,
    ]


def _bar(claim: Claim) -> tuple[object, ...]:
    return tuple(getattr(claim, name) for name in DEMANDS)


# Fields of an intent that change no output, so that a run with other values of them is a run of the same manifest; and
# the pins that do change outputs.
NAMES = ("name", "about", "claims", "outputs", "agents")
RESOURCES, THREADS = "resources", "threads"  # resources change no output, except threads
PINS = ("models", "instruments", "prompts", "datasets", "tables")
_DECODER = json.JSONDecoder()
_OUTPUTS = b',"outputs":{'
_END = re.compile(
    rb',"plan":"[0-9a-f]{64}","run":"[^"\\]*","sees_gold":\[[^][{}]*\],"started":"[^"\\]*",'
    rb'"status":"([a-z]+)","steps":\{[^][{}]*\},"type":"record/1"\}\n\Z'
)
FEW, MOST = 1 << 12, 1 << 26  # bytes read of a file at first, and at most; a first line and a record are short


class StartedRun(NamedTuple):
    """A run as it was started: the digest of its lock, and its `--limit` of items per dataset (0: none)."""

    run: str
    lock: str
    limit: int


class EndedRun(NamedTuple):
    """The end of a run by its record: whether it finished every step, and the digest of each output."""

    complete: bool
    outputs: Mapping[str, str]


class History:
    """All runs started in a store, oldest first; those that the list does not confirm are only named, in `unread`.

    Raises DamageError if the hash chain of the list itself is broken.
    """

    def __init__(self, store: Store) -> None:
        chain = store.heads.read()
        if chain.broken:
            raise DamageError(
                f"the list of runs is broken at {chain.broken}",
                where=str(store.heads.path),
                next="restore heads.jsonl from a copy; `harness audit last` says more",
            )
        self.store = store
        self._listed = {str(event["run"]): event for event in chain.events if event["event"] == "run.finished"}
        self._locks: dict[str, LockBody | None] = {}
        self._made: dict[str, EndedRun] = {}
        self._said: dict[bytes, Mapping[str, str]] = {}
        self.runs: list[StartedRun] = []
        self.unread: set[str] = set()  # runs that cannot be read, whose claims and outputs are unknown
        for event in chain.events:
            if event["event"] == "run.started":
                self._start(str(event["run"]), str(event["journal"]))

    def _start(self, run: str, first: str) -> None:
        """Read how a run was started from the first line of its journal, if the list of runs has that line."""
        try:
            line = _read(self.store, f"runs/{run}/journal.jsonl", line=True)
            begun = _value(line) if sha256(line) == first else None
        except (OSError, DamageError, ValueError, RecursionError):
            begun = None
        if isinstance(begun, dict) and begun.get("run") == run and self.lock(begun.get("lock")):
            limit = begun.get("limit")
            self.runs.append(StartedRun(run, begun["lock"], limit if isinstance(limit, int) else 0))
        else:
            self.unread.add(run)

    def lock(self, digest: object) -> LockBody | None:
        """Return a lock by its digest, read once; None if it is missing or damaged."""
        if not isinstance(digest, str):
            return None
        if digest not in self._locks:
            self._locks[digest] = self._lock(digest)
        return self._locks[digest]

    def _lock(self, digest: str) -> LockBody | None:
        try:
            lock = parse_document(self.store.blobs.read(digest), "lock/1", "lock") if is_digest(digest) else {}
        except HarnessError:
            return None
        whole = all(isinstance(lock.get(part), dict) for part in ("intent", "pins"))
        return cast(LockBody, lock) if whole else None

    def locks(self) -> dict[str, LockBody]:
        """Return every lock that a run was started under, by digest, in the order of their first runs."""
        return {digest: lock for digest, lock in self._locks.items() if lock}

    def registered(self, name: str) -> list[Registered] | None:
        """Return the claims that the first run of the manifest with this name registered; None if there was no run.

        Claims that the present schema does not accept are left out.
        """
        first = next((lock["intent"] for digest, lock in self.locks().items() if self._names[digest] == name), None)
        return None if first is None else [said for _, said in read_claims(first)]

    def of(self, name: str) -> list[StartedRun]:
        """Return the runs of the manifest with this name, under any lock, oldest first."""
        return [run for run in self.runs if self._names.get(run.lock) == name]

    @cached_property
    def _names(self) -> dict[str, str]:
        return {digest: str(lock["intent"].get("name")) for digest, lock in self._locks.items() if lock}

    def newest(self, name: str, lock: Lock, outputs: Collection[str] = ()) -> tuple[Record | None, str]:
        """Return the record of a manifest's newest complete run under its present lock, or None and what is lacking.

        Runs under `--limit` do not count. Locks that differ only in parts that change no output count as one. A run
        that made all of `outputs` is preferred to a newer one that did not.
        """
        runs = self.of(name)
        same = {digest for digest in {run.lock for run in runs} if _same_work(self.lock(digest), lock)}
        fitting = [run for run in runs if run.lock in same]
        poorer = None
        for run in reversed(fitting):
            if run.run in self._listed and not run.limit:
                made = self.made(run.run)
                if made.complete and set(outputs) <= set(made.outputs):
                    return self.record(run.run), ""
                poorer = poorer or (run.run if made.complete else None)
        if poorer:
            return self.record(poorer), ""
        return None, "a complete run" if fitting else "a run under its present lock" if runs else "a run"

    def ended(self, run: str) -> bool:
        """Whether a run ended, by the list of runs."""
        return run in self._listed

    def made(self, run: str) -> EndedRun:
        """Return whether an ended run was complete, and its output digests, from its record, which is read once.

        Raises DamageError if the record is not the one that the list of runs names.
        """
        if run not in self._made:
            try:
                self._made[run] = self._ended(self._vouched(run))
            except (ValueError, LookupError, TypeError, AttributeError):
                raise self._damaged(run) from None
        return self._made[run]

    def _ended(self, record: bytes) -> EndedRun:
        """Return the outputs in a record; equal texts of thousands of records are parsed once.

        The text from the last `outputs` to the end that every record has is that field, if it is one JSON value.
        """
        end = _END.search(record, max(0, len(record) - FEW))
        start = record.rfind(_OUTPUTS, 0, end.start()) if end else -1
        if end and start >= 0:
            said = record[start + len(_OUTPUTS) - 1 : end.start()]
            try:
                if said not in self._said:
                    self._said[said] = _digests(json.loads(said))
                return EndedRun(end[1] == b"done", self._said[said])
            except ValueError:
                pass  # it was not that field
        body = _value(record)
        return EndedRun(body["status"] == "done", _digests(body["outputs"]))

    def _vouched(self, run: str) -> bytes:
        """Return the bytes of the record of a run that ended, if it is the one that the list of runs names."""
        try:
            data = _read(self.store, f"runs/{run}/record.json")
        except (OSError, DamageError):
            data = b""
        if sha256(data) != self._listed[run]["record"]:
            raise self._damaged(run)
        return data

    def record(self, run: str) -> Record:
        """Return the record of a run, verified from the list of runs down to its outputs; `made` checks less."""
        return read_record(self.store, run)

    def _damaged(self, run: str) -> DamageError:
        return DamageError(
            "the record of this run is not the one that the list of runs names",
            where=str(self.store.record(run)),
            next=f"`harness audit {run}` says more",
        )

    def untouched(self, run: str) -> frozenset[str]:
        """Return the outputs of a run that no model took part in: those of steps in stages before the responses."""
        events = self.store.read_journal(run).events
        before = STAGES[: STAGES.index("responses")]
        steps = {event["step"] for event in events if event.get("stage") in before}
        return frozenset(event["name"] for event in events if event["event"] == "output" and event["step"] in steps)


def _digests(outputs: Mapping[str, Any]) -> dict[str, str]:
    return {name: made["sha256"] for name, made in outputs.items()}


def _value(line: bytes) -> Any:
    """Parse one line of JSON whose digest is known; this is fast, because there are thousands of lines."""
    text = line.decode()
    value, end = _DECODER.raw_decode(text)
    if text[end:] != "\n":
        raise ValueError("more than one value")
    return value


def _read(store: Store, place: str, *, line: bool = False) -> bytes:
    """Read a regular file, or its first line, fast; anything but a regular file raises an error."""
    handle = store.tree.open_read(place, MOST)
    try:
        data = more = os.read(handle, FEW)
        while len(more) >= FEW and len(data) < MOST and not (line and b"\n" in data):
            more = os.read(handle, len(data))
            data += more
    finally:
        os.close(handle)
    return data[: data.find(b"\n") + 1] if line else data


def _same_work(ran: Mapping[str, Any] | None, lock: Lock) -> bool:
    """Whether a run did the same work as a lock describes now, apart from its claims."""
    if ran is None:
        return False
    old, new = ({kind: pins.get(kind) for kind in PINS} for pins in (ran["pins"], lock.pins))
    return not changed_intent(ran["intent"], lock.intent) and not list(differing_pointers(old, new))


def changed_intent(old: Intent, new: Intent) -> list[str]:
    """Return the fields in which two manifests' intents differ and that could change an output."""
    left, right = ({**intent, RESOURCES: {THREADS: _threads(intent)}} for intent in (old, new))
    left, right = ({key: intent[key] for key in intent if key not in NAMES} for intent in (left, right))
    return list(differing_pointers(left, right))


def _threads(intent: Mapping[str, Any]) -> Any:
    """Return the number of threads of a manifest, the only resource that changes a result."""
    resources = intent.get(RESOURCES)
    return (resources.get(THREADS) if isinstance(resources, dict) else None) or 1
