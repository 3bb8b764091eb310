"""Labelled rows of graders: finding them in a project, grading them, and holding a certificate against them.

It must never know what a row is about: a scorer grades it, and never sees its label.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.digest import canonical, differences, sha256, sha256_file
from harness.errors import HarnessError, InputError
from harness.evidence.audit.checks import Report
from harness.files import translating_os_errors
from harness.run.closure import Code
from harness.run.locking.certificates import CONTRADICTS, GraderStanding, grader_code, measured_here
from harness.scorers.tool import Grader
from harness.store.store import Store
from harness.strict_json import reject_duplicates
from harness.studies.certified import CHECKED, contradicted_text, figures_text, void_text
from harness.studies.confusion import PARTS
from harness.studies.grading import Graded, figures, part_of, require_apart
from harness.verbs.measuring import scored, scorer_named
from harness.verbs.project import Project

OWN = ("label", "part", "instance")  # fields of a row that are the certificate's, and never the scorer's
INSTANCE = ("instance", "item", "id")  # by which rows belong together; the first that a row has
LARGEST = 64 << 20  # bytes of a file that is looked into; a larger one is named with `certify --check`
MOST = 5000  # files that are looked into

Row = Mapping[str, Any]
Parts = Mapping[str, Sequence[Graded]]


def grade_rows(scorer: str, rows: Sequence[Row], shared: Row, seed: int) -> tuple[Parts, dict[str, Any]]:
    """Grade labelled rows and split them into the two parts; returns a certificate's words on the split, too.

    Refused are a scorer that is no grader, no rows, rows without labels, and parts that share an instance.
    """
    if not rows:
        raise InputError("there is not one labelled row", where="labels", next="give rows that somebody labelled")
    said = {"part" in row for row in rows}
    if len(said) == 2:
        raise InputError("some rows say their part and some do not", where="part", next="give it in all rows or none")
    given, field = said == {True}, grader_named(scorer).field
    parts: dict[str, list[Graded]] = {name: [] for name in PARTS}
    for number, (row, found) in enumerate(zip(rows, _grades(scorer, rows, shared), strict=True), 1):
        where = f"row {number}"
        label, grade = _text(row, "label", where), str(found[field])
        instance = next((str(row[name]) for name in INSTANCE if name in row), "") or _itself(row)
        part = _text(row, "part", where) if given else part_of(seed, instance)
        if part not in parts:
            what = f"`part` is neither of {' and '.join(PARTS)}"
            raise InputError(what, where=where, next="or leave it out of all rows: they are split by instance then")
        parts[part].append(Graded(instance, label, grade))
    require_apart(parts)
    split = {"by": "rows"} if given else {"by": "instance", "seed": seed}
    return parts, {**split, "frozen_by": "not claimed"}  # a document cannot know who had seen which row


def grader_named(scorer: str) -> Grader:
    """Return how a scorer grades; InputError where it is no grader."""
    grader = scorer_named(scorer).grader
    if grader is None:
        raise InputError(
            f"{scorer} is no grader: it gives no grade that a label can be held against",
            where=scorer,
            next="say in its file which grade it gives, and by which code: `grader=Grader(…)`",
        )
    return grader


def _grades(scorer: str, rows: Sequence[Row], shared: Row) -> Iterator[Row]:
    """Score every row without the certificate's own fields: a scorer never sees a label."""
    bare = ((f"row {n}", {k: v for k, v in row.items() if k not in OWN}) for n, row in enumerate(rows, 1))
    return scored(scorer, bare, shared)


