"""Explanations: why a step was executed or taken from the store, and why its output differs from that of another run.

Two descriptions of a step's basis are compared, and causes listed by likelihood. A verdict describes the accepted run
by its expectation, `diff` both runs by their trails, and an audit a recorded step and this machine. No step is executed
here. If no reason is found, an earlier run that cannot be read is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from harness.digest import differing_pointers
from harness.errors import HarnessError, InputError
from harness.evidence.claims.subject import NAMES, RESOURCES, THREADS
from harness.evidence.trail import (
    Environment,
    RecordedStep,
    Trail,
    changed_files,
    changed_lines,
    file_name,
    interpreter_changes,
    module_changes,
    read_environment,
    read_trail,
)
from harness.manifest.documents import AcceptedMachine, ShortEnvironment
from harness.manifest.lockfile import (
    MOST_PINS,
    MOST_STEPS,
    AcceptedRun,
    Expect,
    Lock,
    bound_names,
    group_alike,
    join_digests,
    short_digest,
)
from harness.steps import CPU, Computing
from harness.steps import THREADS as THREADS_VARIABLE
from harness.store.store import Store

INPUT, LOCK, ENVIRONMENT, CODE = "input", "lock", "environment", "code"  # kinds of causes, the likeliest first
UNWRITTEN = "a machine that was not written down"
NOTHING = "nothing that is recorded differs: the step is not deterministic, or the cause is not recorded"
RAN, BOTH_RAN, ACCEPTED = ("ran on", "here"), ("ran on", "the other on"), ("accepted on", "here")  # two processors
SHOWN = 6  # most names in one cause
_LONGEST = 200  # most characters of a processor's name
_BY_THREADS = frozenset(Computing(2).variables(""))  # variables that the number of threads sets
_KERNEL = "OPENBLAS_CORETYPE"  # selects the kernels of OpenBLAS


@dataclass(frozen=True)
class Cause:
    """One reason why an output may differ: its kind (input, lock, environment or code) and a phrase that names it."""

    kind: str
    text: str


@dataclass(frozen=True)
class Machine:
    """Where and with what a step was computed: processor, image, device, threads, numerics, environment."""

    processor: str
    image: str
    device: str
    threads: str
    numerics: Mapping[str, str]  # without the variables that the number of threads sets
    environment: Mapping[str, Any]  # an environment document, or the short form of one


@dataclass(frozen=True)
class StepBasis:
    """Everything that a step's output depends on; `machine` is None if it was not recorded."""

    inputs: Mapping[str, Any]
    lock: Mapping[str, Any]
    machine: Machine | None
    code: Mapping[str, str]  # the files of the step's closure, by digest


@dataclass(frozen=True)
class FirstDifference:
    """The first step of a run whose output is not as expected, and the likeliest causes.

    `step` is empty if every output is as expected, but their basis differs.
    """

    step: str
    causes: tuple[Cause, ...]

    @property
    def text(self) -> str:
        """The step and causes as one line."""
        if not self.step:
            return f"every output is as it was accepted, under another lock; {describe_causes(self.causes)}"
        return f"{self.step} differs first; {describe_causes(self.causes)}"


def describe_causes(causes: Sequence[Cause]) -> str:
    """Join causes into one phrase; if there are none, say that nothing recorded explains the difference."""
    return "; ".join(cause.text for cause in causes) or NOTHING


def name_few(names: Sequence[str]) -> str:
    """Format the first of many names in one line, and the number of the others."""
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


def name_processor(facts: Mapping[str, Any]) -> str:
    """Return the name of the processor in the facts of a run: as observed, else by its own model name.

    Empty if the facts name none.
    """
    seen = facts.get("processor")
    found = seen.get("name") if isinstance(seen, Mapping) else facts.get("cpu")
    return found[:_LONGEST] if isinstance(found, str) else ""


