"""Instruments in a manifest, models that measure: provider settings, how they are asked, and repeats.

An instrument is never asked the items. In every version of the manifest, only the generation settings that are
written are sent to it. Like `models.py`, this must never know a provider.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, PlainValidator

from harness.manifest import generation
from harness.manifest.generation import EXTRA, Generation
from harness.manifest.models import TypedByValue, read_model, settings_of
from harness.manifest.read import Place

WRITTEN = "2"  # the first version of the manifest in which nothing is sent but what is written
JSON_OF: Place = ("instruments", "*", *EXTRA)  # where plain JSON stands in an instrument, whatever its role


def _written(value: Any) -> Any:
    return generation.meant(value, WRITTEN)


class Asking(BaseModel):
    """How an instrument is asked (generation settings, repeats), besides its provider's settings."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    generation: Annotated[Generation, BeforeValidator(_written)] = Field(default=Generation(), validate_default=True)
    repeats: Annotated[int, Field(ge=1, le=1000)] = 1


@dataclass(frozen=True)
class InstrumentSettings:
    """Settings of an instrument: those of its provider, and how it is asked (generation settings, repeats)."""

    model: Any  # its provider's settings
    asking: Asking

    def as_data(self) -> dict[str, Any]:
        """Give the settings as the lock holds them."""
        return {**self.model.as_data(), **self.asking.model_dump(mode="json")}


def _read(value: Any) -> InstrumentSettings:
    """Parse an instrument: a model's settings typed by its provider, and the rest here."""
    if isinstance(value, InstrumentSettings):
        return value
    given = value if isinstance(value, Mapping) else {}
    own = {name: given[name] for name in Asking.model_fields if name in given}
    model = read_model({name: part for name, part in given.items() if name not in own})
    return InstrumentSettings(model, Asking.model_validate(own))


def _forms(value: Any) -> tuple[Any, ...]:
    return (settings_of(value), Asking)


Named = Annotated[Any, PlainValidator(_read), PlainSerializer(InstrumentSettings.as_data), TypedByValue(_forms)]
