"""Certificates of graders: their files, their pins in a lock, and whether they apply to the code here.

It issues none: a certificate that does not fit the code here is void, and is never taken for one that does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.digest import sha256
from harness.errors import HarnessError
from harness.evidence.audit.checks import Report
from harness.files import translating_os_errors
from harness.kit.certificate import (
    NOT_CHECKED,
    UNCERTIFIED,
    changed_files,
    contradicted_text,
    figures_text,
    find_contradictions,
    read,
    void_text,
)
from harness.manifest.lockfile import Lock, read_lock
from harness.run.closure import Closure, Code
from harness.run.recorded_runs import first_event
from harness.steps import GATHER
from harness.store.blobs import Blobs
from harness.store.store import Store
from harness.studies.registry import find

TYPES = "harness/rowtypes.py"
CERTIFICATES = "certificates"  # the folder of the project, and the kind of pin


@dataclass(frozen=True)
class GraderStanding:
    """The state of a grader's certificate here: `certified`, `void` or `uncertified`, with a line that says why."""

    scorer: str
    state: str
    text: str
    document: Mapping[str, Any] | None = None  # of one that is certified: what it says, and its rows can be held to


def certificate_path(root: Path, scorer: str) -> Path:
    """Return the path of a scorer's certificate."""
    return root / CERTIFICATES / f"{scorer}.json"


def grader_code(kinds: Iterable[str], code: Code) -> Closure:
    """Return the code that a grader consists of: the closures of its step kinds, without files that every step has.

    The file of row types is left out too, since it computes nothing.
    """
    common = {*code.closure(GATHER).files, TYPES}
    files = {name: digest for kind in kinds for name, digest in code.closure(kind).files.items()}
    return Closure({name: files[name] for name in sorted(files) if name not in common})


def certificate_pins(root: Path, study: str) -> dict[str, dict[str, str]]:
    """Return the pins of the certificates of a study's graders, by scorer; none where there is no certificate."""
    found = {name: certificate_path(root, name) for name in find(study).graders}
    return {name: {"sha256": sha256(_bytes(path))} for name, path in sorted(found.items()) if path.is_file()}


def certificate_bytes(root: Path, lock: Lock) -> Iterable[bytes]:
    """Yield the bytes, as they are now, of the certificates that a lock pins; steps that show them read these."""
    for name in lock.of(CERTIFICATES):
        yield _bytes(certificate_path(root, name))


def standings(root: Path, study: str, lock: Lock | None) -> list[GraderStanding]:
    """Return the state of the certificate of each grader of a study."""
    return [standing(root, name, lock) for name in find(study).graders]


def standing(root: Path, scorer: str, lock: Lock | None = None, code: Path | None = None) -> GraderStanding:
    """Return the state of a scorer's certificate: checked against the code here and, if given, the pins of a lock."""
    pins = lock.pins if lock else {}
    pinned: str = pins.get(CERTIFICATES, {}).get(scorer, {}).get("sha256", "")
    path = certificate_path(root, scorer)
    if not path.is_file():
        gone = "void: the certificate that the lock pins is not there"
        return GraderStanding(scorer, "void", gone) if pinned else GraderStanding(scorer, UNCERTIFIED, UNCERTIFIED)
    try:
        data = _bytes(path)
        found = read(data, str(path))
    except HarnessError as bad:
        return GraderStanding(scorer, "void", f"void: {bad.what}")
    if flaws := find_contradictions(found):
        return GraderStanding(scorer, "void", contradicted_text(flaws))
    changed = [*_other(found, scorer, pins), *(changed_files(found, code) if code else changed_files(found))]
    if pinned and pinned != sha256(data):
        changed.insert(0, "the certificate, which is not the one that the lock pins")
    if changed:
        return GraderStanding(scorer, "void", void_text(changed))
    return GraderStanding(scorer, "certified", figures_text(found), found)


def recorded_standing(
    scorer: str, pins: Mapping[str, Mapping[str, Any]], blobs: Blobs, code: Mapping[str, str]
) -> GraderStanding:
    """Return the state of a grader's certificate in a recorded run: as its lock pinned it, against the code that ran.

    `code` gives the digest of each file of that code; files of the grader that the run had no use for count as they
    are here.
    """
    pinned: str = pins.get(CERTIFICATES, {}).get(scorer, {}).get("sha256", "")
    if not pinned:
        return GraderStanding(scorer, UNCERTIFIED, UNCERTIFIED)
    found = read(blobs.read(pinned), f"the certificate of {scorer}")
    if flaws := find_contradictions(found):
        return GraderStanding(scorer, "void", contradicted_text(flaws))
    here = {*changed_files(found)}
    ran = [name for name, digest in found["files"].items() if (code[name] != digest if name in code else name in here)]
    if changed := [*_other(found, scorer, pins), *ran]:
        return GraderStanding(scorer, "void", void_text(changed))
    return GraderStanding(scorer, "certified", figures_text(found), found)


def _other(found: Mapping[str, Any], scorer: str, pins: Mapping[str, Mapping[str, Any]]) -> Iterable[str]:
    """Name what a certificate names and the lock pins otherwise: the scorer, its judge, its prompt."""
    if found["scorer"] != scorer:
        yield f"the scorer, which it calls {found['scorer']}"
    if not pins:
        return
    for what, kinds in (("judge", ("instruments", "models")), ("prompt", ("prompts",))):
        if named := found.get(what):
            here = [pin["sha256"] for kind in kinds if "sha256" in (pin := pins.get(kind, {}).get(named["name"], {}))]
            if here[:1] != [named["sha256"]]:
                yield f"the {what} {named['name']}"


def _bytes(path: Path) -> bytes:
    with translating_os_errors(path):
        return path.read_bytes()


CONTRADICTS = "certificate.contradicts"  # the id of these checks


def audit_certificates(store: Store, run: str, report: Report) -> None:
    """Compute the figures of each certificate that a run's lock pins, and add a check for each to a report."""
    for scorer, found in _pinned(store, run):
        flaws = [found] if isinstance(found, str) else find_contradictions(found)
        if not flaws and found["scorer"] != scorer:
            flaws = [f"it is the certificate of {found['scorer']}"]
        report.settle(CONTRADICTS, scorer, flaws, f"its figures are those of its matrix; {NOT_CHECKED}")


def measured_here(store: Store, run: str) -> Iterator[GraderStanding]:
    """Yield the sound certificates of a run whose grader is the code that is installed, so that rows can be graded."""
    for scorer, found in _pinned(store, run):
        if not isinstance(found, str) and not find_contradictions(found) and not changed_files(found):
            yield GraderStanding(scorer, "certified", "", found)


def _pinned(store: Store, run: str) -> Iterator[tuple[str, Any]]:
    """Yield each certificate of a run as it was pinned, by its scorer; the reason where it cannot be read.

    Whatever else is wrong with the run, other checks of its audit say.
    """
    try:
        pins = read_lock(store.blobs.read(first_event(store, run)["lock"]), "lock").of(CERTIFICATES)
    except (HarnessError, LookupError):
        return
    for scorer, pin in pins.items():
        try:
            yield scorer, read(store.blobs.read(str(pin["sha256"])), f"the certificate of {scorer}")
        except HarnessError as bad:
            yield scorer, bad.what
