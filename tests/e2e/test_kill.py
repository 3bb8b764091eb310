"""A harness that is killed at any moment loses nothing that was finished, and leaves no process behind."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterable
from itertools import count
from pathlib import Path

import pytest
from support import clean_env, command, data_of, executed, finished_project, harness, outputs_of, warm
from support_draws import drawn

from harness.evidence.fsck import find_store_flaws
from harness.store.store import Store

KILLS = len(drawn(range(25), 8))  # of each series
NTH = len(drawn(range(14), 5))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in whose own store a run came to its end; what is killed runs in others."""
    folder = tmp_path_factory.mktemp("kill")
    finished_project(folder)
    return folder


@pytest.fixture(scope="module")
def undisturbed(project: Path) -> dict[str, str]:
    [record] = (project / ".harness" / "runs").glob("*/record.json")
    return {name: one["sha256"] for name, one in json.loads(record.read_bytes())["outputs"].items()}


@pytest.fixture(scope="module")
def seconds(project: Path, undisturbed: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> float:
    """Give how long a whole run takes here and now."""
    began = time.monotonic()
    begin(tmp_path_factory.mktemp("timed") / "store", project)
    assert warm().wait(60) == 0
    return time.monotonic() - began


def living(store: Path) -> list[str]:
    """Give the commands of the processes that work for a store: its path stands in their command or environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
            state = (process / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if os.fsencode(store) in words and state != "Z" and int(process.name) != os.getpid():
            found.append(words[:200].replace(b"\0", b" ").decode(errors="replace"))
    return found


def settled(store: Path) -> list[str]:
    """Give what still lives after the kernel has had a moment to end what dies with its parent."""
    deadline = time.monotonic() + 5
    while (left := living(store)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return left


def begin(store: Path, project: Path, *more: str, before: str = "") -> None:
    """Begin a run in the warm process: it is past its imports, so that every kill meets it at work."""
    words = ["run", "manifests/small.yaml", "--store", str(store), "--json", *more]
    warm().start(words, project, clean_env(), before)


def sound(store: Path) -> None:
    """Hold a store against what a kill may leave: whole blobs, entries and chains, and no process."""
    assert not settled(store), "a step outlived its harness"
    if (store / "format").exists():
        assert list(find_store_flaws(Store(store))) == []


def ended(store: Path, project: Path, undisturbed: dict[str, str]) -> None:
    """Hold a store in which the run was resumed until it was done against one in which nobody disturbed it."""
    final = data_of("run", "manifests/small.yaml", "--store", store, cwd=project)
    assert outputs_of(final) == undisturbed
    again = {key: count for key, count in Counter(executed(store)).items() if count > 1}
    assert not again, "a finished step was executed twice"
    assert data_of("audit", "last", "--level", "hashes", "--store", store, cwd=project)["verdict"] == "agreed"
    shutil.rmtree(store)


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("series", drawn(range(8), 1))
def test_runs_killed_at_random_moments_end_as_an_undisturbed_run_does(
    series: int, project: Path, undisturbed: dict[str, str], seconds: float, tmp_path: Path
) -> None:
    draw = random.Random(f"kill-{series}")
    done = 0
    while done < KILLS:
        store = tmp_path / f"store-{done}"
        for twentieth in count(
            4
        ):  # each is left alone a little longer, so that the run comes to its end on any machine
            begin(store, project)
            found = warm().wait(draw.uniform(0, seconds * twentieth / 20))
            status = warm().kill() if found is None else found
            assert status in (0, -signal.SIGKILL), warm().said()
            sound(store)
            if status == 0:
                break
            done += 1
        ended(store, project, undisturbed)


def watched(target: str, seen: Path) -> str:
    """Spell a program that notes every place where the harness writes, renames or syncs, and dies at one of them.

    A place is what is called, and by which three functions of the harness; `target` is a place, or a call's number.
    """
    return f"""
import os, signal, sys, threading
calls, places, turn = 0, [], threading.Lock()
def place(name):
    frame, path = sys._getframe(2), [name]
    while frame and len(path) < 4:
        if "/harness/" in frame.f_code.co_filename:
            path.append(frame.f_code.co_qualname)
        frame = frame.f_back
    return " < ".join(path)
def counted(name, function):
    def call(*given, **named):
        global calls
        with turn:
            at = place(name)
            calls += 1
            if at not in places:
                places.append(at)
                with open({str(seen)!r}, "w") as file:
                    file.write("\\n".join(places))
            if {target!r} in (at, str(calls)):
                os.kill(os.getpid(), signal.SIGKILL)
        return function(*given, **named)
    return call
for name in ("write", "fsync", "fdatasync", "rename", "link", "replace"):
    setattr(os, name, counted(name, getattr(os, name)))
"""


@pytest.mark.long
@pytest.mark.exhaustive
def test_a_kill_before_any_write_or_rename_leaves_a_store_that_resumes(
    project: Path, undisturbed: dict[str, str], tmp_path: Path
) -> None:
    """At every place from which a run writes, and at random calls; what is killed is resumed, and killed again."""
    seen, rounds = tmp_path / "seen", count()

    def until(store: Path, target: str) -> int:
        begin(store, project, "--jobs", "1", before=watched(target, seen))
        status = warm().wait(60)
        assert status in (0, -signal.SIGKILL), warm().said()
        sound(store)
        return status

    def killed_at(targets: Iterable[str]) -> None:
        store = tmp_path / f"store-{next(rounds)}"
        for target in targets:
            if not until(store, target):  # it was done before it came there: begin anew
                ended(store, project, undisturbed)
                store = tmp_path / f"store-{next(rounds)}"
                assert until(store, target), f"a fresh run does not come to {target}"
        ended(store, project, undisturbed)

    assert until(tmp_path / "whole", "") == 0
    places = seen.read_text().splitlines()
    assert len(places) > 25 and {place.partition(" ")[0] for place in places} >= {
        "write",
        "fsync",
        "fdatasync",
        "rename",
    }
    killed_at(places)
    draw = random.Random("nth")
    killed_at(str(draw.randint(1, 150)) for _ in range(NTH))


@pytest.mark.parametrize("word", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)])
def test_a_run_that_is_asked_to_stop_says_so_and_can_be_resumed(
    word: signal.Signals, project: Path, undisturbed: dict[str, str], tmp_path: Path
) -> None:
    store = tmp_path / "store"
    words = command("run", "manifests/small.yaml", "--store", str(store), "--jobs", "1")
    run = subprocess.Popen(
        words, cwd=project, env=clean_env(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not list(store.glob("keys/*/*.json")) and run.poll() is None:  # its first step is finished
        time.sleep(0.01)
    run.send_signal(word)
    _, errors = run.communicate(timeout=60)
    assert run.returncode == 130, errors
    assert "run again" in errors and "Traceback" not in errors
    sound(store)
    stopped = harness("audit", "last", "--store", store, cwd=project, check=1)
    assert "interrupted" in stopped.stdout
    ended(store, project, undisturbed)
