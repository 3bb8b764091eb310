"""A reproduction leaves nothing but what it came to a verdict about, however it ended, and says so."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import clean_env, command, finished_project, harness

from harness.digest import seal_document

pytestmark = pytest.mark.together  # one project for all
REPRODUCE = ("reproduce", "manifests/small.yaml")


@pytest.fixture(scope="module")
def accepted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fresh") / "project"
    finished_project(folder)
    harness("lock", "--accept", "last", cwd=folder, check=0)
    return folder


@pytest.fixture
def project(accepted: Path) -> Iterator[Path]:
    """The project, in which no test finds what another left."""
    yield accepted
    shutil.rmtree(accepted / ".reproduce", ignore_errors=True)


def left(project: Path) -> list[str]:
    return sorted(path.name for path in (project / ".reproduce").glob("*"))


def midway(project: Path, store: Path | None = None) -> subprocess.Popen[str]:
    """Begin a reproduction, and give it when its first step is done."""
    more = ("--store", str(store)) if store else ()
    begun = subprocess.Popen(
        command(*REPRODUCE, "--jobs", "1", *more), cwd=project, env=clean_env(), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    place, pattern = (store, "") if store else (project / ".reproduce", "*/")
    while not list(place.glob(f"{pattern}keys/*/*.json")):
        assert begun.poll() is None and time.monotonic() < deadline, begun.communicate()
        time.sleep(0.01)
    return begun


@pytest.mark.parametrize("word", [signal.SIGINT, signal.SIGTERM])
def test_one_that_is_stopped_leaves_nothing_and_says_so(project: Path, word: signal.Signals) -> None:
    begun = midway(project)
    begun.send_signal(word)
    _, told = begun.communicate(timeout=60)
    assert begun.returncode == 130 and left(project) == []
    assert "the store of this reproduction is gone" in told and "kept" not in told


GOING = "20260101T000000Z-0a0b0c0d"  # what has another name is nobody's reproduction, and never swept


def test_the_next_removes_what_a_killed_one_left_and_neither_one_that_goes_on_nor_one_that_disagreed(
    project: Path,
) -> None:
    begun = midway(project)
    begun.kill()
    begun.communicate()
    killed, lock = left(project)
    assert lock == f"{killed}.lock"
    going = project / ".reproduce" / GOING
    (going / "keys").mkdir(parents=True)
    with open(going.with_suffix(".lock"), "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        done = harness(*REPRODUCE, cwd=project, check=0)
        assert f"{killed}, which a reproduction left that was killed" in done.stderr
        assert left(project) == [GOING, f"{GOING}.lock"]

    path = project / "lockfiles" / "manifests" / "small.expect.json"
    expected = path.read_bytes()
    body = json.loads(expected)
    body["outputs"]["scores"]["sha256"] = "0" * 64
    path.write_bytes(seal_document(body))
    done = harness(*REPRODUCE, cwd=project, check=1)
    [store] = left(project)
    assert GOING in done.stderr and f"stays in {project / '.reproduce' / store}" in done.stderr
    path.write_bytes(expected)
    harness(*REPRODUCE, cwd=project, check=0)
    assert left(project) == [store] and os.path.exists(project / ".reproduce" / store / "heads.jsonl")


def test_one_in_a_named_store_says_that_it_stays_and_cannot_be_used_again(project: Path, tmp_path: Path) -> None:
    begun = midway(project, tmp_path / "mine")
    begun.send_signal(signal.SIGINT)
    _, told = begun.communicate(timeout=60)
    assert begun.returncode == 130 and "what was made stays in" in told and "needs another folder" in told
    assert "fresh store" in harness(*REPRODUCE, "--store", tmp_path / "mine", cwd=project, check=2).stderr
