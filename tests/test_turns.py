"""Of the files with long tests each has its turn in one of four submissions, and the short tests in all of them."""

from __future__ import annotations

import subprocess
import sys

import pytest
from support import REPOSITORY

SOME = (
    "tests/faults",
    "tests/bench",
    "tests/test_digest.py",
    "tests/e2e/long/test_other_places.py",
    "tests/e2e/test_kill.py",
)


def collected(*options: str) -> set[str]:
    """Collect the tests of some folders."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", *options, *SOME],
        cwd=REPOSITORY, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return {line for line in done.stdout.splitlines() if "::" in line}


@pytest.mark.house
def test_each_long_file_has_one_turn_of_four_and_the_short_have_all() -> None:
    whole = collected()
    turns = [collected("--turn", f"{turn:x}") for turn in range(30, 34)]
    assert set.union(*turns) == whole
    every_time = set.intersection(*turns)
    assert {name for name in every_time if "test_other_places" in name or "test_digest" in name}
    rest = whole - every_time
    assert rest and all(sum(name in turn for turn in turns) == 1 for name in rest)
    for file in {name.partition("::")[0] for name in rest}:  # a file is not torn
        assert len([turn for turn in turns if any(name.startswith(file) for name in turn & rest)]) == 1
