"""Foreseen steps: which steps of a plan a run would take from the store, which it would execute, and why.

Reasons come from a comparison with the last finished run of the same manifest: of the parts of a step's key, or else of
the steps that it reads. Nothing is executed, and nothing is written. What a step would cost is not known here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from harness.digest import differing_pointers
from harness.errors import HarnessError
from harness.evidence.explain import name_few, spell_pointer
from harness.evidence.record import FINISHED, entry_of_event
from harness.evidence.trail import (
    closure_files,
    interpreter_changes,
    module_changes,
    pinned_files,
    read_environment,
)
from harness.manifest.lockfile import Lock, read_lock
from harness.run.closure import code_root
from harness.run.executing.forecast import foreseen_outputs, look_up, takes_prompts
from harness.run.executing.workshop import Made, StepResult, Workshop
from harness.run.planning.plan import CUT
from harness.run.progress import StepSchedule
from harness.steps import JUDGED, Pinned, Plan, Ref, Source, Step, key_preimage, step_key
from harness.store.journal import Event, Preimage
from harness.store.store import Entry, Listed, Store, follow_journal, list_runs, read_start

# What becomes of a step.
REUSED, RERUN, RESCORED, REMADE = "reused", "rerun", "rescored", "remade"
ACTIONS = (RERUN, RESCORED, REMADE, REUSED)  # as a table lists them

# Kinds of reasons, as a table lists them.
NEW, DATA, WORDING, SAMPLING, MODEL, WEIGHTS, IMPORTED = (
    "new", "data", "prompt wording", "sampling", "model", "weights", "imported answers",
)  # fmt: skip
SCORER, JUDGE, ANALYSIS, SHARDS, TABLE, CODE = "scorer", "judge", "analysis", "shards", "table", "code"
IMAGE, PACKAGES, DEVICE, NUMERICS = "image", "packages", "device", "numerics"
UNANSWERED, LOST, INCOMPLETE, UNKNOWN = "unanswered", "lost or damaged", "never finished", "unknown"
MOST_ENTRIES = 20_000  # of a store that are read, to tell what is sure from what depends on outputs
LONGEST = 40  # characters of a value in a reason
RESPONSES, SCORES = "responses", "scores"  # stages
_SAMPLING = ("generation", "seeds", "samples")
_WORDING = ("wordings", "templates")
_STAGES = {"rows": DATA, "prompts": WORDING, "responses": MODEL, JUDGED: JUDGE, "scores": SCORER, "analyses": ANALYSIS}


@dataclass(frozen=True, order=True)
class Reason:
    """Why a step is executed: the kind of change, and what changed in words."""

    kind: str
    text: str = ""

    def __str__(self) -> str:
        """Format the reason as one phrase."""
        return f"{self.kind}: {self.text}" if self.text else self.kind


@dataclass(frozen=True)
class ForeseenStep:
    """A step of a plan with the forecast whether a run executes it or takes it from the store, and the reasons.

    If it is not sure, the step is executed unless what it reads, which is made again, has the same bytes as before.
    """

    step: Step
    action: str
    sure: bool
    reasons: tuple[Reason, ...] = ()

    @property
    def executed(self) -> bool:
        """Whether the step is executed, as far as that is known."""
        return self.action != REUSED


def step_action(step: Step) -> str:
    """Return the action of a step: `rerun` if it asks a model, `rescored` if it scores answers, `remade` otherwise."""
    if takes_prompts(step) and step.stage == RESPONSES and not step.imported:
        return RERUN
    return RESCORED if step.stage in (JUDGED, SCORES) and not step.derive else REMADE


@dataclass(frozen=True)
class EarlierRun:
    """The newest finished run of a manifest as far as it can be read: its steps' events and its lock."""

    store: Store
    run: str
    begun: Event
    events: Mapping[str, Event]  # of finished steps, by step

    @cached_property
    def lock(self) -> Lock:
        """The lock that the run was started under."""
        return read_lock(self.store.blobs.read(str(self.begun["lock"])), "lock")

    def entry(self, step: str) -> Entry | None:
        """Return the entry of a step of the run; None if it had none, or if the entry is lost or damaged."""
        try:
            return entry_of_event(self.store, self.events[step], self.run) if step in self.events else None
        except HarnessError:
            return None

    def has_family(self, step: str) -> bool:
        """Whether the run had a step of the same family, such as another shard of the same scores."""
        return shard_family(step) in self._families

    @cached_property
    def _families(self) -> frozenset[str]:
        return frozenset(map(shard_family, self.events))


def shard_family(step: str) -> str:
    """Return the name that the shards of a step share: its own name without the part."""
    head, _, last = step.rpartition("/")
    return head if last.startswith("part-") else step


