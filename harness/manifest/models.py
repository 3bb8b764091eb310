"""Models in a manifest: settings typed by the provider's own file, which is found by name.

It must never know a provider: it finds one, and validates what was written by that provider's settings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

from pydantic import PlainSerializer, PlainValidator, TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from harness.parts import PartRegistry

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
