"""Interval comparison of statistics: the found and the expected value must each lie in the other's interval.

The found interval may be at most WIDER times as wide as the expected. Counts, texts, and statistics without interval
must be equal; other numbers beside a statistic are not compared. Two equal values need only intervals that overlap.
It knows leaves by their JSON Pointers, as an expectation keeps them; it must never know a study.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation

WIDER = Decimal("1.5")  # how many times as wide as the expected interval that of a run may be
SHOWN = 60
_VALUE, _MISSING, _UNDEFINED = "/value", "/value/missing", "/undefined_resamples"
# How studies name what they counted, beside a value; whatever begins with `n_` counts too.
_COUNTS = {"n", "benchmarks", "count", "counts", "errors", "items", "kept", "pairs"}
_COUNTS |= {"participants", "prompts", "resamples", "total", "units"}
Leaves = Mapping[str, str]
Ends = tuple[Decimal, Decimal]


def first_outside(expected: Leaves, found: Leaves) -> str:
    """Describe the first statistic that is too far from the expected one, or another difference; "" if none.

    Both sides are the leaf values of an output, as JSON text, by JSON Pointer.
    """
    statistics = _statistics(expected) | _statistics(found)
    old, new = ([at for at in side if not _describes(at, statistics)] for side in (expected, found))
    if set(old) != set(new):
        return f"other fields: {min(set(old) ^ set(new))}"
    for pointer in old:
        stem, _, name = pointer.rpartition("/")
        if name == "value":
            flaw = next(_flaws(stem, expected, found), "")
        elif expected[pointer] == found[pointer] or (stem in statistics and _is_companion(name, expected, found, stem)):
            continue
        else:
            flaw = f"{pointer} is {found[pointer][:SHOWN]}, expected {expected[pointer][:SHOWN]}"
        if flaw:
            return flaw
    return ""


def number(text: str) -> Decimal | None:
    """Parse a JSON leaf as a decimal number; None if it is none."""
    try:
        return Decimal(text) if text[:1] in "-0123456789" and text else None
    except InvalidOperation:
        return None


def _statistics(leaves: Leaves) -> set[str]:
    """Find what has a value, or the reason why it has none."""
    return {at.removesuffix(end) for end in (_VALUE, _MISSING) for at in leaves if at.endswith(end)}


def _describes(pointer: str, statistics: set[str]) -> bool:
    """Whether a leaf belongs to the interval of a statistic, which is looked at with its value."""
    stem, mark, rest = pointer.rpartition("/interval")
    if mark and rest[:1] in ("", "/"):
        return stem in statistics
    return pointer.endswith(_UNDEFINED) and pointer.removesuffix(_UNDEFINED) in statistics


def _is_companion(name: str, expected: Leaves, found: Leaves, stem: str) -> bool:
    """Whether a leaf is a number beside a statistic that is no count: the statistic decides for it."""
    numbers = all(number(side[f"{stem}/{name}"]) is not None for side in (expected, found))
    return numbers and name not in _COUNTS and not name.startswith("n_")


def _flaws(stem: str, expected: Leaves, found: Leaves) -> Iterator[str]:
    """Hold one statistic against the expected one: as narrow as that, and each value in the other's interval."""
    at, old, new = f"{stem}/value", expected[f"{stem}/value"], found[f"{stem}/value"]
    wanted, given = _ends(expected, stem), _ends(found, stem)
    one, two = number(old), number(new)
    if wanted is None or given is None or one is None or two is None:
        if old != new:
            yield f"{at} is {new[:SHOWN]}, expected {old[:SHOWN]}, and has no interval on both sides"
        if (wanted, _kind(expected, stem)) != (given, _kind(found, stem)):
            yield f"{stem}/interval is {_spelt(given)}, expected {_spelt(wanted)}"
        return
    yield from _widths(f"{stem}/interval", wanted, given)
    if one == two:  # a percentile interval need not contain its own value; but it lies where the other does
        if given[0] > wanted[1] or wanted[0] > given[1]:
            yield f"{stem}/interval is {_spelt(given)}, expected {_spelt(wanted)}"
        return
    if not given[0] <= one <= given[1]:
        yield f"{at}: the expected {one} lies outside {_spelt(given)}, the interval of {two}"
    if not wanted[0] <= two <= wanted[1]:
        yield f"{at}: {two} lies outside {_spelt(wanted)}, the expected interval of {one}"


def _widths(at: str, wanted: Ends, given: Ends) -> Iterator[str]:
    """Hold the width of an interval against the expected one; where that has none, it must be the same."""
    if given[0] > given[1] or (wanted[0] == wanted[1] and given != wanted):
        yield f"{at} is {_spelt(given)}, expected {_spelt(wanted)}"
    if given[1] - given[0] > WIDER * (wanted[1] - wanted[0]):
        yield f"{at} is {_spelt(given)}, more than {WIDER} times as wide as the expected {_spelt(wanted)}"


def _ends(leaves: Leaves, stem: str) -> Ends | None:
    low, high = (number(leaves.get(f"{stem}/interval/{end}", "")) for end in (0, 1))
    return None if low is None or high is None else (low, high)


def _kind(leaves: Leaves, stem: str) -> tuple[bool, bool]:
    """Say what stands where an interval should; the reason why there is none may count resamples, and is not read."""
    return f"{stem}/interval" in leaves, f"{stem}/interval/missing" in leaves


def _spelt(ends: Ends | None) -> str:
    return f"[{ends[0]}, {ends[1]}]" if ends else "none"
