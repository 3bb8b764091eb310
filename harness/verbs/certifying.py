"""The verb `certify`: measures a grader's agreement with labels once, and keeps it in a certificate.

Rows that the grader's makers labelled and rows that others labelled are measured apart, by a scorer that does not see
the labels. Labelled rows are found in a project, graded again, and compared with a certificate.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.digest import canonical_json, differing_pointers, seal_document, sha256, sha256_file
from harness.errors import AGREED, DISAGREED, HarnessError, InputError
from harness.evidence.audit.checks import Report
from harness.files import translating_os_errors, write_atomic
from harness.kit.certificate import (
    CHECKED,
    COMMITTED,
    MAKERS,
    METHODS,
    NOT_CHECKED,
    PARTS,
    TYPE,
    WHO,
    Certificate,
    LabelledRows,
    Measurements,
    Opening,
    PartSplit,
    PinnedPart,
    all_openings,
    contradicted_text,
    figures_text,
    misses_digest,
    opened_text,
    openings_of,
    read,
    set_lines,
    sets_of,
    verdict_of,
    void_text,
)
from harness.kit.grading import Graded, figures, misses, part_of, require_apart
from harness.manifest.lockfile import load_lock
from harness.run.closure import Code
from harness.run.locking.certificates import (
    CONTRADICTS,
    GraderStanding,
    carried_certificate,
    certificate_path,
    code_fields,
    grader_code,
    grader_standing,
    pinned_settings,
    unchanged_certificates,
)
from harness.scorers.tool import Grader
from harness.store.store import Store
from harness.verbs.labelling import LabelledRow, LabelSet, object_of_line, read_label_set, require_one_each
from harness.verbs.measuring import find_scorer_tool, score_each_row
from harness.verbs.project import Project, Result
from harness.verbs.requests import CarryCertificateRequest, CertifyRequest, CheckCertificateRequest

__all__ = [
    "CertifyResult",
    "CheckCertificateResult",
    "carry_certificate",
    "certify",
    "check_certificate",
]

OWN = ("label", "part", "instance")  # fields of a row that the scorer does not get
UNCLAIMED = "not claimed"  # of frozen rows: nothing here shows who had seen which row
INSTANCE = ("instance", "item", "id")  # rows with the same value belong together; the first that a row has is used
LARGEST = 64 << 20  # bytes of the largest file that is searched; a larger one is named with `certify --check`
MOST = 5000  # files that are searched

Row = Mapping[str, Any]
Parts = Mapping[str, Sequence[Graded]]


def grade_rows(scorer: str, rows: Sequence[Row], shared: Row, seed: int) -> tuple[Parts, PartSplit]:
    """Grade labelled rows; return them in two parts, and the fields of a certificate that describe the split.

    Raises InputError if the scorer is not a grader, if there are no rows, if a row has no label, or if the parts share
    an instance.
    """
    if not rows:
        raise InputError("there is not one labelled row", where="labels", next="give rows that somebody labelled")
    said = {"part" in row for row in rows}
    if len(said) == 2:
        raise InputError("some rows say their part and some do not", where="part", next="give it in all rows or none")
    given, field = said == {True}, find_grader(scorer).field
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
    split: PartSplit = {"by": "rows" if given else "instance", "frozen_by": UNCLAIMED}
    if not given:
        split["seed"] = seed
    return parts, split


def measure_makers(asked: CertifyRequest, accepts: str) -> Measurements:
    """Measure a grader on the rows that its own authors labelled; the figures have the form of a certificate."""
    parts, split = grade_rows(asked.scorer, asked.rows, asked.shared, asked.seed)
    found: Measurements = {
        "labels": _labels(asked.labels, len(asked.rows), asked.shared),
        "split": split,
        "parts": {name: figures(rows, accepts, asked.seed) for name, rows in parts.items()},
    }
    if asked.seed and "seed" not in split:
        found["bootstrap"] = asked.seed
    return found


def measure_others(
    scorer: str, labelled: LabelSet, shared: Row, *, accepts: str, seed: int, opens: bool
) -> Measurements:
    """Return the measurements of a grader on rows that others labelled; the sealed rows are read only if it `opens`.

    The open rows are those to develop on, the sealed ones the frozen ones.
    """
    rows = {"develop": labelled.rows("develop"), "frozen": labelled.rows("frozen") if opens else []}
    parts = {name: grade_labelled(scorer, found, shared) for name, found in rows.items()}
    require_apart(parts)
    sealed = labelled.told.sealed
    found: Measurements = {
        "labellers": labelled.labellers,
        "labels": _labels(labelled.sha256, sum(map(len, rows.values())), shared),
        "split": {"by": "file", "frozen_by": COMMITTED if sealed else UNCLAIMED},
        "parts": {name: figures(graded, accepts, seed) for name, graded in parts.items()},
    }
    if seed:
        found["bootstrap"] = seed
    if len(labelled.labellers) == 2:
        pairs = [Graded(row.instance, *row.said) for part in rows.values() for row in part]
        found["between"] = figures(pairs, accepts, seed)
    if sealed:
        found["sealed"], found["misses"] = sealed.sha256, misses(parts["frozen"])
    return found


def grade_labelled(scorer: str, rows: Sequence[LabelledRow], shared: Row) -> list[Graded]:
    """Grade rows that others labelled, by a scorer that gets only the fields it takes."""
    field = find_grader(scorer).field
    grades = score_each_row(scorer, ((f"row {row.id}", row.given) for row in rows), shared)
    return [Graded(row.instance, row.label, str(found[field]), row.id) for row, found in zip(rows, grades, strict=True)]


def _labels(digest: str, rows: int, shared: Row) -> LabelledRows:
    """Return which rows were measured: their digest, their number, and the digest of the fields that all share."""
    found: LabelledRows = {"sha256": digest, "rows": rows}
    if shared:
        found["shared"] = sha256(canonical_json(shared))
    return found


def find_grader(scorer: str) -> Grader:
    """Return which field of a scorer's output is the grade, and which grade accepts; InputError if there is none."""
    grader = find_scorer_tool(scorer).grader
    if grader is None:
        raise InputError(
            f"{scorer} is no grader: it gives no grade that a label can be held against",
            where=scorer,
            next="say in its file which grade it gives, and by which code: `grader=Grader(…)`",
        )
    return grader


