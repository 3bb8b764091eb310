"""Locks and expectations: what a manifest's names resolve to, and the outputs that were last accepted.

Both are identity documents kept in git beside the manifest, sealed by their own digest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Annotated, Any, Literal, cast, overload

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from harness.digest import canonical_json, parse_document, seal_document, sha256
from harness.errors import InputError
from harness.files import translating_os_errors, write_atomic
from harness.manifest.documents import (
    AcceptedMachine,
    AnyPin,
    Carried,
    DatasetPin,
    DigestPin,
    ExpectedOutput,
    FilePin,
    ImagePin,
    Intent,
    ModelPin,
    Pins,
    PromptsPin,
)
from harness.manifest.schema import Decimals, Digest, InsidePath, Name, Tolerance
from harness.store.journal import FileCoverage

MOST_STEPS, MOST_PINS = 400_000, 50_000  # most bytes of names and digests in an expectation
_MOST = 1 << 20  # most bytes of `run` as a whole, because the number of installed packages has no limit
_LETTERS = 12  # hex digits of a short digest: 48 bits are enough against accidental collisions

Short = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{12}$")]
_Both = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{12} [0-9a-f]{12}$")]
_Package = Annotated[str, StringConstraints(pattern=r"^[^ ]{0,100} [0-9a-f]{12}$")]
_Word = Annotated[str, StringConstraints(max_length=200)]
_AcceptedRunImage = Annotated[str, StringConstraints(pattern=r"^(none|sha256:[0-9a-f]{64})$")]


class _AcceptedRunShape(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Environment(_AcceptedRunShape):
    type: Literal["environment/1", "environment/2"]
    python: _Word
    platform: _Word
    stdlib: Short = ""
    packages: dict[str, _Package]
    loose: dict[str, Short]


class _Machine(_AcceptedRunShape):
    processor: _Word
    image: _AcceptedRunImage
    device: _Word
    threads: Annotated[str, StringConstraints(pattern=r"^[1-9][0-9]{0,8}$")]
    numerics: dict[str, _Word]
    environment: _Environment


class AcceptedRunShape(_AcceptedRunShape):
    """Schema of what an expectation keeps about its run."""

    inputs: dict[str, Short]
    lock: dict[str, Short]
    steps: Annotated[dict[str, _Both], Field(min_length=1)]
    machine: _Machine

    @model_validator(mode="before")
    @classmethod
    def _bounded(cls, value: Any) -> Any:
        if len(canonical_json(value)) > _MOST:
            raise ValueError(f"it is larger than {_MOST} bytes")
        return value


@dataclass(frozen=True)
class AcceptedRun:
    """The run that an expectation names: digests of its pinned inputs, lock parts and steps, and its machine.

    Each step has two digests: one of its outputs, and one of the parameters and inputs they were made from.
    """

    inputs: Mapping[str, str] = field(default_factory=dict)
    lock: Mapping[str, str] = field(default_factory=dict)
    steps: Mapping[str, str] = field(default_factory=dict)
    machine: AcceptedMachine = field(default_factory=AcceptedMachine)

    def as_data(self) -> dict[str, Any]:
        """Encode the run as the expectation holds it; empty if the run is not known."""
        return {name: dict(value) for name, value in vars(self).items()} if self.steps else {}


def short_digest(value: Any) -> str:
    """Return a short digest of a value: enough to tell two values apart, but no proof that they are equal."""
    return sha256(canonical_json(value))[:_LETTERS]


def bound_names(digests: Mapping[str, str], most: int) -> dict[str, str]:
    """Reduce digests by name to at most `most` bytes by dropping the last parts of all names until they fit.

    Names that are equal without these parts become one family (`fit/*`), whose digest covers all of its members.
    """
    for depth in count():
        families: dict[str, list[str]] = {}
        for name in digests:
            families.setdefault(step_family(name, depth), []).append(name)
        kept = {family: join_digests(names, digests) for family, names in families.items()}
        if len(kept) == 1 or len(canonical_json(kept)) <= most:
            return kept
    raise AssertionError  # one family is left at last


def step_family(name: str, depth: int) -> str:
    """Return the family of a step: its name without the last `depth` parts (`a/b/c` at depth 1: `a/b/*`).

    At depth 0 this is the name itself. It is in ASCII, because keys are.
    """
    family = "/".join([*name.split("/")[:-depth], "*"]) if depth else name
    return family.encode("ascii", "backslashreplace").decode()


def join_digests(names: Iterable[str], digests: Mapping[str, str]) -> str:
    """Return one digest for several names, column by column; for a single name, its own digest."""
    rows = sorted((name, digests[name].split(" ")) for name in names)
    if len(rows) == 1:
        return " ".join(rows[0][1])
    return " ".join(short_digest(list(column)) for column in zip(*(row for _, row in rows), strict=True))


def group_alike(names: Iterable[str], kept: Mapping[str, str]) -> dict[str, list[str]]:
    """Group names by the families that `kept` holds, in the order of the first member of each family."""
    grouped: dict[str, list[str]] = {}
    for name in names:
        family = next((each for each in _families(name) if each in kept), step_family(name, 0))
        grouped.setdefault(family, []).append(name)
    return grouped


def _families(name: str) -> Iterator[str]:
    """Yield all families that a name can belong to, starting with the name itself."""
    return (step_family(name, depth) for depth in range(name.count("/") + 2))


PIN_KINDS = ("models", "prompts", "datasets", "images", "packages")
LATE_KINDS = ("instruments", "certificates", "tables", "files")  # written only if there are any: older locks stay valid
EXPECT_FIELDS = ("lock_sha256", "record_sha256", "outputs", "code", "files")


class _LockfileShape(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Pin(_LockfileShape):
    sha256: Digest


class _Rows(_Pin):
    rows: Annotated[int, Field(ge=0, le=10**8)]


class _Prompts(_Rows):
    file: InsidePath


class _Table(_Pin):
    file: InsidePath


class _OwnFile(_Table):
    cuts: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)] = []  # of its items, as they grew


class _OwnFiles(_LockfileShape):
    """Schema of several files under one name: what the manifest says, and pairs of each file's path and digest."""

    file: str
    files: Annotated[list[Annotated[list[str], Field(min_length=2, max_length=2)]], Field(min_length=1)]
    commit: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")] = ""  # of a data set of the hub
    gated: Literal[True] | None = None  # the hub gives it only to those who agreed to its terms; unset otherwise
    cuts: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)] = []


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


