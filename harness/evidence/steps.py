"""The steps of a run under audit: every entry, key, blob and output held against the plan and the journal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.digest import canonical, differences, parse, sha256
from harness.errors import HarnessError
from harness.evidence.checks import Report
from harness.steps import Pinned, Plan, Ref, Step
from harness.store.blobs import is_digest
from harness.store.entries import Entry, read_entry
from harness.store.journal import Chain, Event
from harness.store.store import Store

FINISHED = ("step.done", "step.cached")
Made = dict[str, dict[str, Any]]  # step -> {preimage, outputs{name: sha256}}


def audit_steps(store: Store, chain: Chain, plan: Plan | None, report: Report) -> Made:
    """Check every step the journal names; give those whose entries are sound."""
    made: Made = {}
    blobs = _Blobs(store, report)
    events = {event["step"]: event for event in chain.events if event["event"] in FINISHED}
    started = chain.events[0]
    for name in ("manifest", "lock", "environment"):
        blobs.look(str(started[name]), name)
    for step, event in events.items():
        entry = _entry(store, step, event, report)
        if entry is None:
            continue
        for name, output in entry.outputs.items():
            blobs.look(output.sha256, f"{step}/{name}", output.size)
        for name, source in entry.preimage["inputs"].items():
            for digest in [source] if isinstance(source, str) else source:
                blobs.look(str(digest), f"input {name} of {step}")
        blobs.closure(str(entry.preimage["code"]), step)
        blobs.look(str(entry.preimage["environment"]), f"environment of {step}")
        made[step] = {
            "preimage": entry.preimage,
            "outputs": {name: output.sha256 for name, output in entry.outputs.items()},
        }
    blobs.settle()
    if plan:
        _against_plan(plan, events, made, chain, report)
    return made


def _entry(store: Store, step: str, event: Event, report: Report) -> Entry | None:
    """Read the entry the journal names, and hold its bytes and its key against what the journal says."""
    key = str(event.get("key", ""))
    path = store.entries.path(key) if is_digest(key) else store.entries.root
    try:
        data = path.read_bytes()
    except OSError:
        report.fail("entry.changed", f"{step} (keys/{key[:2]}/{key}.json)", "it is missing")
        return None
    if sha256(data) != event.get("entry"):
        report.fail("entry.changed", f"{step} (keys/{key[:2]}/{key}.json)", "its bytes are not those the run saw")
        return None
    try:
        return read_entry(data, key, step)
    except HarnessError as bad:
        report.fail("key.mismatch", step, bad.what)
        return None


class _Blobs:
    """Every blob a run refers to, read once, and named by what it is."""

    def __init__(self, store: Store, report: Report) -> None:
        self.store = store
        self.report = report
        self.seen: set[str] = set()
        self.flawed = 0
        self.bytes = 0

    def look(self, digest: str, subject: str, size: int | None = None) -> bool:
        """Read a blob unless it was read before; a flaw names the blob and what it is."""
        if digest in self.seen:
            return True
        self.seen.add(digest)
        state = self.store.blobs.check(digest, size)
        if state != "sound":
            self.flawed += 1
            self.report.fail(f"blob.{state}", f"blobs/sha256/{digest[:2]}/{digest}", subject)
        return state == "sound"

    def closure(self, digest: str, step: str) -> None:
        """Read a step's code: the list of its files, then each file."""
        if digest in self.seen or not self.look(digest, f"code of {step}"):
            return
        try:
            files = parse(self.store.blobs.path(digest).read_bytes(), "closure/1", "closure")["files"]
        except HarnessError as bad:
            self.report.fail("entry.changed", step, f"its code is no closure: {bad.what}")
            return
        for path, file in files.items():
            self.look(str(file), path)

    def settle(self) -> None:
        """Say that all blobs are sound, where they are."""
        if not self.flawed:
            self.report.held("blob.changed", "blobs", f"{len(self.seen)} blobs")


def _against_plan(plan: Plan, events: Mapping[str, Event], made: Made, chain: Chain, report: Report) -> None:
    """Every planned step stands once in the journal with the key that its inputs give; nothing else stands there."""
    count = sum(event["event"] in FINISHED for event in chain.events)
    flaws = [f"{name} is not in the plan" for name in sorted(set(events) - {step.name for step in plan.steps})]
    if count != len(events):
        flaws.append(f"{count - len(events)} steps stand twice in the journal")
    report.settle("unaccounted", "journal.jsonl", flaws, f"{len(events)} steps")
    for step in plan.steps:
        if step.name not in events:
            if chain.events[-1].get("status") == "done":
                report.fail("unaccounted", step.name, "the plan has this step, the journal does not")
        elif step.name in made:
            flaws = list(_key_flaws(step, made, chain.events[0]))
            event = events[step.name]
            if bool(event.get("sees_gold")) != step.sees_gold or event.get("stage") != step.stage:
                flaws.append("sees_gold or stage")
            if flaws:
                report.settle("key.mismatch", step.name, flaws)
    declared = {event["name"]: event for event in chain.events if event["event"] == "output"}
    if chain.events[-1].get("status") == "done":
        flaws = [f"{name} is not in the journal" for name in sorted(set(plan.outputs) - set(declared))]
    else:
        flaws = []
    for name, event in declared.items():
        ref = plan.outputs.get(name)
        wanted = made.get(ref.step, {}).get("outputs", {}).get(ref.output) if ref else None
        if ref and ref.step not in made:
            continue
        if wanted != event["sha256"] or ref is None or (ref.step, ref.output) != (event["step"], event["output"]):
            flaws.append(f"{name} is not what its step made")
    report.settle("output.differs", "outputs", flaws, f"{len(declared)} outputs")


def _key_flaws(step: Step, made: Made, started: Event) -> list[str]:
    """Name the parts of a stored preimage that are not what the plan and the steps before say."""
    preimage = made[step.name]["preimage"]
    inputs: dict[str, Any] = {}
    for name, source in step.inputs.items():
        parts = source if isinstance(source, tuple) else (source,)
        if any(isinstance(part, Ref) and part.step not in made for part in parts):  # its own flaw is named already
            inputs[name] = preimage["inputs"].get(name)
            continue
        found = [
            part.sha256 if isinstance(part, Pinned) else made[part.step]["outputs"].get(part.output) for part in parts
        ]
        inputs[name] = found if isinstance(source, tuple) else found[0]
    wanted = {
        "kind": step.kind,
        "params": dict(step.params),
        "inputs": inputs,
        "outputs": list(step.outputs),
        "batch": step.batch,
        "environment": started["environment"],
    }
    kept = {name: preimage.get(name) for name in wanted}
    return [] if canonical(kept) == canonical(wanted) else list(differences(kept, wanted))
