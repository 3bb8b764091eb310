"""The audit of a run: whether its manifest, lock, journal, record and stored bytes agree, checked offline.

It is independent of studies: callables that it gets plan again, execute a step again, and return the installed code. It
executes only installed code; the code that is stored with a run is hashed, never run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from harness.digest import differing_pointers, encode_document, sha256
from harness.errors import HarnessError
from harness.evidence.audit.answers import audit_attempts, note_answers
from harness.evidence.audit.checks import Report
from harness.evidence.audit.files import audit_run_files, audit_values
from harness.evidence.audit.reexecution import ReexecutionOptions, reexecute_steps
from harness.evidence.audit.steps import CheckedBlobs, Made, audit_healing, audit_steps
from harness.evidence.bundle import Bundle
from harness.evidence.explain import name_few
from harness.evidence.record import OUTPUT, self_check
from harness.evidence.trail import ExecutionIndex, data_pin, read_environment
from harness.manifest.datasets import contradicted_files, coverage_text, file_coverage
from harness.manifest.load import parse_manifest
from harness.manifest.lockfile import Lock, image_state, read_lock
from harness.step_kinds import LIMITED, MOVES, former_kind
from harness.steps import Plan, maker_step_name
from harness.store.journal import Chain, Event
from harness.store.store import Entry, Store

FEW = 20  # files of a bundle that are named
MANY = 100_000  # rows of a table up to which a plan is small in any case
MOST_UNSEEN = 10_000_000  # rows of a table that a bundle left out
AGAIN = ("aggregate.differs", "output.differs")  # check ids of a step that was executed again


@dataclass(frozen=True)
class InstalledHarness:
    """The installed harness as an audit uses it: its planner, its code of step kinds, and its engines' isolations."""

    replan: Callable[[bytes, Lock, int], Plan]  # from a manifest's bytes, its lock and the limit to the plan
    files: Callable[[str], Mapping[str, str]]  # step kind -> the installed files of its code, with digests
    isolations: Callable[[str], Collection[str] | None]  # engine -> the isolations it records; None: not installed


def audit_stored_run(
    store: Store, run: str, installed: InstalledHarness, how: ReexecutionOptions, bundle: Bundle | None = None
) -> Report:
    """Audit one run of a store: chain, record, plan, keys, bytes and code, and steps executed again as `how` says.

    Returns a report in which each disagreement is a named failed check. Damage found in the run raises nothing. The
    audit stops early if the journal has no first event. If the store was unpacked from a `bundle`, what that left out
    is skipped.
    """
    report, omitted = Report(), bundle.reasons if bundle else {}
    chain = audit_run_files(store, run, report, bundle)
    if chain is None:
        return report
    audit_values(chain, installed.isolations, report)
    audit_healing(chain, report)
    start, blobs = chain.events[0], CheckedBlobs(store, report, omitted)
    lock, planned = _plan(store, start, installed, omitted, report)
    _machine(store, start, report)
    made = audit_steps(store, chain, planned, blobs, report, lock.intent if lock else {})
    _cached(store, chain, report)
    if bundle:
        _strangers(store, bundle, report)
    if lock:
        _pins(store, lock, made, blobs, report)
        _files(lock, start, report)
        audit_attempts(store, start, lock, report)
        if planned and "sandbox" in start and not any(step.trial for step in planned.steps):
            report.fail("unaccounted", "sandbox", "the run names one, and no step of its plan tries foreign code")
        _image(lock, "image", start["image"], report)
        if (sandbox := start.get("sandbox")) and "sandbox" in lock.intent:
            _image(lock, "sandbox", str(sandbox["image"]), report)
    if planned:
        report.stand_ins = _stand_ins(planned)
        report.self_checks = _own_checks(store, planned, made, report)
        steps = [step for step in planned.steps if step.name in made]
        whole = [step for step in steps if not _lacks(made[step.name], omitted)]
        if how.level != "hashes":
            note_answers(store, whole, made, chain, report)
        report.coverage = reexecute_steps(whole, made, how, report)
        report.coverage.steps = len(steps)
        if how.level != "hashes":
            _code(planned, made, blobs, installed, report)
    return report


def _lacks(entry: Entry, omitted: Collection[str]) -> bool:
    """Whether a bundle left out something that a step read or made."""
    inputs = (source if isinstance(source, list) else [source] for source in entry.preimage["inputs"].values())
    named = [*(digest for each in inputs for digest in each), *(out.sha256 for out in entry.outputs.values())]
    return any(digest in omitted for digest in named)


