"""Provenance trail of a run: the inputs of each finished step, read from the run's journal and entries.

The module also reads the documents that a trail refers to: code closures, environments, and pinned input files. It
compares two runs' environments and the lines of their files, and finds the run of a store that executed a step. A lost
or changed entry or output raises an error.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypedDict, cast

from harness import arrays, rows
from harness.digest import parse_document
from harness.errors import HarnessError, InputError
from harness.evidence.record import FINISHED, entry_of_event
from harness.manifest.datasets import published_digests
from harness.manifest.documents import Pins, TablePin
from harness.manifest.lockfile import Lock, read_lock
from harness.store.blobs import is_digest
from harness.store.journal import Event
from harness.store.store import Entry, Listed, Store, follow_journal, list_runs, listing_error, require_listed

TRIAL = "trial"  # not a key of a step


class ExecutionIndex:
    """Lookup of the run of a store that executed a step, and of the outcome of a trial; thread-safe."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._found: dict[tuple[str, ...], str] = {}  # (key, entry) -> run; (TRIAL, identity) -> outcome
        self._keys: set[str] = set()  # keys of the steps found so far
        self._waiting: Iterator[Listed] = iter(())
        self._open: dict[str, tuple[Listed, int]] = {}  # runs that may continue, and how much of each was read
        self._read: set[str] = set()
        self._heads = -1  # bytes of the list of runs when it was last read
        self._lock = threading.Lock()

    def run_of(self, key: str, entry: str) -> str | None:
        """Return a run that executed the step with this key and wrote this entry; None if no listed run did."""
        return self._asked(key, entry)

    def outcome(self, trial: str) -> str | None:
        """Return the digest of a trial's outcome from a listed run, by the trial's identity; None if there is none."""
        return self._asked(TRIAL, trial)

    def _asked(self, *wanted: str) -> str | None:
        with self._lock:
            while wanted not in self._found:
                known = next(self._waiting, None)
                if known:
                    self._take(known)
                elif not self._more():
                    return None
            return self._found[wanted]

    def has(self, entry: Entry) -> bool:
        """Whether a listed run executed the step of this entry and wrote exactly this entry."""
        return self.run_of(entry.key, entry.digest) is not None

    def has_other(self, entry: Entry) -> bool:
        """Whether listed runs executed the step of this entry, but none of them wrote exactly this entry."""
        return not self.has(entry) and entry.key in self._keys  # `has` has read all journals

    def begin(self, run: str) -> None:
        """Register the current run, whose journal is then never read; `note` and `note_trial` add its steps."""
        with self._lock:
            self._read.add(run)

    def note(self, run: str, entry: Entry) -> None:
        """Add a step that the current run has executed and written to its journal."""
        with self._lock:
            self._found[entry.key, entry.digest] = run
            self._keys.add(entry.key)

    def note_trial(self, trial: str, outcome: str) -> None:
        """Add the outcome of a trial that the current run has written to its journal."""
        with self._lock:
            self._found[TRIAL, trial] = outcome

    def _more(self) -> bool:
        """Look for new lines: runs that were started since, and journals that grew; return whether there are any."""
        grown = [known for known, size in self._open.values() if self._size(known.run) != size]
        size = facts.st_size if (facts := self.store.tree.facts(self.store.heads.path)) else 0
        new: list[Listed] = []
        if size != self._heads:
            self._heads = size
            new = [known for known in list_runs(self.store).values() if known.run not in self._read]
        self._waiting = iter([*reversed(new), *grown])
        return bool(new or grown)

    def _take(self, known: Listed) -> None:
        """Read the steps that a run executed; none if its journal does not match the list."""
        self._read.add(known.run)
        self._open.pop(known.run, None)
        if not known.ended:
            self._open[known.run] = (known, self._size(known.run))
        try:
            chain = follow_journal(self.store, known)
        except HarnessError:
            return  # the audit of any run reports it
        for event in chain.events:
            if event["event"] == "step.done":
                self._found[event["key"], event["entry"]] = known.run
                self._keys.add(event["key"])
            elif event["event"] == "trial.done":
                self._found[TRIAL, str(event["trial"])] = event["outcome"]

    def _size(self, run: str) -> int:
        facts = self.store.tree.facts(self.store.journal(run))
        return facts.st_size if facts else -1


