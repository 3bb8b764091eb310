"""Of a family of cases as many as a run has time for, drawn by the commit: in time each is met, and at night all.

A family is what can be listed and not ended: each bit of a file, each moment of a kill, each text that is slow to read.
`make test` and `make test-all` draw some by the commit's digest, so that a red one is red again in the same checkout;
`make test-night` tries all of the tests that are marked `exhaustive`, all cases of the long tests, and those marked
`nightly`, and a submission those of one file, as far as it comes in the time it is given.

On a machine on which the long tests would take too long, a submission begins with those
that hold a promise of the docs, goes on with others that its commit draws, and says how many it did not reach.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Container, Iterable
from functools import cache
from pathlib import Path
from random import Random
from typing import TypeVar

import pytest
from hypothesis import settings

Case = TypeVar("Case")
BEGUN = "HARNESS_TESTS_BEGUN"  # the variable that tells workers when the run began, by the clock that none sets
SHARE, LEAST = 1 / 5, 2  # of the long cases of one test, in `make test-all`
NAMED = re.compile(r"`(tests/(?:[a-z0-9_]+/)*test_[a-z0-9_]+\.py)(?:::(test_[a-z0-9_]+))?`")  # as pages name a test


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


def some_of_each(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Return of each test with many long cases a fifth, at least two, drawn by the commit; the night tries all.

    A test that is marked `exhaustive` draws its cases itself, and keeps them here.
    """
    kept = list[pytest.Item]()
    for test, cases in _by(items, "[").items():
        most = max(LEAST, round(len(cases) * SHARE))
        if len(cases) > most and not any(case.get_closest_marker("exhaustive") for case in cases):
            places = sorted(Random(f"{commit()} {test}").sample(range(len(cases)), most))
            kept += [cases[place] for place in places]
        else:
            kept += cases
    return kept


def of_one_file(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Draw one file of all by the commit, and give its cases in an order that is drawn, too."""
    files = _by(sorted(items, key=lambda item: item.nodeid), "::")
    draw = Random(commit())
    cases = draw.choice(list(files.values())) if files else []
    return draw.sample(cases, len(cases))


def in_drawn_order(items: Iterable[pytest.Item], first: Container[str] = ()) -> list[pytest.Item]:
    """Return the tests by file, in an order that the commit draws, those of some files before all others."""
    files = _by(items, "::")
    names = sorted(files)
    order = sorted(Random(commit()).sample(names, len(names)), key=lambda name: name not in first)
    return [item for name in order for item in files[name]]


def find_promised_files() -> frozenset[str]:
    """Return the files of tests that the lists of promises in the docs name."""
    pages = (Path(__file__).parents[1] / "docs" / page for page in ("promises.md", "testing.md"))
    return frozenset(file for page in pages for file, _ in NAMED.findall(page.read_text(encoding="utf-8")))


def _by(items: Iterable[pytest.Item], end: str) -> dict[str, list[pytest.Item]]:
    """Sort the cases by what their names begin with: up to `::` by file, up to `[` by test."""
    groups = dict[str, list[pytest.Item]]()
    for item in items:
        groups.setdefault(item.nodeid.partition(end)[0], []).append(item)
    return groups


class Deadline:
    """Skips each test, or each of some, that would begin when the time is up."""

    def __init__(self, seconds: float, among: Callable[[pytest.Item], bool] = lambda _: True) -> None:
        self._seconds, self._among = seconds, among
        self._end = float(os.environ[BEGUN]) + seconds  # of all workers, and of one that takes another's place

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
