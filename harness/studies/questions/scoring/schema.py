"""JSON Schema for the scorer `json`: the part of draft 2020-12 that needs no network and always terminates.

An unknown keyword raises an error and is not ignored, since a schema that checks less than it says would be no check. A
`$ref` points into the schema's own `$defs`, and not to a definition that contains it. Sees no answer texts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from harness.errors import InputError
from harness.studies.questions.scoring import search
from harness.studies.questions.scoring.schema_keywords import ALL_OF, CHECKS, ONE_IN, TYPES
from harness.texts import reject_duplicates

MOST_PARTS = 2_000  # of a schema; a part counts once per reference to it
ABOUT = ("$schema", "$id", "$comment", "title", "description", "default", "examples", "format", "deprecated")
MAPS, LISTS, SINGLE = ("properties", "$defs"), ("allOf", "anyOf", "oneOf", "prefixItems"), ("items", "not")
KNOWN = frozenset({*ABOUT, *MAPS, *LISTS, *SINGLE, *CHECKS, "additionalProperties", "type", "$ref"})
_REF = re.compile(r"#/\$defs/([^/~%]+)")


@dataclass(frozen=True)
class JsonSchema:
    """A parsed schema: every keyword is known, and every reference was found."""

    whole: Any

    def violation(self, value: Any) -> str:
        """Return the first violation of the schema in a value, with its place; an empty text if there is none.

        Raises UnsearchedError if a text cannot be searched for a `pattern`.
        """
        return _violation(self.whole, value, "$", self.whole)


def parse_schema(text: str) -> JsonSchema:
    """Parse a schema from JSON; raise InputError if it is invalid or uses a keyword that is not known here."""
    try:
        whole = json.loads(text, object_pairs_hook=reject_duplicates)
    except (ValueError, RecursionError) as bad:
        raise InputError(f"the schema is no JSON: {str(bad)[:100]}", next="write JSON, in quotes") from bad
    _Reader(whole).read(whole, (), "#")
    return JsonSchema(whole)


class _Reader:
    """The check of a schema before any value is validated."""

    def __init__(self, whole: Any) -> None:
        self.defs: Any = whole.get("$defs", {}) if isinstance(whole, dict) else {}
        self.parts = 0

    def read(self, part: Any, through: tuple[str, ...], at: str) -> None:
        """Check a part and everything in it; raise InputError if it is invalid.

        `through` holds the references that led to the part.
        """
        self.parts += 1
        if self.parts > MOST_PARTS:
            raise InputError(f"the schema has more than {MOST_PARTS:,} parts", next="write a smaller one")
        if isinstance(part, bool):
            return
        if not isinstance(part, dict):
            raise InputError(f"{at} of the schema is neither an object nor true or false", next="write a schema there")
        if strange := sorted(part.keys() - KNOWN):
            raise InputError(
                f"{at} of the schema has the keyword {strange[0][:60]!r}, which is not known here",
                next=f"take it out; known: {', '.join(sorted(KNOWN - {*ABOUT}))}",
            )
        for name, check in CHECKS.items():
            if name in part and not check.sound(part[name]):
                raise InputError(f"{at}/{name} of the schema is not {check.what}", next="correct it")
        self._type(part, at)
        self._pattern(part, at)
        self._inside(part, through, at)

    def _type(self, part: Mapping[str, Any], at: str) -> None:
        said = part.get("type", [])
        if strange := [one for one in (said if isinstance(said, list) else [said]) if one not in TYPES]:
            raise InputError(f"{at}/type of the schema names {str(strange[0])[:60]!r}", next=f"use {', '.join(TYPES)}")

    def _pattern(self, part: Mapping[str, Any], at: str) -> None:
        text = part.get("pattern", "")
        if text and (why := search.refused(text)):
            raise InputError(f"{at}/pattern of the schema: {why}", next="write another pattern")

    def _inside(self, part: Mapping[str, Any], through: tuple[str, ...], at: str) -> None:
        for name in MAPS:
            inner = part.get(name, {})
            if not isinstance(inner, dict):
                raise InputError(f"{at}/{name} of the schema is no object", next="write `{NAME: schema}`")
            for key, each in inner.items():
                self.read(each, through, f"{at}/{name}/{key[:40]}")
        for name in LISTS:
            inner = part.get(name, [])
            if not isinstance(inner, list):
                raise InputError(f"{at}/{name} of the schema is no list", next="write a list of schemas")
            for place, each in enumerate(inner):
                self.read(each, through, f"{at}/{name}/{place}")
        for name in (*SINGLE, "additionalProperties"):
            if name in part:
                self.read(part[name], through, f"{at}/{name}")
        if "$ref" in part:
            self._refer(part["$ref"], through, at)

    def _refer(self, ref: Any, through: tuple[str, ...], at: str) -> None:
        found = _REF.fullmatch(ref) if isinstance(ref, str) else None
        if found is None or not isinstance(self.defs, dict) or found[1] not in self.defs:
            raise InputError(f"{at}/$ref of the schema leads nowhere: {str(ref)[:60]!r}", next="write #/$defs/NAME")
        if found[1] in through:
            raise InputError(f"{at}/$ref of the schema contains itself", next="write out as many levels as there are")
        self.read(self.defs[found[1]], (*through, found[1]), f"#/$defs/{found[1][:40]}")


def _violation(part: Any, value: Any, at: str, whole: Any) -> str:
    """Return the first violation of one part of a schema."""
    if isinstance(part, bool):
        return "" if part else f"{at[:200]}: nothing is allowed here"
    for name, said in part.items():
        if name in CHECKS and (why := CHECKS[name].off(said, value, part)):
            return f"{at[:200]}: {why}"
    if "type" in part and not _is_of(part["type"], value):
        return f"{at[:200]}: not of type {part['type']}"
    if "$ref" in part and (why := _violation(whole["$defs"][part["$ref"][8:]], value, at, whole)):
        return why
    return _inner(part, value, at, whole) or _combined(part, lambda one: _violation(one, value, at, whole), at)


def _is_of(said: Any, value: Any) -> bool:
    return any(TYPES[one](value) for one in (said if isinstance(said, list) else [said]))


def _inner(part: Mapping[str, Any], value: Any, at: str, whole: Any) -> str:
    """Return the first violation inside an object or a list."""
    if isinstance(value, dict):
        known, others = part.get("properties", {}), part.get("additionalProperties", True)
        for name, one in value.items():
            if why := _violation(known.get(name, others), one, f"{at}.{name[:40]}", whole):
                return why
    if isinstance(value, list):
        first, others = part.get("prefixItems", []), part.get("items", True)
        for place, one in enumerate(value):
            rule = first[place] if place < len(first) else others
            if why := _violation(rule, one, f"{at}[{place}]", whole):
                return why
    return ""


def _combined(part: Mapping[str, Any], against: Callable[[Any], str], at: str) -> str:
    """Return the first violation of the keywords that combine schemas for one value."""
    for one in part.get(ALL_OF, ()):
        if why := against(one):
            return why
    for name, right in ONE_IN.items():
        if name in part and not right(sum(not against(one) for one in part[name])):
            return f"{at[:200]}: not as `{name}` says"
    if "not" in part and not against(part["not"]):
        return f"{at[:200]}: what `not` says holds"
    return ""
