"""The verb `certify`: a grader's agreement with people's labels, measured once and kept as a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from harness.digest import canonical, sealed, sha256
from harness.errors import AGREED, DISAGREED, InputError
from harness.files import translating_os_errors, write_atomic
from harness.manifest.lockfile import load_lock
from harness.run.closure import Code
from harness.run.locking.certificate_carry import carried_certificate, code_fields
from harness.run.locking.certificates import certificate_path, standing
from harness.studies.certified import CHECKED, NOT_CHECKED, figures_text
from harness.studies.confusion import METHODS, TYPE
from harness.studies.grading import figures
from harness.verbs.labelled_rows import grade_rows, grader_named, hold_against_rows
from harness.verbs.project import PathText, Project, Request, Result


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
