"""Locks and expectations: what a manifest's names resolve to, and the outputs that were last accepted.

Both are identity documents kept in git beside the manifest, sealed by their own digest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from harness.digest import parse, sealed, sha256
from harness.errors import InputError
from harness.files import translating_os_errors, write_atomic
from harness.manifest.accepted_run import AcceptedRun, AcceptedRunShape
from harness.manifest.schema import Decimals, Digest, InsidePath, Name, Tolerance

PIN_KINDS = ("models", "prompts", "datasets", "images", "packages")
LATE_KINDS = ("instruments", "certificates", "tables", "files")  # only where there are any: no older lock is stale
EXPECT_FIELDS = ("lock_sha256", "record_sha256", "outputs", "code", "files")


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Pin(_Shape):
    sha256: Digest


class _Rows(_Pin):
    rows: Annotated[int, Field(ge=0, le=10**8)]


class _Prompts(_Rows):
    file: InsidePath


class _Table(_Pin):
    file: InsidePath


class _OwnFile(_Table):
    cuts: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)] = []  # of its items, as they grew


class _Weights(_Pin):
    files: Annotated[dict[str, Digest], Field(min_length=1)]


class _Taped(_Pin):
    tape: Digest


class _Imported(_Pin):
    answers: Digest


class _Data(BaseModel):
    """Schema of files that a maker made: tables, with or without `items`, and arrays, which have no rows."""

    model_config = ConfigDict(extra="allow", strict=True)
    __pydantic_extra__: dict[str, _Rows | _Pin]
    items: _Rows | None = None

    @model_validator(mode="before")
    @classmethod
    def _some(cls, files: Any) -> Any:
        if not files or ("items" in files and files["items"] is None):
            raise ValueError("a dataset has files")
        return files


class _Files(_Shape):
    files: Annotated[dict[str, Digest], Field(min_length=1)]  # of published data, all there are
    absent: Annotated[list[str], Field(min_length=1)] = []  # those of them that were not to be had
    unresolved: str = ""  # where that is all of them

    @model_validator(mode="after")
    def _named(self) -> _Files:
        if self.absent != sorted(set(self.absent) & set(self.files)):
            raise ValueError("`absent` names what is no file of it")
        return self


Oci = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]


class _Image(_Shape):
    image_id: Oci
    manifest: Oci
    diff_ids: list[Oci]


class _Unresolved(_Shape):
    unresolved: str


class _Pins(_Shape):
    models: dict[str, _Pin | _Weights | _Taped | _Imported | _Unresolved]
    instruments: dict[str, _Pin | _Weights | _Taped | _Unresolved] = Field(default={}, min_length=1)
    prompts: dict[str, _Prompts]
    datasets: dict[str, _Data | _Files | _Pin | _Unresolved]
    images: dict[str, _Image | _Unresolved]
    packages: dict[str, _Pin]
    certificates: dict[str, _Pin] = Field(default={}, min_length=1)
    tables: dict[str, _Table] = Field(default={}, min_length=1)
    files: dict[str, _OwnFile] = Field(default={}, min_length=1)


Maps = dict[str, dict[str, Any]]


class _Intent(BaseModel):
    """What readers of a lock rely on in the manifest that it holds; the rest is held against that manifest."""

    model_config = ConfigDict(extra="allow", strict=True)
    name: Name
    study: Name
    models: Maps
    datasets: Maps
    outputs: dict[str, str | dict[str, str]] = {}
    instruments: Maps = {}
    resources: dict[str, Any] = {}


class _LockShape(_Shape):
    type: Literal["lock/1"]
    intent: _Intent
    manifest_sha256: Digest
    pins: _Pins
    seal: Annotated[Digest, Field(alias="self")]


class _Expected(_Pin):
    level: Literal["exact"] | dict[Literal["within"], Tolerance] | dict[Literal["interval"], Decimals]
    values: dict[str, str]
    array: Literal["npy", "npz"] = "npy"  # written only of an array, which lies beside the expectation in this form


class _Carried(_Shape):
    before: Annotated[Digest, Field(alias="from")]  # the lock that the expectation named before
    accepted: Digest  # the record of the run that somebody accepted
    within: Annotated[list[str], Field(min_length=1)] = []  # outputs that agree at their level, and not by every byte


class _Partial(_Shape):
    files: Annotated[int, Field(ge=1)]
    absent: Annotated[list[str], Field(min_length=1)]


class _ExpectShape(_Shape):
    type: Literal["expect/1", "expect/2"]
    lock_sha256: Digest
    record_sha256: Digest
    outputs: dict[str, _Expected]
    code: dict[str, Digest]
    files: dict[str, Digest]
    checks: Literal["fail"] = "fail"  # this and the next are written only where they are said
    carried: _Carried = Field(default_factory=_Carried.model_construct)
    partial: Annotated[dict[str, _Partial], Field(min_length=1)] = {}
    run: AcceptedRunShape | None = None
    seal: Annotated[Digest, Field(alias="self")]

    @model_validator(mode="after")
    def _of_its_type(self) -> _ExpectShape:
        if (self.type == "expect/2") != (self.run is not None):
            raise ValueError("`run` stands in an expect/2, and in no older expectation")
        return self


@dataclass(frozen=True)
class Lock:
    """Lock file: a manifest's intent and, for all that it names, a digest or why there is none; never an output."""

    intent: Mapping[str, Any]
    manifest_sha256: str
    pins: Mapping[str, Mapping[str, Any]]

    @property
    def data(self) -> bytes:
        """Encode the lock as the JSON that lies in git."""
        body = {
            "type": "lock/1",
            "intent": dict(self.intent),
            "manifest_sha256": self.manifest_sha256,
            "pins": {
                kind: dict(self.pins[kind]) for kind in (*PIN_KINDS, *LATE_KINDS) if kind in PIN_KINDS or self.of(kind)
            },
        }
        return sealed(body)

    def of(self, kind: str) -> Mapping[str, Any]:
        """Pins of a kind, by name; empty where the lock has none."""
        return self.pins.get(kind, {})

    @property
    def sha256(self) -> str:
        """Digest of the lock's bytes."""
        return sha256(self.data)


