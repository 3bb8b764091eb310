"""Locks and expectations: what a manifest's names resolve to, and the outputs that were last accepted.

Both are identity documents kept in git beside the manifest, sealed by their own digest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from harness.digest import canonical, parse, sealed, sha256
from harness.errors import InputError
from harness.files import translating_os_errors, write_atomic
from harness.manifest.schema import Decimals, Digest, InsidePath, Name, Tolerance

MOST_STEPS, MOST_PINS = 400_000, 50_000  # bytes of the names and digests that an expectation keeps
_MOST = 1 << 20  # bytes of all that stands here: what a machine has installed is not bounded by us
_LETTERS = 12  # of a digest: 48 bits tell apart what differs by accident

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
    """Schema of what an expectation keeps of its run."""

    inputs: dict[str, Short]
    lock: dict[str, Short]
    steps: Annotated[dict[str, _Both], Field(min_length=1)]
    machine: _Machine

    @model_validator(mode="before")
    @classmethod
    def _bounded(cls, value: Any) -> Any:
        if len(canonical(value)) > _MOST:
            raise ValueError(f"it is larger than {_MOST} bytes")
        return value


@dataclass(frozen=True)
class AcceptedRun:
    """The run that an expectation names: digests of pinned inputs, parts of the lock and steps, and its machine.

    Each step has two digests: of its outputs, and of the parameters and inputs that they were made from.
    """

    inputs: Mapping[str, str] = field(default_factory=dict)
    lock: Mapping[str, str] = field(default_factory=dict)
    steps: Mapping[str, str] = field(default_factory=dict)
    machine: Mapping[str, Any] = field(default_factory=dict)

    def as_data(self) -> dict[str, Any]:
        """Encode it as it stands in the expectation; empty where the run is not known."""
        return {name: dict(value) for name, value in vars(self).items()} if self.steps else {}


def shorten(value: Any) -> str:
    """Return a short digest of a value, by which two of them are told apart and nothing is proven."""
    return sha256(canonical(value))[:_LETTERS]


def bound_names(digests: Mapping[str, str], most: int) -> dict[str, str]:
    """Keep digests by name in so many bytes: the last parts of all names give way until they fit.

    Names that then begin alike become one family (`fit/*`), whose digest covers all of its members.
    """
    for depth in count():
        families: dict[str, list[str]] = {}
        for name in digests:
            families.setdefault(family_of(name, depth), []).append(name)
        kept = {family: join_digests(names, digests) for family, names in families.items()}
        if len(kept) == 1 or len(canonical(kept)) <= most:
            return kept
    raise AssertionError  # one family is left at last


def family_of(name: str, depth: int) -> str:
    """Name the family of a name without its last `depth` parts, the name itself at depth 0; in ASCII, as keys are."""
    family = "/".join([*name.split("/")[:-depth], "*"]) if depth else name
    return family.encode("ascii", "backslashreplace").decode()


def join_digests(names: Iterable[str], digests: Mapping[str, str]) -> str:
    """Return one digest for several names, column by column; of one name alone, its own."""
    rows = sorted((name, digests[name].split(" ")) for name in names)
    if len(rows) == 1:
        return " ".join(rows[0][1])
    return " ".join(shorten(list(column)) for column in zip(*(row for _, row in rows), strict=True))


def group_alike(names: Iterable[str], kept: Mapping[str, str]) -> dict[str, list[str]]:
    """Group names by the families that digests were kept by, in the order of the first member of each."""
    grouped: dict[str, list[str]] = {}
    for name in names:
        family = next((each for each in _families(name) if each in kept), family_of(name, 0))
        grouped.setdefault(family, []).append(name)
    return grouped


def _families(name: str) -> Iterator[str]:
    """Name all families that a name can belong to, the name itself first."""
    return (family_of(name, depth) for depth in range(name.count("/") + 2))


PIN_KINDS = ("models", "prompts", "datasets", "images", "packages")
LATE_KINDS = ("instruments", "certificates", "tables", "files")  # only where there are any: no older lock is stale
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
    files: Annotated[dict[str, Digest], Field(min_length=1)]  # of published data, all there are
    absent: Annotated[list[str], Field(min_length=1)] = []  # those of them that were not to be had
    unresolved: str = ""  # where that is all of them

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


class _LockShape(_LockfileShape):
    type: Literal["lock/1"]
    intent: _Intent
    manifest_sha256: Digest
    pins: _Pins
    seal: Annotated[Digest, Field(alias="self")]


class _Expected(_Pin):
    level: Literal["exact"] | dict[Literal["within"], Tolerance] | dict[Literal["interval"], Decimals]
    values: dict[str, str]
    array: Literal["npy", "npz"] = "npy"  # written only of an array, which lies beside the expectation in this form


class _Carried(_LockfileShape):
    before: Annotated[Digest, Field(alias="from")]  # the lock that the expectation named before
    accepted: Digest  # the record of the run that somebody accepted
    within: Annotated[list[str], Field(min_length=1)] = []  # outputs that agree at their level, and not by every byte


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
