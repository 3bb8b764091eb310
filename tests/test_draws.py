"""Of a family some are drawn by the commit; at night nothing is left out but for want of time, said aloud."""

from __future__ import annotations

import re
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest
import support_draws
from hypothesis import settings
from support import REPOSITORY
from support_draws import drawn, in_drawn_order

EVERY = range(1000)


@pytest.mark.parametrize(("profile", "count"), [("short", 3), ("long", 20), ("fuzz", 20), ("night", 1000)], ids=str)
def test_a_profile_says_how_many_of_a_family_are_drawn(profile: str, count: int) -> None:
    here = settings.get_current_profile_name()
    settings.load_profile(profile)
    try:
        found = drawn(EVERY, 3, 20)
    finally:
        settings.load_profile(here)
    assert len(found) == count and found == sorted(set(found))


def test_one_commit_draws_the_same_and_another_others(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for commit in "aab":
        monkeypatch.setattr(support_draws, "commit", lambda commit=commit: commit)
        found.append((drawn(EVERY, 5, 5), drawn(EVERY, 5, 5)))
    assert found[0] == found[1] and found[0] != found[2]
    assert found[0][0] == found[0][1]


def test_families_of_one_size_are_not_drawn_alike() -> None:
    assert (
        drawn(EVERY, 5, 5)
        != drawn(EVERY, 5, 5)
    )  # fmt: skip


def test_of_a_long_test_with_many_cases_a_fifth_is_kept_and_one_that_draws_for_itself_is_left_alone() -> None:
    def items(name: str, count: int, marked: bool = False) -> list[Any]:
        asked = {"get_closest_marker": lambda name: marked and name == "exhaustive"}
        return [SimpleNamespace(nodeid=f"{name}[{place}]", **asked) for place in range(count)]

    few, many, drawn_already = items("a::few", 2), items("a::many", 40), items("b::own", 40, marked=True)
    kept = support_draws.some_of_each([*few, *many, *drawn_already])
    assert [item for item in kept if item in few] == few
    assert len([item for item in kept if item in many]) == 8
    assert [item for item in kept if item in drawn_already] == drawn_already
    assert kept == support_draws.some_of_each([*few, *many, *drawn_already])


@pytest.mark.long
@pytest.mark.parametrize(("seconds", "end"), [("0", "skipped"), ("1000", "passed")])
def test_a_night_of_some_seconds_tries_one_file_and_says_what_it_did_not_reach(seconds: str, end: str) -> None:
    words = ["-m", "exhaustive", "--hypothesis-profile=night", "--night-for", seconds, "tests/scorers/test_outcome.py"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-rs", *words], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert re.search(rf"\b1 {end}", done.stdout), done.stdout
    assert ("not reached in 0 s" in done.stdout) == (end == "skipped")


@pytest.mark.long
def test_long_tests_that_a_slow_machine_does_not_reach_are_said_aloud_and_no_others() -> None:
    words = ["-m", "not house", "--long-for", "0", "-rs", "tests/scorers/test_outcome.py"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert re.search(r"SKIPPED \[1\].*not reached in 0 s", done.stdout), done.stdout
    assert re.search(r"\d\d passed, 1 skipped", done.stdout), done.stdout


def test_files_come_in_an_order_that_the_commit_draws_each_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"{file}::{case}" for file in "abcdefgh" for case in "21"]
    found = []
    for commit in "xxy":
        monkeypatch.setattr(support_draws, "commit", lambda commit=commit: commit)
        items: list[Any] = [SimpleNamespace(nodeid=name) for name in names]
        found.append([item.nodeid for item in in_drawn_order(items)])
        assert [name[0] for name in map(str, (item.nodeid for item in in_drawn_order(items, "gc")))][:4] in (
            ["g", "g", "c", "c"],
            ["c", "c", "g", "g"],
        )
    assert found[0] == found[1] != found[2] and sorted(found[0]) == sorted(names)
    assert all(two == f"{one[:-1]}1" for one, two in zip(found[0][::2], found[0][1::2], strict=True))