@dataclass(frozen=True)
class Expect:
    """Expectation: outputs that somebody accepted (digests, levels, values), and what they were made by.

    One that was written before (`expect/1`) names the code, and nothing of the run.
    """

    lock_sha256: str
    record_sha256: str
    outputs: Mapping[str, Mapping[str, Any]]
    code: Mapping[str, str]
    files: Mapping[str, str]
    checks: str = ""  # `fail`: it was accepted although its self-checks fail
    carried: Mapping[str, Any] = field(default_factory=dict)  # it was taken along from another lock: _Carried
    partial: Mapping[str, Any] = field(default_factory=dict)  # by dataset: the files that the accepted run did not have
    run: AcceptedRun = field(default_factory=AcceptedRun)
    folder: Path = field(default=Path(), compare=False)  # where the arrays lie that it names; no part of the document

    @property
    def data(self) -> bytes:
        """Encode the expectation as the JSON that lies in git."""
        run = self.run.as_data()
        said = {"checks": self.checks, "carried": dict(self.carried), "partial": dict(self.partial), "run": run}
        body = {"type": "expect/2" if run else "expect/1", **{name: getattr(self, name) for name in EXPECT_FIELDS}}
        return sealed({**body, **{name: value for name, value in said.items() if value}})

    def array(self, output: str) -> Path:
        """Path of the array that is expected of an output; the expectation pins its bytes."""
        name = f"{output}.{self.outputs[output]['array']}"
        if "/" in name or name.startswith("."):
            raise InputError(f"no expected array lies in {name!r}", next="make it with `harness lock --accept RUN`")
        return self.folder / name


def image_state(lock: Lock, image: str, field: str = "image") -> str:
    """Whether a run used the image that its lock pins: `none`, `pinned` or `moved`.

    `field` is the key of the intent that names the image.
    """
    if image == "none":
        return "none"
    pin = lock.pins["images"].get(str(lock.intent[field]), {})
    return "pinned" if pin.get("image_id") == image else "moved"


def lock_path(root: Path, name: str) -> Path:
    """Path of a manifest's lock."""
    return root / "lockfiles" / "manifests" / f"{name}.lock.json"


def expect_path(root: Path, name: str) -> Path:
    """Path of a manifest's expectation."""
    return root / "lockfiles" / "manifests" / f"{name}.expect.json"


def arrays_path(root: Path, name: str) -> Path:
    """Path of the folder of arrays that a manifest expects."""
    return root / "lockfiles" / "manifests" / f"{name}.expect"


def read_lock(data: bytes, where: str) -> Lock:
    """Read a lock from its bytes; one that was edited by hand, or is of another form, is refused."""
    body = _checked(data, "lock/1", _LockShape, where, "make it with `harness lock`")
    return Lock(body["intent"], body["manifest_sha256"], body["pins"])


def read_expect(data: bytes, where: str) -> Expect:
    """Read an expectation from its bytes; one that was edited by hand, or is of another form, is refused."""
    kind = "expect/1" if b'"type":"expect/1"' in data[-40:] else "expect/2"  # the last field, in canonical form
    body = _checked(data, kind, _ExpectShape, where, "make it with `harness lock --accept RUN`")
    said: dict[str, Any] = {name: body[name] for name in ("checks", "carried", "partial") if name in body}
    if "run" in body:
        said["run"] = AcceptedRun(**body["run"])
    return Expect(**{name: body[name] for name in EXPECT_FIELDS}, **said)


def _checked(data: bytes, kind: str, shape: type[BaseModel], where: str, mend: str) -> dict[str, Any]:
    """Parse a document and validate its shape, so that its readers may rely on its fields."""
    body = parse(data, kind, where)
    try:
        shape.model_validate(body)
    except ValidationError as bad:
        first = bad.errors(include_url=False)[0]
        field = "/".join(str(part) for part in first["loc"])
        raise InputError(f"`{field}` is not what this document holds: {first['msg']}", where=where, next=mend) from None
    return body


def load_lock(root: Path, name: str) -> Lock | None:
    """Load the lock of a manifest, or None where it was never locked."""
    path = lock_path(root, name)
    return read_lock(_bytes(path), str(path)) if path.is_file() else None


def load_expect(root: Path, name: str) -> Expect | None:
    """Load the expectation of a manifest, or None where no run was ever accepted."""
    path = expect_path(root, name)
    return replace(read_expect(_bytes(path), str(path)), folder=arrays_path(root, name)) if path.is_file() else None


def _bytes(path: Path) -> bytes:
    with translating_os_errors(path):
        return path.read_bytes()


def save(path: Path, data: bytes) -> bool:
    """Write the bytes of a lock or an expectation unless the file holds them already; returns whether it wrote."""
    if path.is_file() and _bytes(path) == data:
        return False
    write_atomic(path, data)
    return True
