"""Suggestions for unknown keys: which keys a schema has at a place of a file, and the closest of them."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterator, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel

from harness.manifest.models import TypedByValue
from harness.manifest.read import Place


def suggestion(place: Place, value: Any, schema: Any) -> str:
    """Word what to write instead of an unknown key: the closest known one, or the list."""
    known = sorted(dict.fromkeys(_known(schema, value, place[:-1]))) if place else []
    if close := difflib.get_close_matches(str(place[-1]), known, 1) if place else []:
        return f"did you mean `{close[0]}`?"
    return f"remove it; known here: {', '.join(known)}" if known else "remove it, or see the schema in the docs"


def _known(kind: Any, value: Any, place: Place) -> Iterator[str]:
    """Iterate over the keys that the schema allows at a place; the value beside them tells union members apart."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        shaped = next((one for one in inner[1:] if isinstance(one, TypedByValue)), None)
        for form in shaped.forms(value) if shaped else (inner[0],):
            yield from _known(form, value, place)
    elif origin in (Union, UnionType):
        forms = [one for one in inner if _fits(one, value)] or inner
        for one in forms:
            yield from _known(one, value, place)
    elif isinstance(kind, type) and (fields := _fields(kind)):
        if not place:
            yield from fields
        elif place[0] in fields:
            yield from _known(fields[str(place[0])], _below(value, place[0]), place[1:])
    elif place and isinstance(origin, type) and issubclass(origin, Mapping | Sequence) and inner:
        yield from _known(inner[1] if issubclass(origin, Mapping) else inner[0], _below(value, place[0]), place[1:])


def _fields(kind: type) -> dict[str, Any]:
    """Fields of a model or dataclass by the names that a file uses, each with its type."""
    if issubclass(kind, BaseModel):
        return {
            field.alias or name: Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
            for name, field in kind.model_fields.items()
        }
    if not dataclasses.is_dataclass(kind):
        return {}
    hints = get_type_hints(kind, include_extras=True)
    return {field.name.rstrip("_"): hints[field.name] for field in dataclasses.fields(kind)}  # `from_` is Python's own


def _fits(kind: Any, value: Any) -> bool:
    """Whether a value matches one member of a union: it has a key that this member requires."""
    while get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if not (isinstance(kind, type) and issubclass(kind, BaseModel) and isinstance(value, Mapping)):
        return False
    return any(field.is_required() and name in value for name, field in kind.model_fields.items())


def _below(value: Any, part: str | int) -> Any:
    try:
        return value[part]
    except (LookupError, TypeError):
        return None
