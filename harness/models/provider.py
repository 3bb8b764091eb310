"""What a provider is to the rest of the house, besides how its models answer: what a manifest may say of one of them.

A provider is a file of this folder: it holds `respond`, the step that asks, and `PROVIDER`, its class of settings.
It must never know a manifest's syntax, a lock or a run: those ask the settings what they need to know.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from harness import texts


@dataclass(frozen=True)
class Checked:
    """Marks a text of the settings with the check it must pass where a manifest is read."""

    check: texts.Check

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Tell the library that reads manifests; a step, which only uses settings, never loads it."""
        from pydantic_core import core_schema  # noqa: PLC0415 - heavy

        return core_schema.no_info_after_validator_function(self.check, handler(source))


Line = Annotated[str, Checked(texts.line)]
Name = Annotated[str, Checked(texts.name)]
Number = Annotated[str, Checked(texts.decimal)]
InsidePath = Annotated[str, Checked(texts.inside)]
ADDRESS = texts.matching(r"^https?://[^@\s?#]+$", "a URL without a name or a key")
VARIABLE = texts.matching(r"^[A-Za-z_][A-Za-z0-9_]{0,99}$", "the name of a variable")
USUAL = ("temperature", "max_tokens", "top_p", "stop")  # settings that every provider is given
LATE = {"late": True}  # of a field that settings could not have at first: unset, it is in no lock


@dataclass(frozen=True, kw_only=True)
class StandIn:
    """What a study may rest on where a model is none: what it sees, and what a sound scorer makes of it."""

    sees_gold: bool = False
    adversarial: bool = False
    expected: Literal["all", "none"] | None = None


@dataclass(frozen=True)
class Weights:
    """Where the files of a model lie: in the project, in a folder of a person's own, or at a hub."""

    source: str
    revision: str | None = None
    unresolved: str | None = None  # why there is no revision: it cannot be run
    drawn: bool = False  # they are drawn from a seed: of the files only configuration and tokenizer count


@dataclass(frozen=True)
class Imported:
    """Where answers come from that somebody else's run gave: a file of the project, or rows in the store."""

    source: str
    sha256: str | None = None


class Unfit(NamedTuple):
    """A setting with which a model cannot be asked: its name, why, and the mend."""

    key: str
    what: str
    mend: str


def _said(value: Any) -> Any:
    """Spell settings with the settings in them, without late ones that are unset."""
    if isinstance(value, Mapping):
        return dict(value)
    if not is_dataclass(value):
        return value
    parts = [(each, getattr(value, each.name)) for each in fields(value)]
    return {each.name: _said(part) for each, part in parts if each.metadata != LATE or part != each.default}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a manifest says of one model; a provider adds its fields, and says what they mean to others."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "forbid"}

    provider: str
    facts: Mapping[Name, Line] = field(default_factory=dict)

    def said(self) -> dict[str, Any]:
        """Give all of it, as the lock holds it."""
        return dict(_said(self))

    def answering(self) -> dict[str, Any]:
        """Give what of the settings can change an answer: it goes to the step, and into the model's pin."""
        return {name: value for name, value in self.said().items() if name not in ("provider", "facts")}

    @property
    def takes(self) -> tuple[str, ...]:
        """Name the settings of `generation` that mean something to this model, or that it is known to pass over."""
        return USUAL

    def unfit(self, generation: Mapping[str, Any]) -> Unfit | None:
        """Say with which of the settings this model cannot be asked: a lock tells, and nothing is left out unseen."""
        for key in generation:
            if key not in self.takes:
                mend = f"take it out, or ask this model in a manifest of its own; it takes {', '.join(self.takes)}"
                return Unfit(key, f"`generation.{key}` means nothing to the provider {self.provider}", mend)
        return None

    @property
    def stand_in(self) -> StandIn | None:
        """Say whether this is a stand-in for a model, and of what kind."""
        return None

    @property
    def weights(self) -> Weights | None:
        """Say where the model's files lie, if it computes on this machine."""
        return None

    @property
    def service(self) -> Service | None:
        """Say how the model is asked, if it answers elsewhere."""
        return None

    @property
    def imported(self) -> Imported | None:
        """Say where its answers come from, if nobody is asked and somebody else's run gave them."""
        return None