COMPUTING = ("numpy", "scipy", "torch")  # packages that cause different numbers more often than others
_TEXTS = ("image", "python", "implementation", "platform")
_ENVIRONMENTS = ("environment/2", "environment/1")  # the present format, and the former one


def closure_files(data: bytes, where: str) -> dict[str, str]:
    """Return the files of a step's code by path, with digests; raises InputError if the closure is malformed."""
    body = parse_document(data, "closure/1", where)
    files = body.get("files")
    if set(body) != {"type", "files"} or not isinstance(files, dict) or not files:
        raise _refuse("a closure names the files of a step's code", where)
    if not all(isinstance(digest, str) and is_digest(digest) for digest in files.values()):
        raise _refuse("a closure names each file by its SHA-256", where)
    return files


class FoundPackage(TypedDict, total=False):
    """A package of an environment: its version, its RECORD's digest, and files that differ from it."""

    version: str
    record: str
    altered: Mapping[str, str] | list[str]


class Environment(TypedDict, total=False):
    """The document `environment/2`, for the type checker; `environment/1` had no standard library."""

    type: str
    image: str
    python: str
    implementation: str
    platform: str
    stdlib: str
    packages: Mapping[str, FoundPackage]
    loose: Mapping[str, str]


def read_environment(data: bytes, where: str) -> Environment:
    """Parse an environment document: image, Python, platform and packages; raises InputError if it is malformed."""
    older = b'"type":"environment/1"' in data[-40:]  # the last field in canonical form
    body = parse_document(data, _ENVIRONMENTS[older], where)
    if not all(isinstance(body.get(name), str) for name in _TEXTS):
        raise _refuse(f"an environment says its {', '.join(_TEXTS)}", where)
    packages, loose = body.get("packages"), body.get("loose")
    if not isinstance(packages, dict) or not all(map(_is_package, packages.values())) or not isinstance(loose, dict):
        raise _refuse("an environment names each package with its version and its record", where)
    if not isinstance(body.get("stdlib", ""), str):
        raise _refuse("an environment names the standard library by its digest", where)
    return cast(Environment, body)


def environment_changes(old: Environment, new: Environment) -> Iterator[str]:
    """Yield the differences between two environments: Python, platform, standard library, packages, modules."""
    yield from interpreter_changes(old, new)
    yield from module_changes(old, new)


def interpreter_changes(old: Environment, new: Environment) -> Iterator[str]:
    """Yield the differences between two environments apart from packages: Python, platform, standard library."""
    for called, before, now in (
        ("Python", old["python"], new["python"]),
        ("platform", old["platform"], new["platform"]),
    ):
        if before != now:
            yield f"{called} {before} → {now}"
    if "stdlib" in old and "stdlib" in new and old["stdlib"] != new["stdlib"]:
        yield "the standard library"


def module_changes(old: Environment, new: Environment) -> Iterator[str]:
    """Yield the packages and other modules that differ between two environments, those that compute numbers first.

    A package is described by both versions, or by its altered files if those differ.
    """
    for name in sorted({*old["packages"], *new["packages"]}, key=lambda name: (name not in COMPUTING, name)):
        one, two = old["packages"].get(name), new["packages"].get(name)
        if one != two:
            versions = [package["version"] if package else "absent" for package in (one, two)]
            files = sorted({*_altered(one)} ^ {*_altered(two)})
            if files:
                yield f"{name}: {', '.join(files[:4])}"
            else:
                yield f"{name} {versions[0]}" + (
                    f" → {versions[1]}" if versions[0] != versions[1] else ", of other files"
                )
    for name in sorted({*old["loose"], *new["loose"]}):
        if old["loose"].get(name) != new["loose"].get(name):
            yield f"{name}, which no package lists"
    if old["type"] != new["type"]:
        yield f"told as {old['type']} → {new['type']}"