def newest_finished_run(store: Store, name: str, limit: int = 0) -> tuple[EarlierRun | None, list[str]]:
    """Return the newest run of a manifest that finished, and the runs that began later and cannot be read.

    A run with another limit of items is returned only if there is none with this one.
    """
    unread: list[str] = []
    other: EarlierRun | None = None
    for known in reversed(list_runs(store).values()):
        begun = read_start(store, known)
        if begun is None:
            unread.append(known.run)
        elif known.ended and _named(store, begun) == name:
            try:
                found = _read(store, known)
            except HarnessError:
                unread.append(known.run)
                continue
            if found and begun.get("limit", 0) == limit:
                return found, unread
            other = other or found
    return other, unread


def _named(store: Store, begun: Event) -> str:
    try:
        return str(read_lock(store.blobs.read(str(begun["lock"])), "lock").intent["name"])
    except (HarnessError, LookupError):
        return ""


def _read(store: Store, known: Listed) -> EarlierRun | None:
    """Return a run if it finished every step that it planned."""
    chain = follow_journal(store, known)
    if chain.events[-1].get("status") != "done":
        return None
    events = {str(event["step"]): event for event in chain.events if event["event"] in FINISHED}
    return EarlierRun(store, known.run, chain.events[0], events)


class StoredEntries:
    """The entries of a store by step kind, read once; `whole` is False if the store has more than are read."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @cached_property
    def _read(self) -> tuple[dict[str, list[Entry]], bool]:
        found: dict[str, list[Entry]] = {}
        for number, path in enumerate(self._store.entries.all()):
            if number == MOST_ENTRIES:
                return found, False
            try:
                entry = self._store.entries.get(path.stem)
            except HarnessError:
                continue  # a run would not use it either
            if entry:
                found.setdefault(str(entry.preimage["kind"]), []).append(entry)
        return found, True

    @property
    def whole(self) -> bool:
        """Whether every entry of the store was read."""
        return self._read[1]

    def of_kind(self, kind: str) -> list[Entry]:
        """Return the entries of a step kind."""
        return self._read[0].get(kind, [])


@dataclass
class StepForeseer:
    """Compares a plan with a store, step by step, to tell which steps a run would execute, and why."""

    plan: Plan
    lock: Lock
    workshop: Workshop | None  # None: there is no store
    earlier: EarlierRun | None
    schedule: StepSchedule = field(init=False)
    _found: dict[str, ForeseenStep] = field(default_factory=dict)
    _other: set[str] = field(default_factory=set)  # steps whose outputs are sure to be like none in the store
    _moved: dict[str, frozenset[Reason]] = field(default_factory=dict)  # by step: why it is not as in the earlier run

    def __post_init__(self) -> None:
        """Begin a schedule, which holds what the store has of the plan."""
        self.schedule = StepSchedule(self.plan)
        self._steps = {step.name: step for step in self.plan.steps}
        self._entries = StoredEntries(self.workshop.store) if self.workshop else None
        self._names = pinned_files(self.lock.pins)

    def foresee(self) -> list[ForeseenStep]:
        """Return the forecast for every step, in the order of the plan; the schedule then holds the stored results."""
        for step in self.plan.steps:
            self._found[step.name] = self._step(step)
        return list(self._found.values())

    def _step(self, step: Step) -> ForeseenStep:
        if self.workshop is None:
            self._moved[step.name] = frozenset()
            return ForeseenStep(step, step_action(step), True, (Reason(NEW),))
        parts = _partial_preimage(self.workshop, step, self.schedule.made)
        damage = ""
        if None not in _digests(parts):
            parts = self.workshop.preimage(step, self.schedule.made)
            entry, damage = look_up(self.workshop, parts)
            if entry:
                list(self.schedule.done(step, StepResult(entry, "cached", {})))
                self._moved[step.name] = self._reasons(step, parts)
                return ForeseenStep(step, REUSED, True)
            if known := foreseen_outputs(step, self.schedule.made, self.lock, self.workshop.store):
                list(self.schedule.foresee(step, known))
            sure = True
        else:
            sure = self._is_sure(step, parts)
        moved = self._reasons(step, parts) or frozenset(self._lost(step, parts, damage))
        self._moved[step.name] = moved
        if sure and self._writes_other_wordings(step, parts):
            self._other.add(step.name)
        return ForeseenStep(step, step_action(step), sure, tuple(sorted(moved)))

    def _is_sure(self, step: Step, parts: Preimage) -> bool:
        """Whether no stored result can be that of a step, whatever bytes its unknown inputs come out with."""
        if any(ref.step in self._other for ref in step.refs()):
            return True
        assert self._entries
        stored = self._entries.of_kind(step.kind)
        return self._entries.whole and not any(_agree(parts, entry.preimage) for entry in stored)

    def _writes_other_wordings(self, step: Step, parts: Preimage) -> bool:
        """Whether a step writes prompts in wordings in which no stored step of its kind wrote any.

        Each prompt names the digest of its wording, so such prompts are like none in the store.
        """
        if step.stage != "prompts" or not (asked := self._wordings(parts)):
            return False
        assert self._entries and self.workshop
        stored = self._entries.of_kind(step.kind)
        names_wordings = (_names_wordings(self.workshop.store, entry) for entry in stored[:1])
        return (
            self._entries.whole
            and all(names_wordings)
            and all(self._wordings(entry.preimage) not in (None, asked) for entry in stored)
        )

    def _wordings(self, parts: Preimage) -> str | None:
        """Return the wordings in a step's parameters or in its pinned file, as one text; None if they are not known."""
        said, file = parts["params"].get("wordings"), parts["inputs"].get("templates")
        if said is not None:
            return json.dumps(said, sort_keys=True)
        if not isinstance(file, str):
            return None
        assert self.workshop
        try:
            if file in self.plan.pinned:
                data = (Path(code_root()) / self.plan.pinned[file]).read_bytes()
            else:
                data = self.workshop.store.blobs.read(file)
            rows = [json.loads(line) for line in data.split(b"\n") if line.strip()]
        except (HarnessError, OSError, ValueError):
            return None
        return json.dumps([{name: row.get(name) for name in ("id", "text", "turns", "shot")} for row in rows])

    def _lost(self, step: Step, parts: Preimage, damage: str) -> Iterable[Reason]:
        """Return the reason for a step that is executed although nothing that it depends on is known to have moved."""
        if damage:
            return [Reason(LOST, damage)]
        if self.earlier and step.name in self.earlier.events and None not in _digests(parts):
            same = self.earlier.events[step.name]["key"] == step_key(parts)
            return [Reason(LOST, f"its result of run {self.earlier.run}") if same else Reason(UNKNOWN)]
        return [Reason(NEW if self.earlier is None else UNKNOWN)]

    def _reasons(self, step: Step, parts: Preimage) -> frozenset[Reason]:
        """Return why a step is not as in the earlier run: what moved in its key, or in the steps that it reads."""
        if self.earlier is None:
            return frozenset([Reason(NEW)])
        before = self.earlier.entry(step.name)
        found = {reason for ref in step.refs() for reason in self._moved.get(ref.step, ())} if before is None else set()
        if before is None:
            if step.name in self.earlier.events:
                found.add(Reason(LOST, f"its entry of run {self.earlier.run}"))
            elif not found or not (self.earlier.has_family(step.name) or any(one.kind == NEW for one in found)):
                found.add(Reason(NEW, _news(step)))
            return frozenset(found)
        old = before.preimage
        for name, source in step.inputs.items():
            found |= self._input_reasons(step, name, source, old["inputs"].get(name), parts["inputs"][name])
        for name in sorted(set(old["inputs"]) - set(step.inputs)):
            found.add(Reason(_STAGES[step.stage], f"no longer reads {name}"))
        return frozenset(found | set(self._own_reasons(step, old, parts)))

    def _input_reasons(self, step: Step, name: str, source: Source, old: Any, new: Any) -> set[Reason]:
        """Return why one input is not as before; that of a step that is read is the reason for that step."""
        if old == new and None not in _flat(new):
            return set()
        sources = source if isinstance(source, tuple) else (source,)
        before, now = _flat(old), _flat(new)
        found = set[Reason]()
        for number, part in enumerate(sources):
            left = before[number] if number < len(before) else None
            if isinstance(part, Ref):
                if left is None or now[number] is None or left != now[number]:
                    found |= self._moved.get(part.step, frozenset())
            elif left != now[number] and now[number] not in before:
                found.add(self._file_reason(step, name, left, part))
        if not found and (len(before) != len(now) or old != new):
            found = {Reason(_input_kind(step, name), f"other {name}")} if None not in now else found
        return found

    def _file_reason(self, step: Step, name: str, left: str | None, part: Pinned) -> Reason:
        assert self.earlier
        called = self._names.get(part.sha256) or pinned_files(self.earlier.lock.pins).get(left or "", "") or name
        return Reason(_input_kind(step, name), called)

    def _own_reasons(self, step: Step, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Reason]:
        """Yield what moved in a step's key besides its inputs."""
        if old["kind"] != new["kind"]:
            yield Reason(_STAGES[step.stage], f"{old['kind']} → {new['kind']}")
        for pointer in differing_pointers(old["params"], new["params"]):
            named = spell_pointer(pointer)
            yield Reason(
                _parameter_kind(step, named.partition("/")[0]),
                f"{named} {_value(old['params'], pointer)} → {_value(new['params'], pointer)}",
            )
        if old["batch"] != new["batch"]:
            yield Reason(MODEL, f"batch {old['batch']} → {new['batch']}")
        if old.get("attempt") != new.get("attempt"):
            yield Reason(UNANSWERED, "what the provider did not answer is asked again")
        yield from self._machine_reasons(old, new)
        if old["code"] != new["code"] and old["kind"] == new["kind"]:
            yield Reason(CODE, self._code_text(str(old["code"]), step.kind))

    def _machine_reasons(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Reason]:
        assert self.earlier and self.workshop
        if old["environment"] != new["environment"]:
            before, now = str(self.earlier.begun["image"]), self.workshop.engine.image
            if before != now:
                yield Reason(IMAGE, f"{before[:19]} → {now[:19]}")
            else:
                yield Reason(PACKAGES, self._packages_text(str(old["environment"])))
        if old["device"] != new["device"]:
            yield Reason(DEVICE, f"{old['device']} → {new['device']}")
        if old["numerics"] != new["numerics"]:
            names = [spell_pointer(one) for one in differing_pointers(old["numerics"], new["numerics"])]
            yield Reason(NUMERICS, name_few(names))

    def _packages_text(self, old: str) -> str:
        assert self.earlier and self.workshop
        try:
            before = read_environment(self.earlier.store.blobs.read(old), f"blob {old[:12]}")
            now = read_environment(self.workshop.environment, "this environment")
        except HarnessError:
            return "the environment, which cannot be read"
        names = [*interpreter_changes(before, now), *module_changes(before, now)]
        return name_few(names) or "the environment, in what has no name"

    def _code_text(self, old: str, kind: str) -> str:
        assert self.earlier and self.workshop
        try:
            before = closure_files(self.earlier.store.blobs.read(old), f"blob {old[:12]}")
        except HarnessError:
            return "files of the earlier run, which cannot be read"
        names = [spell_pointer(one) for one in differing_pointers(before, self.workshop.code.closure(kind).files)]
        return name_few(names)