class _Files(_LockfileShape):
    files: Annotated[dict[str, Digest], Field(min_length=1)]  # all files of published data
    absent: Annotated[list[str], Field(min_length=1)] = []  # the files that could not be fetched
    unresolved: str = ""  # the reason, if that is all of them

    @model_validator(mode="after")
    def _named(self) -> _Files:
        if self.absent != sorted(set(self.absent) & set(self.files)):
            raise ValueError("`absent` names what is no file of it")
        return self


Oci = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]


class _LockfileImage(_LockfileShape):
    image_id: Oci
    manifest: Oci
    diff_ids: list[Oci]


class _Unresolved(_LockfileShape):
    unresolved: str


class _Pins(_LockfileShape):
    models: dict[str, _Pin | _Weights | _Taped | _Imported | _Unresolved]
    instruments: dict[str, _Pin | _Weights | _Taped | _Unresolved] = Field(default={}, min_length=1)
    prompts: dict[str, _Prompts]
    datasets: dict[str, _Data | _Files | _Pin | _Unresolved]
    images: dict[str, _LockfileImage | _Unresolved]
    packages: dict[str, _Pin]
    certificates: dict[str, _Pin] = Field(default={}, min_length=1)
    tables: dict[str, _Table] = Field(default={}, min_length=1)
    files: dict[str, _OwnFile | _OwnFiles] = Field(default={}, min_length=1)


Maps = dict[str, dict[str, Any]]


