"""The criteria of a claim, checked exactly in decimals: a tolerance around a number, an order, bounds.

It knows one claim and what stands where it points; never a run, nor what the claim once was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from itertools import pairwise
from typing import Any

from harness.evidence.claims.pointer_values import PointerValue
from harness.manifest.schema import Claim

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
