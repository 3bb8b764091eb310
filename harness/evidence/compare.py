"""Comparison of a run's outputs with an expectation, each at its level: exact bytes, a tolerance, or intervals.

The accepted array is a file beside the expectation; the accepted values of any other output are in the expectation.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from harness import arrays
from harness.digest import canonical_json, sha256_file, walk_values
from harness.errors import InputError
from harness.evidence.record import FAIL, OUTPUT, Record, self_check
from harness.files import is_plain_file
from harness.manifest.lockfile import Expect
from harness.npy import ArrayHeader
from harness.texts import RELATIVE

SHOWN_CELLS = 60
WHOLE = 2**64 - 1  # the largest difference of two integers of an array


@dataclass(frozen=True)
class Deviation:
    """The largest deviation between two array files: its index, both values, and the number of deviating elements.

    If file format, names, types or shapes differ, it has those in place of values, and `of` is 0.
    """

    at: str
    expected: str
    found: str
    count: int = 0
    of: int = 0

    def text(self, tolerance: str) -> str:
        """Format the deviation as one line, with the tolerance if elements were compared."""
        told = f"{self.at} is {self.found}, expected {self.expected}"
        return f"{told} within {tolerance} ({self.count} of {self.of} elements stray)" if self.of else told


def deviation_text(tolerance: str, expected: Path, found: Path) -> str:
    """Describe how an array file is out of tolerance, of another type or shape, or unreadable; "" if it agrees."""
    try:
        stray = largest_deviation(tolerance, expected, found)
    except InputError as bad:
        return f"{bad.what} ({bad.where})" if bad.where else bad.what
    return stray.text(tolerance) if stray else ""


def largest_deviation(tolerance: str, expected: Path, found: Path) -> Deviation | None:
    """Return the largest deviation between two files of arrays; None if all elements are within the tolerance.

    Files of different format, array names, types or shapes are not compared further; that difference is returned.
    """
    forms = [arrays.file_format(path) or "no array" for path in (expected, found)]
    if forms[0] != forms[1]:
        return Deviation("the output", forms[0], forms[1])
    one, two = arrays.read_headers(expected), arrays.read_headers(found)
    if one.keys() != two.keys():
        name = min(one.keys() ^ two.keys())
        return Deviation(name, "there", "absent") if name in one else Deviation(name, "absent", "there")
    strays = []
    for name in one:
        if (one[name].dtype, one[name].shape) != (two[name].dtype, two[name].shape):
            return Deviation(name or "the array", one[name].text(), two[name].text())
        worst = _Worst(name, one[name], tolerance)
        for left, right in _pairs(expected, one[name], found, two[name], name):
            worst.see(left, right)
        if worst.count:
            strays.append((worst.measure, worst.stray()))
    return max(strays, key=lambda pair: pair[0])[1] if strays else None


def _pairs(expected: Path, one: ArrayHeader, found: Path, two: ArrayHeader, name: str) -> Iterator[tuple[Any, Any]]:
    """Yield the same elements of both arrays: block by block, or whole if one of them has another order."""
    if one.fortran or two.fortran:
        yield arrays.read(expected, name), arrays.read(found, name)
    else:
        yield from zip(arrays.read_blocks(expected, name), arrays.read_blocks(found, name), strict=True)


class _Worst:
    """The largest deviation among the elements compared so far."""

    def __init__(self, name: str, head: ArrayHeader, tolerance: str) -> None:
        self.name, self.head = name, head
        self.amount, self.relative = Decimal(tolerance.removesuffix(RELATIVE)), tolerance.endswith(RELATIVE)
        self.seen, self.count, self.measure = 0, 0, -1.0
        self.place, self.values = 0, ("", "")

    def see(self, left: Any, right: Any) -> None:
        """Compare the next block of elements, count those out of tolerance and keep the largest deviation."""
        import numpy as np  # noqa: PLC0415 - heavy

        left, right = left.reshape(-1), right.reshape(-1)
        with np.errstate(all="ignore"):
            strays, measure = self._apart(left, right)
        if strays.any():
            self.count += int(strays.sum())
            at = int(np.where(strays, measure, -1.0).argmax())
            if measure[at] > self.measure:
                self.measure, self.place = float(measure[at]), self.seen + at
                self.values = (str(left[at])[:SHOWN_CELLS], str(right[at])[:SHOWN_CELLS])
        self.seen += len(left)

    def _apart(self, one: Any, two: Any) -> tuple[Any, Any]:
        """Return which elements are out of tolerance, and their distances, absolute or relative to what is expected."""
        import numpy as np  # noqa: PLC0415

        kind = one.dtype.kind
        if kind in "bUS":
            strays = one != two
            return strays, strays.astype(float)
        if kind in "iu":  # integers stay integers, since an unsigned difference cannot overflow
            far = np.maximum(one, two).astype(np.uint64) - np.minimum(one, two).astype(np.uint64)
            strays = far > np.uint64(min(int(self.amount), WHOLE))
        else:
            wide = np.complex128 if kind == "c" else np.float64
            one, two = one.astype(wide), two.astype(wide)
            far = np.abs(two - one)
            far[(one == two) | (np.isnan(one) & np.isnan(two))] = 0
            far[np.isnan(far)] = np.inf
            strays = far > float(self.amount)
        if not self.relative:
            return strays, far.astype(float)
        size, far = np.abs(one.astype(complex if kind == "c" else float)), far.astype(float)
        strays = (far > float(self.amount) * size) | (np.isinf(far) & (far > 0))
        return strays, np.where((size > 0) & np.isfinite(far), far / size, np.inf)

    def stray(self) -> Deviation:
        """Return the largest deviation with its index."""
        import numpy as np  # noqa: PLC0415

        index = [int(one) for one in np.unravel_index(self.place, self.head.shape)] if self.head.shape else []
        return Deviation(f"{self.name}{index}", *self.values, self.count, self.seen)


WIDER = Decimal("1.5")  # most width of a run's interval, in widths of the expected interval
SHOWN_INTERVALS = 60
_VALUE, _MISSING, _UNDEFINED = "/value", "/value/missing", "/undefined_resamples"
# Names of counts beside a value in studies; names that begin with `n_` are counts too.
_COUNTS = {"n", "benchmarks", "count", "counts", "errors", "items", "kept", "pairs"}
_COUNTS |= {"participants", "prompts", "resamples", "total", "units"}
Leaves = Mapping[str, str]
Ends = tuple[Decimal, Decimal]


def describe_outside_statistic(expected: Leaves, found: Leaves) -> str:
    """Describe the first statistic that is too far from the expected one, or another difference; "" if none.

    Both arguments are the leaf values of an output, as JSON text, by JSON Pointer.
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
            flaw = f"{pointer} is {found[pointer][:SHOWN_INTERVALS]}, expected {expected[pointer][:SHOWN_INTERVALS]}"
        if flaw:
            return flaw
    return ""


