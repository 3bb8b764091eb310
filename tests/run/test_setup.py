"""`make setup` is never silent for long while packages are fetched, and a word to stop ends all of it."""

from __future__ import annotations

import os
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
    (tmp_path / "lockfiles").mkdir()
    shutil.copy(REPOSITORY / "lockfiles" / "setup.sh", tmp_path / "lockfiles")
    (tmp_path / "lockfiles" / "requirements.txt").write_text(f"toy==1.0 --hash=sha256:{'0' * 64}\n")
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


def test_another_python_than_the_locked_one_is_refused_in_one_voice(tmp_path: Path) -> None:
    (tmp_path / "lockfiles").mkdir()
    shutil.copy(REPOSITORY / "lockfiles" / "setup.sh", tmp_path / "lockfiles")
    newer = tmp_path / "python3.12"
    newer.write_text(f'#!/bin/sh\n(echo "import sys; sys.version_info = (3, 12, 0)"; cat) | {sys.executable} "$@"\n')
    newer.chmod(0o755)
    done = subprocess.run(
        ["sh", "lockfiles/setup.sh"], cwd=tmp_path, env=clean_env({"PYTHON": str(newer)}),
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, "CPython 3.11 on Linux x86-64 is missing" in done.stderr) == (3, True), done.stderr
    assert not (tmp_path / ".venv").exists()
    said = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    assert said["requires-python"] == ">=3.11,<3.12"
    assert [one for one in said["classifiers"] if ":: 3." in one] == ["Programming Language :: Python :: 3.11"]
    assert "with CPython 3.11" in (REPOSITORY / "README.md").read_text()
