"""Parses a model's name: its bands, its family of one parameter, and which band is a language model.

`SP+SL+LLM` has three bands; `OASM@2.2` and `minilm@3` are members of a family.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

LANGUAGE_ARRAYS = ("LLM", "LLMU")  # bands of a given array of a language model, and of an untrained one
LEXICAL = ("WORD", "SENSE", "SYNT")  # the paper adds these one at a time to the simple spaces, in this order
BEST = "best"  # `MODEL@best` is the text model's layer that is chosen on test data


class FamilyMember(NamedTuple):
    """A model of one band that has one parameter, such as a width or a layer."""

    family: str
    place: float  # the parameter
    model: str


def bands(model: str) -> tuple[str, ...]:
    """Return the names of a model's bands (feature spaces) in order, without the method of fitting (`!plain`)."""
    return tuple(model.partition("!")[0].split("+"))


def member(model: str) -> FamilyMember | None:
    """Parse a model's name as family and parameter, such as `OASM@2.2`; None if it is no such member of a family."""
    text = model.partition("!")[0]
    name, _, place = text.partition("@")
    if not name or "+" in text or "&" in text or not _is_decimal(place):
        return None
    return FamilyMember(name, float(place), model)


def families(models: Sequence[str]) -> dict[str, list[FamilyMember]]:
    """Group model names such as `OASM@2.2` by family, each sorted by its parameter (a width or a layer).

    If models of a family are fitted in several ways, those with a named way form a family of their own, `OASM!plain`.
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
    """Whether a band is a language model: a text model's layer, or a given array called LLM or LLMU."""
    name = band.partition("!")[0].partition("@")[0]
    return name in LANGUAGE_ARRAYS or name in text_models


def sole_language(names: Sequence[str], text_models: Collection[str]) -> str:
    """Return the only band that is a language model; an empty text if there is none or more than one."""
    found = [name for name in names if is_language(name, text_models)]
    return found[0] if len(found) == 1 else ""


def _is_decimal(text: str) -> bool:
    whole, _, part = text.partition(".")
    return whole.isdecimal() and text.isascii() and (part.isdecimal() or text == whole)