def parse_number(text: str) -> Decimal | None:
    """Return a JSON leaf as a decimal number; None if it is not a number."""
    try:
        return Decimal(text) if text[:1] in "-0123456789" and text else None
    except InvalidOperation:
        return None


def _statistics(leaves: Leaves) -> set[str]:
    """Return the pointers of objects with a value, or with the reason why it is missing."""
    return {at.removesuffix(end) for end in (_VALUE, _MISSING) for at in leaves if at.endswith(end)}


def _describes(pointer: str, statistics: set[str]) -> bool:
    """Whether a leaf belongs to the interval of a statistic, which is compared with its value."""
    stem, mark, rest = pointer.rpartition("/interval")
    if mark and rest[:1] in ("", "/"):
        return stem in statistics
    return pointer.endswith(_UNDEFINED) and pointer.removesuffix(_UNDEFINED) in statistics


def _is_companion(name: str, expected: Leaves, found: Leaves, stem: str) -> bool:
    """Whether a leaf is a number beside a statistic, but not a count; then only the statistic is compared."""
    numbers = all(parse_number(side[f"{stem}/{name}"]) is not None for side in (expected, found))
    return numbers and name not in _COUNTS and not name.startswith("n_")


def _flaws(stem: str, expected: Leaves, found: Leaves) -> Iterator[str]:
    """Compare one statistic with the expected one: its interval as narrow, and each value in the other's interval."""
    at, old, new = f"{stem}/value", expected[f"{stem}/value"], found[f"{stem}/value"]
    wanted, given = _ends(expected, stem), _ends(found, stem)
    one, two = parse_number(old), parse_number(new)
    if wanted is None or given is None or one is None or two is None:
        if old != new:
            shown, wished = new[:SHOWN_INTERVALS], old[:SHOWN_INTERVALS]
            yield f"{at} is {shown}, expected {wished}, and has no interval on both sides"
        if (wanted, _kind(expected, stem)) != (given, _kind(found, stem)):
            yield f"{stem}/interval is {_spelt(given)}, expected {_spelt(wanted)}"
        return
    yield from _widths(f"{stem}/interval", wanted, given)
    if one == two:  # a percentile interval need not contain its own value, but must overlap the other one
        if given[0] > wanted[1] or wanted[0] > given[1]:
            yield f"{stem}/interval is {_spelt(given)}, expected {_spelt(wanted)}"
        return
    if not given[0] <= one <= given[1]:
        yield f"{at}: the expected {one} lies outside {_spelt(given)}, the interval of {two}"
    if not wanted[0] <= two <= wanted[1]:
        yield f"{at}: {two} lies outside {_spelt(wanted)}, the expected interval of {one}"