def _partial_preimage(workshop: Workshop, step: Step, made: Made) -> Preimage:
    """Return the preimage of a step's key with None in place of the inputs that are not known yet."""
    inputs: dict[str, Any] = {}
    for name, source in step.inputs.items():
        parts = source if isinstance(source, tuple) else (source,)
        found = [one.sha256 if isinstance(one, Pinned) else made.get((one.step, one.output)) for one in parts]
        inputs[name] = found if isinstance(source, tuple) else found[0]
    setting = workshop.box.setting if step.trial else workshop.setting
    return cast(Preimage, key_preimage(step, inputs, workshop.code.closure(step.kind).digest, setting))


def _digests(parts: Preimage) -> list[str | None]:
    return [digest for one in parts["inputs"].values() for digest in _flat(one)]


def _flat(digests: Any) -> list[str | None]:
    return list(digests) if isinstance(digests, list | tuple) else [digests]


def _agree(parts: Preimage, stored: Preimage) -> bool:
    """Whether a stored preimage is that of a step, apart from the inputs that are not known yet."""
    others = set(parts) | set(stored) - {"attempt"}
    if any(parts.get(name) != stored.get(name) for name in others - {"inputs", "attempt"}):
        return False
    left, right = parts["inputs"], stored["inputs"]
    if left.keys() != right.keys():
        return False
    for name in left:
        ours, theirs = _flat(left[name]), _flat(right[name])
        if len(ours) != len(theirs) or any(one not in (None, two) for one, two in zip(ours, theirs, strict=True)):
            return False
    return True


