"""Of a family of cases as many as a run has time for, drawn by the commit: in time each is met, and at night all.

A family is what can be listed and not ended: each bit of a file, each moment of a kill, each text that is slow to read.
`make test` and `make test-all` draw some by the commit's digest, so that a red one is red again in the same checkout;
`make test-night` tries all of the tests that are marked `exhaustive`, and a submission those of one file, as far as it
comes in the time it is given. On a machine on which the long tests would take too long, a submission begins with those
that its commit draws, and says how many it did not reach.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from random import Random
from typing import TypeVar

import pytest
from hypothesis import settings

Case = TypeVar("Case")


def drawn(cases: Iterable[Case], short: int, long: int = 0) -> list[Case]:
    """Give so many of the cases, in their order: `short` in `make test`, `long` in `make test-all`, all at night."""
    every, profile = list(cases), settings.get_current_profile_name()
    most = {"night": len(every), "short": short}.get(profile, long or short)
    if most >= len(every):
        return every
    asking = sys._getframe(1)  # families of one size are not drawn alike
    family = f"{Path(asking.f_code.co_filename).name}:{asking.f_lineno}"
    kept = Random(f"{commit()} {family}").sample(range(len(every)), most)
    return [every[place] for place in sorted(kept)]


def of_one_file(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Draw one file of all by the commit, and give its cases in an order that is drawn, too."""
    files = _by_file(sorted(items, key=lambda item: item.nodeid))
    draw = Random(commit())
    cases = draw.choice(list(files.values())) if files else []
    return draw.sample(cases, len(cases))


def in_drawn_order(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Put the files of tests in an order that the commit draws, each with its cases as they stand."""
    files = _by_file(items)
    names = sorted(files)
    return [item for name in Random(commit()).sample(names, len(names)) for item in files[name]]


def _by_file(items: Iterable[pytest.Item]) -> dict[str, list[pytest.Item]]:
    files = dict[str, list[pytest.Item]]()
    for item in items:
        files.setdefault(item.nodeid.partition("::")[0], []).append(item)
    return files


class Deadline:
    """Skips each test, or each of some, that would begin when the time is up."""

    def __init__(self, seconds: float, among: Callable[[pytest.Item], bool] = lambda _: True) -> None:
        self._seconds, self._among = seconds, among
        self._end = time.monotonic() + seconds

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if time.monotonic() > self._end and self._among(item):
            pytest.skip(f"not reached in {self._seconds:.0f} s")


@cache
def commit() -> str:
    """Name the commit by which cases are drawn; outside of a checkout always the same."""
    here = Path(__file__).parent
    asked = subprocess.run(["git", "-C", str(here), "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    return asked.stdout.strip()