def _text(row: Row, name: str, where: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value.isascii() or not 0 < len(value) <= 80:
        raise InputError(f"`{name}` is missing, or no ASCII text of at most 80 letters", where=where)
    return value


def _itself(row: Row) -> str:
    """Identify a row that names no instance by its contents, so that equal rows stay together."""
    return sha256(canonical({name: value for name, value in row.items() if name not in OWN}))


def hold_against_rows(standing: GraderStanding, root: Path, labels: Path | None = None) -> GraderStanding:
    """Hold a certificate that applies here against its labelled rows, where they are there, and say how that ended.

    The rows are the file that is given, else one of the project, whose SHA-256 the certificate names; so are the fields
    that all of them share, beside it. Where there is none the figures stay `not checked`.
    """
    if standing.state != "certified" or standing.document is None:
        return standing
    if unnamed := unnamed_code(standing):
        return replace(standing, state="void", text=void_text(unnamed))
    return _hold(standing, standing.document, root, labels)


def _hold(standing: GraderStanding, document: Mapping[str, Any], root: Path, labels: Path | None) -> GraderStanding:
    file = labels or _file_of(root, document["labels"]["sha256"])
    if file is None or (not labels and scorer_named(standing.scorer).foreign):  # nothing foreign is run by the way
        return standing
    data = _read(file)
    if sha256(data) != document["labels"]["sha256"]:
        what = f"these are not the rows of the certificate of {standing.scorer}"
        raise InputError(what, where=str(file), next="name the file that it was made from: it holds its SHA-256")
    shared = _shared(file, document["labels"].get("shared"))
    if shared is None:
        return standing
    try:
        flaws = list(_contradictions(document, standing.scorer, data, shared))
    except HarnessError as bad:
        flaws = [f"they cannot be graded: {bad.what}"]
    if flaws:
        return replace(standing, state="void", text=contradicted_text(flaws, "its labelled rows"))
    return replace(standing, text=figures_text(document, CHECKED))


def unnamed_code(standing: GraderStanding) -> list[str]:
    """Name the files of a grader's code that its certificate does not name, so that no change of them would void it."""
    named = standing.document["files"] if standing.document else {}
    return sorted(set(grader_code(grader_named(standing.scorer).code, Code()).files) - set(named))


def audit_labels(project: Project, store: Store, run: str, report: Report) -> None:
    """Hold the certificates that a run stood by against their labelled rows, where the project has these."""
    try:
        root = project.root
    except InputError:  # a store without a project has no rows
        return
    for standing in measured_here(store, run):
        if standing.document is None or unnamed_code(standing):  # its rows were graded by other code than this
            continue
        found = _hold(standing, standing.document, root, None)
        if found.state == "void":
            report.fail(CONTRADICTS, found.scorer, found.text)
        elif found.text:
            report.held(CONTRADICTS, found.scorer, CHECKED)


def _contradictions(document: Mapping[str, Any], scorer: str, data: bytes, shared: Row) -> Iterator[str]:
    """Name what a certificate says and its rows, graded again, deny."""
    rows = [_row(line) for line in data.splitlines() if line.strip()]
    seed = document["split"].get("seed", 0)
    parts, split = grade_rows(scorer, rows, shared, seed)
    if split["by"] != document["split"].get("by"):
        yield f"it says a split by {document['split'].get('by')}, and they are split by {split['by']}"
        return
    for name, graded in parts.items():
        found = figures(graded, document["accepts"], document.get("bootstrap", seed))
        said = document["parts"][name]
        if said["matrix"] != found["matrix"]:
            values = (part["accuracy"]["value"] for part in (said, found))
            yield "{}: accuracy is {}, and the matrix of its rows gives {}".format(name, *values)
            continue
        for pointer in differences(said, found):
            yield f"{name}: {pointer.removeprefix('/')} is not what they give"


def _row(line: bytes) -> Row:
    try:
        row = json.loads(line, object_pairs_hook=reject_duplicates)
    except (ValueError, RecursionError) as bad:
        raise InputError(f"a line of them is not JSON: {bad}") from bad
    if not isinstance(row, dict):
        raise InputError("a line of them is no object")
    return row


def _file_of(root: Path, digest: str) -> Path | None:
    """Find the file of a project that has these bytes: rows are JSON Lines, and hidden folders are none of it."""
    looked = 0
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(folder, name)
            if name.endswith(".jsonl") and path.is_file() and path.stat().st_size <= LARGEST:
                looked += 1
                if sha256_file(path)[0] == digest:
                    return path
                if looked >= MOST:
                    return None
    return None


def _shared(labels: Path, digest: str | None) -> Row | None:
    """Find the fields that all rows share, by their digest, beside the rows; none are wanted where none are named."""
    if digest is None:
        return {}
    for path in sorted(labels.parent.glob("*.json*")):
        if path.is_file() and path.stat().st_size <= LARGEST:
            try:
                found = _row(path.read_bytes())
                if sha256(canonical(found)) == digest:
                    return found
            except (InputError, OSError):
                continue
    return None


def _read(path: Path) -> bytes:
    with translating_os_errors(path):
        return path.read_bytes()