def _widths(at: str, wanted: Ends, given: Ends) -> Iterator[str]:
    """Compare the width of an interval with the expected one; if that is 0, both must be equal."""
    if given[0] > given[1] or (wanted[0] == wanted[1] and given != wanted):
        yield f"{at} is {_spelt(given)}, expected {_spelt(wanted)}"
    if given[1] - given[0] > WIDER * (wanted[1] - wanted[0]):
        yield f"{at} is {_spelt(given)}, more than {WIDER} times as wide as the expected {_spelt(wanted)}"


def _ends(leaves: Leaves, stem: str) -> Ends | None:
    low, high = (parse_number(leaves.get(f"{stem}/interval/{end}", "")) for end in (0, 1))
    return None if low is None or high is None else (low, high)


def _kind(leaves: Leaves, stem: str) -> tuple[bool, bool]:
    """Return whether there is an interval, and whether it is missing.

    The reason why it is missing may contain counts and is not compared.
    """
    return f"{stem}/interval" in leaves, f"{stem}/interval/missing" in leaves


def _spelt(ends: Ends | None) -> str:
    return f"[{ends[0]}, {ends[1]}]" if ends else "none"


MAX_VALUES = 100_000  # an expectation has each value, and a person reviews it in git
MAX_ARRAY = 10_000_000  # most bytes of an array beside an expectation, also decompressed
Level = str | Mapping[str, str]


@dataclass(frozen=True)
class Verdict:
    """The result of comparing one output with its expectation."""

    name: str
    sha256: str
    level: Level
    verdict: str  # agreed | disagreed | unconfirmed | missing
    detail: str = ""

    @property
    def by_tolerance(self) -> bool:
        """Whether the output agrees only at its level, while its bytes differ."""
        return self.verdict == "agreed" and bool(self.detail)


def json_leaves(path: Path) -> dict[str, str]:
    """Return the leaf values of a JSON output by JSON Pointer; with several JSON lines the row number comes first.

    Raises InputError for a file that is not JSON, one of more than 64 MiB and one of more than MAX_VALUES leaves.
    """
    if path.stat().st_size > 1 << 26:
        raise InputError("this output is too large to compare leaf by leaf", next="declare it `exact`")
    try:
        rows = [json.loads(line) for line in path.read_bytes().splitlines()]
    except (ValueError, RecursionError) as bad:
        raise InputError("this output is not JSON", next="declare it `exact`") from bad
    found = {}
    for pointer, value in walk_values(rows[0] if len(rows) == 1 else rows):
        if not isinstance(value, dict | list) or not value:
            found[pointer] = canonical_json(value).decode()
    if len(found) > MAX_VALUES:
        raise InputError(f"this output holds more than {MAX_VALUES} values", next="declare it `exact`")
    return found


def expected_values(level: Level, path: Path) -> dict[str, str]:
    """Return the leaf values that an expectation has for an output: none at level `exact`, and none for an array."""
    return {} if level == "exact" or arrays.file_format(path) else json_leaves(path)


def array_form(level: Level, path: Path) -> str:
    """Return the file format of an array to keep beside an expectation; "" at level `exact` or if it is not an array.

    Raises InputError for an array at any level but `within`, and for one of more than MAX_ARRAY bytes, also
    decompressed.
    """
    form = "" if level == "exact" else arrays.file_format(path)
    if not form:
        return ""
    if isinstance(level, str) or "within" not in level:
        raise InputError("this output is an array, and no statistics", next="declare it `exact`, or `{within: …}`")
    size = max(path.stat().st_size, sum(head.size for head in arrays.read_headers(path).values()))
    if size > MAX_ARRAY:
        raise InputError(
            f"this output is an array of {size:,} bytes; at most {MAX_ARRAY:,} lie beside an expectation",
            next="declare it `exact`, or let the study give an output that sums it up",
        )
    return form