class _Intent(BaseModel):
    """The fields of a lock's intent that its readers rely on; other fields are only compared with the manifest."""

    model_config = ConfigDict(extra="allow", strict=True)
    name: Name
    study: Name
    models: Maps
    datasets: Maps
    outputs: dict[str, str | dict[str, str]] = {}
    instruments: Maps = {}
    resources: dict[str, Any] = {}


class _LockShape(_LockfileShape):
    type: Literal["lock/1"]
    intent: _Intent
    manifest_sha256: Digest
    pins: _Pins
    seal: Annotated[Digest, Field(alias="self")]


class _Expected(_Pin):
    level: Literal["exact"] | dict[Literal["within"], Tolerance] | dict[Literal["interval"], Decimals]
    values: dict[str, str]
    array: Literal["npy", "npz"] = "npy"  # written only for an array, whose file has this format


class _Carried(_LockfileShape):
    before: Annotated[Digest, Field(alias="from")]  # the lock that the expectation named before
    accepted: Digest  # the record of the accepted run
    within: Annotated[list[str], Field(min_length=1)] = []  # outputs that agree at their level, but not byte for byte


class _Partial(_LockfileShape):
    files: Annotated[int, Field(ge=1)]
    absent: Annotated[list[str], Field(min_length=1)]


class _ExpectShape(_LockfileShape):
    type: Literal["expect/1", "expect/2"]
    lock_sha256: Digest
    record_sha256: Digest
    outputs: dict[str, _Expected]
    code: dict[str, Digest]
    files: dict[str, Digest]
    checks: Literal["fail"] = "fail"  # this field and the next ones are written only if set
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
    """A lock file: a manifest's intent and, for each name in it, a digest or the reason why there is none.

    A lock never holds an output.
    """

    intent: Intent
    manifest_sha256: str
    pins: Pins

    @property
    def data(self) -> bytes:
        """The lock as the JSON that is kept in git."""
        pins: Mapping[str, Any] = self.pins
        body = {
            "type": "lock/1",
            "intent": dict(self.intent),
            "manifest_sha256": self.manifest_sha256,
            "pins": {
                kind: dict(pins[kind]) for kind in (*PIN_KINDS, *LATE_KINDS) if kind in PIN_KINDS or pins.get(kind)
            },
        }
        return seal_document(body)

    @overload
    def of(self, kind: Literal["models", "instruments"]) -> Mapping[str, ModelPin]: ...
    @overload
    def of(self, kind: Literal["prompts"]) -> Mapping[str, PromptsPin]: ...
    @overload
    def of(self, kind: Literal["datasets"]) -> Mapping[str, DatasetPin]: ...
    @overload
    def of(self, kind: Literal["images"]) -> Mapping[str, ImagePin]: ...
    @overload
    def of(self, kind: Literal["packages", "certificates"]) -> Mapping[str, DigestPin]: ...
    @overload
    def of(self, kind: Literal["tables", "files"]) -> Mapping[str, FilePin]: ...
    @overload
    def of(self, kind: str) -> Mapping[str, AnyPin]: ...
    def of(self, kind: str) -> Mapping[str, Any]:
        """Return the pins of a kind by name; empty if the lock has none."""
        pins: Mapping[str, Any] = self.pins
        found: Mapping[str, Any] = pins.get(kind, {})
        return found

    @property
    def sha256(self) -> str:
        """The digest of the lock's bytes."""
        return sha256(self.data)


@dataclass(frozen=True)
class Expect:
    """An expectation: the accepted outputs (digests, levels, values), and the lock, code and run that made them.

    An expectation of the older type `expect/1` names the code, but nothing of the run.
    """

    lock_sha256: str
    record_sha256: str
    outputs: Mapping[str, ExpectedOutput]
    code: Mapping[str, str]
    files: Mapping[str, str]
    checks: str = ""  # `fail`: it was accepted although its self-checks fail
    carried: Carried = field(default_factory=Carried)  # set if it was carried over from another lock
    partial: Mapping[str, FileCoverage] = field(default_factory=dict)  # of datasets that lacked files in that run
    run: AcceptedRun = field(default_factory=AcceptedRun)
    folder: Path = field(default=Path(), compare=False)  # folder of the expected arrays; not part of the document

    @property
    def data(self) -> bytes:
        """The expectation as the JSON that is kept in git."""
        run = self.run.as_data()
        said = {"checks": self.checks, "carried": dict(self.carried), "partial": dict(self.partial), "run": run}
        body = {"type": "expect/2" if run else "expect/1", **{name: getattr(self, name) for name in EXPECT_FIELDS}}
        return seal_document({**body, **{name: value for name, value in said.items() if value}})

    def array(self, output: str) -> Path:
        """Return the path of the array that is expected of an output; the expectation pins the array's bytes."""
        name = f"{output}.{self.outputs[output]['array']}"
        if "/" in name or name.startswith("."):
            raise InputError(f"no expected array lies in {name!r}", next="make it with `harness lock --accept RUN`")
        return self.folder / name


