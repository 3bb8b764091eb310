"""Provenance trail of a run: what each finished step was made from, read back from the run's journal and entries.

Beside it the documents that a trail leads to: code closures, environments, and pinned input files, with the comparison
of two runs' environments and of the lines of their files. A lost or changed entry or output is refused, never left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from harness import arrays, rows
from harness.digest import parse
from harness.errors import HarnessError, InputError
from harness.evidence.record import FINISHED, entry_of_event
from harness.manifest.datasets import files_of
from harness.manifest.lockfile import Lock, read_lock
from harness.store.blobs import is_digest
from harness.store.journal import Event
from harness.store.store import Entry, Store, damaged, follow_journal, require_listed

COMPUTING = ("numpy", "scipy", "torch")  # a number that differs comes of these more often than of any other package
_TEXTS = ("image", "python", "implementation", "platform")
_ENVIRONMENTS = ("environment/2", "environment/1")  # what the harness writes, and what it wrote


def closure_files(data: bytes, where: str) -> dict[str, str]:
    """Parse a code closure: return the digest of each file of a step's code by its path; refuse a malformed one."""
    body = parse(data, "closure/1", where)
    files = body.get("files")
    if set(body) != {"type", "files"} or not isinstance(files, dict) or not files:
        raise _refuse("a closure names the files of a step's code", where)
    if not all(isinstance(digest, str) and is_digest(digest) for digest in files.values()):
        raise _refuse("a closure names each file by its SHA-256", where)
    return files


def read_environment(data: bytes, where: str) -> dict[str, Any]:
    """Parse an environment document: image, Python, platform and packages; refuse a malformed one."""
    older = b'"type":"environment/1"' in data[-40:]  # the last field of all, in canonical form
    body = parse(data, _ENVIRONMENTS[older], where)
    if not all(isinstance(body.get(name), str) for name in _TEXTS):
        raise _refuse(f"an environment says its {', '.join(_TEXTS)}", where)
    packages, loose = body.get("packages"), body.get("loose")
    if not isinstance(packages, dict) or not all(map(_is_package, packages.values())) or not isinstance(loose, dict):
        raise _refuse("an environment names each package with its version and its record", where)
    if not isinstance(body.get("stdlib", ""), str):
        raise _refuse("an environment names the standard library by its digest", where)
    return body


def environment_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """List what differs between two environments: Python, platform, standard library, packages, modules."""
    yield from interpreter_changes(old, new)
    yield from module_changes(old, new)


def interpreter_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """List what differs between two environments beside their packages: Python, platform, standard library."""
    for field, called in (("python", "Python"), ("platform", "platform")):
        if old[field] != new[field]:
            yield f"{called} {old[field]} → {new[field]}"
    if "stdlib" in old and "stdlib" in new and old["stdlib"] != new["stdlib"]:
        yield "the standard library"


def module_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """List the packages and other modules that differ between two environments, those that compute numbers first.

    A package is told by both versions, or by its altered files where those differ.
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
    """Return the files of a package that were not the installed ones, each with the digest that it had."""
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
    """A recorded run: how it started, its finished steps in the order in which they finished, and its outputs."""

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

    def environment(self, step: RecordedStep) -> Mapping[str, Any]:
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

    Refuses a run that the list of runs does not vouch for, and a missing or changed entry or output.
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
                raise damaged(f"output {event['name']} is not what its step made", str(store.journal(run)), run)
            outputs[event["name"]] = event
    return Trail(store, run, chain.events[0], steps, outputs)


def absent_files(trail: Trail) -> dict[str, frozenset[str]]:
    """Return for each output the published files that its steps would have read and that were absent then.

    They are collected from the parameters `{files, absent}` of the output's step and of all steps before it.
    """
    lacks: dict[str, frozenset[str]] = {}  # by the digest of what was made
    for step in trail.steps.values():
        said = step.entry.preimage
        own = {path for value in said["params"].values() if _is_file_set(value) for path in value["absent"]}
        inputs = [part for one in said["inputs"].values() for part in (one if isinstance(one, list) else [one])]
        whole = frozenset(own).union(*(lacks.get(digest, frozenset()) for digest in inputs))
        for output in step.entry.outputs.values():
            lacks[output.sha256] = lacks.get(output.sha256, frozenset()) | whole
    return {name: lacks.get(str(event["sha256"]), frozenset()) for name, event in trail.outputs.items()}


def _is_file_set(value: Any) -> bool:
    return isinstance(value, Mapping) and value.keys() == {"files", "absent"}


MOST_TEXT = 1 << 20  # bytes of a file that is compared line by line


@dataclass(frozen=True)
class ChangedLine:
    """A line number at which a pinned text file differs in two runs, with both texts; "" where there is none."""

    file: str
    line: int
    left: str
    right: str


def data_pin(digest: str, path: Path) -> dict[str, Any]:
    """Return the pin of a dataset file: its digest, and its row count unless it is an array."""
    return {"sha256": digest} if arrays.file_format(path) else {"sha256": digest, "rows": rows.count(path)}


def pinned_files(pins: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Map the digest of each file that a lock pins to its name.

    Files are prompts, data files of the study ("tables"), datasets, files of models or instruments, imported answers,
    and files of the project.
    """
    texts = (pin for kind in ("prompts", "tables", "files") for pin in pins.get(kind, {}).values())
    named = {str(pin["sha256"]): str(pin["file"]) for pin in texts if "file" in pin}
    for name, pin in {**pins.get("instruments", {}), **pins.get("models", {})}.items():
        named |= {str(digest): f"{name}/{file}" for file, digest in pin.get("files", {}).items()}
        named |= {str(pin["answers"]): f"{name}/imported answers"} if "answers" in pin else {}
    for name, pin in pins.get("datasets", {}).items():
        if isinstance(pin.get("sha256"), str):
            named[pin["sha256"]] = f"dataset {name}"
        named |= {str(digest): f"dataset {name}: {file}" for file, digest in files_of(pin).items()}
    return named


def changed_files(
    before: RecordedStep, old: Trail, after: RecordedStep, new: Trail, pointer: str
) -> Iterator[tuple[str, str]]:
    """Yield the old and the new digest of the input at `pointer` of a step in two runs ("" where there is none).

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

    Lines are paired by number; it is no diff, so an inserted line changes all that follow it. There are none if a
    version is larger than 1 MiB, not UTF-8 or lost.
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
