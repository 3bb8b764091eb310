"""`make setup` is never silent for long while packages are fetched, and a word to stop ends all of it."""

from __future__ import annotations

import os
import platform
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import tomllib
from pathlib import Path

import pytest
from support import REPOSITORY, clean_env


@pytest.mark.long
def test_setup_shows_progress_while_an_index_is_slow_and_can_be_stopped(tmp_path: Path) -> None:
    bare_project(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as index:  # takes the call, and never answers
        env = clean_env({"PIP_INDEX_URL": f"http://127.0.0.1:{index.getsockname()[1]}/simple", "EVERY": "1"})
        env |= {"PIP_CONFIG_FILE": os.devnull, "PIP_DEFAULT_TIMEOUT": "100", "no_proxy": "127.0.0.1"}
        code, group, said = stopped_midway(tmp_path, env)
    assert code == 130, said
    assert "making .venv" in said[0] and any("packages, 2 s:" in line and "MB in .venv" in line for line in said), said
    deadline = time.monotonic() + 20
    while (left := [pid for pid in Path("/proc").glob("[0-9]*") if session(pid) == group]) and (
        time.monotonic() < deadline
    ):
        time.sleep(0.05)
    assert left == []


def stopped_midway(project: Path, env: dict[str, str]) -> tuple[int, int, list[str]]:
    """Stop a setup that waits, as ctrl-C does; gives its exit code, its process group and what it said."""
    with subprocess.Popen(
        ["sh", "lockfiles/setup.sh"], cwd=project, env=env, text=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True,
    ) as setup:  # fmt: skip
        assert setup.stderr
        said, late = [], threading.Timer(100, lambda: os.killpg(setup.pid, signal.SIGKILL))
        late.start()
        for line in setup.stderr:
            said.append(line)
            if "packages, 3 s:" in line:
                os.killpg(setup.pid, signal.SIGINT)  # it goes to everybody
        late.cancel()
    return setup.returncode, setup.pid, said


def session(process: Path) -> int:
    """Give the session of a process, or 0 where it has just gone."""
    try:
        return int((process / "stat").read_text().rpartition(")")[2].split()[3])
    except OSError:
        return 0


PRETENDS = {  # what a Python that cannot be taken says of itself, and what is said of it
    "python3.10": (
        "platform.python_version = lambda: '3.10.13'",
        "is CPython 3.10.13: packages are locked for 3.11, 3.12",
    ),
    "pypy": (
        "platform.python_implementation = lambda: 'PyPy'",
        f"is PyPy {platform.python_version()}: it is no CPython",
    ),
    "python3.13t": ("sysconfig.get_config_var = lambda _: 1", "it is a free-threaded build"),
    "musl": ("sysconfig.get_config_var = {'SOABI': 'cpython-311-x86_64-linux-musl'}.get", "its C library is musl"),
    "s390x": ("platform.machine = lambda: 's390x'", "packages are locked for Linux on x86-64 and aarch64"),
    "broken": ("raise SystemExit(1)", "is no Python that starts: it said nothing"),
}


def pretending(path: Path, words: str) -> Path:
    """Write a Python that says something else of itself."""
    first = f"import platform, sysconfig; {words}"
    path.write_text(
        f'#!/bin/sh\n[ "$1" = - ] || exec {sys.executable} "$@"\n(echo "{first}"; cat) | {sys.executable} "$@"\n'
    )
    path.chmod(0o755)
    return path


def bare_project(folder: Path, *locks: str) -> Path:
    """Lay out what setup reads, with a lock for each Python that is named; no package is locked in it."""
    (folder / "lockfiles").mkdir()
    shutil.copy(REPOSITORY / "lockfiles" / "setup.sh", folder / "lockfiles")
    shutil.copy(REPOSITORY / "pyproject.toml", folder)
    for name in ("requirements", *locks):
        (folder / "lockfiles" / f"{name}.txt").write_text(f"toy==1.0 --hash=sha256:{'0' * 64}\n")
    return folder


def set_up(project: Path, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "lockfiles/setup.sh", "--which"], cwd=project, env=clean_env({"PYTHON": "", **env}),
        capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("name", PRETENDS)
def test_a_python_that_cannot_be_taken_is_refused_by_name(name: str, tmp_path: Path) -> None:
    words, said = PRETENDS[name]
    done = set_up(bare_project(tmp_path), PYTHON=str(pretending(tmp_path / name, words)))
    assert (done.returncode, f"{tmp_path}/{name} {said}" in done.stderr or said in done.stderr) == (3, True), (
        done.stderr
    )
    assert "no Python was found for which packages are locked" in done.stderr and not (tmp_path / ".venv").exists()


def test_a_python_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = set_up(bare_project(tmp_path), PYTHON=str(tmp_path / "nowhere"))
    assert done.returncode == 3 and f"(there is no {tmp_path}/nowhere)" in done.stderr, done.stderr


@pytest.mark.long
@pytest.mark.parametrize(
    ("versions", "whole", "taken", "why"),
    [
        (
            ("3.11", "3.13"),
            ("image-cpu", "local-3.13"),
            "python3.13",
            "the newest here for which every package is locked",
        ),
        (("3.11", "3.13"), ("image-cpu",), "python3.11", "the newest here for which every package is locked"),
        (("3.12", "3.13"), ("image-cpu",), "python3.13", "models of weights will not run"),
        (("3.14", "3.12"), ("image-cpu",), "python3.12", "models of weights will not run"),
        (("3.14",), ("image-cpu",), "python3.14", "nothing was tried with 3.14 yet"),
    ],
)
def test_the_newest_python_is_taken_for_which_all_is_locked(
    versions: tuple[str, ...], whole: tuple[str, ...], taken: str, why: str, tmp_path: Path
) -> None:
    project = bare_project(tmp_path, "image-cpu", "local-3.12", "local-3.13", "local-3.14")
    for name in whole:
        with (project / "lockfiles" / f"{name}.txt").open("a") as lock:
            lock.write(f"torch==1.0 --hash=sha256:{'0' * 64}\n")
    (tmp_path / "bin").mkdir()
    for version in versions:
        pretending(tmp_path / "bin" / f"python{version}", f"platform.python_version = lambda: '{version}.1'")
    pretending(tmp_path / "bin" / "python3", "raise SystemExit(1)")
    for version in {"3.11", "3.12", "3.13", "3.14"} - set(versions):  # whatever this machine has
        pretending(tmp_path / "bin" / f"python{version}", "raise SystemExit(1)")
    done = set_up(project, PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    assert done.returncode == 0 and not (tmp_path / ".venv").exists(), done.stderr
    assert done.stderr.startswith("making .venv with ") and f"({taken}): " in done.stderr and why in done.stderr


def test_what_is_told_of_pythons_is_what_is_locked() -> None:
    said = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    locked = said["tool"]["repro-harness"]["pythons"]
    tried = [one.rpartition(" ")[2] for one in said["project"]["classifiers"] if ":: 3." in one]
    assert said["project"]["requires-python"] == f">={locked[0]}" and tried == locked[: len(tried)]
    assert f"CPython {tried[0]} to {tried[-1]}" in (REPOSITORY / "README.md").read_text()
    locks = {path.name: path.read_text() for path in (REPOSITORY / "lockfiles").glob("*.txt")}
    pinned = {name: set(re.findall(r"^(\S+==\S+)", text, re.MULTILINE)) for name, text in locks.items()}
    torch = {one for one in pinned["image-cpu.txt"] if one.startswith("torch==")}
    for version in locked[1:]:
        assert pinned["image-cpu.txt"] - pinned[f"local-{version}.txt"] <= torch, version
        assert pinned[f"local-{version}.txt"] <= pinned["image-cpu.txt"], version
