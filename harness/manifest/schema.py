"""Schema of manifests (pydantic): unknown keys, wrong types and missing pins are errors.

Numbers that are not counts are kept as the decimal text that the user wrote, because identity documents hold no floats.
Splits for agents are checked against the datasets of their manifest, and an error names its line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    PlainSerializer,
    PlainValidator,
    Tag,
    ValidationInfo,
    field_validator,
    model_serializer,
    model_validator,
)

from harness import texts
from harness.errors import InputError
from harness.manifest import models
from harness.manifest.datasets import Dataset, Made, OwnFile
from harness.manifest.documents import Intent
from harness.manifest.models import (
    EXTRA,
    AnyPrompts,
    Generation,
    Model,
    SetName,
    TypedByValue,
    read_model,
    settings_class,
)
from harness.manifest.read import Place, Tree

_OUTPUT = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")


def split_pointer(of: str) -> tuple[str, list[str]]:
    """Parse `OUTPUT#/json/pointer` (RFC 6901, not percent-encoded) into the output and the names of the path."""
    output, mark, path = of.partition("#")
    if not (mark and _OUTPUT.fullmatch(output)) or (path and not path.startswith("/")) or re.search(r"~(?![01])", path):
        raise ValueError("write OUTPUT#/path, a JSON Pointer into an output; in a name ~ is spelled ~0 and / is ~1")
    return output, [name.replace("~1", "/").replace("~0", "~") for name in path.split("/")[1:]]


def validate_pointer(of: str) -> str:
    """Validate `OUTPUT#/json/pointer` and return it as it was written; raise ValueError if it is not valid."""
    split_pointer(of)
    return of


def require_checkable(
    count: int,
    number: tuple[str | None, str | None],
    order: tuple[str | None, bool],
    bounds: tuple[str | None, str | None],
) -> None:
    """Raise ValueError if a claim over `count` values has nothing to check, or conditions that do not fit together.

    The conditions are a published number with its tolerance, an order, and bounds.
    """
    published, within = number
    low, high = (None if bound is None else Decimal(bound) for bound in bounds)
    if within is not None and published is None:
        raise ValueError("a tolerance needs its number: add `published`")
    if order[0] and count < 2:
        raise ValueError("an order needs two values or more: list them in `of`")
    if order[1] and not order[0]:
        raise ValueError("`ties` says something of an order only: add `order`")
    if low is not None and high is not None and low > high:
        raise ValueError("no number is that large and that small: correct `at_least` or `at_most`")
    if within is None and not order[0] and low is None and high is None:
        how = "add `within`, how near a run must come" if published else "say `published` and `within`"
        raise ValueError(f"nothing here can be checked: {how}, or an `order`, `at_least` or `at_most`")


def require_distinct(ids: Sequence[str | None]) -> None:
    """Raise ValueError if two claims have the same id."""
    named = [name for name in ids if name]
    twin = next((name for name in named if named.count(name) > 1), None)
    if twin:
        raise ValueError(f"two claims are called {twin!r}: an id names one")


Line = Annotated[str, AfterValidator(texts.validate_whole_text)]
LockDigest = Annotated[str, AfterValidator(texts.matching_validator(texts.HEX64, "a SHA-256: 64 hex digits"))]


class Derivation(BaseModel):
    """Origin of a manifest that `harness run` made from another one, which it never speaks for."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    parent: Annotated[str, Field(alias="from"), AfterValidator(texts.validate_inside_path)]  # the manifest, by its path
    sha256: LockDigest  # of that manifest's bytes
    changes: Annotated[tuple[Line, ...], Field(min_length=1)]  # the options, as they are written

    @model_serializer
    def as_data(self) -> dict[str, Any]:
        """Encode the origin under the names that a file uses."""
        return {"from": self.parent, "sha256": self.sha256, "changes": list(self.changes)}


WRITTEN = "2"  # the first version of the manifest that sends only the settings that are written
JSON_OF: Place = ("instruments", "*", *EXTRA)  # place in an instrument of any role that holds plain JSON


def _written(value: Any) -> Any:
    return models.complete_generation(value, WRITTEN)