def compare_outputs(
    record: Record,
    expect: Expect | None,
    lock_sha256: str,
    levels: Mapping[str, Level],
    deliver: Callable[[str], Path],
) -> list[Verdict]:
    """Compare every output of a run with the expectation, at the levels that the lock declares; return the verdicts.

    An output is unconfirmed if no run under this lock was accepted for it, or if the run had a `--limit`. It disagrees
    if it was accepted at another level. An expected output that the run lacks is missing.
    """
    verdicts = []
    for name, output in sorted(record.outputs.items()):
        digest = output["sha256"]
        if record.body.get("limit"):
            verdicts.append(Verdict(name, digest, "none", "unconfirmed", "compared with nothing"))
            continue
        wanted = expect.outputs.get(name) if expect else None
        if expect is None or wanted is None or expect.lock_sha256 != lock_sha256:
            why = "no run was accepted under this lock"
            verdicts.append(Verdict(name, digest, "none", "unconfirmed", why))
            continue
        level = wanted["level"]
        if name == OUTPUT and not expect.checks and self_check(record.outputs, deliver) == FAIL:
            why = "the run's own checks fail, and nobody has accepted that"
            verdicts.append(Verdict(name, digest, level, "disagreed", why))
        elif level != levels.get(name, "exact"):
            verdicts.append(
                Verdict(name, digest, level, "disagreed", "accepted at another level than the lock declares")
            )
        elif wanted["sha256"] == digest:
            verdicts.append(Verdict(name, digest, level, "agreed"))
        elif isinstance(level, str):
            verdicts.append(Verdict(name, digest, level, "disagreed", f"expected {wanted['sha256'][:12]}"))
        else:
            detail = _parted(expect, name, level, deliver(digest))
            how = f"within {level['within']}" if "within" in level else f"by interval {level['interval']}"
            verdicts.append(
                Verdict(name, digest, level, "disagreed", detail)
                if detail
                else Verdict(
                    name, digest, level, "agreed", f"agreed {how}, bytes differ"
                )  # so that no broken promise is hidden
            )
    for name in sorted(set(expect.outputs) - set(record.outputs) if expect else ()):
        verdicts.append(Verdict(name, "", expect.outputs[name]["level"] if expect else "none", "missing"))
    return verdicts


def _parted(expect: Expect, output: str, level: Mapping[str, str], path: Path) -> str:
    wanted = expect.outputs[output]
    if "array" not in wanted:
        return (
            "it is an array, which was none"
            if arrays.file_format(path)
            else describe_first_deviation(level, wanted["values"], path)
        )
    beside = expect.array(output)
    if not is_plain_file(beside) or sha256_file(beside)[0] != wanted["sha256"]:
        return f"{beside.parent.name}/{beside.name} is not the array that the expectation pins: restore it from git"
    return deviation_text(level["within"], beside, path)


def describe_first_deviation(level: Mapping[str, str], expected: Mapping[str, str], path: Path) -> str:
    """Describe the first value of a JSON output that departs from the expected ones; "" if none.

    A number departs if it is outside the tolerance or interval of `level`, any other value if it is not equal.
    """
    found = json_leaves(path)
    if "interval" in level:
        return describe_outside_statistic(expected, found)
    if set(found) != set(expected):
        return f"other fields: {sorted(set(found) ^ set(expected))[0]}"
    amount, share = Decimal(level["within"].removesuffix(RELATIVE)), level["within"].endswith(RELATIVE)
    for pointer, value in expected.items():
        one, two = parse_number(value), parse_number(found[pointer])
        if one is None or two is None:
            if value != found[pointer]:
                return f"{pointer} is {found[pointer][:60]}, expected {value[:60]}"
        elif abs(two - one) > (amount * abs(one) if share else amount):
            return f"{pointer} is {two}, expected {one} within {level['within']}"
    return ""


def tolerance_text(many: int) -> str:
    """Return the text that `many` outputs agree only within a tolerance; empty for none."""
    return f"{many} output{'s' * (many > 1)} within tolerance alone: bytes differ" if many else ""


def overall_verdict(record: Record, verdicts: list[Verdict]) -> str:
    """Return the verdict of a whole run from those of its outputs: agreed, disagreed, incomplete or unconfirmed.

    A run that did not finish, or that had a `--limit`, is incomplete. A missing output makes it disagreed.
    """
    if not record.complete or record.body.get("limit"):
        return "incomplete"
    words = {verdict.verdict for verdict in verdicts}
    if words & {"disagreed", "missing"}:
        return "disagreed"
    return "unconfirmed" if "unconfirmed" in words or not words else "agreed"
