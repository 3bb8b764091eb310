"""Models in a manifest: settings typed by the provider's own file, and what is sent to models (temperature, tokens …).

A provider is found by name, and what was written is validated by its settings; each provider says which generation
settings it takes. What is not sent stands in no intent and in no step's parameters: `unset`, or whatever version 2
leaves unsaid.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError

from harness import texts
from harness.digest import canonical
from harness.errors import InputError
from harness.parts import PartRegistry

UNSET = "unset"
AT_FIRST = ("temperature", "max_tokens", "top_p", "stop")  # version 1 sends these, also where it says nothing of them
EXTRA = ("generation", "extra")  # where plain JSON stands in a manifest


def _absent(value: Any) -> bool:
    return value is None


def _said(value: Any) -> Any:
    if value is None:
        raise ValueError(f"write a value, or `{UNSET}`, which is not sent")
    return None if value == UNSET else value


def _spelled(value: Any) -> str:
    """Encode plain JSON as canonical text: identity documents hold no floats, but text sent to a provider may."""
    if not isinstance(value, Mapping) or not value:
        raise ValueError("write a map of names to plain JSON")
    for name in value:
        if name in Generation.model_fields:
            raise ValueError(f"`{name}` has a line of its own: write it beside `extra`")
    try:
        return canonical(dict(value)).decode()
    except InputError as bad:
        raise ValueError(bad.what) from None


Sent = BeforeValidator(_said)
Decimals = Annotated[str, AfterValidator(texts.decimal)]
Stop = Annotated[str, AfterValidator(texts.whole)]
Name = Annotated[str, AfterValidator(texts.name)]
Tokens = Annotated[int, Field(ge=1, le=1_000_000)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Thinking(_Part):
    """Reasoning settings: whether a model thinks before it answers, how much, and whether that is shown."""

    type: Literal["enabled", "adaptive", "disabled"]
    budget_tokens: Tokens | None = Field(default=None, exclude_if=_absent)
    display: Literal["summarized", "omitted"] | None = Field(default=None, exclude_if=_absent)


class Generation(_Part):
    """Generation settings; a field that is None is not sent."""

    temperature: Annotated[Decimals | None, Sent] = Field(default="0", exclude_if=_absent)
    max_tokens: Annotated[Tokens | Literal["benchmark"] | None, Sent] = Field(default=256, exclude_if=_absent)
    top_p: Annotated[Decimals | None, Sent] = Field(default="1", exclude_if=_absent)
    stop: Annotated[tuple[Stop, ...] | None, Sent] = Field(default=(), exclude_if=_absent)
    # What could not be said at first stays out of the intent where it is not said: no older lock becomes stale.
    max_completion_tokens: Annotated[Tokens | None, Sent] = Field(default=None, exclude_if=_absent)
    reasoning_effort: Annotated[Name | None, Sent] = Field(default=None, exclude_if=_absent)
    thinking: Annotated[Thinking | None, Sent] = Field(default=None, exclude_if=_absent)
    seed: Annotated[Annotated[int, Field(ge=0, lt=2**53)] | None, Sent] = Field(default=None, exclude_if=_absent)
    top_k: Annotated[Tokens | None, Sent] = Field(default=None, exclude_if=_absent)
    extra: Annotated[str | None, BeforeValidator(_spelled)] = Field(default=None, exclude_if=_absent)

    @model_validator(mode="after")
    def _one_bound(self) -> Generation:
        if self.max_completion_tokens and self.max_tokens:
            raise ValueError(f"`max_completion_tokens` takes the place of `max_tokens`: add `max_tokens: {UNSET}`")
        return self

    def asked(self) -> dict[str, Any]:
        """Give the settings as intents and step parameters hold them, without those that are unset."""
        return self.model_dump(mode="json")


def meant(value: Any, version: Any) -> Any:
    """Complete a block of settings by the defaults of the manifest's version, before it is typed.

    Version 1 sends four settings always, and a stop without the space around it: that is so for ever, since tapes and
    locks rest on it. Every later one sends what is written, as it is written.
    """
    given = dict(value) if isinstance(value, Mapping) else {} if isinstance(value, Generation) else value
    if not isinstance(given, dict):
        return value
    if version != "1":
        return {**dict.fromkeys(AT_FIRST, UNSET), **given}
    if isinstance(stops := given.get("stop"), list):
        given["stop"] = [stop.strip() or stop if isinstance(stop, str) else stop for stop in stops]
    return given


PROVIDERS = PartRegistry("provider", "harness.models.providers", "PROVIDER")
NO_PROVIDER = "no_provider"  # the kind of error that load.py words


@cache
def _reader(provider: str) -> TypeAdapter[Any]:
    return TypeAdapter(PROVIDERS.find(provider))


@dataclass(frozen=True)
class TypedByValue:
    """Annotation of a field whose type depends on its value; gives those types for suggestions of keys."""

    forms: Callable[[Any], tuple[Any, ...]]


def read_model(value: Any) -> Any:
    """Parse a model's settings by the settings class of the provider it names; an error where no such provider is."""
    name = value.get("provider") if isinstance(value, Mapping) else None
    if PROVIDERS.get(name) is None:
        raise PydanticCustomError(NO_PROVIDER, "{known}", {"known": ", ".join(PROVIDERS.names())})
    return _reader(str(name)).validate_python(value)


def settings_of(value: Any) -> Any:
    """Find the settings class of the provider that a model names; None where it names none."""
    return PROVIDERS.get(value.get("provider")) if isinstance(value, Mapping) else None


def _forms(value: Any) -> tuple[Any, ...]:
    return (settings_of(value),)


Model = Annotated[Any, PlainValidator(read_model), PlainSerializer(lambda model: model.as_data()), TypedByValue(_forms)]


def is_stand_in(said: Mapping[str, Any]) -> bool:
    """Whether a lock's pin is of a stand-in model; one whose provider is gone counts as a real model."""
    try:
        return read_model(said).stand_in is not None
    except (PydanticCustomError, ValidationError, LookupError):
        return False