class Asking(BaseModel):
    """How an instrument (a judge or an encoder) is asked: generation settings and repeats."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    generation: Annotated[Generation, BeforeValidator(_written)] = Field(default=Generation(), validate_default=True)
    repeats: Annotated[int, Field(ge=1, le=1000)] = 1


@dataclass(frozen=True)
class InstrumentSettings:
    """Settings of an instrument: those of its provider, and how it is asked (generation settings, repeats)."""

    model: Any  # its provider's settings
    asking: Asking

    def as_data(self) -> dict[str, Any]:
        """Return the settings as the lock holds them."""
        return {**self.model.as_data(), **self.asking.model_dump(mode="json")}


def _read(value: Any) -> InstrumentSettings:
    """Parse an instrument: `read_model` parses its model's settings, and `Asking` the others."""
    if isinstance(value, InstrumentSettings):
        return value
    given = value if isinstance(value, Mapping) else {}
    own = {name: given[name] for name in Asking.model_fields if name in given}
    model = read_model({name: part for name, part in given.items() if name not in own})
    return InstrumentSettings(model, Asking.model_validate(own))


def _forms(value: Any) -> tuple[Any, ...]:
    return (settings_class(value), Asking)


Named = Annotated[Any, PlainValidator(_read), PlainSerializer(InstrumentSettings.as_data), TypedByValue(_forms)]


def _between(low: str, high: str) -> Any:
    def check(text: str) -> str:
        if not Decimal(low) <= Decimal(text) <= Decimal(high):
            raise ValueError(f"write a number from {low} to {high}")
        return text

    return AfterValidator(check)


def _amount(low: str, high: str, units: dict[str, float], example: str) -> Any:
    def check(text: str) -> str:
        found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)\s*([A-Za-z]+)", text)
        if not found or found[2] not in units:
            raise ValueError(f"write a number and a unit ({', '.join(units)}), such as {example}")
        if not parse_amount(low, units) <= parse_amount(text, units) <= parse_amount(high, units):
            raise ValueError(f"write an amount from {low} to {high}")
        return text

    return AfterValidator(check)


def _unset(value: Any) -> bool:
    return value is None or value is False or value in ({}, ())


def _usual(value: Any) -> bool:
    return bool(value == "portable")


SIZES = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
TIMES = {"s": 1.0, "m": 60.0, "h": 3600.0}


def parse_amount(text: str, units: dict[str, float] | dict[str, int]) -> float:
    """Parse an amount that the schema has accepted, such as `4GiB` or `30m`."""
    number = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
    return float(number) * units[text[len(number) :].strip()]


Text = Annotated[str, AfterValidator(texts.strip_line)]
Name = Annotated[str, AfterValidator(texts.name)]
Decimals = Annotated[str, AfterValidator(texts.validate_decimal)]
Tolerance = Annotated[str, AfterValidator(texts.validate_tolerance)]
InsidePath = Annotated[str, AfterValidator(texts.validate_inside_path)]
Digest = Annotated[str, AfterValidator(texts.matching_validator(texts.HEX64, "a SHA-256: 64 hex digits"))]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _by_key(*keys: str) -> Discriminator:
    """Return a discriminator that chooses a form by the key that only this form has.

    An error then mentions this form only.
    """

    def form(value: Any) -> str:
        have = value if isinstance(value, dict) else {}
        return f"({next((key for key in keys[1:] if key in have or hasattr(value, key)), keys[0])})"

    return Discriminator(form)


class Resources(_Part):
    """Resource limits of steps; never part of a key, except the threads, which change how sums are rounded."""

    gpus: Annotated[int, Field(ge=0, le=64)] | Literal["prefer"] = 0
    memory: Annotated[str, _amount("64MiB", "16TiB", SIZES, "4GiB")] = "4GiB"
    disk: Annotated[str, _amount("1MiB", "16TiB", SIZES, "16GiB")] = "16GiB"
    timeout: Annotated[str, _amount("1s", "1000h", TIMES, "30m")] = "30m"
    threads: Annotated[int, Field(ge=1, le=256)] | None = Field(default=None, exclude_if=_unset)  # unset: one


class Within(_Part):
    """Tolerance of a comparison: absolute for each number, or `relative` to what is expected."""

    within: Tolerance


class Interval(_Part):
    """Comparison by confidence interval: a run's statistic lies in the expected one, and its own is hardly wider."""

    interval: Annotated[Decimals, _between("0.5", "0.9999")]


Level = Annotated[
    Annotated[Literal["exact"], Tag("(exact)")]
    | Annotated[Within, Tag("(within)")]
    | Annotated[Interval, Tag("(interval)")],
    _by_key("exact", "within", "interval"),
]


