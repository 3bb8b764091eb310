"""A machine that forbids user namespaces to ordinary users: what needs no wall runs, the rest is exit 3, all named.

Forbidden in a namespace of the test's own, by the switch that forbids them on a whole machine.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from support import REPOSITORY, clean_env, command, harness, unlocked_project

FORBID = 'echo 0 >/proc/sys/user/max_user_namespaces || exit 99; exec setpriv --inh-caps=-all --bounding-set=-all "$@"'
ENTER = ("unshare", "--user", "--map-current-user", "--keep-caps", "sh", "-c", FORBID, "forbid")
SAID = "user.max_user_namespaces is 0, which forbids user namespaces; as root, `sysctl user.max_user_namespaces=15000`"
pytestmark = pytest.mark.skipif(
    subprocess.run([*ENTER, "--no-new-privs", "true"], capture_output=True, check=False).returncode != 0,
    reason="no user namespace can be had here in which to forbid others",
)


def forbidden(*words: str, cwd: Path = REPOSITORY) -> subprocess.CompletedProcess[str]:
    line = [*ENTER, "--no-new-privs", *command(*words)]
    env = clean_env({"DOCKER_HOST": "unix:///nowhere"})  # of an engine's files no user is known there
    return subprocess.run(line, cwd=cwd, env=env, capture_output=True, text=True, check=False)


def test_doctor_names_what_forbids_them_and_what_mends_it() -> None:
    found = {one["subject"]: one for one in json.loads(forbidden("doctor", "--json").stdout)["findings"]}
    assert found["isolation"]["found"].startswith("process; bubblewrap is here but refused: ")
    assert found["isolation"]["advice"].startswith(SAID)


def test_what_needs_no_wall_is_reproduced_and_the_rest_left_out(tmp_path: Path) -> None:
    small = unlocked_project(tmp_path, 7, ("oracle",))
    for name in ("lockfiles", "certificates"):
        shutil.copytree(REPOSITORY / name, tmp_path / name, dirs_exist_ok=True)
    for words in (("lock", small), ("run", small, "--isolation", "process"), ("lock", "--accept", "last")):
        harness(*words, cwd=tmp_path, check=0)
    (tmp_path / "manifests" / "demo").mkdir()
    shutil.copy(REPOSITORY / "manifests" / "demo" / "curie.yaml", tmp_path / "manifests" / "demo")
    done = forbidden("reproduce", str(small), "manifests/demo/curie.yaml", cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    assert "small: agreed (" in done.stdout and "isolation process" in done.stdout
    assert "curie-demo: left out: the isolation 'process' does not contain foreign code" in done.stderr
    assert SAID in done.stderr and "1 of 2 manifests agree" in done.stderr
