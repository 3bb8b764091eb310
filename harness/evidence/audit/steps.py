"""Audit of a run's steps: every entry, key, blob and output compared with the plan and the journal.

No step is executed here; `reexecution.py` does that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from harness.digest import differing_pointers, document_digest, sha256
from harness.errors import HarnessError
from harness.evidence.audit.checks import Report
from harness.evidence.explain import name_few
from harness.evidence.record import FINISHED, spell_healed
from harness.evidence.trail import closure_files, read_environment
from harness.manifest.documents import Intent
from harness.steps import CPU, NUMERICS, PROCESSOR, Computing, Pinned, Plan, Setting, Step, key_preimage
from harness.store.blobs import is_digest
from harness.store.journal import Chain, Event
from harness.store.store import Entry, Store, read_entry
from harness.store.tree import MOST_DOCUMENT, MOST_ENTRY


class CheckedBlobs:
    """The blobs of one run that an audit has read, each with whether its bytes match its digest."""

    def __init__(self, store: Store, report: Report, omitted: Mapping[str, str] = MappingProxyType({})) -> None:
        self.store = store
        self.report = report
        self.omitted = omitted  # blobs that a bundle left out, with the reason
        self.left: Counter[str] = Counter()  # of these, those that the run names, by reason
        self.sound: dict[str, bool] = {}  # for each blob that was read: whether it matches its digest
        self.sizes: dict[str, int] = {}  # of sound blobs, if a size was given
        self.closures: dict[str, dict[str, str]] = {}  # the files of each closure that was read
        self.flawed = 0

    def check(self, digest: str, subject: str, size: int | None = None, most: int | None = None) -> bool:
        """Check one blob against its digest and, if given, a size; report a flaw; return whether it matches its digest.

        Its bytes are read at most once, and not at all if there are more than `most`.
        """
        if digest not in self.sound:
            state = self.store.blobs.check(digest, size, most)
            self.sound[digest] = state == "sound"
            if state == "missing" and digest in self.omitted:
                self.left[self.omitted[digest]] += 1
            elif state != "sound":
                self._flaw(state, digest, subject)
            elif size is not None:
                self.sizes[digest] = size
        elif size is not None and self.sound[digest]:
            if digest not in self.sizes:
                self.sizes[digest] = self.store.blobs.size(digest)
            if self.sizes[digest] != size:
                self._flaw("changed", digest, f"{subject} has {self.sizes[digest]} bytes, not {size}")
        return self.sound[digest]

    def closure(self, digest: str, step: str) -> None:
        """Check the code closure of a step, the list of its code files, and then each file; report every flaw."""
        if digest in self.closures or not self.check(digest, f"code of {step}", most=MOST_DOCUMENT):
            return
        self.closures[digest] = {}
        try:
            self.closures[digest] = closure_files(self.store.blobs.read(digest), "closure")
        except HarnessError as bad:
            self.report.fail("entry.changed", step, f"its code is no closure: {bad.what}")
        for path, file in self.closures[digest].items():
            self.check(file, path, most=MOST_DOCUMENT)

    def environment(self, digest: str, image: str) -> None:
        """Check an environment document, and that its image is the one that the run says it used."""
        if not self.check(digest, "environment", most=MOST_DOCUMENT):
            return
        try:
            found = read_environment(self.store.blobs.read(digest), "environment")["image"]
        except HarnessError as bad:
            self.report.fail("entry.changed", "environment", f"it is none: {bad.what}")
            return
        if found != image:
            self.report.fail("pin.differs", "image", f"its steps ran in {found[:19]}, the run says {image[:19]}")

    def settle(self) -> None:
        """Add to the report that every blob is sound, if no flaw was found, and which were left out of a bundle."""
        for why, count in sorted(self.left.items()):
            self.report.skip("blob.omitted", f"{count} blobs", why)
        if not self.flawed:
            self.report.held("blob.changed", "blobs", f"{len(self.sound) - self.left.total()} blobs")

    def _flaw(self, state: str, digest: str, subject: str) -> None:
        self.flawed += 1
        self.report.fail(f"blob.{state}", f"blobs/sha256/{digest[:2]}/{digest}", subject)


HEALED = "damage.healed"  # check id


def audit_healing(chain: Chain[Event], report: Report) -> None:
    """Add a passed check for damage that a run found and repaired; a failed one if its lines contradict."""
    damaged = [event for event in chain.events if event["event"] == "step.damaged"]
    told = [event for event in chain.events if event["event"] == "run.healed"]
    for event in told:
        digests, blobs = event["digests"], event["blobs"]
        named = all(isinstance(one, str) and is_digest(one) for one in digests) and len(digests) <= blobs
        counted = 0 <= event["steps"] <= len(damaged) and event["steps"] + blobs > 0
        if len(told) > 1 or not counted or not named:
            report.fail("unaccounted", "run.healed", "what it says of damage is not what the journal's other lines say")
    healed = {"steps": len(damaged), "blobs": 0}  # the form of older runs
    for event in told:
        healed = {"steps": int(event["steps"]), "blobs": int(event["blobs"])}
    if said := spell_healed(healed):
        of = [f"{event['step']} ({event['detail']})" for event in damaged]
        of += [f"blob {str(digest)[:12]}" for event in told for digest in event["digests"]]
        report.healed = healed
        report.held(HEALED, "store", f"{said}: {name_few(of)}")


Made = dict[str, Entry]  # the steps whose entries are sound
Settings = Mapping[bool | str, Setting]  # by whether a step infers; `trial`: for untrusted code
PARTS = {
    "type": str,
    "kind": str,
    "params": dict,
    "inputs": dict,
    "outputs": list,
    "environment": str,
    "device": str,
    "numerics": dict,
    "batch": str,
    "code": str,
}
ATTEMPT: Final = "attempt"  # of a step that calls remote models: the number of earlier attempts


def audit_steps(
    store: Store, chain: Chain[Event], plan: Plan | None, blobs: CheckedBlobs, report: Report, intent: Intent
) -> Made:
    """Check every finished step of the journal: entry, key, blobs and, if there is a plan, its place in that plan.

    `intent` is that of the run's lock, which has the threads and numerics of steps that infer and fit. Every flaw is
    reported. Returns by step the entries that could be read and match the digest in the journal.
    """
    events = {event["step"]: event for event in chain.events if event["event"] in FINISHED}
    started = chain.events[0]
    with store.blobs.shelves.keep_open():
        made = _made(store, started, events, blobs, report)
    if plan:
        settings = _settings(plan, made, started, intent)
        _against_plan(plan, events, made, settings, chain, report)
        _outputs(plan, made, chain, report)
    return made


def _made(store: Store, started: Event, events: Mapping[str, Event], blobs: CheckedBlobs, report: Report) -> Made:
    """Check the documents of a run, and the entry of every finished step with each blob that it names."""
    made: Made = {}
    for name in ("manifest", "lock"):
        blobs.check(str(started[name]), name, most=MOST_DOCUMENT)
    for place in (started, started.get("sandbox")):
        if place:
            blobs.environment(str(place["environment"]), str(place["image"]))
    for step, event in events.items():
        entry = _entry(store, step, event, report)
        if entry is None:
            continue
        for name, output in entry.outputs.items():
            blobs.check(output.sha256, f"{step}/{name}", output.size)
        for name, source in entry.preimage["inputs"].items():
            for digest in [source] if isinstance(source, str) else source:
                blobs.check(digest, f"input {name} of {step}")
        blobs.closure(entry.preimage["code"], step)
        blobs.check(entry.preimage["environment"], f"environment of {step}", most=MOST_DOCUMENT)
        made[step] = entry
    blobs.settle()
    return made


def _entry(store: Store, step: str, event: Event, report: Report) -> Entry | None:
    """Read the entry that the journal names, and check its bytes and its key against the journal."""
    key = str(event.get("key", ""))
    path = store.entries.path(key) if is_digest(key) else store.entries.root
    try:
        data = store.tree.read_file(path, MOST_ENTRY)
    except HarnessError:
        report.fail("entry.changed", f"{step} (keys/{key[:2]}/{key}.json)", "it is missing")
        return None
    if sha256(data) != event.get("entry"):
        report.fail("entry.changed", f"{step} (keys/{key[:2]}/{key}.json)", "its bytes are not those the run saw")
        return None
    try:
        entry = read_entry(data, key, step)
    except HarnessError as bad:
        report.fail("key.mismatch", step, bad.what)
        return None
    odd = [name for name, kind in PARTS.items() if type(entry.preimage.get(name)) is not kind]
    odd += sorted(set(entry.preimage) - {*PARTS, ATTEMPT})
    if not odd:
        odd = [f"inputs/{name}" for name, source in entry.preimage["inputs"].items() if not _is_input(source)]
    if odd:
        report.settle("key.mismatch", step, (f"/{name} is no part of a key" for name in odd))
        return None
    return entry


def _is_input(source: object) -> bool:
    """Whether a source names a blob, or the blobs of a fan-in."""
    return isinstance(source, str) or (isinstance(source, list) and all(isinstance(one, str) for one in source))


def _against_plan(
    plan: Plan, events: Mapping[str, Event], made: Made, settings: Settings, chain: Chain[Event], report: Report
) -> None:
    """Check that every planned step is in the journal with the key that its inputs give, and nothing else."""
    started, done = chain.events[0], chain.events[-1].get("status") == "done"
    named = {event["step"] for event in chain.events if "step" in event}
    flaws = [f"{name} is not in the plan" for name in sorted(named - {step.name for step in plan.steps})]
    if started["steps"] != len(plan.steps):
        flaws.append(f"line 1 counts {started['steps']} steps, the plan has {len(plan.steps)}")
    if not any(step.calls for step in plan.steps):
        flaws += ["it sums calls up, and no step calls" for event in chain.events if event["event"] == "calls"]
    trials = {step.name for step in plan.steps if step.trial}
    tried = (event["step"] for event in chain.events if event["event"] == "trial.done")
    flaws += [f"{step} tries no foreign code, and an outcome stands there" for step in tried if step not in trials]
    flaws += _out_of_order(plan, chain)
    report.settle("unaccounted", "journal.jsonl", flaws, f"{len(events)} steps")
    for step in plan.steps:
        if step.name not in events:
            if done:
                report.fail("unaccounted", step.name, "the plan has this step, the journal does not")
        elif step.name in made:
            flaws = list(_key_flaws(step, made, settings["trial" if step.trial else step.infers]))
            event = events[step.name]
            if bool(event.get("sees_gold")) != step.sees_gold or event.get("stage") != step.stage:
                flaws.append("sees_gold or stage")
            if event.get("imported") != (step.takes() or None):
                flaws.append("imported")
            if bool(event.get("trial")) != step.trial:
                flaws.append("trial")
            if flaws:
                report.settle("key.mismatch", step.name, flaws)


def _out_of_order(plan: Plan, chain: Chain[Event]) -> Iterator[str]:
    """Yield the steps that precede a step whose outputs they read, which no run does."""
    finished = [event["step"] for event in chain.events if event["event"] in FINISHED]
    place = {step: number for number, step in enumerate(finished)}
    for step in plan.steps:
        late = [ref.step for ref in step.refs() if place.get(ref.step, -1) > place.get(step.name, len(place))]
        if late:
            yield f"{step.name} stands before {late[0]}, from which it reads"


def _settings(plan: Plan, made: Made, started: Event, intent: Intent) -> Settings:
    """Return the settings of a run's steps, for steps that infer and for others: one environment and one device.

    Untrusted code has its own environment if the run names an image for it.
    """
    found = [(step, made[step.name].preimage) for step in plan.steps if step.name in made]
    found.sort(key=lambda each: each[0].in_threads)  # steps without threads first, which have the usual numerics
    usual: Mapping[str, str] = next((kept["numerics"] for _, kept in found), {})
    numerics = {name: value for name, value in usual.items() if name not in (NUMERICS, PROCESSOR)}
    device = next((kept["device"] for step, kept in found if step.infers), CPU)
    environment, said = str(started["environment"]), started["facts"].get("processor")
    processor = str(said.get("class", "")) if isinstance(said, dict) else ""  # absent in older runs
    heavy = Computing.of(intent).variables(processor)
    sandbox = str(started.get("sandbox", started)["environment"])
    return {
        False: Setting(environment, CPU, numerics, heavy),
        True: Setting(environment, device, numerics, heavy),
        "trial": Setting(sandbox, CPU, numerics),
    }


def _key_flaws(step: Step, made: Made, setting: Setting) -> Iterable[str]:
    """Return the parts of a stored preimage that differ from the plan and the steps before."""
    kept = made[step.name].preimage
    inputs: dict[str, Any] = {}
    for name, source in step.inputs.items():
        parts = source if isinstance(source, tuple) else (source,)
        if any(not isinstance(part, Pinned) and part.step not in made for part in parts):  # its own flaw is reported
            inputs[name] = kept["inputs"].get(name)
            continue
        found = [
            part.sha256 if isinstance(part, Pinned) else _output_of(made, part.step, part.output) for part in parts
        ]
        inputs[name] = found if isinstance(source, tuple) else found[0]
    wanted = key_preimage(step, inputs, kept["code"], setting)
    if step.calls and type(kept.get(ATTEMPT)) is int and kept[ATTEMPT] > 0:
        wanted[ATTEMPT] = kept[ATTEMPT]
    return (
        [] if document_digest(wanted) == made[step.name].key else differing_pointers(kept, wanted)
    )  # kept has that key


def _output_of(made: Made, step: str, output: str) -> str | None:
    """Return the digest of a step's output, or None if it has no such output."""
    found = made[step].outputs.get(output) if step in made else None
    return found.sha256 if found else None


def _outputs(plan: Plan, made: Made, chain: Chain[Event], report: Report) -> None:
    """Compare the outputs that a run declares with those of its steps."""
    declared = {event["name"]: event for event in chain.events if event["event"] == "output"}
    flaws = []
    if chain.events[-1].get("status") == "done":
        flaws = [f"{name} is not in the journal" for name in sorted(set(plan.outputs) - set(declared))]
    report.settle("output.differs", "outputs", [*flaws, *_others(plan, made, declared)], f"{len(declared)} outputs")


def _others(plan: Plan, made: Made, declared: Mapping[str, Event]) -> Iterator[str]:
    for name, event in declared.items():
        ref = plan.outputs.get(name)
        if ref and ref.step not in made:
            continue  # its own flaw is reported
        found = made[ref.step].outputs.get(ref.output) if ref else None
        said = (event["sha256"], event["size"], event["step"], event["output"])
        if ref is None or found is None or said != (found.sha256, found.size, ref.step, ref.output):
            yield f"{name} is not what its step made"
