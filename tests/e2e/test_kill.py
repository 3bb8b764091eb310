"""A harness that is killed at any moment loses nothing that was finished, and leaves no process behind."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from support import clean_env, command, data_of, executed, harness, outputs_of, small_project

from harness.store.store import Store
from harness.store.sweep import fsck

MODELS = ("oracle", "noisy-oracle", "refuser", "echo", "empty")
KILLS = 25  # in each of the two halves: fifty in all


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kill")
    small_project(folder, count=40, models=MODELS)
    return folder


@pytest.fixture(scope="module")
def undisturbed(project: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    store = tmp_path_factory.mktemp("undisturbed") / "store"
    return outputs_of(data_of("run", "manifests/small.yaml", "--store", str(store), cwd=project))


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


@pytest.mark.parametrize("half", [0, 1])
def test_runs_killed_at_random_moments_end_as_an_undisturbed_run_does(
    half: int, project: Path, undisturbed: dict[str, str], tmp_path: Path
) -> None:
    draw = random.Random(f"kill-{half}")
    kills, round_ = 0, 0
    while kills < KILLS:
        store = tmp_path / f"store-{round_}"
        round_ += 1
        for _ in range(KILLS):
            words = command("run", "manifests/small.yaml", "--store", str(store))
            run = subprocess.Popen(
                words, cwd=project, env=clean_env(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            try:
                run.wait(timeout=draw.uniform(0.15, 1.3))
            except subprocess.TimeoutExpired:
                run.send_signal(signal.SIGKILL)
                run.wait()
                kills += 1
                assert not settled(store), "a step outlived its harness"
                if (store / "format").exists():
                    assert list(fsck(Store(store))) == []
            else:
                break
        final = data_of("run", "manifests/small.yaml", "--store", str(store), cwd=project)
        assert outputs_of(final) == undisturbed
        again = {key: count for key, count in Counter(executed(store)).items() if count > 1}
        assert not again, "a finished step was executed twice"
        assert data_of("audit", "last", "--store", str(store), cwd=project)["verdict"] == "agreed"
        shutil.rmtree(store)


DRIVER = """
import os, signal, sys
calls = 0
def counted(function):
    def call(*given, **named):
        global calls
        calls += 1
        if calls == int(sys.argv[1]):
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*given, **named)
    return call
for name in ("write", "fsync", "fdatasync", "rename", "link", "replace"):
    setattr(os, name, counted(getattr(os, name)))
from harness.cli.main import run
code = run(sys.argv[2:])
print(calls)
sys.exit(code)
"""


def driven(nth: int, project: Path, store: Path) -> subprocess.CompletedProcess[str]:
    words = [
        sys.executable,
        "-c",
        DRIVER,
        str(nth),
        "run",
        "manifests/small.yaml",
        "--store",
        str(store),
        "--jobs",
        "1",
    ]
    return subprocess.run(words, cwd=project, env=clean_env(), capture_output=True, text=True, timeout=120, check=False)


def test_a_kill_before_any_write_rename_or_sync_leaves_a_store_that_resumes(
    project: Path, undisturbed: dict[str, str], tmp_path: Path
) -> None:
    whole = driven(0, project, tmp_path / "whole")
    total = int(whole.stdout.split()[-1])
    assert total > 100
    for nth in sorted(random.Random("nth").sample(range(1, total), 14)):
        store = tmp_path / f"store-{nth}"
        assert driven(nth, project, store).returncode == -signal.SIGKILL
        if (store / "format").exists():
            assert [flaw for flaw in fsck(Store(store)) if flaw.id != "chain.incomplete"] == []
        assert outputs_of(data_of("run", "manifests/small.yaml", "--store", str(store), cwd=project)) == undisturbed
        assert max(Counter(executed(store)).values(), default=1) == 1
        shutil.rmtree(store)


@pytest.mark.parametrize("word", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_asked_to_stop_says_so_and_can_be_resumed(
    word: signal.Signals, project: Path, undisturbed: dict[str, str], tmp_path: Path
) -> None:
    store = tmp_path / "store"
    words = command("run", "manifests/small.yaml", "--store", str(store), "--jobs", "1")
    run = subprocess.Popen(
        words, cwd=project, env=clean_env(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not list(store.glob("runs/*/journal.jsonl")) and run.poll() is None:
        time.sleep(0.01)
    time.sleep(0.2)
    run.send_signal(word)
    _, errors = run.communicate(timeout=60)
    assert run.returncode == 130, errors
    assert "run again" in errors and "Traceback" not in errors
    assert not settled(store)
    stopped = harness("audit", "last", "--store", store, cwd=project, check=1)
    assert "interrupted" in stopped.stdout
    assert outputs_of(data_of("run", "manifests/small.yaml", "--store", str(store), cwd=project)) == undisturbed
    assert max(Counter(executed(store)).values()) == 1
