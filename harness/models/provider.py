"""Providers of models: the typed settings that a manifest may give for one model, and the completions it answers with.

A provider is a file of the folder `providers`. It defines `respond`, the step that makes responses, and `PROVIDER`, its
class of settings, which says what they mean for lock and run. A completion is the output of a model, a completion
request the input of one that runs in this process.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from harness import rowtypes, texts
from harness.errors import InputError
from harness.rowtypes import Prompt


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """A completion request: one prompt for one sample, with everything that may change the answer, except the gold."""

    item: str
    template: int
    sample: int
    text: str
    seed: int
    generation: Mapping[str, Any]
    messages: Sequence[Mapping[str, Any]] | None = None  # chat turns instead of a text


def require_text(prompt: Prompt) -> None:
    """Raise InputError for a prompt with attachments, or without text and messages, since the model reads text only."""
    if prompt.get("attachments") or not ("messages" in prompt or isinstance(prompt.get("text"), str)):
        raise InputError(
            "this prompt is more than a text, which this model is not asked",
            where=f"item {prompt['item']}",
            next="use a set of plain prompts, or have the study leave such items out for it (`How.fits`)",
        )


def plain_text(prompt: Prompt) -> str:
    """Return a prompt as plain text, for a model without chat turns: its text, or the texts of all turns in order."""
    if "text" in prompt:
        return prompt["text"]
    said = (turn.get("content") for turn in prompt.get("messages", ()))
    return "\n\n".join(each for each in said if isinstance(each, str))


BENCHMARK = "benchmark"  # in place of a number for `max_tokens`: each prompt's own limit


def with_token_limit(generation: Mapping[str, Any], prompt: Prompt) -> Mapping[str, Any]:
    """Return the generation settings with `max_tokens: benchmark` replaced by the prompt's own token limit.

    Settings with any other `max_tokens` are returned unchanged. Raises InputError for a prompt without a needed limit.
    """
    if generation.get("max_tokens") != BENCHMARK:
        return generation
    if not isinstance(prompt.get("max_tokens"), int):
        raise InputError(
            "this prompt brings no budget of tokens along",
            where=f"item {prompt.get('item')}",
            next="write a number for `max_tokens`: not every dataset has budgets of its own",
        )
    return {**generation, "max_tokens": prompt["max_tokens"]}


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer of a model, or the error in its place; an error is not an empty answer."""

    item: str
    template: int
    model: str
    sample: int
    text: str
    finish: str
    usage: Mapping[str, int] | None = None
    error: str | None = None
    logprobs: Sequence[Mapping[str, Any]] | None = None  # one per token: {token, logprob, top: [[token, logprob], …]}
    reasoning: str | None = None  # a model's reasoning text, which is kept and never scored

    def row(self) -> rowtypes.Response:
        """Return the row that is stored; a field without a value is left out."""
        row: rowtypes.Response = {
            "item": self.item,
            "template": self.template,
            "model": self.model,
            "sample": self.sample,
            "text": self.text,
            "finish": self.finish,
        }
        if self.reasoning is not None:
            row["reasoning"] = self.reasoning
        if self.logprobs is not None:
            row["logprobs"] = [dict(each) for each in self.logprobs]
        if self.usage is not None:
            row["usage"] = dict(self.usage)
        if self.error is not None:
            row["error"] = self.error
        return row


