"""The manifest's schema: what somebody means to run. Unknown keys, wrong types and missing pins are errors.

Numbers that are not counts are kept as the decimal text a person wrote: identity documents hold no floats.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
    model_validator,
)

from harness.manifest import claim

HEX40 = r"^[0-9a-f]{40}$"
HEX64 = r"^[0-9a-f]{64}$"


def _decimal(text: str) -> str:
    try:
        if not Decimal(text).is_finite():
            raise ValueError("write a finite decimal number")
    except InvalidOperation as bad:
        raise ValueError("write a decimal number, such as 0.5 or 1e-9") from bad
    return text


def _inside(text: str) -> str:
    path = PurePosixPath(text)
    if path.is_absolute() or ".." in path.parts or "\\" in text or "\0" in text:
        raise ValueError("a path stays inside the project: relative, and without `..`")
    return text


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
        if not amount(low, units) <= amount(text, units) <= amount(high, units):
            raise ValueError(f"write an amount from {low} to {high}")
        return text

    return AfterValidator(check)


def _unset(value: Any) -> bool:
    return value is None or value is False


SIZES = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
TIMES = {"s": 1.0, "m": 60.0, "h": 3600.0}


def amount(text: str, units: dict[str, float] | dict[str, int]) -> float:
    """Read an amount that the schema has accepted, such as `4GiB` or `30m`."""
    number = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
    return float(number) * units[text[len(number) :].strip()]


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,79}$")]
Decimals = Annotated[str, StringConstraints(max_length=40), AfterValidator(_decimal)]
InsidePath = Annotated[str, StringConstraints(min_length=1, max_length=400), AfterValidator(_inside)]
Digest = Annotated[str, StringConstraints(pattern=HEX64)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Baseline(_Part):
    """A seeded stand-in with which a benchmark proves its own scorer."""

    provider: Literal["baseline"]
    behaviour: Name
    facts: dict[Name, Text] = {}

    def answering(self) -> dict[str, Any]:
        """Give what of the settings can change an answer."""
        return {"behaviour": self.behaviour}


class Transformers(_Part):
    """Open weights: a folder of the project, or a hub's name pinned by its 40-hex revision."""

    provider: Literal["transformers"]
    source: Text
    revision: Annotated[str, StringConstraints(pattern=HEX40)] | None = None
    dtype: Literal["float32", "float16", "bfloat16"]
    batch: Annotated[str, StringConstraints(pattern=r"^(reference|[1-9][0-9]{0,4})$")] = "reference"
    chat: bool = False
    logprobs: Annotated[int, Field(ge=1, le=100)] | None = None
    quantisation: Literal["nf4"] | None = None
    unresolved: Text | None = Field(default=None, exclude_if=_unset)  # why there is no revision: it cannot be run
    facts: dict[Name, Text] = {}

    @model_validator(mode="after")
    def _pinned(self) -> Transformers:
        if self.source.startswith("hf:"):
            if (self.revision is None) == (self.unresolved is None):
                raise ValueError("a model from a hub needs a pin: add `revision: <40 hex digits>`")
        else:
            _inside(self.source)
        return self

    def answering(self) -> dict[str, Any]:
        """Give what of the settings can change an answer: what its files are stands beside, where they lie does not."""
        return self.model_dump(mode="json", exclude={"provider", "source", "revision", "unresolved", "facts"})


class Prices(_Part):
    """What a provider asks for: dollars for a million tokens."""

    input: Decimals
    output: Decimals


class Allowance(_Part):
    """What may be asked of a provider: in a minute, and in all."""

    requests_per_minute: Annotated[int, Field(ge=1)] | None = None
    tokens_per_minute: Annotated[int, Field(ge=1)] | None = None
    dollars: Decimals | None = None


PROVIDERS = {
    "openai": ("https://api.openai.com/v1", "OPENAI_API_KEY"),
    "anthropic": ("https://api.anthropic.com", "ANTHROPIC_API_KEY"),
}


