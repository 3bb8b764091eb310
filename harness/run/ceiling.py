"""The most memory and disk that a step may use on this machine, whatever its manifest asks for.

By default a step gets four fifths of the memory of the machine, or of its control group where that has less. It must
never know a step, nor a key: no result depends on it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from pathlib import Path

from harness.errors import InputError
from harness.manifest.schema import SIZES

SHARE = 0.8  # of what there is
LEAST = 64 << 20  # bytes, as a manifest's least
PROC, GROUPS = Path("/proc"), Path("/sys/fs/cgroup")


def read_ceiling(text: str) -> int:
    """Parse the most memory that a step gets, as a person writes it (`8GiB`); 0 where nothing is written."""
    if not text:
        return 0
    found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)\s*([A-Za-z]+)", text.strip())
    if not found or found[2] not in SIZES or float(found[1]) * SIZES[found[2]] < LEAST:
        raise InputError(
            f"{text[:80]!r} is no amount of memory", where="--max-memory",
            next=f"write a number and a unit ({', '.join(SIZES)}), such as 8GiB; 64MiB is the least",
        )  # fmt: skip
    return int(float(found[1]) * SIZES[found[2]])


def machine_ceiling() -> int:
    """Return the most memory that a step may use unless a person says otherwise, in bytes; 0 where nothing tells."""
    return _machine_ceiling(PROC, GROUPS)


@functools.cache
def _machine_ceiling(proc: Path, groups: Path) -> int:
    known = [*_total(proc / "meminfo"), *_grouped(proc / "self" / "cgroup", groups)]
    return max(LEAST, int(min(known) * SHARE)) if known else 0


def _total(meminfo: Path) -> Iterator[int]:
    for line in _lines(meminfo):
        if line.startswith("MemTotal:"):
            yield int(line.split()[1]) << 10


def _grouped(cgroup: Path, groups: Path) -> Iterator[int]:
    """Yield the bounds of the control groups that this process is in, of either version, up to the root."""
    for line in _lines(cgroup):
        _, _, rest = line.partition(":")
        kinds, _, path = rest.partition(":")
        if kinds and "memory" not in kinds.split(","):
            continue
        base, file = (groups / "memory", "memory.limit_in_bytes") if kinds else (groups, "memory.max")
        place = base / path.lstrip("/")
        for folder in (place, *place.parents):
            yield from (int(bound) for bound in _lines(folder / file)[:1] if bound.isdigit())
            if folder == base:
                break


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except (OSError, ValueError):
        return []


def spell_size(size: int) -> str:
    """Spell a number of bytes in the largest unit that it fills, with one digit after the point where it needs one."""
    unit = max((unit for unit in SIZES if size >= SIZES[unit]), key=lambda name: SIZES[name], default="KiB")
    return f"{size / SIZES[unit]:.1f}".removesuffix(".0") + f" {unit}"
