"""Try mutants: each is made in a copy of the checkout, and the short tests of its room must fail there.

`make mutants` tries all, `make mutants ONLY=store` those of one list, `TURN=COMMIT` half of them, drawn by a commit's
digest. Exit 0 every one was noticed, 1 some were not, and they are named; 2 one cannot be made of the source as it is,
or its tests fail without it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from mutants.places import Mutant, MutantError, change, read_mutants  # noqa: E402 - after the path

from harness.digest import sha256  # noqa: E402

LONGEST = 600  # seconds that a mutant's tests may take; one that hangs longer counts as not noticed


def main() -> int:
    """Try those that are asked for, and name each that no test noticed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help="lists of mutants; none: all")
    parser.add_argument("--turn", metavar="COMMIT", help="half of them, drawn by a commit")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many at once")
    asked = parser.parse_args()
    mutants = [one for one in read_mutants() if not asked.rooms or one.room in asked.rooms]
    if asked.turn:
        mutants = [one for one in mutants if int(sha256(f"{asked.turn} {one.name}".encode())[:8], 16) % 2]
    if not mutants:
        parser.error("no such list of mutants")
    try:
        for one in mutants:
            change(one)
        with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
            unnoticed = _try_all(mutants, Path(folder), asked.jobs)
    except MutantError as bad:
        print(f"error: {bad}", file=sys.stderr)
        return 2
    print(f"{len(mutants)} mutants: {len(mutants) - len(unnoticed)} noticed, {len(unnoticed)} not")
    for one in unnoticed:
        print(f"  {one.room}: {one.name}\n    breaks: {one.breaks}; not noticed by {' '.join(one.tests)}")
    return 1 if unnoticed else 0


def _try_all(mutants: list[Mutant], folder: Path, jobs: int) -> list[Mutant]:
    """Try mutants in as many copies as jobs, one after the other in each."""
    from concurrent.futures import ThreadPoolExecutor
    from queue import SimpleQueue

    copies: SimpleQueue[Path] = SimpleQueue()
    for number in range(jobs):
        copies.put(_copy(folder / f"copy-{number}"))

    def attempt(number: int, one: Mutant) -> bool:
        copy = copies.get()
        begun = time.monotonic()
        noticed = is_noticed(one, copy)
        copies.put(copy)
        said = "noticed" if noticed else "NOT NOTICED"
        print(f"{number}/{len(mutants)} {one.room}: {one.name}: {said}, {time.monotonic() - begun:.0f} s", flush=True)
        return noticed

    with ThreadPoolExecutor(jobs) as pool:
        found = list(pool.map(attempt, range(1, len(mutants) + 1), mutants))
    return [one for one, noticed in zip(mutants, found, strict=True) if not noticed]


def _copy(place: Path) -> Path:
    """Copy what git knows of the checkout."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        target = place / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).exists():
            shutil.copy2(ROOT / name, target, follow_symlinks=False)
    for words in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *words], cwd=place, check=True)
    (place / ".venv").symlink_to(ROOT / ".venv")
    return place


def is_noticed(mutant: Mutant, copy: Path) -> bool:
    """Whether the tests of a mutant, which pass without it, fail in a copy of the checkout with its change in it."""
    asked = (mutant.tests, mutant.long)
    if asked not in _passing:
        if _tested(mutant, copy) != PASSED:
            raise MutantError(f"{mutant.name}: {' '.join(mutant.tests)} do not pass without it")
        _passing.add(asked)
    path, text = change(mutant)
    (copy / path).write_text(text)
    try:
        return _tested(mutant, copy) == FAILED
    finally:
        (copy / path).write_bytes((ROOT / path).read_bytes())


PASSED, FAILED = 0, 1  # as pytest ends
OUT_OF_TIME = -1  # which tells nothing: a busy machine does it, too
_passing = set[tuple[tuple[str, ...], bool]]()  # tests that pass without a mutant


def _tested(mutant: Mutant, copy: Path) -> int:
    """Run the tests of a mutant in a copy as it is, the short ones unless it says `long`; gives how they end."""
    env = {**os.environ, "PYTHONPATH": f"{copy}:{copy / 'tests'}", "PYTHONDONTWRITEBYTECODE": "1"}
    long = mutant.long or any("/long/" in file for file in mutant.tests)
    marks = "not house" if long else "not long and not house"
    every = "--hypothesis-profile=long"  # and of a family of cases all that are drawn on any day
    words = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", every, "-m", marks, *mutant.tests]
    with subprocess.Popen(
        words, cwd=copy, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as tried:  # fmt: skip
        try:
            code = tried.wait(LONGEST)
        except subprocess.TimeoutExpired:
            os.killpg(tried.pid, signal.SIGKILL)
            return OUT_OF_TIME
    if code not in (PASSED, FAILED):
        raise MutantError(f"{mutant.name}: pytest ended with {code}: are there tests in {' '.join(mutant.tests)}?")
    return code


if __name__ == "__main__":
    sys.exit(main())
