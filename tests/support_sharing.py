"""How the short tests are shared among workers: each collects and runs a part of the files, and no others.

To collect every file takes a worker longer than it then takes for the tests of some folders. The parts are cut from
the files in their order, as large as each other by their bytes, where a byte weighs what tests of its folder take: a
worker that is done earlier waits for the others. Where long tests run, whoever is free takes the next instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

from xdist.scheduler import EachScheduling

# Seconds a byte, as `make durations` shows them: whole programs, one function a case, and all others between them.
PROGRAMS, FUNCTIONS = {"e2e", "faults", "tools"}, {"golden", "images", "manifest", "scorers", "store", "studies"}


def part_of(files: Sequence[Path], number: int, parts: int) -> list[Path]:
    """Return one of so many parts of the files: each file is in one part, and each part takes about as long."""
    ends = list(accumulate(file.stat().st_size * _weight(file) for file in files))
    most = max(ends, default=0) or 1
    return [file for file, end in zip(files, ends, strict=True) if max(end - 1, 0) * parts // most == number]


def _weight(file: Path) -> int:
    rooms = set(file.parts[:-1])
    return 1 if rooms & FUNCTIONS else 5 if rooms & PROGRAMS else 2


class Parted(EachScheduling):  # type: ignore[misc]  # it ships no types
    """Has each worker run all that it collected; one that crashes is not replaced, and the session is red."""

    def schedule(self) -> None:
        """Start the workers, and tell the terminal how many tests there are in all."""
        super().schedule()
        session = self.config.pluginmanager.getplugin("dsession")._session
        session.testscollected = sum(map(len, self.node2collection.values()))