class Remote(_Part):
    """A closed model behind an API: a dated name, and a tape that says whether it is replayed or asked."""

    provider: Literal["openai", "anthropic"]
    model: Text
    tape: Literal["replay", "record", "live"]
    tapes: InsidePath | None = None  # the folder of the tape; default: tapes/ and the manifest's name
    endpoint: Literal["chat", "completions"] = "chat"
    system: Text | None = None
    base_url: Annotated[str, StringConstraints(pattern=r"^https?://[^@\s?#]+$", max_length=2000)] | None = None
    key: Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,99}$")] | None = None
    prices: Prices | None = None
    limits: Allowance | None = None
    facts: dict[Name, Text] = {}

    @model_validator(mode="after")
    def _whole(self) -> Remote:
        if self.provider == "anthropic" and self.endpoint != "chat":
            raise ValueError("this provider has no completions: leave `endpoint` out")
        if self.limits and self.limits.dollars and not self.prices:
            raise ValueError("a limit in dollars needs `prices`, or nobody knows what is spent")
        return self

    def answering(self) -> dict[str, Any]:
        """Give what of the settings can change an answer, as the step that asks is given it."""
        asked = {"id": self.model, "endpoint": self.endpoint, "system": self.system, "base_url": self.base_url}
        if self.provider == "anthropic":
            del asked["endpoint"]
        return {name: value for name, value in asked.items() if value is not None}

    def folder(self, root: Path, name: str) -> Path:
        """Say where the tape lies, for a manifest of this name."""
        return root / (self.tapes or f"tapes/{name}")

    def served(self, root: Path, name: str) -> dict[str, Any]:
        """Say what a gateway is told: where to ask, under which name a key is found, what is kept and allowed."""
        url, key = PROVIDERS[self.provider]
        told: dict[str, Any] = {
            "provider": self.provider,
            "base_url": self.base_url or url,
            "key": self.key or key,
            "mode": self.tape,
        }
        if self.tape != "live":
            told["tape"] = str(self.folder(root, name))
        for part in (self.prices, self.limits):
            if part:
                told["prices" if part is self.prices else "limits"] = part.model_dump(mode="json", exclude_none=True)
        return told


Model = Annotated[Baseline | Transformers | Remote, Field(discriminator="provider")]


class Made(BaseModel):
    """Data that a study's own maker draws; its parameters are typed by that maker."""

    model_config = ConfigDict(extra="allow", frozen=True)
    make: Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+\.[a-z0-9_-]+$")]


class Fetched(_Part):
    """Published data: where it lies, and the digest without which it is not the same data.

    Where the digest is not known, `unresolved` says why; what needs the data then says so instead of running.
    """

    fetch: Annotated[str, StringConstraints(pattern=r"^https://\S+$", max_length=2000)]
    sha256: Digest | None = None
    unresolved: Text | None = None
    licence: Text

    @model_validator(mode="after")
    def _pinned(self) -> Fetched:
        if (self.sha256 is None) == (self.unresolved is None):
            raise ValueError("a URL alone pins nothing: add `sha256: <its SHA-256>`, or `unresolved: <why>`")
        return self


def _by_key(*keys: str) -> Discriminator:
    """Choose a form by the key it alone has, so that an error speaks of that form only."""

    def form(value: Any) -> str:
        have = value if isinstance(value, dict) else {}
        return f"({next((key for key in keys[1:] if key in have or hasattr(value, key)), keys[0])})"

    return Discriminator(form)


Dataset = Annotated[Annotated[Made, Tag("(make)")] | Annotated[Fetched, Tag("(fetch)")], _by_key("make", "fetch")]


SetName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+/[a-z0-9_-]+@[0-9]+$")]


class Prompts(_Part):
    """Versioned sets of templates of the study: one, or one for each benchmark."""

    set: SetName | Annotated[tuple[SetName, ...], Field(min_length=1)]

    @property
    def names(self) -> tuple[str, ...]:
        """Give the sets by name."""
        return (self.set,) if isinstance(self.set, str) else self.set


class Generation(_Part):
    """How answers are asked for."""

    temperature: Decimals = "0"
    max_tokens: Annotated[int, Field(ge=1, le=1_000_000)] | Literal["benchmark"] = 256  # or each benchmark's own
    top_p: Decimals = "1"
    stop: tuple[Text, ...] = ()


