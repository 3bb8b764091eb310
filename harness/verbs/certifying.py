"""The verb `certify`: a grader's agreement with people's labels, measured once and kept as a document.

Labelled rows are found in a project, graded by a scorer that never sees their label, and held against a certificate.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import Field

from harness.digest import canonical, differences, sealed, sha256, sha256_file
from harness.errors import AGREED, DISAGREED, HarnessError, InputError
from harness.evidence.audit.checks import Report
from harness.files import translating_os_errors, write_atomic
from harness.kit.certificate import (
    CHECKED,
    METHODS,
    NOT_CHECKED,
    PARTS,
    TYPE,
    contradicted_text,
    figures_text,
    void_text,
)
from harness.kit.grading import Graded, figures, part_of, require_apart
from harness.manifest.lockfile import load_lock
from harness.run.closure import Code
from harness.run.locking.certificate_carry import carried_certificate, code_fields
from harness.run.locking.certificates import (
    CONTRADICTS,
    GraderStanding,
    certificate_path,
    grader_code,
    measured_here,
    standing,
)
from harness.scorers.tool import Grader
from harness.store.store import Store
from harness.strict_json import reject_duplicates
from harness.verbs.measuring import scored, scorer_named
from harness.verbs.project import PathText, Project, Request, Result

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
    for one in measured_here(store, run):
        if one.document is None or unnamed_code(one):  # its rows were graded by other code than this
            continue
        found = _hold(one, one.document, root, None)
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


class CertifyRequest(Request):
    """Request of `certify`: which scorer, over which labelled rows; optionally the judge and prompt it rests on."""

    scorer: str = Field(description="The scorer's name.")
    rows: list[Mapping[str, Any]] = Field(description="Rows with the fields that it takes, and label; part, instance.")
    labels: str = Field(description="SHA-256 of the file that the rows were read from.")
    shared: dict[str, Any] = Field(default_factory=dict, description="Fields for every row that lacks them.")
    seed: int = Field(default=0, description="Of the split where no row says its part, and of the bootstrap.")
    under: PathText | None = Field(default=None, description="The manifest whose lock pins the judge and the prompt.")
    judge: str = Field(default="", description="The model of that lock that judged.")
    prompt: str = Field(default="", description="The prompt set of that lock that it judged by.")


class CertifyResult(Result):
    """Result of `certify`: the certificate, its path, and whether its file changed."""

    scorer: str
    path: str
    sha256: str
    changed: bool
    text: str
    certificate: dict[str, Any]


def certify(project: Project, asked: CertifyRequest) -> CertifyResult:
    """Measure a grader on labelled rows, and write its certificate into the project, if it changed.

    Refused are a scorer that is no grader, rows without labels, and a judge or prompt that the lock does not pin.
    """
    grader = grader_named(asked.scorer)
    parts, split = grade_rows(asked.scorer, asked.rows, asked.shared, asked.seed)
    body = {
        "type": TYPE,
        "scorer": asked.scorer,
        **code_fields(grader.code, Code()),
        "labels": {"sha256": asked.labels, "rows": len(asked.rows)},
        "split": split,
        "accepts": grader.accepts,
        "parts": {name: figures(rows, grader.accepts, asked.seed) for name, rows in parts.items()},
        "intervals": METHODS,
        **_named(project, asked),
    }
    if asked.shared:
        body["labels"]["shared"] = sha256(canonical(asked.shared))
    if asked.seed and "seed" not in split:  # of the resamples: whoever holds the rows against it needs it
        body["bootstrap"] = asked.seed
    return _written(project, body, CHECKED)  # these very rows have just been graded


class CarryCertificateRequest(Request):
    """Request of `certify --carry`: whose certificate, the tree that it fits, and where what lay there lies now."""

    scorer: str = Field(description="The scorer's name.")
    old: PathText = Field(
        description="A tree of the project from before its code moved, with the certificate that fits."
    )
    moved: dict[str, str] = Field(default_factory=dict, description="Old module, or module:name -> the new one.")


def carry_certificate(project: Project, asked: CarryCertificateRequest) -> CertifyResult:
    """Take a grader's certificate along to the code here, without rows, if the same things are defined in both trees.

    The figures stay, and the document names the one that it was made from. Refused is a grader that differs.
    """
    grader = grader_named(asked.scorer)
    body = carried_certificate(asked.scorer, grader.code, project.path(asked.old), asked.moved)
    return _written(project, body, NOT_CHECKED)


def _written(project: Project, body: dict[str, Any], checked: str) -> CertifyResult:
    scorer = str(body["scorer"])
    data, path = sealed(body), certificate_path(project.root, scorer)
    with translating_os_errors(path):
        path.parent.mkdir(exist_ok=True)
        changed = not path.is_file() or path.read_bytes() != data
    if changed:
        write_atomic(path, data)
    found = standing(project.root, scorer)
    text = figures_text(body, checked) if found.state == "certified" else found.text
    return CertifyResult(
        scorer=scorer, path=str(path), sha256=sha256(data), changed=changed, text=text, certificate=body
    )


class CheckCertificateRequest(Request):
    """Request of `certify --check`: whose certificate, and the file of labelled rows it is held against."""

    scorer: str = Field(description="The scorer's name.")
    labels: PathText | None = Field(default=None, description="Its labelled rows; default: looked for in the project.")


class CheckCertificateResult(Result):
    """Result of `certify --check`: the state of a certificate, and the line that says why."""

    scorer: str
    state: str  # certified | void | uncertified
    text: str

    @property
    def code(self) -> int:
        """Exit code: 1 where the certificate is void or there is none."""
        return AGREED if self.state == "certified" else DISAGREED


def check_certificate(project: Project, asked: CheckCertificateRequest) -> CheckCertificateResult:
    """Compute a certificate's figures again, from its matrix and, where the labelled rows are there, from them."""
    grader_named(asked.scorer)
    labels = project.path(asked.labels) if asked.labels else None
    found = hold_against_rows(standing(project.root, asked.scorer), project.root, labels)
    return CheckCertificateResult(scorer=asked.scorer, state=found.state, text=found.text)


def _named(project: Project, asked: CertifyRequest) -> dict[str, Any]:
    """Name the judge and the prompt that gave the grades, by the digests a lock pins."""
    wanted = {"judge": (asked.judge, ("instruments", "models")), "prompt": (asked.prompt, ("prompts",))}
    if not (asked.judge or asked.prompt):
        return {}
    if asked.under is None:
        raise InputError("a judge and a prompt are those of a manifest", where="--judge", next="name it with --under")
    loaded = project.manifest(asked.under)
    lock = load_lock(loaded.root, loaded.manifest.name)
    pins = lock.pins if lock else {}
    return {what: _pinned(name, kinds, pins, what) for what, (name, kinds) in wanted.items() if name}


def _pinned(name: str, kinds: Sequence[str], pins: Mapping[str, Mapping[str, Any]], what: str) -> dict[str, str]:
    found = [pin["sha256"] for kind in kinds if "sha256" in (pin := pins.get(kind, {}).get(name, {}))]
    if not found:
        raise InputError(f"the lock pins no {what} {name!r}", where=f"--{what}", next="`harness lock` the manifest")
    return {"name": name, "sha256": found[0]}