def _altered(package: Mapping[str, Any] | None) -> list[str]:
    """Return the files of a package that differ from the installed ones, each with its digest."""
    return [str(one) for one in package.get("altered", ())] if package else []


def _is_package(value: object) -> bool:
    if not isinstance(value, Mapping) or not isinstance(value.get("altered", []), list | dict):
        return False
    return all(isinstance(value.get(name), str) for name in ("version", "record"))


def _refuse(what: str, where: str) -> InputError:
    return InputError(what, where=where, next="`harness audit RUN` names what else is not as it should be")


@dataclass(frozen=True)
class RecordedStep:
    """A step of a recorded run: its stage, whether it was executed or cached, and its entry."""

    name: str
    stage: str
    state: str
    entry: Entry


@dataclass(frozen=True)
class Trail:
    """A recorded run: its start, its finished steps in the order in which they finished, and its outputs."""

    store: Store
    run: str
    started: Event
    steps: Mapping[str, RecordedStep]
    outputs: Mapping[str, Event]

    @cached_property
    def lock(self) -> Lock:
        """The lock that the run was started under."""
        return read_lock(self.store.blobs.read(self.started["lock"]), "lock")

    @property
    def manifest_name(self) -> str:
        """The name of the manifest that was run."""
        return str(self.lock.intent["name"])

    def files(self, step: RecordedStep) -> Mapping[str, str]:
        """Return the code files of a step, each with its digest."""
        digest = str(step.entry.preimage["code"])
        return closure_files(self.store.blobs.read(digest), f"blob {digest[:12]}")

    def environment(self, step: RecordedStep) -> Environment:
        """Return the environment document of a step."""
        digest = str(step.entry.preimage["environment"])
        return read_environment(self.store.blobs.read(digest), f"blob {digest[:12]}")

    def code(self) -> tuple[dict[str, str], dict[str, str]]:
        """Return the code of the whole run: the closure digest of each step kind, and the digest of each file."""
        kinds = {step.entry.preimage["kind"]: step for step in self.steps.values()}
        closures = {kind: str(step.entry.preimage["code"]) for kind, step in kinds.items()}
        return closures, {path: digest for step in kinds.values() for path, digest in self.files(step).items()}


def read_trail(store: Store, run: str) -> Trail:
    """Read the trail of a run, finished or not, as far as the run went.

    Raises an error for a run that the list of runs does not confirm, and for a missing or changed entry or output.
    """
    chain = follow_journal(store, require_listed(store, run))
    steps: dict[str, RecordedStep] = {}
    outputs: dict[str, Event] = {}
    for event in chain.events:
        if event["event"] in FINISHED:
            entry = entry_of_event(store, event, run)
            state = "executed" if event["event"] == "step.done" else "cached"
            steps[event["step"]] = RecordedStep(event["step"], event["stage"], state, entry)
        elif event["event"] == "output":
            made = steps[event["step"]].entry.outputs.get(event["output"]) if event["step"] in steps else None
            if made is None or made.sha256 != event["sha256"]:
                raise listing_error(f"output {event['name']} is not what its step made", str(store.journal(run)), run)
            outputs[event["name"]] = event
    return Trail(store, run, chain.events[0], steps, outputs)


def absent_files(trail: Trail) -> dict[str, frozenset[str]]:
    """Return for each output the published files that its steps would have read and that were absent.

    They are collected from the parameters `{files, absent}` of the output's step and of all steps before it.
    """
    lacks: dict[str, frozenset[str]] = {}  # by the digest of an output
    for step in trail.steps.values():
        said = step.entry.preimage
        own = absent_files_of_step(said["params"])
        inputs = [part for one in said["inputs"].values() for part in (one if isinstance(one, list) else [one])]
        whole = frozenset(own).union(*(lacks.get(digest, frozenset()) for digest in inputs))
        for output in step.entry.outputs.values():
            lacks[output.sha256] = lacks.get(output.sha256, frozenset()) | whole
    return {name: lacks.get(str(event["sha256"]), frozenset()) for name, event in trail.outputs.items()}


