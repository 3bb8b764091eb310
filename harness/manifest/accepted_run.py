"""What an expectation keeps of its run (`expect/2`): what each step rested on and made, and on which machine.

Short digests that find a first difference and its cause, bounded in size; they vouch for nothing, since every declared
output is pinned in full.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from harness.digest import canonical, sha256

MOST_STEPS, MOST_PINS = 400_000, 50_000  # bytes of the names and digests that an expectation keeps
_MOST = 1 << 20  # bytes of all that stands here: what a machine has installed is not bounded by us
_LETTERS = 12  # of a digest: 48 bits tell apart what differs by accident

Short = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{12}$")]
_Both = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{12} [0-9a-f]{12}$")]
_Package = Annotated[str, StringConstraints(pattern=r"^[^ ]{0,100} [0-9a-f]{12}$")]
_Word = Annotated[str, StringConstraints(max_length=200)]
_Image = Annotated[str, StringConstraints(pattern=r"^(none|sha256:[0-9a-f]{64})$")]


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Environment(_Shape):
    type: Literal["environment/1", "environment/2"]
    python: _Word
    platform: _Word
    stdlib: Short = ""
    packages: dict[str, _Package]
    loose: dict[str, Short]


class _Machine(_Shape):
    processor: _Word
    image: _Image
    device: _Word
    threads: Annotated[str, StringConstraints(pattern=r"^[1-9][0-9]{0,8}$")]
    numerics: dict[str, _Word]
    environment: _Environment


class AcceptedRunShape(_Shape):
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