def _own_checks(store: Store, plan: Plan, made: Made, report: Report) -> str:
    """Return the verdict of the run's own checks, because a sound run may have proven its scorer wrong."""
    ref = plan.outputs.get(OUTPUT)
    found = made[ref.step].outputs.get(ref.output) if ref and ref.step in made else None
    if not found or store.blobs.state(found.sha256) != "sound":
        return ""
    try:
        return self_check({OUTPUT: {"sha256": found.sha256}}, store.blobs.deliver)
    except HarnessError as bad:
        report.fail("output.differs", OUTPUT, bad.what)
        return ""


def _stand_ins(plan: Plan) -> dict[str, bool]:
    """Return the stand-ins among the models, by name, and whether each was shown the right answers."""
    steps = [step for step in plan.steps if step.kind.partition(":")[0].endswith(".providers.baseline")]
    return {str(step.params.get("model", step.name)): step.sees_gold for step in steps}


def _machine(store: Store, start: Event, report: Report) -> None:
    """Compare what a run says about its machine with the environment in its keys."""
    if start["image"] != "none":
        return  # an image has its own Python
    try:
        environment = read_environment(store.blobs.read(str(start["environment"])), "environment")
    except HarnessError:
        return  # another check reports it
    facts, flaws = start["facts"], []
    if facts.get("python", environment["python"]) != environment["python"]:
        flaws.append(f"facts: python is {facts['python']}, and the environment has {environment['python']}")
    if not str(environment["platform"]).endswith(facts.get("machine", "")):
        flaws.append(f"facts: machine is {facts['machine']}, and the environment is of {environment['platform']}")
    report.settle("unaccounted", "facts", flaws)


def _cached(store: Store, chain: Chain[Event], report: Report) -> None:
    """Find a listed run that executed each step taken from the store; a step without one is skipped as unaccounted."""
    executed, run = ExecutionIndex(store), str(chain.events[0]["run"])
    steps = [event for event in chain.events if event["event"] == "step.cached"]
    try:
        lost = [event["step"] for event in steps if executed.run_of(event["key"], event["entry"]) is None]
    except HarnessError as bad:
        report.skip("unaccounted", "steps from the store", bad.what)
        return
    for step in lost:
        report.skip("unaccounted", step, f"it was taken from the store, and no run of the list executed it ({run})")
    if not lost:
        report.held("unaccounted", "steps from the store", f"{len(steps)} steps, each executed by a listed run")


def _strangers(store: Store, bundle: Bundle, report: Report) -> None:
    """Find what a bundle holds beside what its run names; nothing, if its list of runs does not let the run be read."""
    try:
        found = bundle.strangers(store)
    except HarnessError:
        return  # another check reports it
    report.settle("unaccounted", "bundle", [f"no line of the run names {one}" for one in found[:FEW]])


def _plan(
    store: Store, started: Event, installed: InstalledHarness, omitted: Collection[str], report: Report
) -> tuple[Lock | None, Plan | None]:
    """Read the manifest and lock that the run kept, compare them, and plan again."""
    try:
        manifest = store.blobs.read(str(started["manifest"]))
        report.held("manifest.changed", "manifest", sha256(manifest)[:12])
    except HarnessError as bad:
        report.fail("manifest.changed", "manifest", bad.what)
        return None, None
    try:
        lock = read_lock(store.blobs.read(str(started["lock"])), "lock")
        intent = parse_manifest(manifest, "manifest")[0].intent()
    except HarnessError as bad:
        report.fail("lock.changed", "lock", bad.what)
        return None, None
    flaws = [f"/intent{pointer}" for pointer in differing_pointers(lock.intent, intent)]
    if lock.manifest_sha256 != sha256(manifest):
        flaws.append("/manifest_sha256")
    if not report.settle("lock.changed", "lock", flaws) or int(started.get("limit", 0)) < 0:
        return lock, None  # no run has such a limit; another check reports its line
    report.limit = int(started.get("limit", 0))
    if flaws := list(_beyond(store, lock, omitted)):
        report.settle("lock.changed", "lock", flaws)
        return lock, None
    return lock, _planned(manifest, lock, started, installed, report)


def _planned(manifest: bytes, lock: Lock, started: Event, installed: InstalledHarness, report: Report) -> Plan | None:
    """Plan again, and return the plan if the installed harness plans what the run had."""
    unpinned = sorted(set(lock.intent["datasets"]) - set(lock.pins["datasets"]))
    if unpinned:
        report.settle("lock.changed", "lock", [f"/pins/datasets/{name}" for name in unpinned])
        return None
    try:
        plan = installed.replan(manifest, lock, int(started.get("limit", 0)))
    except HarnessError as bad:
        report.skip("code.differs", "plan", f"the installed harness cannot plan this run: {bad.what}")
        return None
    for moves in range(len(MOVES) + 1):
        for same in (_formerly(plan, moves), _unmarked(_formerly(plan, moves))):
            if sha256(encode_document(same.as_data())) == started["plan"]:
                report.held("code.differs", "plan", f"{len(plan.steps)} steps")
                return same
    report.skip("code.differs", "plan", "the installed harness plans other steps than the run had")
    return None


