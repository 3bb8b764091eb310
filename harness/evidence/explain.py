"""Explanations: why a step was executed or taken from the store, and where a run first parts from the accepted one.

They read what is recorded and what is expected, and never execute a step; an earlier run that cannot be read is named
where no reason is found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from harness.errors import HarnessError, InputError
from harness.evidence.causes import (
    ACCEPTED,
    BOTH_RAN,
    CODE,
    INPUT,
    LOCK,
    SHOWN,
    Cause,
    FirstDifference,
    Machine,
    StepBasis,
    find_causes,
    name_few,
    name_processor,
    split_threads,
)
from harness.evidence.claims.subject import NAMES, RESOURCES, THREADS
from harness.evidence.trail import (
    RecordedStep,
    Trail,
    changed_files,
    changed_lines,
    file_name,
    read_environment,
    read_trail,
)
from harness.manifest.lockfile import (
    MOST_PINS,
    MOST_STEPS,
    AcceptedRun,
    Expect,
    Lock,
    bound_names,
    group_alike,
    join_digests,
    shorten,
)
from harness.steps import CPU
from harness.store.store import Store

_PARAMETERS = ("params", "batch", "outputs")  # of a key's preimage: what a plan says of a step
_UNTOLD = "what of it moved was not written down"  # of a lock that an older expectation names


def step_basis(trail: Trail, step: RecordedStep, *, observed: bool = True) -> StepBasis:
    """Describe all that a recorded step's output rests on, as its key, the run's facts and its closure tell it.

    Without what was `observed`, the processor, it is what stands in the key alone.
    """
    said = step.entry.preimage
    lock = {name: said[name] for name in ("kind", *_PARAMETERS, "attempt") if name in said}
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
    """Describe a run as its expectation keeps it: its pins, steps and machine, by short digests in bounded size."""
    inputs, lock = _lock_parts(trail.lock)
    machine = vars(_machine(trail))
    steps = bound_names(_step_digests(trail), MOST_STEPS)
    return AcceptedRun(bound_names(inputs, MOST_PINS), bound_names(lock, MOST_PINS), steps, machine)


def find_first_difference(trail: Trail, expect: Expect, order: Iterable[str]) -> FirstDifference | None:
    """Find the first step, in the order of the plan, that did not make what the accepted run made, and the causes.

    None where outputs and lock are those that were accepted. An older expectation keeps no steps: there it is the
    step of the first declared output that differs.
    """
    moved, names = trail.started["lock"] != expect.lock_sha256, [name for name in order if name in trail.steps]
    within = expect.carried.get("within", ())  # the run that carried it made other bytes, too
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
    """Find the first step or family of steps that differs, its members here, and whether it was given other things.

    Without steps that differ it is the first whose declared output does: an expectation can be edited.
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
    """List the causes why steps differ from the accepted ones, as far as the expectation can tell them."""
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
    elif not moved or not given:  # the step was given the same: pins that moved are others'
        here = replace(here, inputs=before.inputs, lock=before.lock)
    if not steps:  # of what they rest on, only what the lock says can be named
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
    """Whether the code of a step is another than was accepted for its kind; of a kind that is new nothing is known."""
    said = step.entry.preimage
    return bool(expect.code.get(str(said["kind"]), said["code"]) != said["code"])


def _files(trail: Trail, steps: Iterable[RecordedStep]) -> dict[str, str]:
    kinds = {step.entry.preimage["code"]: step for step in steps}
    return {path: digest for step in kinds.values() for path, digest in trail.files(step).items()}


def _step_digests(trail: Trail) -> dict[str, str]:
    """Digest for each step what it made and what it was given."""
    found = {}
    for name, step in trail.steps.items():
        said = step.entry.preimage
        made = shorten({output: one.sha256 for output, one in step.entry.outputs.items()})
        given = shorten({part: said[part] for part in ("inputs", *_PARAMETERS)})
        found[name] = f"{made} {given}"
    return found


def _machine(trail: Trail) -> Machine:
    """Describe the machine of a whole run, its environment in short form."""
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


