"""Verdict of one claim: the values it points at, held against its criteria (tolerance, order, bounds) in decimals.

It knows one claim and what stands where it points; never a run, nor what the claim once was.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal, InvalidOperation
from itertools import pairwise
from pathlib import Path
from typing import Any

from harness.manifest.schema import Claim, split

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
        """Return an output that is one JSON document, or say what it would have to be."""
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


MET, MISSED, NEEDS = "met", "missed", "not run: needs "
DIGITS = 2000  # of a sum of two numbers; those of a claim have 40
SHOWN = 40


def verdict(claim: Claim, found: Sequence[PointerValue]) -> tuple[str, str]:
    """Check values, one for each pointer of a claim; return `met`, `missed` or `not run: needs …`, and the reason.

    A missing value decides first; otherwise the reason is the first criterion that is not met.
    """
    lacks = list(dict.fromkeys(one.lacks for one in found if one.lacks))
    if lacks:
        more = f" (and {len(lacks) - 1} more)" if len(lacks) > 1 else ""
        return NEEDS + lacks[0] + more, "; ".join(lacks)
    flaw = next(_flaws(claim, found), "")
    return (MISSED, flaw) if flaw else (MET, "")


def criteria_text(claim: Claim | Mapping[str, Any]) -> str:
    """Spell the criteria of a claim in words: tolerance, order and bounds; a lone tolerance without `within`."""
    ask = claim.model_dump() if isinstance(claim, Claim) else claim
    words = [f"at {side} {ask[f'at_{side}']}" for side in ("least", "most") if ask.get(f"at_{side}") is not None]
    if ask.get("order"):
        words.insert(0, f"{ask['order']}{' or equal' if ask.get('ties') else ''}")
    if ask.get("within") is None:
        return ", ".join(words)
    return ", ".join([f"within {ask['within']}", *words]) if words else str(ask["within"])


def _flaws(claim: Claim, found: Sequence[PointerValue]) -> Iterator[str]:
    numbers: list[Decimal] = []
    for pointer, one in zip(claim.pointers, found, strict=True):
        at = f"{pointer}: " if len(found) > 1 else ""
        if one.number is None:
            yield f"{at}{one.flaw}"
            return
        numbers.append(one.number)
        for bound, kept in _bounds(claim, one.number):
            if not kept:
                yield f"{at}{_cut(one.text)} is not {bound}"
    for (first, second), (left, right) in zip(pairwise(claim.pointers), pairwise(numbers), strict=True):
        if claim.order and not _in_order(claim, left, right):
            yield f"{_cut(left)} at {first}, then {_cut(right)} at {second}: not {criteria_text(claim)}"


def _in_order(claim: Claim, left: Decimal, right: Decimal) -> bool:
    return (left == right and claim.ties) or (left < right if claim.order == "increasing" else left > right)


def _bounds(claim: Claim, number: Decimal) -> Iterator[tuple[str, bool]]:
    """Compare exactly; a sum of too many digits is rounded away from the published number, never towards it."""
    if claim.published is not None and claim.within is not None:
        published, within = Decimal(claim.published), Decimal(claim.within)
        low = _context(ROUND_FLOOR).subtract(published, within)
        high = _context(ROUND_CEILING).add(published, within)
        yield f"within {claim.within} of {claim.published}", low <= number <= high
    if claim.at_least is not None:
        yield f"at least {claim.at_least}", number >= Decimal(claim.at_least)
    if claim.at_most is not None:
        yield f"at most {claim.at_most}", number <= Decimal(claim.at_most)


def _context(rounding: str) -> Context:
    return Context(prec=DIGITS, rounding=rounding, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])


def _cut(number: object) -> str:
    text = str(number)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