def _names_wordings(store: Store, entry: Entry) -> bool:
    """Whether the prompts of a stored step name the digests of their wordings."""
    try:
        with store.blobs.open(entry.outputs["prompts"].sha256) as lines:
            first = json.loads(lines.readline())
    except (HarnessError, LookupError, ValueError):
        return False
    return "template_sha256" in first.get("meta", {})


def _parameter_kind(step: Step, name: str) -> str:
    if step.kind.endswith(CUT):
        return SHARDS if name == "size" else DATA
    if name in _SAMPLING:
        return SAMPLING
    return WEIGHTS if name == "files" else _STAGES[step.stage]


def _input_kind(step: Step, name: str) -> str:
    kinds = {"weights": WEIGHTS, "templates": WORDING, "imported": IMPORTED}
    return kinds.get(name) or (DATA if step.stage == "rows" else TABLE)


def _news(step: Step) -> str:
    """Name what is new about a step that the earlier run did not have: the model that it asks, or its family."""
    return (
        str(step.params["model"]) if step_action(step) == RERUN and "model" in step.params else shard_family(step.name)
    )


def _value(params: Any, pointer: str) -> str:
    """Format the value at a pointer in a step's parameters, shortened; `unset` if there is none."""
    value = params
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        try:
            value = value[int(name)] if isinstance(value, list | tuple) else value[name]
        except (LookupError, ValueError, TypeError):
            return "unset"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