class Resources(_Part):
    """What a step may use; never part of a key."""

    gpus: Annotated[int, Field(ge=0, le=64)] | Literal["prefer"] = 0
    memory: Annotated[str, _amount("64MiB", "16TiB", SIZES, "4GiB")] = "4GiB"
    disk: Annotated[str, _amount("1MiB", "16TiB", SIZES, "16GiB")] = "16GiB"
    timeout: Annotated[str, _amount("1s", "1000h", TIMES, "30m")] = "30m"


class Within(_Part):
    """Numbers may differ by this much, each."""

    within: Annotated[Decimals, _between("0", "1e300")]


class Interval(_Part):
    """Each statistic's own interval, of this confidence, must contain the expected value."""

    interval: Annotated[Decimals, _between("0.5", "0.9999")]


Level = Annotated[
    Annotated[Literal["exact"], Tag("(exact)")]
    | Annotated[Within, Tag("(within)")]
    | Annotated[Interval, Tag("(interval)")],
    _by_key("exact", "within", "interval"),
]


Pointer = Annotated[Text, AfterValidator(claim.pointer)]
Pointers = Annotated[
    Annotated[Pointer, Tag("(one)")]
    | Annotated[tuple[Pointer, ...], Field(min_length=1, max_length=1000), Tag("(several)")],
    Discriminator(lambda of: "(several)" if isinstance(of, list | tuple) else "(one)"),
]


class Claim(_Part):
    """A published number, ordering or bound, and how near a run must come to it."""

    of: Pointers
    published: Decimals | None = None
    within: Annotated[Decimals, _between("0", "1e300")] | None = None
    order: Literal["increasing", "decreasing"] | None = None
    where: Text
    # What claims could not say at first stays out of the intent where it is not said: no older lock becomes stale.
    ties: bool = Field(default=False, exclude_if=_unset)
    at_least: Decimals | None = Field(default=None, exclude_if=_unset)
    at_most: Decimals | None = Field(default=None, exclude_if=_unset)
    id: Name | None = Field(default=None, exclude_if=_unset)
    status: Annotated[Text, Field(max_length=200)] | None = Field(default=None, exclude_if=_unset)

    @property
    def pointers(self) -> tuple[str, ...]:
        """Give the places it speaks of, one or several."""
        return (self.of,) if isinstance(self.of, str) else self.of

    @model_validator(mode="after")
    def _checkable(self) -> Claim:
        claim.require_checkable(
            len(self.pointers), (self.published, self.within), (self.order, self.ties), (self.at_least, self.at_most)
        )
        return self


def _distinct(claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
    claim.require_distinct([one.id for one in claims])
    return claims


class Split(_Part):
    """Items that agents may attempt."""

    public: bool = False
    hidden: bool = False
    max_attempts: Annotated[int, Field(ge=1)] | None = None


class Budget(_Part):
    """What one attempt may use."""

    calls: Annotated[int, Field(ge=1)]
    seconds: Annotated[int, Field(ge=1)]


class Agents(_Part):
    """Present only where agents may attempt the benchmark."""

    splits: dict[Name, Split]
    budget: Budget


class Manifest(_Part):
    """One run somebody means: a study's data, prompts and models, and how its outputs are to be compared."""

    harness: Literal["1"]
    study: Name
    name: Name
    about: Text
    models: dict[Name, Model] = {}
    datasets: dict[Name, Dataset] = Field(min_length=1)
    prompts: Prompts | None = None
    generation: Generation = Generation()
    seeds: tuple[Annotated[int, Field(ge=0, lt=2**53)], ...] = Field(default=(0,), min_length=1, max_length=1000)
    image: Name = "cpu"
    resources: Resources = Resources()
    outputs: dict[Name, Level] = {}
    agents: Agents | None = None
    claims: Annotated[tuple[Claim, ...], AfterValidator(_distinct)] = ()

    def intent(self) -> dict[str, Any]:
        """Give the manifest as the identity document the lock holds: typed, complete, without floats."""
        return self.model_dump(mode="json")
