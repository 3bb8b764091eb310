"""What a model's name tells: its bands, the family of one parameter it is of, and which band is a language model's.

`SP+SL+LLM` has three bands; `OASM@2.2` and `minilm@3` are of a family. It must never know a score.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

LANGUAGE_ARRAYS = ("LLM", "LLMU")  # bands of a language model, and of an untrained one, where arrays are given
LEXICAL = ("WORD", "SENSE", "SYNT")  # spaces of which the paper adds one to the simple ones at a time, in this order
BEST = "best"  # behind `MODEL@`: the layer of a text model that is chosen on test data, whichever that is


class FamilyMember(NamedTuple):
    """A model of one band that has one parameter: a width, a layer."""

    family: str
    place: float  # the parameter
    model: str


def bands(model: str) -> tuple[str, ...]:
    """Name a model's bands in their order; how it is fitted (`!plain`) is none."""
    return tuple(model.partition("!")[0].split("+"))


def member(model: str) -> FamilyMember | None:
    """Read a model of a family, however it is fitted: `OASM@2.2` and `OASM@2.2!plain` are of `OASM`; None of others."""
    text = model.partition("!")[0]
    name, _, place = text.partition("@")
    if not name or "+" in text or "&" in text or not _is_decimal(place):
        return None
    return FamilyMember(name, float(place), model)


def families(models: Sequence[str]) -> dict[str, list[FamilyMember]]:
    """Sort models into their families, each in the order of its parameter.

    Where models of a family are fitted in several ways, those fitted by a named one are a family apart, `OASM!plain`.
    """
    members = [one for model in models if (one := member(model))]
    ways: dict[str, set[str]] = {}
    for one in members:
        ways.setdefault(one.family, set()).add(one.model.partition("!")[2])
    found: dict[str, list[FamilyMember]] = {}
    for one in members:
        way = one.model.partition("!")[2] if len(ways[one.family]) > 1 else ""
        found.setdefault(f"{one.family}!{way}" if way else one.family, []).append(one)
    return {name: sorted(own, key=lambda one: one.place) for name, own in found.items()}


def is_language(band: str, text_models: Collection[str]) -> bool:
    """Whether a band is of a language model: a text model's layer, or a given array that is called LLM or LLMU."""
    name = band.partition("!")[0].partition("@")[0]
    return name in LANGUAGE_ARRAYS or name in text_models


def sole_language(names: Sequence[str], text_models: Collection[str]) -> str:
    """Name the one band of a language model among bands; empty where there is none, or more than one."""
    found = [name for name in names if is_language(name, text_models)]
    return found[0] if len(found) == 1 else ""


def _is_decimal(text: str) -> bool:
    whole, _, part = text.partition(".")
    return whole.isdecimal() and text.isascii() and (part.isdecimal() or text == whole)
