"""The verb `certify`: a grader's agreement with people's labels, measured once and kept as a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field

from harness.digest import canonical, sealed, sha256
from harness.errors import InputError
from harness.files import translating_os_errors, write_atomic
from harness.manifest.lockfile import load_lock
from harness.run.certificates import certificate_path, grader_code, standing
from harness.run.closure import Code
from harness.scorers.tool import Grader
from harness.studies.certified import TYPE
from harness.studies.grading import METHODS, PARTS, Graded, figures, part_of, require_apart
from harness.verbs.measuring import scored, scorer_named
from harness.verbs.project import PathText, Project, Request, Result

OWN = ("label", "part", "instance")  # fields of a row that are the certificate's, and never the scorer's
INSTANCE = ("instance", "item", "id")  # by which rows belong together; the first that a row has


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
    grader = scorer_named(asked.scorer).grader
    if grader is None:
        raise InputError(
            f"{asked.scorer} is no grader: it gives no grade that a label can be held against",
            where=asked.scorer,
            next="say in its file which grade it gives, and by which code: `grader=Grader(…)`",
        )
    files = grader_code(grader.code, Code())
    parts, split = _parts(asked, grader)
    body = {
        "type": TYPE,
        "scorer": asked.scorer,
        "code": files.digest,
        "files": files.files,
        "labels": {"sha256": asked.labels, "rows": len(asked.rows)},
        "split": split,
        "accepts": grader.accepts,
        "parts": {name: figures(rows, grader.accepts, asked.seed) for name, rows in parts.items()},
        "intervals": METHODS,
        **_named(project, asked),
    }
    if asked.shared:
        body["labels"]["shared"] = sha256(canonical(asked.shared))
    data, path = sealed(body), certificate_path(project.root, asked.scorer)
    with translating_os_errors(path):
        path.parent.mkdir(exist_ok=True)
        changed = not path.is_file() or path.read_bytes() != data
    if changed:
        write_atomic(path, data)
    text = standing(project.root, asked.scorer).text
    return CertifyResult(
        scorer=asked.scorer, path=str(path), sha256=sha256(data), changed=changed, text=text, certificate=body
    )


def _parts(asked: CertifyRequest, grader: Grader) -> tuple[dict[str, list[Graded]], dict[str, Any]]:
    """Grade the rows and split them into the two parts; returns the document's words on the split, too."""
    if not asked.rows:
        raise InputError("there is not one labelled row", where="labels", next="give rows that somebody labelled")
    said = {"part" in row for row in asked.rows}
    if len(said) == 2:
        raise InputError("some rows say their part and some do not", where="part", next="give it in all rows or none")
    given = said == {True}
    parts: dict[str, list[Graded]] = {name: [] for name in PARTS}
    for number, (row, found) in enumerate(zip(asked.rows, _grades(asked), strict=True), 1):
        where = f"row {number}"
        label, grade = _text(row, "label", where), str(found[grader.field])
        instance = next((str(row[name]) for name in INSTANCE if name in row), "") or _itself(row)
        part = _text(row, "part", where) if given else part_of(asked.seed, instance)
        if part not in parts:
            what = f"`part` is neither of {' and '.join(PARTS)}"
            raise InputError(what, where=where, next="or leave it out of all rows: they are split by instance then")
        parts[part].append(Graded(instance, label, grade))
    require_apart(parts)
    split = {"by": "rows"} if given else {"by": "instance", "seed": asked.seed}
    return parts, {**split, "frozen_by": "not claimed"}  # a document cannot know who had seen which row


def _grades(asked: CertifyRequest) -> Iterator[Mapping[str, Any]]:
    """Score every row without the certificate's own fields: a scorer never sees a label."""
    bare = ((f"row {n}", {k: v for k, v in row.items() if k not in OWN}) for n, row in enumerate(asked.rows, 1))
    return scored(asked.scorer, bare, asked.shared)


def _text(row: Mapping[str, Any], name: str, where: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value.isascii() or not 0 < len(value) <= 80:
        raise InputError(f"`{name}` is missing, or no ASCII text of at most 80 letters", where=where)
    return value


def _itself(row: Mapping[str, Any]) -> str:
    """Identify a row that names no instance by its contents, so that equal rows stay together."""
    return sha256(canonical({name: value for name, value in row.items() if name not in OWN}))


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