def absent_files_of_step(params: Mapping[str, Any]) -> set[str]:
    """Return the published files that a step with these parameters would have read and that were absent."""
    return {str(path) for value in params.values() if _is_file_set(value) for path in value["absent"]}


def _is_file_set(value: Any) -> bool:
    return isinstance(value, Mapping) and value.keys() == {"files", "absent"}


MOST_TEXT = 1 << 20  # most bytes of a file that is compared line by line


@dataclass(frozen=True)
class ChangedLine:
    """A line number at which a pinned text file differs in two runs, with both texts; "" for a line that is absent."""

    file: str
    line: int
    left: str
    right: str


def data_pin(digest: str, path: Path) -> TablePin:
    """Return the pin of a dataset file: its digest, and its row count unless it is an array."""
    return {"sha256": digest} if arrays.file_format(path) else {"sha256": digest, "rows": rows.count(path)}


def pinned_files(pins: Pins) -> dict[str, str]:
    """Return the name of each file that a lock pins, by its digest.

    Files are prompts, data files of the study ("tables"), datasets, files of models or instruments, imported answers,
    and files of the project.
    """
    own = pins.get("files", {})
    texts = [*pins.get("prompts", {}).values(), *pins.get("tables", {}).values(), *own.values()]
    named = {str(pin["sha256"]): str(pin["file"]) for pin in texts if "file" in pin and "sha256" in pin}
    named |= {str(digest): str(path) for pin in own.values() for path, digest in pin.get("files", ())}
    for name, pin in {**pins.get("instruments", {}), **pins.get("models", {})}.items():
        named |= {str(digest): f"{name}/{file}" for file, digest in pin.get("files", {}).items()}
        named |= {str(pin["answers"]): f"{name}/imported answers"} if "answers" in pin else {}
    for name, data in pins.get("datasets", {}).items():
        if isinstance(data.get("sha256"), str):
            named[data["sha256"]] = f"dataset {name}"
        named |= {str(digest): f"dataset {name}: {file}" for file, digest in published_digests(data).items()}
    return named


def changed_files(
    before: RecordedStep, old: Trail, after: RecordedStep, new: Trail, pointer: str
) -> Iterator[tuple[str, str]]:
    """Yield the old and the new digest of the input at `pointer` of a step in two runs; "" if there is none.

    Yields nothing if neither run's lock pins a file of that digest.
    """
    name, _, number = pointer.removeprefix("/inputs/").partition("/")
    ends = [step.entry.preimage["inputs"].get(name) for step in (before, after)]
    digests = [end[int(number)] if isinstance(end, list) and number else end for end in ends]
    left, right = (digest if isinstance(digest, str) else "" for digest in digests)
    if left in pinned_files(old.lock.pins) or right in pinned_files(new.lock.pins):
        yield left, right


def file_name(left: str, old: Trail, right: str, new: Trail) -> str:
    """Return the name of a pinned file from its old and new digest: by the newer lock, else the older, else ""."""
    return pinned_files(new.lock.pins).get(right) or pinned_files(old.lock.pins).get(left, "")


def changed_lines(left: str, old: Trail, right: str, new: Trail) -> list[ChangedLine]:
    """Return the line numbers at which two runs' versions of a pinned text file differ, each with both texts.

    Lines are paired by number, so an inserted line changes all lines after it. The list is empty if a version is larger
    than 1 MiB, not UTF-8 or lost.
    """
    one, two = _lines(old, left), _lines(new, right)
    if one is None or two is None:
        return []
    name, longest = file_name(left, old, right, new), max(len(one), len(two))
    pairs = ((at + 1, one[at] if at < len(one) else "", two[at] if at < len(two) else "") for at in range(longest))
    return [ChangedLine(name, at, a, b) for at, a, b in pairs if a != b]


def _lines(trail: Trail, digest: str) -> list[str] | None:
    try:
        path = trail.store.blobs.deliver(digest)
        return path.read_text(encoding="utf-8").splitlines() if path.stat().st_size <= MOST_TEXT else None
    except (HarnessError, UnicodeDecodeError):
        return None