def _shorten_environment(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return an environment document in the form that an expectation keeps: a package is its version and a digest."""
    found = {name: said[name] for name in ("type", "python", "platform")}
    if "stdlib" in said:
        found["stdlib"] = shorten(said["stdlib"])
    packages = {
        name: f"{one['version'].replace(' ', '_')[:100]} {shorten(one)}" for name, one in said["packages"].items()
    }
    return {**found, "packages": packages, "loose": {name: shorten(one) for name, one in said["loose"].items()}}


def _comparable(machine: Machine) -> Machine:
    """Return a machine as it stands in an expectation in the form in which environments are compared."""
    packages = {name: one.rpartition(" ") for name, one in machine.environment["packages"].items()}
    spelled = {name: {"version": one[0], "record": one[2]} for name, one in packages.items()}
    return replace(machine, environment={**machine.environment, "packages": spelled})


def _lock_parts(lock: Lock) -> tuple[dict[str, str], dict[str, str]]:
    """Digest what a lock pins that somebody brought, and what it says that can change an output.

    What is made under a lock, such as drawn datasets, is no input; packages and images are told as they were found.
    """
    said = {field: value for field, value in lock.intent.items() if field not in (*NAMES, RESOURCES)}
    parts: dict[str, Any] = {}
    for field, value in said.items():
        parts |= (
            {f"{field}/{name}": one for name, one in value.items()} if isinstance(value, Mapping) else {field: value}
        )
    parts |= {f"wordings {pin['file']}": pin["sha256"] for pin in lock.of("prompts").values()}
    brought: dict[str, Any] = {
        pin["file"]: pin["sha256"] for kind in ("files", "tables") for pin in lock.of(kind).values()
    }
    for name, pin in [*lock.of("models").items(), *lock.of("instruments").items()]:
        named = (("files", "weights"), ("tape", "tape"), ("answers", "imported answers"))
        brought |= {f"{called} of {name}": pin[part] for part, called in named if part in pin}
    published = {name: pin for name, pin in lock.of("datasets").items() if "files" in pin or "sha256" in pin}
    brought |= {f"data {name}": pin for name, pin in published.items()}
    brought |= {f"certificate {name}": pin for name, pin in lock.of("certificates").items()}
    return {name: shorten(one) for name, one in brought.items()}, {name: shorten(one) for name, one in parts.items()}


LINES = 4  # of an edited file that are named
LOOKED = 3  # earlier runs of a manifest in which a step is looked for


@dataclass(frozen=True)
class StepExplanation:
    """The reason why one step was executed or taken from the store, with its key and the parts of that key."""

    step: str
    state: str
    key: str
    reason: str
    parts: dict[str, Any]


def explain(store: Store, run: str, wanted: str = "") -> Iterator[StepExplanation]:
    """Explain for every step of a run, or for the one `wanted` and those below it, why it was executed or cached.

    The reason is what changed in the step's key since the newest of the LOOKED runs before of the same manifest.
    Refuses a `wanted` that names no step of the run, and a run that the store does not vouch for.
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
    """The runs of the same manifest that were started before one, newest first, and what else there may be."""

    trails: list[Trail]
    gap: str  # why a step that none of them had may still have been made before


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
            unread.append(run)  # it explains nothing, and is named
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
    """List the parts of a step's key that changed between two runs, the likeliest cause of another output first.

    Code is told by file, packages by name and version, and a pinned input file by its name and changed lines.
    """
    left, right = step_basis(old, before, observed=False), step_basis(new, after, observed=False)
    return [cause.text for cause in find_causes(left, right, tell=_tell_pinned(before, old, after, new))]


def step_causes(before: RecordedStep, old: Trail, after: RecordedStep, new: Trail) -> list[Cause]:
    """List why a step made other outputs in two runs: what changed in its key, and the processor it ran on."""
    tell = _tell_pinned(before, old, after, new)
    return find_causes(step_basis(old, before), step_basis(new, after), BOTH_RAN, tell)


def _tell_pinned(
    before: RecordedStep, old: Trail, after: RecordedStep, new: Trail
) -> Callable[[str, Sequence[str]], str]:
    """Return the way to spell changed inputs with the pinned files behind them, and their changed lines."""

    def told(kind: str, names: Sequence[str]) -> str:
        spelled = []
        for name in names[:SHOWN]:
            ends = changed_files(before, old, after, new, f"/{name}") if kind == INPUT else iter(())
            spelled.append(name + "".join(f" ({_file(left, old, right, new)})" for left, right in ends))
        return name_few([*spelled, *names[SHOWN:]])

    return told


def _file(left: str, old: Trail, right: str, new: Trail) -> str:
    """Name a pinned file that moved, and its lines that did."""
    lines = [str(one.line) for one in changed_lines(left, old, right, new)]
    shown = ", ".join(lines[:LINES]) + (f" and {len(lines) - LINES} more" if len(lines) > LINES else "")
    return file_name(left, old, right, new) + (f", line{'s' * (len(lines) > 1)} {shown}" if lines else "")