def split_threads(numerics: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Split numerics settings into the number of threads and the settings that do not depend on it."""
    return numerics.get(THREADS_VARIABLE, "1"), {
        name: value for name, value in numerics.items() if name not in _BY_THREADS
    }


def _tell(kind: str, names: Sequence[str]) -> str:
    return f"{kind}: {name_few(names)}"


def find_causes(
    old: StepBasis,
    new: StepBasis,
    ends: tuple[str, str] = RAN,
    tell: Callable[[str, Sequence[str]], str] = _tell,
) -> list[Cause]:
    """Return what differs in the bases of two outputs of a step: inputs, lock, environment, code, in this order.

    `ends` are the words before the two processors. `tell` formats the inputs or parts of a lock that differ.
    """
    causes = []
    for kind, before, after in ((INPUT, old.inputs, new.inputs), (LOCK, old.lock, new.lock)):
        if names := [spell_pointer(pointer) for pointer in differing_pointers(before, after)]:
            causes.append(Cause(kind, tell(kind, names)))
    causes += [Cause(ENVIRONMENT, text) for text in _machine_changes(old.machine, new.machine, ends)]
    if files := [spell_pointer(pointer) for pointer in differing_pointers(old.code, new.code)]:
        causes.append(Cause(CODE, f"code: {name_few(files)}"))
    return causes


def spell_pointer(pointer: str) -> str:
    """Format a JSON Pointer as a path for people."""
    return pointer[1:].replace("~1", "/").replace("~0", "~")


def processor_change(old: str, new: str, ends: tuple[str, str] = RAN) -> str:
    """Return both processors if they differ; empty if they are equal."""
    return "" if old == new else f"{ends[0]} {old or UNWRITTEN}, {ends[1]} {new or UNWRITTEN}"


def _machine_changes(old: Machine | None, new: Machine | None, ends: tuple[str, str]) -> Iterator[str]:
    """Yield all differences between two machines, those that change numbers most often first."""
    if old is None or new is None:
        known = new or old
        yield f"{ends[0]} {UNWRITTEN}" + (f", {ends[1]} {known.processor}" if known and known.processor else "")
        return
    if processors := processor_change(old.processor, new.processor, ends):
        yield processors
    moved = old.environment != new.environment
    before, now = (cast(Environment, one.environment) for one in (old, new))  # a short form has the same fields
    interpreter = list(interpreter_changes(before, now)) if moved else []
    yield from interpreter
    packages = list(module_changes(before, now)) if moved else []
    if packages:
        yield f"packages: {name_few(packages)}"
    if old.threads != new.threads:
        yield f"threads {old.threads} → {new.threads}"
    if numerics := list(_numerics_changes(old.numerics, new.numerics)):
        yield f"numerics: {name_few(numerics)}"
    if old.image != new.image:
        yield f"image: {old.image[:19]} → {new.image[:19]}"
    elif moved and not interpreter and not packages:
        yield "the environment, in what has no name"
    if old.device != new.device:
        yield f"device {old.device} → {new.device}"


def _numerics_changes(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[str]:
    for name in sorted({*old, *new}):
        if old.get(name) != new.get(name):
            called = "kernel of OpenBLAS" if name == _KERNEL else name
            yield f"{called} {old.get(name, 'unset')} → {new.get(name, 'unset')}"


_PARAMETERS = ("params", "batch", "outputs")  # parts of a key's preimage that come from the plan
_UNTOLD = "what of it moved was not written down"  # for the lock that an older expectation names


def step_basis(trail: Trail, step: RecordedStep, *, observed: bool = True) -> StepBasis:
    """Return everything that a recorded step's output depends on, from its key, the run's facts and its closure.

    Without `observed`, the processor is left out, so that only the content of the key remains.
    """
    said = step.entry.preimage
    parts: Mapping[str, Any] = said
    lock = {name: parts[name] for name in ("kind", *_PARAMETERS, "attempt") if name in parts}
    threads, numerics = split_threads(said["numerics"])
    machine = Machine(
        name_processor(trail.started["facts"]) if observed else "",
        str(trail.started["image"]),
        str(said["device"]),
        threads,
        numerics,
        trail.environment(step),
    )
    return StepBasis({"inputs": said["inputs"]}, lock, machine, trail.files(step))


def accepted_run(trail: Trail) -> AcceptedRun:
    """Return a run as its expectation keeps it: its pins, steps and machine, by short digests in bounded size."""
    inputs, lock = _lock_parts(trail.lock)
    machine = cast(AcceptedMachine, vars(_machine(trail)))
    steps = bound_names(_step_digests(trail), MOST_STEPS)
    return AcceptedRun(bound_names(inputs, MOST_PINS), bound_names(lock, MOST_PINS), steps, machine)


def find_first_difference(trail: Trail, expect: Expect, order: Iterable[str]) -> FirstDifference | None:
    """Return the first step, in plan order, whose result differs from the accepted run's, and the causes.

    None if outputs and lock are the accepted ones. An older expectation has no steps; then it is the step of the first
    declared output that differs.
    """
    moved, names = trail.started["lock"] != expect.lock_sha256, [name for name in order if name in trail.steps]
    within = expect.carried.get("within", ())  # the run that carried it made other bytes too
    parted = {
        str(made["step"])
        for name, made in trail.outputs.items()
        if name in expect.outputs and name not in within and expect.outputs[name]["sha256"] != made["sha256"]
    }
    if not parted and not moved:
        return None
    step, members, given = _first_step(trail, expect, names, parted)
    if not step and not moved:
        return None
    causes = list(_causes(trail, expect, members, moved=moved, given=given))
    if given and members == [step] and expect.run.steps and not {INPUT, LOCK, CODE} & {one.kind for one in causes}:
        causes.append(Cause(CODE, "code: the harness plans the step with other parameters"))
    return FirstDifference(step.replace("*", "…"), tuple(causes))


def _first_step(trail: Trail, expect: Expect, names: Sequence[str], parted: set[str]) -> tuple[str, list[str], bool]:
    """Return the first step or family of steps that differs, its members here, and whether its inputs differ.

    If no step differs, it is the first one whose declared output does, because an expectation can be edited.
    """
    here, kept = _step_digests(trail), expect.run.steps
    families = group_alike(names, kept)
    for family, members in families.items() if kept else ():
        now = join_digests(members, here).split(" ")
        before = kept.get(family, " ").split(" ")
        if now[0] != before[0]:
            return family, members, now[1] != before[1]
    gone = sorted(set(kept) - set(families))
    if gone:
        return f"{gone[0]}, which is not made any longer,", [], True
    first = next((name for name in names if name in parted), "")
    return first, [first] if first else [], not kept


def _causes(trail: Trail, expect: Expect, members: Sequence[str], *, moved: bool, given: bool) -> Iterator[Cause]:
    """Yield the causes why steps differ from the accepted ones, as far as the expectation has them."""
    run, known = expect.run, bool(expect.run.steps)
    steps = [trail.steps[name] for name in members]
    inputs, lock = (bound_names(parts, MOST_PINS) for parts in _lock_parts(trail.lock))
    machine = _comparable(_machine(trail))
    here = StepBasis(inputs, lock, machine, _files(trail, steps))
    before = StepBasis(
        run.inputs,
        run.lock,
        _comparable(Machine(**run.machine)) if known else None,
        {path: expect.files[path] for path in here.code if path in expect.files},
    )
    if not known and moved:
        before = replace(before, inputs=inputs, lock={_UNTOLD: expect.lock_sha256})
        here = replace(here, lock={_UNTOLD: trail.started["lock"]})
    elif not moved or not given:  # the step's inputs are equal, so changed pins are those of other steps
        here = replace(here, inputs=before.inputs, lock=before.lock)
    if not steps:  # without steps, only changes of the lock can be named
        threads = str(run.machine["threads"]) if known else machine.threads
        before = replace(before, machine=replace(machine, threads=threads))
    found = find_causes(before, here, ACCEPTED)
    yield from found
    if not any(cause.kind == CODE for cause in found) and any(_other_closure(expect, step) for step in steps):
        yield Cause(CODE, "code: a file that the step imported when it was accepted")
    if not found and not steps:
        nothing = Cause(LOCK, "lock: in nothing that changes an output")
        yield nothing if moved else Cause(CODE, "code: the harness plans other steps")


def _other_closure(expect: Expect, step: RecordedStep) -> bool:
    """Whether the code of a step differs from that accepted for its kind; False for a new kind."""
    said = step.entry.preimage
    return bool(expect.code.get(str(said["kind"]), said["code"]) != said["code"])


def _files(trail: Trail, steps: Iterable[RecordedStep]) -> dict[str, str]:
    kinds = {step.entry.preimage["code"]: step for step in steps}
    return {path: digest for step in kinds.values() for path, digest in trail.files(step).items()}


def _step_digests(trail: Trail) -> dict[str, str]:
    """Return for each step the digests of its outputs and of its inputs."""
    found = {}
    for name, step in trail.steps.items():
        said: Mapping[str, Any] = step.entry.preimage
        made = short_digest({output: one.sha256 for output, one in step.entry.outputs.items()})
        given = short_digest({part: said[part] for part in ("inputs", *_PARAMETERS)})
        found[name] = f"{made} {given}"
    return found


def _machine(trail: Trail) -> Machine:
    """Return the machine of a whole run, with its environment in short form."""
    begun, keys = trail.started, [step.entry.preimage for step in trail.steps.values()]
    digest, resources = str(begun["environment"]), trail.lock.intent.get(RESOURCES)
    numerics: Mapping[str, str] = next((said["numerics"] for said in keys if said["environment"] == digest), {})
    threads = (resources.get(THREADS) if isinstance(resources, Mapping) else None) or 1
    environment = read_environment(trail.store.blobs.read(digest), f"blob {digest[:12]}")
    return Machine(
        name_processor(begun["facts"]),
        str(begun["image"]),
        next((str(said["device"]) for said in keys if said["device"] != CPU), CPU),
        str(threads),
        split_threads(numerics)[1],
        _shorten_environment(environment),
    )


def _shorten_environment(said: Environment) -> ShortEnvironment:
    """Return an environment document as an expectation keeps it, with a version and a digest for each package."""
    found: ShortEnvironment = {"type": said["type"], "python": said["python"], "platform": said["platform"]}
    if "stdlib" in said:
        found["stdlib"] = short_digest(said["stdlib"])
    packages = {
        name: f"{one['version'].replace(' ', '_')[:100]} {short_digest(one)}" for name, one in said["packages"].items()
    }
    return {**found, "packages": packages, "loose": {name: short_digest(one) for name, one in said["loose"].items()}}


def _comparable(machine: Machine) -> Machine:
    """Return a machine from an expectation in the form in which environments are compared."""
    packages = {name: one.rpartition(" ") for name, one in machine.environment["packages"].items()}
    spelled = {name: {"version": one[0], "record": one[2]} for name, one in packages.items()}
    return replace(machine, environment={**machine.environment, "packages": spelled})


def _lock_parts(lock: Lock) -> tuple[dict[str, str], dict[str, str]]:
    """Return digests of the inputs that a lock pins, and of its other parts that can change an output.

    Data made under a lock, such as drawn datasets, is not an input. Packages and images are described as they were
    found.
    """
    said = {field: value for field, value in lock.intent.items() if field not in (*NAMES, RESOURCES)}
    parts: dict[str, Any] = {}
    for field, value in said.items():
        parts |= (
            {f"{field}/{name}": one for name, one in value.items()} if isinstance(value, Mapping) else {field: value}
        )
    parts |= {f"wordings {pin['file']}": pin["sha256"] for pin in lock.of("prompts").values()}
    brought: dict[str, Any] = {
        pin["file"]: pin.get("sha256") or pin["files"]
        for pin in (*lock.of("files").values(), *lock.of("tables").values())
    }
    for name, pin in [*lock.of("models").items(), *lock.of("instruments").items()]:
        held: Mapping[str, Any] = pin
        named = (("files", "weights"), ("tape", "tape"), ("answers", "imported answers"))
        brought |= {f"{called} of {name}": held[part] for part, called in named if part in held}
    published = {name: pin for name, pin in lock.of("datasets").items() if "files" in pin or "sha256" in pin}
    brought |= {f"data {name}": pin for name, pin in published.items()}
    brought |= {f"certificate {name}": pin for name, pin in lock.of("certificates").items()}
    return {name: short_digest(one) for name, one in brought.items()}, {
        name: short_digest(one) for name, one in parts.items()
    }


LINES = 4  # most lines of an edited file that are listed
LOOKED = 3  # earlier runs of a manifest in which a step is searched


@dataclass(frozen=True)
class StepExplanation:
    """The reason why one step was executed or taken from the store, with its key and the parts of that key."""

    step: str
    state: str
    key: str
    reason: str
    parts: dict[str, Any]


def explain_steps(store: Store, run: str, wanted: str = "") -> Iterator[StepExplanation]:
    """Yield for every step of a run, or for the one `wanted` and those below it, why it was executed or cached.

    The reason is the change in the step's key since the newest of the LOOKED earlier runs of the same manifest. Raises
    an error for a `wanted` that names no step of the run, and for a run that the store does not confirm.
    """
    trail = read_trail(store, run)
    names = [name for name in trail.steps if not wanted or name == wanted or name.startswith(f"{wanted}/")]
    if wanted and not names:
        near = ", ".join(list(trail.steps)[:6])
        raise InputError(f"this run has no step {wanted!r}", where=run, next=f"it has, among others: {near}")
    earlier = _earlier(store, trail)
    for name in names:
        step = trail.steps[name]
        yield StepExplanation(
            name, step.state, step.entry.key, _reason(step, trail, earlier), dict(step.entry.preimage)
        )


@dataclass(frozen=True)
class _Earlier:
    """The earlier runs of the same manifest, newest first, and why there may be others."""

    trails: list[Trail]
    gap: str  # why a step that none of them has may still have been made before


def _earlier(store: Store, trail: Trail) -> _Earlier:
    found: list[Trail] = []
    unread: list[str] = []
    started = [event["run"] for event in store.heads.read().events if event["event"] == "run.started"]
    before = started[: started.index(trail.run)] if trail.run in started else []
    for run in reversed(before):
        try:
            other = read_trail(store, run)
            if other.manifest_name == trail.manifest_name:
                found.append(other)
        except HarnessError:
            unread.append(run)  # it explains nothing, but is named
        if len(found) == LOOKED:
            return _Earlier(found, f"only the {LOOKED} runs before this one were looked at")
    return _Earlier(found, f"run {', '.join(unread)} cannot be read" if unread else "")


def _reason(step: RecordedStep, trail: Trail, earlier: _Earlier) -> str:
    if step.state == "cached":
        return "its key stands in the store: nothing that can change its output has changed"
    for other in earlier.trails:
        before = other.steps.get(step.name)
        if before:
            moved = changed_key_parts(before, other, step, trail)
            if moved:
                return f"since run {other.run}: {'; '.join(moved)}"
            return f"its result of run {other.run} was lost or damaged"
    none = "no earlier run of this manifest in this store had this step"
    return f"{none} ({earlier.gap})" if earlier.gap else none


def changed_key_parts(before: RecordedStep, old: Trail, after: RecordedStep, new: Trail) -> list[str]:
    """Return the parts of a step's key that changed between two runs, the likeliest cause of another output first.

    Code is listed by file, packages by name and version, and a pinned input file by its name and changed lines.
    """
    left, right = step_basis(old, before, observed=False), step_basis(new, after, observed=False)
    return [cause.text for cause in find_causes(left, right, tell=_tell_pinned(before, old, after, new))]


def step_causes(before: RecordedStep, old: Trail, after: RecordedStep, new: Trail) -> list[Cause]:
    """Return why a step made other outputs in two runs: the changes in its key, and the processors."""
    tell = _tell_pinned(before, old, after, new)
    return find_causes(step_basis(old, before), step_basis(new, after), BOTH_RAN, tell)


def _tell_pinned(
    before: RecordedStep, old: Trail, after: RecordedStep, new: Trail
) -> Callable[[str, Sequence[str]], str]:
    """Return a function that formats changed inputs with their pinned files and changed lines."""

    def told(kind: str, names: Sequence[str]) -> str:
        spelled = []
        for name in names[:SHOWN]:
            ends = changed_files(before, old, after, new, f"/{name}") if kind == INPUT else iter(())
            spelled.append(name + "".join(f" ({_file(left, old, right, new)})" for left, right in ends))
        return name_few([*spelled, *names[SHOWN:]])

    return told


def _file(left: str, old: Trail, right: str, new: Trail) -> str:
    """Format a pinned file that changed, with its changed lines."""
    lines = [str(one.line) for one in changed_lines(left, old, right, new)]
    shown = ", ".join(lines[:LINES]) + (f" and {len(lines) - LINES} more" if len(lines) > LINES else "")
    return file_name(left, old, right, new) + (f", line{'s' * (len(lines) > 1)} {shown}" if lines else "")