@dataclass(frozen=True)
class CheckedText:
    """Validator annotation: the check that a text field of the settings must pass when a manifest is read."""

    check: texts.Check

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Return the pydantic schema that runs the check on a field; pydantic is loaded for manifests only."""
        from pydantic_core import core_schema  # noqa: PLC0415 - heavy

        return core_schema.no_info_after_validator_function(self.check, handler(source))


Line = Annotated[str, CheckedText(texts.strip_line)]
Name = Annotated[str, CheckedText(texts.name)]
Number = Annotated[str, CheckedText(texts.validate_decimal)]
InsidePath = Annotated[str, CheckedText(texts.validate_inside_path)]
ADDRESS = texts.matching_validator(r"^https?://[^@\s?#]+$", "a URL without a name or a key")
VARIABLE = texts.matching_validator(r"^[A-Za-z_][A-Za-z0-9_]{0,99}$", "the name of a variable")
USUAL = ("temperature", "max_tokens", "top_p", "stop")  # settings that every provider gets
LATE = {"late": True}  # metadata of a field that was added later; if unset, it is left out of locks


@dataclass(frozen=True, kw_only=True)
class StandIn:
    """Facts about a stand-in (a test double for a model), for the check of a benchmark's scorer.

    They are: whether it sees gold, whether it tries to deceive a scorer, and which of its answers a sound scorer must
    mark right: all, none, or None if that is not known in advance. A stand-in that uses more than its prompts names the
    source in `reads`. `expected_on` states the same for single benchmarks, if they are made from that source.
    """

    sees_gold: bool = False
    adversarial: bool = False
    expected: Literal["all", "none"] | None = None
    reads: str | None = None
    expected_on: Mapping[str, Literal["all", "none"]] = field(default_factory=dict)


@dataclass(frozen=True)
class Weights:
    """The source of a model's weight files (project, user's folder, package or hub) and its pin, without the files."""

    source: str
    revision: str | None = None
    unresolved: str | None = None  # why there is no revision; the model cannot be run
    drawn: bool = False  # weights are drawn from a seed; only configuration and tokenizer files are used

    @property
    def hub(self) -> str:
        """The repository on a hub that the weights are pinned from, as `OWNER/NAME`; empty if there is none."""
        return self.source.removeprefix("hf:") if self.source.startswith("hf:") and not self.drawn else ""


@dataclass(frozen=True)
class Imported:
    """The source of imported answers of another run, a project file or rows in the store; no model is called."""

    source: str
    sha256: str | None = None


class UnsupportedSetting(NamedTuple):
    """A generation setting that a model does not support: its name, the reason, and what to write instead."""

    key: str
    what: str
    fix: str


def _plain(value: Any) -> Any:
    """Convert settings to plain data, including nested ones, without late fields that are unset."""
    if isinstance(value, Mapping):
        return dict(value)
    if not is_dataclass(value):
        return value
    parts = [(each, getattr(value, each.name)) for each in fields(value)]
    return {each.name: _plain(part) for each, part in parts if each.metadata != LATE or part != each.default}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The base class of the settings of one model in a manifest, from which each provider derives its own.

    It contains no API keys.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "forbid"}

    provider: str
    facts: Mapping[Name, Line] = field(default_factory=dict)

    def as_data(self) -> dict[str, Any]:
        """Return all settings as plain data, as the lock holds them; late fields that are unset are left out."""
        return dict(_plain(self))

    def answer_params(self) -> dict[str, Any]:
        """Return the settings that can change an answer: here all except `provider` and `facts`.

        They become step parameters and part of the model's pin.
        """
        return {name: value for name, value in self.as_data().items() if name not in ("provider", "facts")}

    @property
    def takes(self) -> tuple[str, ...]:
        """The names of the `generation` settings that this model supports, or is known to ignore."""
        return USUAL

    def unsupported(self, generation: Mapping[str, Any]) -> UnsupportedSetting | None:
        """Return the first `generation` setting that this model does not support; None if it supports all of them."""
        for key in generation:
            if key not in self.takes:
                fix = f"take it out, or ask this model in a manifest of its own; it takes {', '.join(self.takes)}"
                return UnsupportedSetting(key, f"`generation.{key}` means nothing to the provider {self.provider}", fix)
        return None

    @property
    def stand_in(self) -> StandIn | None:
        """The facts of a stand-in; None for a real model."""
        return None

    @property
    def weights(self) -> Weights | None:
        """The source of the model's weights, if it runs on this machine; else None."""
        return None

    @property
    def service(self) -> Service | None:
        """The model's settings for the gateway and its tape, if it runs behind an API; else None."""
        return None

    @property
    def scores_continuations(self) -> bool:
        """Whether the model can compute the likelihood of a given continuation of a prompt."""
        return False

    @property
    def imported(self) -> Imported | None:
        """The source of the answers, if they are imported from another run and no model is called; else None."""
        return None


