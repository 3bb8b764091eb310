"""Certificates of graders: where they lie, what a lock pins of them, and whether they speak of what runs here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.digest import sha256
from harness.errors import HarnessError
from harness.files import translating_os_errors
from harness.manifest.lockfile import Lock
from harness.run.closure import Closure, Code
from harness.steps import GATHER
from harness.studies.certified import UNCERTIFIED, figures_text, moved, read, void
from harness.studies.registry import find

TYPES = "harness/rowtypes.py"
CERTIFICATES = "certificates"  # the folder of the project, and the kind of pin


@dataclass(frozen=True)
class Standing:
    """How far a grader can be trusted here: `certified`, `void` or `uncertified`, and the line that says so."""

    scorer: str
    state: str
    text: str


def certificate_path(root: Path, scorer: str) -> Path:
    """Say where the certificate of a scorer lies."""
    return root / CERTIFICATES / f"{scorer}.json"


def code_of(kinds: Iterable[str], code: Code) -> Closure:
    """Give the code by which a grader grades in runs: the closures of its step kinds, less what any step is run by.

    Nor is the file of row types among them: it holds no line that runs.
    """
    common = {*code.closure(GATHER).files, TYPES}
    files = {name: digest for kind in kinds for name, digest in code.closure(kind).files.items()}
    return Closure({name: files[name] for name in sorted(files) if name not in common})


def certificate_pins(root: Path, study: str) -> dict[str, dict[str, str]]:
    """Pin the certificates there are of the graders that a study scores by."""
    found = {name: certificate_path(root, name) for name in find(study).graders}
    return {name: {"sha256": sha256(_bytes(path))} for name, path in sorted(found.items()) if path.is_file()}


def certificate_bytes(root: Path, lock: Lock) -> Iterable[bytes]:
    """Give the certificates that a lock pins, for the steps that show them."""
    for name in lock.of(CERTIFICATES):
        yield _bytes(certificate_path(root, name))


def standings(root: Path, study: str, lock: Lock | None) -> list[Standing]:
    """Say of each grader that a study scores by how it stands."""
    return [standing(root, name, lock) for name in find(study).graders]


def standing(root: Path, scorer: str, lock: Lock | None = None, code: Path | None = None) -> Standing:
    """Hold the certificate of a scorer against the code here, and against what a lock pins."""
    pins = lock.pins if lock else {}
    pinned: str = pins.get(CERTIFICATES, {}).get(scorer, {}).get("sha256", "")
    path = certificate_path(root, scorer)
    if not path.is_file():
        gone = "void: the certificate that the lock pins is not there"
        return Standing(scorer, "void", gone) if pinned else Standing(scorer, UNCERTIFIED, UNCERTIFIED)
    try:
        data = _bytes(path)
        found = read(data, str(path))
    except HarnessError as bad:
        return Standing(scorer, "void", f"void: {bad.what}")
    changed = [*_other(found, scorer, pins), *(moved(found, code) if code else moved(found))]
    if pinned and pinned != sha256(data):
        changed.insert(0, "the certificate, which is not the one that the lock pins")
    if changed:
        return Standing(scorer, "void", void(changed))
    return Standing(scorer, "certified", figures_text(found))


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