def _beyond(store: Store, lock: Lock, omitted: Collection[str]) -> Iterator[str]:
    """Yield the tables that cannot have as many rows as a lock counts, for which no plan is made."""
    for dataset, said in lock.pins["datasets"].items():
        files: Mapping[str, Any] = said
        for name, pin in files.items():
            rows = pin.get("rows", 0) if isinstance(pin, dict) else 0
            if rows > MANY and not _has_room(store, pin["sha256"], rows, omitted):
                yield f"/pins/datasets/{dataset}/{name}/rows"


def _has_room(store: Store, digest: str, rows: int, omitted: Collection[str]) -> bool:
    """Whether a table may have so many rows, each of two bytes at least; of one that was left out, not too many."""
    if digest in omitted:
        return rows <= MOST_UNSEEN
    facts = store.blobs.tree.facts(store.blobs.path(digest))
    return facts is not None and facts.st_size >= 2 * rows


def _formerly(plan: Plan, moves: int) -> Plan:
    """Return a plan with the step kinds that were used before the last `moves` moves of modules."""
    return replace(plan, steps=tuple(replace(step, kind=former_kind(step.kind, moves)) for step in plan.steps))


def _unmarked(plan: Plan) -> Plan:
    """Return a limited run's plan as it was before pages got the limit as a parameter."""
    steps = [replace(step, params={k: v for k, v in step.params.items() if k != LIMITED}) for step in plan.steps]
    return replace(plan, steps=tuple(steps))


def _pins(store: Store, lock: Lock, made: Made, blobs: CheckedBlobs, report: Report) -> None:
    """Compare the data that a run used with the data that its lock pins."""
    flaws = []
    for name, pin in lock.pins["datasets"].items():
        step = made.get(maker_step_name(name))
        if step:
            sound = {output: part.sha256 for output, part in step.outputs.items() if blobs.sound.get(part.sha256)}
            found = {output: data_pin(digest, store.blobs.path(digest)) for output, digest in sound.items()}
            held = {output: part for output, part in pin.items() if output in sound or output not in step.outputs}
            flaws += [f"/pins/datasets/{name}{pointer}" for pointer in differing_pointers(held, found)]
    report.settle("pin.differs", "lock", flaws)


def _files(lock: Lock, started: Event, report: Report) -> None:
    """Compare the published files that a run says it had with its lock, and the lock's with the manifest."""
    pins = lock.pins["datasets"]
    data = file_coverage(pins)
    flaws = [f"/pins/datasets{pointer}" for pointer in contradicted_files(lock.intent["datasets"], pins)]
    if data or flaws or "data" in started:
        ran = differing_pointers(data, started.get("data"))
        flaws += [f"data{pointer} of the run is not what its lock says" for pointer in ran]
        report.settle("pin.differs", "data", flaws, coverage_text(data))
        report.data = data


def _image(lock: Lock, field: Literal["image", "sandbox"], image: str, report: Report) -> None:
    """Compare the image that a run used with the one that its lock pins; a local run has none."""
    state = image_state(lock, image, field)
    if state == "moved":
        report.skip("pin.differs", field, f"{field}: moved; the run ran in {image[:19]}, which its lock does not pin")
    elif state == "pinned":
        report.held("pin.differs", field, image[:19])


def _code(plan: Plan, made: Made, blobs: CheckedBlobs, installed: InstalledHarness, report: Report) -> None:
    """Compare the code of steps that were not executed again with the installed code, the only code a reader can read.

    For answers that are taken on trust anyway, a difference is a note. For steps that should have been executed again,
    it keeps the verdict from `agreed`.
    """
    again = {check.subject for check in report.checks if check.id in AGAIN}
    rest = [step for step in plan.steps if step.name in made and step.name not in again]
    kinds = {step.kind: step for step in rest}
    differing = 0
    for kind, step in kinds.items():
        ran = blobs.closures.get(made[step.name].preimage["code"], {})
        try:
            moved = [
                name.removeprefix("/").replace("~1", "/") for name in differing_pointers(ran, installed.files(kind))
            ]
        except HarnessError as bad:
            moved = [bad.what]
        if moved:
            differing += 1
            tell = report.held if step.calls or step.trial else report.skip
            tell("code.differs", kind, f"the installed code is not that of the run: {name_few(moved)}")
    if not differing:
        report.held("code.differs", "code", f"{len(kinds)} kinds of steps that were not made again")