@dataclass(frozen=True, kw_only=True)
class Prices:
    """The prices of a model in dollars per million tokens."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "forbid"}

    input: Number
    output: Number
    cached_input: Number | None = field(default=None, metadata=LATE)  # for tokens read from the provider's own cache
    cache_write: Number | None = field(default=None, metadata=LATE)


@dataclass(frozen=True, kw_only=True)
class Allowance:
    """The rate limits of a model (requests, tokens per minute) and its spending limit in dollars; None: unlimited."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "forbid"}

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    dollars: Number | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for rate limits below 1."""
        if any(bound is not None and bound < 1 for bound in (self.requests_per_minute, self.tokens_per_minute)):
            raise ValueError("an allowance is 1 or more; leave it out where there is none")


@dataclass(frozen=True)
class Service:
    """A model behind an API: its settings for the gateway, and the tape that records or replays its answers."""

    model: str
    tape: Literal["replay", "record", "live"]
    told: Mapping[str, Any]
    tapes: str | None  # the folder of the tape in the project; None: tapes/ and the manifest's name

    def folder(self, root: Path, name: str) -> Path:
        """Return the tape's folder below the project's root: the one set, else `tapes/` and the manifest's name."""
        return root / (self.tapes or f"tapes/{name}")


@dataclass(frozen=True, kw_only=True)
class RemoteSettings(Settings):
    """The settings of a model behind an API: its name there, URL, tape mode, prices and limits, without an API key."""

    URL: ClassVar[str]  # URL of the API, if the manifest names no other
    KEY: ClassVar[str]  # name of the API key, if the manifest names no other
    DIALECT: ClassVar[str]  # the gateway's dialect of the API, `module:name`
    OWN: ClassVar[frozenset[str]] = frozenset()  # fields of a request that no manifest may write as `extra`

    model: Line
    tape: Literal["replay", "record", "live"]
    tapes: InsidePath | None = None
    endpoint: Literal["chat", "completions"] = "chat"
    system: Line | None = None
    base_url: Annotated[str, CheckedText(ADDRESS)] | None = None
    key: Annotated[str, CheckedText(VARIABLE)] | None = None
    prices: Prices | None = None
    limits: Allowance | None = None
    logprobs: int | None = field(default=None, metadata=LATE)  # number of likeliest tokens reported for each token

    def __post_init__(self) -> None:
        """Raise ValueError for a spending limit without prices, and for `logprobs` other than 1 to 20."""
        if self.logprobs is not None and not 1 <= self.logprobs <= 20:
            raise ValueError("`logprobs` is a number from 1 to 20: how many of the likeliest tokens are told")
        if self.limits and self.limits.dollars and not self.prices:
            raise ValueError("a limit in dollars needs `prices`, or nobody knows what is spent")

    def answer_params(self) -> dict[str, Any]:
        """Return what can change an answer: model name, endpoint; URL, system prompt and log-probabilities if set."""
        asked = {
            "id": self.model,
            "endpoint": self.endpoint,
            "system": self.system,
            "base_url": self.base_url,
            "logprobs": self.logprobs,
        }
        return {name: value for name, value in asked.items() if value is not None}

    def unsupported(self, generation: Mapping[str, Any]) -> UnsupportedSetting | None:
        """Return the first `generation` setting that is not supported; None if all are.

        In `extra`, only the request fields that the harness itself writes are refused.
        """
        for name in json.loads(generation.get("extra", "{}")):
            if name in self.OWN:
                fix = "take it out: models, prompts, seeds and how an answer travels are not settings"
                return UnsupportedSetting(f"extra.{name}", f"`generation.extra.{name}` is for the harness to say", fix)
        return super().unsupported(generation)

    @property
    def service(self) -> Service:
        """The model's settings for the gateway: URL, name of its key, tape mode, prices, limits."""
        told: dict[str, Any] = {
            "provider": self.provider,
            "dialect": self.DIALECT,
            "base_url": self.base_url or self.URL,
            "key": self.key or self.KEY,
            "mode": self.tape,
        }
        for name, part in (("prices", self.prices), ("limits", self.limits)):
            if part:
                told[name] = {key: value for key, value in asdict(part).items() if value is not None}
        return Service(self.model, self.tape, told, self.tapes)