def _grades(scorer: str, rows: Sequence[Row], shared: Row) -> Iterator[Row]:
    """Score every row without the fields that only the certificate uses, so that the scorer does not see the label."""
    bare = ((f"row {n}", {k: v for k, v in row.items() if k not in OWN}) for n, row in enumerate(rows, 1))
    return score_each_row(scorer, bare, shared)


def _text(row: Row, name: str, where: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value.isascii() or not 0 < len(value) <= 80:
        raise InputError(f"`{name}` is missing, or no ASCII text of at most 80 letters", where=where)
    return value


def _itself(row: Row) -> str:
    """Return the digest of a row's contents, which identifies a row without an instance; equal rows stay together."""
    return sha256(canonical_json({name: value for name, value in row.items() if name not in OWN}))


def compare_with_rows(standing: GraderStanding, root: Path, labels: Path | None = None) -> GraderStanding:
    """Compare a certificate that applies here with its labelled rows, if they are found, and return its new state.

    The rows of each set of labels are those of `labels`, or else of the file of the project whose SHA-256 the
    certificate names. The fields that all rows share are read from a file beside one of these, found in the same way.
    Where something is missing, the figures stay `not checked`. Raises InputError if `labels` is another file.
    """
    if standing.state != "certified" or standing.document is None:
        return standing
    if unnamed := unnamed_code(standing):
        return replace(standing, state="void", text=void_text(unnamed))
    return _hold(standing, standing.document, root, labels)


def _hold(standing: GraderStanding, document: Certificate, root: Path, labels: Path | None) -> GraderStanding:
    if not labels and find_scorer_tool(standing.scorer).foreign:  # foreign code is run only on request
        return standing
    sets = sets_of(document)
    given = sha256(_read(labels)) if labels else ""
    if labels and given not in (held["labels"]["sha256"] for held in sets.values()):
        what = f"these are not the rows of the certificate of {standing.scorer}"
        raise InputError(what, where=str(labels), next="name the file that it was made from: it holds its SHA-256")
    files = {who: _set_file(root, who, held, labels if held["labels"]["sha256"] == given else None)
             for who, held in sets.items()}  # fmt: skip
    folders = sorted({file.parent for file in files.values() if file})
    checked = []
    for who, held in sets.items():
        file, shared = files[who], _shared(folders, held["labels"].get("shared"))
        if file is None or shared is None:
            continue
        try:
            found = _measured_again(document, standing.scorer, who, file, shared)
            flaws = [] if found is None else list(_contradictions(who, held, found))
        except HarnessError as bad:
            found, flaws = None, [f"they cannot be graded: {bad.what}"]
        if flaws:
            return replace(standing, state="void", text=contradicted_text(flaws, "its labelled rows"))
        checked += [who] if found is not None else []
    if not checked:
        return standing
    only = "" if len(checked) == len(sets) else f" ({' and '.join(checked)} alone)"
    return replace(standing, text=figures_text(document, f"{CHECKED}{only}"))


def _set_file(root: Path, who: str, held: Measurements, labels: Path | None) -> Path | None:
    """Return the file of a set of labels: the one that is given, or that of the project with its digest."""
    return labels or _file_of(root, held["labels"]["sha256"], ".jsonl" if who == MAKERS else ".json")


def _measured_again(document: Certificate, scorer: str, who: str, file: Path, shared: Row) -> Measurements | None:
    """Measure a set of labels again as its certificate says; None if rows that it measured are not there."""
    held, accepts = sets_of(document)[who], document["accepts"]
    seed = held.get("bootstrap", held["split"].get("seed", 0))
    if who == MAKERS:
        data = _read(file)
        rows = [_row(line) for line in data.splitlines() if line.strip()]
        asked = CertifyRequest(scorer=scorer, rows=rows, labels=sha256(data), shared=shared, seed=seed)
        return measure_makers(asked, accepts)
    labelled, opens = read_label_set(file), bool(held["parts"]["frozen"]["rows"])
    if not labelled.is_here("develop") or (opens and not labelled.is_here("frozen")):
        return None
    return measure_others(scorer, labelled, shared, accepts=accepts, seed=seed, opens=opens)


def unnamed_code(standing: GraderStanding) -> list[str]:
    """Return the files of a grader's code that its certificate leaves out, whose change would not void it."""
    named = standing.document["files"] if standing.document else {}
    return sorted(set(grader_code(find_grader(standing.scorer).code, Code()).files) - set(named))


def audit_labels(project: Project, store: Store, run: str, report: Report) -> None:
    """Compare the certificates of a run's graders with labelled rows of the project, and add checks to `report`."""
    try:
        root = project.root
    except InputError:  # a store without a project has no labelled rows
        return
    for one in unchanged_certificates(store, run):
        if one.document is None or unnamed_code(one):  # its rows were graded by other code
            continue
        found = _hold(one, one.document, root, None)
        if found.state == "void":
            report.fail(CONTRADICTS, found.scorer, found.text)
        elif found.text:
            report.held(CONTRADICTS, found.scorer, found.text.rpartition("; ")[2])  # which of its rows were checked


def _contradictions(who: str, said: Measurements, found: Measurements) -> Iterator[str]:
    """Yield the statements of a set of measurements that its rows, graded again, contradict."""
    of = "" if who == MAKERS else f"{who}: "
    by = said["split"].get("by"), found["split"]["by"]
    if by[0] != by[1]:
        yield f"{of}it says a split by {by[0]}, and they are split by {by[1]}"
        return
    for name, part in found["parts"].items():
        here = said["parts"][name]
        if here["matrix"] != part["matrix"]:
            values = (one["accuracy"]["value"] for one in (here, part))
            yield "{}{}: accuracy is {}, and the matrix of its rows gives {}".format(of, name, *values)
            continue
        for pointer in differing_pointers(here, part):
            yield f"{of}{name}: {pointer.removeprefix('/')} is not what they give"
    for more in ("labellers", "between", "sealed", "misses"):
        if said.get(more) != found.get(more):
            yield f"{of}{more} is not what they give"


def _row(line: bytes) -> Row:
    return object_of_line(line, "a line of them")


def _file_of(root: Path, digest: str, suffix: str) -> Path | None:
    """Return the file of a project with this suffix and SHA-256, or None; hidden folders are not searched."""
    looked = 0
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(folder, name)
            if name.endswith(suffix) and path.is_file() and path.stat().st_size <= LARGEST:
                looked += 1
                if sha256_file(path)[0] == digest:
                    return path
                if looked >= MOST:
                    return None
    return None


def _shared(folders: Sequence[Path], digest: str | None) -> Row | None:
    """Return the fields that all rows share, from a file in the folders of the rows that has this digest.

    Returns no fields if there is no digest, and None if no file has it.
    """
    if digest is None:
        return {}
    for path in (path for folder in folders for path in sorted(folder.glob("*.json*"))):
        if path.is_file() and path.stat().st_size <= LARGEST:
            try:
                found = _row(path.read_bytes())
                if sha256(canonical_json(found)) == digest:
                    return found
            except (InputError, OSError):
                continue
    return None


def _read(path: Path) -> bytes:
    with translating_os_errors(path):
        return path.read_bytes()


class CertifyResult(Result):
    """Result of `certify`: the certificate, its verdict and path, whether its file changed, and notes on openings."""

    scorer: str
    path: str
    sha256: str
    changed: bool
    verdict: str  # usable | not usable | not yet measured by others; void, if its grader is not the one here
    text: str
    sets: list[str]  # a line for each kind of labeller
    notes: list[str]
    certificate: dict[str, Any]


def certify(project: Project, asked: CertifyRequest) -> CertifyResult:
    """Measure a grader on labelled rows, and write its certificate into the project, if it changed.

    Raises InputError if the scorer is not a grader, if a row has no label, if others' labels do not say who labelled,
    if sealed rows are not those that were named, or if the lock does not pin the judge or the prompt.
    """
    grader = find_grader(asked.scorer)
    labelled = [read_label_set(project.path(path)) for path in asked.others]
    require_one_each(labelled)
    if asked.open_sealed and not any(one.told.sealed for one in labelled):
        raise InputError(
            "there are no sealed rows to open", where="--open-sealed", next="name their description with --others"
        )
    sets: dict[str, Measurements] = {}
    if asked.rows or not labelled:
        sets[MAKERS] = measure_makers(asked, grader.accepts)
    for one in labelled:
        opens = asked.open_sealed and one.told.sealed is not None
        sets[one.told.by] = measure_others(
            asked.scorer, one, asked.shared, accepts=grader.accepts, seed=asked.seed, opens=opens
        )
    told = code_fields(grader.code, Code())
    body: Certificate = {
        "type": TYPE,
        "scorer": asked.scorer,
        "code": told["code"],
        "files": told["files"],
        "definitions": told["definitions"],
        "accepts": grader.accepts,
        "sets": {who: sets[who] for who in WHO if who in sets},
        "intervals": METHODS,
    }
    if asked.judge:
        body["judge"] = _pinned(project, asked, asked.judge, ("instruments", "models"), "judge")
    if asked.prompt:
        body["prompt"] = _pinned(project, asked, asked.prompt, ("prompts",), "prompt")
    opened = _openings_before(project.root, asked.scorer)
    committed = (held for held in sets.values() if "sealed" in held)
    notes = [note for held in committed for note in _open(held, body, opened, opens=asked.open_sealed)]
    if opened:
        body["opened"] = opened
    return _written(project, body, CHECKED, notes)  # these very rows have just been graded


def _openings_before(root: Path, scorer: str) -> list[Opening]:
    """Return the openings of sealed rows that the certificate of a scorer records: no later one forgets them."""
    path = certificate_path(root, scorer)
    return all_openings(read(_read(path), str(path))) if path.is_file() else []


def _open(held: Measurements, body: Certificate, opened: list[Opening], *, opens: bool) -> Iterator[str]:
    """Add the opening of a set's sealed rows to those before it, and yield a note if they had been opened before."""
    rows = held["sealed"]
    before: Certificate = {**body, "opened": list(opened)}
    earlier = openings_of(before, rows)
    if not opens:
        if earlier:
            yield f"its sealed rows were {opened_text(before, rows)} before, and are not measured now"
        return
    grader = sha256(canonical_json(body["definitions"]))
    now: Opening = {"rows": rows, "grader": grader, "misses": misses_digest(held["misses"])}
    if now in earlier[-1:]:
        yield "its sealed rows had been opened before by these very rules, which graded them as now"
        return
    opened.append(now)
    if earlier:
        graded = "as now" if all(one["misses"] == now["misses"] for one in earlier) else "otherwise"
        yield f"its sealed rows had been {opened_text(before, rows)} before, by other rules, which graded them {graded}"


def carry_certificate(project: Project, asked: CarryCertificateRequest) -> CertifyResult:
    """Carry a grader's certificate over to the code here, without rows, if both trees define the grader alike.

    The figures stay, and the new certificate names the old one. Raises an error if the grader differs.
    """
    grader = find_grader(asked.scorer)
    body = carried_certificate(asked.scorer, grader.code, project.path(asked.old), asked.moved)
    here, carried = _openings_before(project.root, asked.scorer), all_openings(body)
    if opened := [*here, *(one for one in carried if one not in here)]:
        body["opened"] = opened
    return _written(project, body, NOT_CHECKED, [])


def _written(project: Project, body: Certificate, checked: str, notes: list[str]) -> CertifyResult:
    scorer = body["scorer"]
    data, path = seal_document(body), certificate_path(project.root, scorer)
    with translating_os_errors(path):
        path.parent.mkdir(exist_ok=True)
        changed = not path.is_file() or path.read_bytes() != data
    if changed:
        write_atomic(path, data)
    found = grader_standing(project.root, scorer)
    text = figures_text(body, checked) if found.state == "certified" else found.text
    return CertifyResult(
        scorer=scorer,
        path=str(path),
        sha256=sha256(data),
        changed=changed,
        verdict=verdict_of(body).word if found.state == "certified" else found.state,
        text=text,
        sets=set_lines(body),
        notes=notes,
        certificate={**body},
    )


class CheckCertificateResult(Result):
    """Result of `certify --check`: the state of a certificate, its verdict, and a line with the reason."""

    scorer: str
    state: str  # certified | void | uncertified
    verdict: str  # usable | not usable | not yet measured by others; else the state
    text: str
    sets: list[str]  # a line for each kind of labeller, where there is a certificate

    @property
    def code(self) -> int:
        """Exit code: 1 if the certificate is void or there is none."""
        return AGREED if self.state == "certified" else DISAGREED


def check_certificate(project: Project, asked: CheckCertificateRequest) -> CheckCertificateResult:
    """Compute a certificate's figures again: from its matrix and, if they are found, from its labelled rows."""
    find_grader(asked.scorer)
    labels = project.path(asked.labels) if asked.labels else None
    found = compare_with_rows(grader_standing(project.root, asked.scorer), project.root, labels)
    sets = set_lines(found.document) if found.document else []
    return CheckCertificateResult(
        scorer=asked.scorer, state=found.state, verdict=found.verdict, text=found.text, sets=sets
    )


def _pinned(project: Project, asked: CertifyRequest, name: str, kinds: Sequence[str], what: str) -> PinnedPart:
    """Return the judge or the prompt behind the grades, with the digest that the manifest's lock pins for it."""
    if asked.under is None:
        raise InputError("a judge and a prompt are those of a manifest", where="--judge", next="name it with --under")
    loaded = project.manifest(asked.under)
    lock = load_lock(loaded.root, loaded.manifest.name)
    found = [digest for kind in kinds if lock and (digest := pinned_settings(lock, kind, name))]
    if not found:
        raise InputError(f"the lock pins no {what} {name!r}", where=f"--{what}", next="`harness lock` the manifest")
    return {"name": name, "sha256": found[0]}