Pointer = Annotated[Text, AfterValidator(validate_pointer)]
Pointers = Annotated[
    Annotated[Pointer, Tag("(one)")]
    | Annotated[tuple[Pointer, ...], Field(min_length=1, max_length=1000), Tag("(several)")],
    Discriminator(lambda of: "(several)" if isinstance(of, list | tuple) else "(one)"),
]


class Claim(_Part):
    """Claim about values of outputs: a published number with its tolerance, an order, or bounds."""

    of: Pointers
    published: Decimals | None = None
    within: Annotated[Decimals, _between("0", "1e300")] | None = None
    order: Literal["increasing", "decreasing"] | None = None
    where: Text
    # Fields that were added later stay out of the intent unless they are set, so that older locks stay valid.
    ties: bool = Field(default=False, exclude_if=_unset)
    at_least: Decimals | None = Field(default=None, exclude_if=_unset)
    at_most: Decimals | None = Field(default=None, exclude_if=_unset)
    id: Name | None = Field(default=None, exclude_if=_unset)
    status: Annotated[Text, Field(max_length=200)] | None = Field(default=None, exclude_if=_unset)
    waits: Annotated[Text, Field(max_length=200)] | None = Field(default=None, exclude_if=_unset)  # for what

    @property
    def pointers(self) -> tuple[str, ...]:
        """The JSON Pointers of the values that the claim is about, one or several."""
        return (self.of,) if isinstance(self.of, str) else self.of

    @model_validator(mode="after")
    def _checkable(self) -> Claim:
        require_checkable(
            len(self.pointers), (self.published, self.within), (self.order, self.ties), (self.at_least, self.at_most)
        )
        return self