def image_state(lock: Lock, image: str, field: Literal["image", "sandbox"] = "image") -> str:
    """Return whether a run used the image that its lock pins: `none`, `pinned` or `moved`.

    `field` is the key of the intent that names the image.
    """
    if image == "none":
        return "none"
    pin = lock.pins["images"].get(str(lock.intent[field]), {})
    return "pinned" if pin.get("image_id") == image else "moved"


def lock_path(root: Path, name: str) -> Path:
    """Return the path of a manifest's lock."""
    return root / "lockfiles" / "manifests" / f"{name}.lock.json"


def expect_path(root: Path, name: str) -> Path:
    """Return the path of a manifest's expectation."""
    return root / "lockfiles" / "manifests" / f"{name}.expect.json"


def arrays_path(root: Path, name: str) -> Path:
    """Return the path of the folder of arrays that a manifest expects."""
    return root / "lockfiles" / "manifests" / f"{name}.expect"


def read_lock(data: bytes, where: str) -> Lock:
    """Parse a lock; raise InputError if it was edited by hand or has another format."""
    body = _checked(data, "lock/1", _LockShape, where, "make it with `harness lock`")
    return Lock(cast(Intent, body["intent"]), body["manifest_sha256"], cast(Pins, body["pins"]))


def read_expect(data: bytes, where: str) -> Expect:
    """Parse an expectation; raise InputError if it was edited by hand or has another format."""
    kind = "expect/1" if b'"type":"expect/1"' in data[-40:] else "expect/2"  # the last field, in canonical form
    body = _checked(data, kind, _ExpectShape, where, "make it with `harness lock --accept RUN`")
    said: dict[str, Any] = {name: body[name] for name in ("checks", "carried", "partial") if name in body}
    if "run" in body:
        said["run"] = AcceptedRun(**body["run"])
    return Expect(**{name: body[name] for name in EXPECT_FIELDS}, **said)


def _checked(data: bytes, kind: str, shape: type[BaseModel], where: str, mend: str) -> dict[str, Any]:
    """Parse a document and validate its shape; raise InputError if a field is wrong."""
    body = parse_document(data, kind, where)
    try:
        shape.model_validate(body)
    except ValidationError as bad:
        first = bad.errors(include_url=False)[0]
        field = "/".join(str(part) for part in first["loc"])
        raise InputError(f"`{field}` is not what this document holds: {first['msg']}", where=where, next=mend) from None
    return body


def load_lock(root: Path, name: str) -> Lock | None:
    """Return the lock of a manifest, or None if it was never locked."""
    path = lock_path(root, name)
    return read_lock(_bytes(path), str(path)) if path.is_file() else None


def load_expect(root: Path, name: str) -> Expect | None:
    """Return the expectation of a manifest, or None if no run was ever accepted."""
    path = expect_path(root, name)
    return replace(read_expect(_bytes(path), str(path)), folder=arrays_path(root, name)) if path.is_file() else None


def _bytes(path: Path) -> bytes:
    with translating_os_errors(path):
        return path.read_bytes()


def save_document(path: Path, data: bytes) -> bool:
    """Write the bytes of a lock or an expectation unless the file already holds them; return whether it was written."""
    if path.is_file() and _bytes(path) == data:
        return False
    write_atomic(path, data)
    return True
