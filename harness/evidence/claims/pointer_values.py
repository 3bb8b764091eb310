"""JSON Pointer lookup in the outputs of a run: the number a claim points to, or the reason why there is none.

Text that stands where a number should is never repeated, since it could be an item's, but for `nan`, infinities and a
study's reason for a missing value.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from harness.manifest.claim import split

MAX_BYTES = 1 << 26
MAX_DIGITS = 9  # of a place in a list; no list is longer
KINDS = {dict: "an object", list: "a list", str: "text", bool: "true or false"}
UNBOUNDED = ("nan", "inf", "-inf")  # how rows spell what is no finite number


class _Number(str):
    """A number of a document, in the digits it was written with: none is lost, however many there are."""


@dataclass(frozen=True)
class PointerValue:
    """The result of a JSON Pointer: a number with its text, or what is lacking, or why what is there is no number."""

    text: str | None = None
    number: Decimal | None = None
    lacks: str = ""
    flaw: str = ""


class PointerReader:
    """Resolves JSON Pointers in the outputs of one run; each output is read once, and only if pointed into."""

    def __init__(
        self,
        outputs: Mapping[str, Mapping[str, Any]],
        deliver: Callable[[str], Path],
        found: dict[tuple[str, str], PointerValue] | None = None,
    ) -> None:
        self._outputs = outputs
        self._deliver = deliver
        self._documents: dict[str, tuple[Any, str]] = {}
        self._found = {} if found is None else found

    def at(self, pointer: str) -> PointerValue:
        """Resolve one pointer, `output#/path`, to the number there, or in the `value` of the object there.

        A missing value is described in the result; an output whose bytes are damaged is an error.
        """
        name, path = split(pointer)
        known = (str(self._outputs.get(name, {}).get("sha256")), pointer)
        if known not in self._found:
            if name not in self._documents:
                self._documents[name] = self._document(name)
            value, lacks = self._documents[name]
            self._found[known] = PointerValue(lacks=lacks) if lacks else _followed(value, path, pointer)
        return self._found[known]

    def _document(self, name: str) -> tuple[Any, str]:
        """Give an output that is one JSON document, or say what it would have to be."""
        if name not in self._outputs:
            return None, f"an output {name}, which the run does not have"
        path = self._deliver(self._outputs[name]["sha256"])
        if path.stat().st_size > MAX_BYTES:
            return None, f"an output {name} of at most {MAX_BYTES >> 20} MiB"
        try:
            data = path.read_bytes()
            return json.loads(data, parse_int=_Number, parse_float=_Number, parse_constant=_Number), ""
        except (ValueError, RecursionError):
            return None, f"an output {name} that is one JSON document"


def _followed(value: Any, path: list[str], pointer: str) -> PointerValue:
    for name in path:
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and _place(name) < len(value):
            value = value[_place(name)]
        else:
            return PointerValue(lacks=_reason(value, pointer) or f"a value at {pointer}, where there is none")
    if isinstance(value, dict) and "value" in value:
        value = value["value"]
    reason = _reason(value, pointer)
    return PointerValue(lacks=reason) if reason else _number(value)


def _place(name: str) -> int:
    """Read a place in a list as RFC 6901 spells it; what is no place lies behind every end."""
    plain = name.isascii() and name.isdigit() and len(name) <= MAX_DIGITS and (name == "0" or name[0] != "0")
    return int(name) if plain else 10**MAX_DIGITS


def _reason(value: Any, pointer: str) -> str:
    """Say why a value is missing, where a study says so."""
    missing = value.get("missing") if isinstance(value, dict) else None
    is_reason = isinstance(missing, str) and not isinstance(missing, _Number)
    return f"a value at {pointer}: {missing}" if is_reason else ""


def _number(value: Any) -> PointerValue:
    if isinstance(value, str) and value.lower() in ("infinity", "-infinity", *UNBOUNDED):
        return PointerValue(str(value), flaw="it is no finite number")
    if not isinstance(value, _Number):
        return PointerValue(flaw=f"it is {KINDS.get(type(value), 'null')}, and no number")
    try:
        return PointerValue(str(value), Decimal(value))
    except InvalidOperation:
        return PointerValue(str(value), flaw="its exponent is beyond what can be compared")
