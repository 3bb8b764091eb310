"""Comparison of a run's outputs with an expectation, each at its level: exact bytes, a tolerance, or intervals.

The accepted array is a file beside the expectation, the accepted values of any other output are in it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from harness import arrays
from harness.digest import canonical, sha256_file, walk
from harness.errors import InputError
from harness.evidence.compare_arrays import deviation_text
from harness.evidence.interval import first_outside, number
from harness.evidence.record import Record
from harness.evidence.selfcheck import FAIL, OUTPUT, self_check
from harness.files import is_plain
from harness.manifest.lockfile import Expect
from harness.texts import RELATIVE

MAX_VALUES = 100_000  # an expectation keeps each of them, and a person reviews it in git
MAX_ARRAY = 10_000_000  # bytes of an array that lies beside an expectation, inflated too
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
        """Whether it agrees at its level alone, and its bytes differ."""
        return self.verdict == "agreed" and bool(self.detail)


def leaves(path: Path) -> dict[str, str]:
    """Return the leaf values of a JSON output by JSON Pointer; of several JSON lines the row's number comes first.

    Refuses a file that is not JSON, one of more than 64 MiB and one of more than MAX_VALUES leaves.
    """
    if path.stat().st_size > 1 << 26:
        raise InputError("this output is too large to compare leaf by leaf", next="declare it `exact`")
    try:
        rows = [json.loads(line) for line in path.read_bytes().splitlines()]
    except (ValueError, RecursionError) as bad:
        raise InputError("this output is not JSON", next="declare it `exact`") from bad
    found = {}
    for pointer, value in walk(rows[0] if len(rows) == 1 else rows):
        if not isinstance(value, dict | list) or not value:
            found[pointer] = canonical(value).decode()
    if len(found) > MAX_VALUES:
        raise InputError(f"this output holds more than {MAX_VALUES} values", next="declare it `exact`")
    return found


def expected_values(level: Level, path: Path) -> dict[str, str]:
    """Return the leaf values that an expectation keeps of an output: none at level `exact`, and none of an array."""
    return {} if level == "exact" or arrays.file_format(path) else leaves(path)


def array_form(level: Level, path: Path) -> str:
    """Return the file form of an array to be kept beside an expectation; "" at level `exact` or if it is no array.

    Refuses an array at any level but `within`, and one of more than MAX_ARRAY bytes, inflated or not.
    """
    form = "" if level == "exact" else arrays.file_format(path)
    if not form:
        return ""
    if isinstance(level, str) or "within" not in level:
        raise InputError("this output is an array, and no statistics", next="declare it `exact`, or `{within: …}`")
    size = max(path.stat().st_size, sum(head.size for head in arrays.headers(path).values()))
    if size > MAX_ARRAY:
        raise InputError(
            f"this output is an array of {size:,} bytes; at most {MAX_ARRAY:,} lie beside an expectation",
            next="declare it `exact`, or let the study give an output that sums it up",
        )
    return form


def compare(
    record: Record,
    expect: Expect | None,
    lock_sha256: str,
    levels: Mapping[str, Level],
    deliver: Callable[[str], Path],
) -> list[Verdict]:
    """Compare every output of a run with the expectation, at the levels that the lock declares; a verdict for each.

    What no run under this lock was accepted for is unconfirmed, and so is a run under `--limit`; what was accepted at
    another level disagrees; an expected output that the run lacks is missing.
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
        elif level == "exact":
            verdicts.append(Verdict(name, digest, level, "disagreed", f"expected {wanted['sha256'][:12]}"))
        else:
            detail = _parted(expect, name, level, deliver(digest))
            how = f"within {level['within']}" if "within" in level else f"by interval {level['interval']}"
            verdicts.append(
                Verdict(name, digest, level, "disagreed", detail)
                if detail
                else Verdict(
                    name, digest, level, "agreed", f"agreed {how}, bytes differ"
                )  # no broken promise is hidden
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
            else first_deviation(level, wanted["values"], path)
        )
    beside = expect.array(output)
    if not is_plain(beside) or sha256_file(beside)[0] != wanted["sha256"]:
        return f"{beside.parent.name}/{beside.name} is not the array that the expectation pins: restore it from git"
    return deviation_text(level["within"], beside, path)


def first_deviation(level: Mapping[str, str], expected: Mapping[str, str], path: Path) -> str:
    """Describe the first value of a JSON output that departs from the expected ones; "" if none.

    A number departs if it is outside the tolerance or interval of `level`, any other value if it is not equal.
    """
    found = leaves(path)
    if "interval" in level:
        return first_outside(expected, found)
    if set(found) != set(expected):
        return f"other fields: {sorted(set(found) ^ set(expected))[0]}"
    amount, share = Decimal(level["within"].removesuffix(RELATIVE)), level["within"].endswith(RELATIVE)
    for pointer, value in expected.items():
        one, two = number(value), number(found[pointer])
        if one is None or two is None:
            if value != found[pointer]:
                return f"{pointer} is {found[pointer][:60]}, expected {value[:60]}"
        elif abs(two - one) > (amount * abs(one) if share else amount):
            return f"{pointer} is {two}, expected {one} within {level['within']}"
    return ""


def tolerance_text(many: int) -> str:
    """Say that so many outputs agree within a tolerance alone; empty for none."""
    return f"{many} output{'s' * (many > 1)} within tolerance alone: bytes differ" if many else ""


def overall(record: Record, verdicts: list[Verdict]) -> str:
    """Return the verdict of a whole run from those of its outputs: agreed, disagreed, incomplete or unconfirmed.

    A run that did not finish, or that ran under `--limit`, is incomplete; a missing output makes it disagreed.
    """
    if not record.complete or record.body.get("limit"):
        return "incomplete"
    words = {verdict.verdict for verdict in verdicts}
    if words & {"disagreed", "missing"}:
        return "disagreed"
    return "unconfirmed" if "unconfirmed" in words or not words else "agreed"