@dataclass(frozen=True, kw_only=True)
class Prices:
    """What a provider asks for: dollars for a million tokens."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "forbid"}

    input: Number
    output: Number
    cached_input: Number | None = field(default=None, metadata=LATE)  # what is read from the provider's own cache
    cache_write: Number | None = field(default=None, metadata=LATE)


@dataclass(frozen=True, kw_only=True)
class Allowance:
    """What may be asked of a provider: in a minute, and in all."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "forbid"}

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    dollars: Number | None = None

    def __post_init__(self) -> None:
        """Refuse an allowance of nothing."""
        if any(bound is not None and bound < 1 for bound in (self.requests_per_minute, self.tokens_per_minute)):
            raise ValueError("an allowance is 1 or more; leave it out where there is none")


@dataclass(frozen=True)
class Service:
    """A model elsewhere: what the gateway is told of it, and the tape that holds what it once answered."""

    model: str
    tape: Literal["replay", "record", "live"]
    told: Mapping[str, Any]
    tapes: str | None  # the folder of the tape in the project; None: tapes/ and the manifest's name

    def folder(self, root: Path, name: str) -> Path:
        """Say where the tape lies, for a manifest of this name."""
        return root / (self.tapes or f"tapes/{name}")


@dataclass(frozen=True, kw_only=True)
class Elsewhere(Settings):
    """A closed model behind an API: a dated name, and a tape that says whether it is replayed or asked."""

    URL: ClassVar[str]  # where such models are asked, if the manifest names no other place
    KEY: ClassVar[str]  # under which name the key is found, if the manifest names no other
    DIALECT: ClassVar[str]  # how the gateway speaks with it: `module:name`
    OWN: ClassVar[frozenset[str]] = frozenset()  # fields of a question that no manifest may write as `extra`

    model: Line
    tape: Literal["replay", "record", "live"]
    tapes: InsidePath | None = None
    endpoint: Literal["chat", "completions"] = "chat"
    system: Line | None = None
    base_url: Annotated[str, Checked(ADDRESS)] | None = None
    key: Annotated[str, Checked(VARIABLE)] | None = None
    prices: Prices | None = None
    limits: Allowance | None = None
    logprobs: int | None = field(default=None, metadata=LATE)  # how many of the likeliest are told beside each token

    def __post_init__(self) -> None:
        """Refuse a bound on money that nobody could count, and more of the likeliest than any provider tells."""
        if self.logprobs is not None and not 1 <= self.logprobs <= 20:
            raise ValueError("`logprobs` is a number from 1 to 20: how many of the likeliest tokens are told")
        if self.limits and self.limits.dollars and not self.prices:
            raise ValueError("a limit in dollars needs `prices`, or nobody knows what is spent")

    def answering(self) -> dict[str, Any]:
        """Give what can change an answer: which model is asked where, and what it is told beforehand."""
        asked = {
            "id": self.model, "endpoint": self.endpoint, "system": self.system, "base_url": self.base_url,
            "logprobs": self.logprobs,
        }  # fmt: skip
        return {name: value for name, value in asked.items() if value is not None}

    def unfit(self, generation: Mapping[str, Any]) -> Unfit | None:
        """Say with which of the settings this model cannot be asked, those written as plain JSON too."""
        for name in json.loads(generation.get("extra", "{}")):
            if name in self.OWN:
                mend = "take it out: models, prompts, seeds and how an answer travels are not settings"
                return Unfit(f"extra.{name}", f"`generation.extra.{name}` is for the harness to say", mend)
        return super().unfit(generation)

    @property
    def service(self) -> Service:
        """Say where to ask, under which name a key is found, what is kept and what is allowed."""
        told: dict[str, Any] = {
            "provider": self.provider, "dialect": self.DIALECT, "base_url": self.base_url or self.URL,
            "key": self.key or self.KEY, "mode": self.tape,
        }  # fmt: skip
        for name, part in (("prices", self.prices), ("limits", self.limits)):
            if part:
                told[name] = {key: value for key, value in asdict(part).items() if value is not None}
        return Service(self.model, self.tape, told, self.tapes)