def _distinct(claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
    require_distinct([one.id for one in claims])
    return claims


def _once(named: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(set(named)) < len(named):
        raise ValueError("name each of them once")
    return named


class Split(_Part):
    """Split for agents: public or hidden, what of the benchmark it asks, and how many attempts each of them has."""

    public: bool = False
    hidden: bool = False
    max_attempts: Annotated[int, Field(ge=1)] | None = None
    # Fields that were added later stay out of the intent unless set, so that older locks stay valid.
    datasets: Annotated[tuple[Name, ...], Field(min_length=1), AfterValidator(_once)] = Field(
        default=(), exclude_if=_unset
    )  # unset: all
    items: Annotated[int, Field(ge=1, lt=2**31)] | None = Field(default=None, exclude_if=_unset)  # the first of each
    templates: Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(min_length=1), AfterValidator(_once)] = Field(
        default=(), exclude_if=_unset
    )  # numbers of the wordings; unset: all


class AttemptBudget(_Part):
    """Budget of one attempt by an agent."""

    calls: Annotated[int, Field(ge=1)]
    seconds: Annotated[int, Field(ge=1)]


OVERRIDES = r"limit|model|dataset|seeds|generation\.[a-z_]+|settings\.[a-z0-9][a-z0-9_.-]*"


class RunBudget(_Part):
    """Budget of one run that an agent starts: its seconds, and the dollars that providers may be paid."""

    seconds: Annotated[int, Field(ge=1, le=10**7)]
    dollars: Annotated[Decimals, _between("0", "1e9")] = "0"


class AgentRuns(_Part):
    """Runs that agents may start: what they may override, how many each may start, and the budget of each run."""

    budget: RunBudget
    overrides: Annotated[
        tuple[
            Annotated[str, AfterValidator(texts.matching_validator(OVERRIDES, "limit, model, dataset, seeds, …"))], ...
        ],
        AfterValidator(_once),
    ] = ()
    max_runs: Annotated[int, Field(ge=1)] | None = None


class Agents(_Part):
    """Attempts by agents: splits and budget; present only where agents may attempt the benchmark."""

    splits: dict[Name, Split]
    budget: AttemptBudget


class Manifest(_Part):
    """Manifest: a study's data, prompts and models, and how outputs are compared. It never holds a result."""

    harness: Literal["1", "2"]
    study: Name
    name: Name
    about: Text
    models: dict[Name, Model] = {}
    datasets: dict[Name, Dataset] = Field(min_length=1)
    prompts: AnyPrompts | None = None
    generation: Generation = Field(default=Generation(), validate_default=True)
    seeds: tuple[Annotated[int, Field(ge=0, lt=2**53)], ...] = Field(default=(0,), min_length=1, max_length=1000)
    image: Name = "cpu"
    resources: Resources = Resources()
    outputs: dict[Name, Level] = {}
    agents: Agents | None = None
    claims: Annotated[tuple[Claim, ...], AfterValidator(_distinct)] = ()
    # Fields that were added later stay out of the intent unless set: older locks stay valid.
    settings: dict[Name, Any] = Field(default={}, exclude_if=_unset)  # the study's own switches, typed by the study
    instruments: dict[Name, Named] = Field(default={}, exclude_if=_unset)  # by role: what measures, and is not asked
    tables: Annotated[tuple[SetName, ...], AfterValidator(_once)] = Field(default=(), exclude_if=_unset)  # the study's
    numerics: Literal["portable", "machine"] = Field(default="portable", exclude_if=_usual)  # equal bytes where
    sandbox: Name | None = Field(
        default=None, exclude_if=_unset
    )  # the image of foreign code; the run's own if not said
    derived: Derivation | None = Field(default=None, exclude_if=_unset)  # from which manifest, and by which options
    shard: Annotated[int, Field(ge=1, le=100_000)] | None = Field(
        default=None, exclude_if=_unset
    )  # answers in a shard at most; unset: as the study says
    runs: AgentRuns | None = Field(default=None, exclude_if=_unset)  # that agents may start

    @field_validator("generation", mode="before")
    @classmethod
    def _of_its_version(cls, value: Any, info: ValidationInfo) -> Any:
        return models.complete_generation(value, info.data.get("harness"))

    @model_validator(mode="after")
    def _speaks_for_nobody(self) -> Manifest:
        if self.derived and self.claims:
            raise ValueError("a derived manifest makes no claims: take them out, or make it a manifest of its own")
        return self

    def intent(self) -> Intent:
        """Encode the manifest as the identity document that the lock holds: typed, complete, without floats."""
        return cast(Intent, self.model_dump(mode="json"))


SPLITS: Place = ("agents", "splits")


def split_datasets(manifest: Manifest, name: str) -> tuple[str, ...]:
    """Return the names of a split's datasets in the manifest's order: those listed, or else all that have items."""
    said, split = manifest.datasets, manifest_splits(manifest)[name]
    asks = (Made, OwnFile)
    return tuple(one for one in said if one in split.datasets or (not split.datasets and isinstance(said[one], asks)))


def manifest_splits(manifest: Manifest) -> Mapping[str, Split]:
    """Return the splits of a manifest by name; empty if agents may not attempt it."""
    return manifest.agents.splits if manifest.agents else {}


def require_splits(manifest: Manifest, tree: Tree) -> None:
    """Raise InputError for a split that is not either public or hidden, or names an unknown dataset.

    The same goes for a hidden split with a dataset that a public split shows.
    """
    for name, split in manifest_splits(manifest).items():
        if split.public == split.hidden:
            raise InputError(
                f"split {name!r} is to be public or hidden, one of the two",
                where=tree.at((*SPLITS, name)),
                next="write `public: true`, or `hidden: true` where no agent may learn an answer or a score",
            )
        own = [one for one in split_datasets(manifest, name) if isinstance(manifest.datasets.get(one), OwnFile)]
        if split.hidden and own:
            raise InputError(
                f"split {name!r} cannot hide dataset {own[0]!r}, whose file lies in the project with its answers",
                where=tree.at((*SPLITS, name)),
                next='make the split public, or its data from a file that nobody publishes (`fetch: "private:NAME"`)',
            )
        for strange in (one for one in split.datasets if one not in manifest.datasets):
            raise InputError(
                f"split {name!r} names no dataset {strange!r}",
                where=tree.at((*SPLITS, name, "datasets")),
                next=f"choose from: {', '.join(manifest.datasets)}",
            )
    shown: dict[str, str] = {}
    for name, split in manifest_splits(manifest).items():
        shown |= dict.fromkeys(split_datasets(manifest, name), name) if split.public else {}
    for name, split in manifest_splits(manifest).items():
        if split.hidden and (both := [one for one in split_datasets(manifest, name) if one in shown]):
            raise InputError(
                f"dataset {both[0]!r} stands in the hidden split {name!r} and in the public one {shown[both[0]]!r}",
                where=tree.at((*SPLITS, name, "datasets")),
                next="give each split `datasets: […]` of its own",
            )
