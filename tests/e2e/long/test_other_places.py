"""Where somebody else is, an ordinary user runs the two commands: in a bare Debian or beside another Python.

One place is drawn by the commit. It has the packages of the core there, at night all. Of the demos it makes one that
every place can make, and one that needs torch; of the tests some of those that meet a user, a disk or a program: what
computes alone passes or fails as it does beside this test. `make places` runs all, everywhere.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from support_draws import drawn
from support_places import EVERY, MissingPlaceError, Place, open_place

pytestmark = pytest.mark.together
WHOLE = drawn([""], 0)  # torch and what studies need take a minute of a processor: at night
MEETING = ("attempts", "engines", "store", "cli/test_verbs.py", "run/test_attempt_open.py", "tools/test_server.py")
TRIED = drawn(MEETING, 2)
DEMOS = ("addition", "tiny-addition")


@pytest.fixture(scope="module", params=drawn(EVERY, 1))
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    """Give a place with its environment made, which takes a minute."""
    # Where a user has his checkouts: /tmp and /var are none of what a step sees.
    with tempfile.TemporaryDirectory(dir="/home", prefix="place-", ignore_cleanup_errors=True) as folder:
        try:
            with open_place(request.param, Path(folder)) as opened:
                made = opened.run("make", "setup", *([] if WHOLE else ["CORE=1"]))
                assert made.returncode == 0, made.stdout + made.stderr
                yield opened
        except MissingPlaceError as bad:
            pytest.skip(str(bad))


@pytest.mark.exhaustive
def test_the_demos_are_reproduced_or_left_out_by_name(place: Place) -> None:
    done = place.run("make", "reproduce", f"DEMOS={' '.join(f'manifests/demo/{name}.yaml' for name in DEMOS)}")
    verdicts = [line for line in done.stdout.splitlines() if ": agreed (" in line]
    assert verdicts and all("isolation bubblewrap" in line for line in verdicts), done.stdout + done.stderr
    told = [line for line in done.stderr.splitlines() if ": left out: " in line]  # at once, and again at the end
    out = {line.partition(": left out: ")[0] for line in told}
    assert len(verdicts) + len(out) == len(DEMOS), done.stdout + done.stderr
    assert f"{len(verdicts)} of {len(DEMOS)} manifests agree with what is expected" in done.stderr
    assert all("torch" in line for line in told), told
    has_torch = place.run(".venv/bin/python", "-c", "import torch").returncode == 0
    assert (done.returncode, has_torch) == (2 if out else 0, not out), done.stderr  # make ends with 2 for any other


@pytest.mark.exhaustive
def test_the_tests_pass(place: Place) -> None:
    done = place.run("make", "test", "WORKERS=2", f"TESTS={' '.join(f'tests/{name}' for name in TRIED)}")
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert " passed" in done.stdout and " failed" not in done.stdout
