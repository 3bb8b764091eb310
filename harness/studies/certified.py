"""The text of a grader's certificate beside a score: measured accuracy and kappa, `void`, or `uncertified`.

It knows the certificate's document and the files of code beside it; it must never know a scorer by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from harness.definitions import digest_definitions
from harness.digest import parse, sha256
from harness.errors import InputError
from harness.studies.confusion import OLDER, TYPE, find_contradictions, matrix_figures
from harness.studies.documents import number

UNCERTIFIED = "uncertified"
NOT_CHECKED = "not checked against the labelled rows"  # who has no rows can compute from the matrix, and no further
CHECKED = "checked against the labelled rows"
SHOWN = ("accuracy", "kappa", "false_accept", "false_reject")
CODE = Path(__file__).parents[2]  # where the code lies that runs here: a step's own folder, or the installed harness


def read(data: bytes, where: str) -> dict[str, Any]:
    """Parse the bytes of a certificate; InputError where it is of another type, unsealed, or edited by hand."""
    found = parse(data, OLDER if f'"type":"{OLDER}"'.encode() in data else TYPE, where)
    if "self" not in found:
        raise InputError("a certificate without its seal", where=where, next="make it with `harness certify`")
    return found


def changed_files(certificate: Mapping[str, Any], root: Path = CODE) -> list[str]:
    """Name the files of the grader's code that changed since it was measured, or are missing.

    A file of other bytes that defines the same, with other comments, docstrings or layout, did not change.
    """
    files: Mapping[str, str] = certificate["files"]
    defined: Mapping[str, str] = certificate.get("definitions", {})
    return [name for name, digest in files.items() if not _is_same(root / name, digest, defined.get(name, ""))]


def _is_same(path: Path, digest: str, defined: str) -> bool:
    if not path.is_file():
        return False
    data = path.read_bytes()
    return sha256(data) == digest or (defined != "" and digest_definitions(data) == defined)


def void_text(what: Iterable[str]) -> str:
    """Give the text of a void certificate: the first three things of the grader that changed, and how many more."""
    found = list(what)
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    return f"void: changed since it was measured: {', '.join(found[:3])}{more}"


def contradicted_text(flaws: Sequence[str], what: str = "itself") -> str:
    """Give the text of a certificate that contradicts itself, or its rows: in what first, and how often besides."""
    more = f" (and {len(flaws) - 1} more)" if len(flaws) > 1 else ""
    return f"void: it contradicts {what}: {flaws[0]}{more}"


def computed_figures(certificate: Mapping[str, Any], part: str) -> dict[str, dict[str, Any]]:
    """Compute the figures of a part from its matrix; the interval of kappa, which comes of rows, is as it is written.

    The certificate contradicts nothing of itself.
    """
    found = certificate["parts"][part]
    computed = matrix_figures(found["matrix"], str(certificate["accepts"]))
    return {**computed, "kappa": {**found["kappa"], **computed["kappa"]}}


def figures_text(certificate: Mapping[str, Any], checked: str = NOT_CHECKED) -> str:
    """Give a certificate's figures in one line, computed from its matrix, and whether that was held against rows.

    They are those over its frozen rows, or where it has none its develop rows.
    """
    parts: Mapping[str, Mapping[str, Any]] = certificate["parts"]
    name = "frozen" if parts["frozen"]["rows"] else "develop"
    computed = computed_figures(certificate, name)
    said = ", ".join(f"{word.replace('_', ' ')} {spell_measure(computed[word])}" for word in SHOWN)
    return f"certified on {parts[name]['rows']} labelled rows ({name}): {said}; {checked}"


def spell_measure(measure: Mapping[str, Any], digits: int = 2) -> str:
    """Spell a measure of a certificate with its interval; a dash where it has no value."""
    value, ends = measure["value"], measure["interval"]
    if isinstance(value, Mapping):
        return "-"
    bounds = f" [{float(ends[0]):.{digits}f}, {float(ends[1]):.{digits}f}]" if isinstance(ends, list) else ""
    return f"{float(value):.{digits}f}{bounds}"


def certificate_text(given: Path | None, root: Path = CODE) -> str:
    """Give the line beside a score that says how far its grader can be trusted, from the certificate the lock pins.

    It is `uncertified` without one, and `void …` where the certificate contradicts itself or the grader's code changed;
    missing code is an InputError.
    The page's own code must import the grader's, so that the page is made anew where that changes.
    """
    if given is None:
        return UNCERTIFIED
    found = read(given.read_bytes(), given.name)
    if flaws := find_contradictions(found):
        return contradicted_text(flaws)
    if lacking := [name for name in found["files"] if not (root / name).is_file()]:
        raise InputError(
            f"{lacking[0]} is part of the grader and not of this page's code",
            where=str(found["scorer"]),
            next="import the grader's modules in the page",
        )
    changed = changed_files(found, root)
    return void_text(changed) if changed else figures_text(found)


class Trust(NamedTuple):
    """How far a grader can be trusted: whether it may be used, and the line on its certificate."""

    usable: bool
    line: str


def trust_of(certificate: Path | None, least: float) -> Trust:
    """Give whether a grader may be used: its certificate fits the code here, with a frozen kappa of at least `least`.

    InputError as `certificate_text` raises it.
    """
    line = certificate_text(certificate)
    if certificate is None or line == UNCERTIFIED or line.startswith("void"):
        return Trust(False, line)
    kappa = number(computed_figures(read(certificate.read_bytes(), certificate.name), "frozen")["kappa"])
    return Trust(kappa is not None and kappa >= least, line)
