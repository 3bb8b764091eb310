"""The same manifest gives the same digests wherever, whenever and by whomever it is run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import pytest
from support import REPOSITORY, SECONDS, clean_env, data_of, outputs_of, small_project

from harness.engines.local import available_isolations

pytestmark = pytest.mark.together  # one project for all


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("variation")
    small_project(folder, count=10, models=("noisy-oracle",))
    return folder


@pytest.fixture(scope="module")
def plain(project: Path) -> dict[str, str]:
    return outputs_of(data_of("run", "manifests/small.yaml", cwd=project))


SURROUNDINGS = {  # each with another umask, too
    "another time zone, home and number of threads": {
        "TZ": "Pacific/Kiritimati", "HOME": "/nonexistent", "USER": "nobody",
        "OMP_NUM_THREADS": "7", "OPENBLAS_NUM_THREADS": "7",
    },
    "another locale and hash seed, and optimised away": {
        "LC_ALL": "tr_TR.UTF-8", "LANG": "de_DE", "PYTHONHASHSEED": "4711",
        "PYTHONOPTIMIZE": "2", "PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1",
    },
}  # fmt: skip


@pytest.mark.parametrize(("surrounding", "umask"), list(zip(SURROUNDINGS, (0o000, 0o077), strict=True)))
def test_the_user_s_environment_and_umask_do_not_reach_a_result(
    surrounding: str, umask: int, project: Path, plain: dict[str, str], tmp_path: Path
) -> None:
    words, before = ("run", "manifests/small.yaml", "--store", str(tmp_path / "s")), os.umask(umask)
    try:
        ran = data_of(*words, cwd=project, env=SURROUNDINGS[surrounding])
    finally:
        os.umask(before)
    assert ran["runs"][0]["steps"]["executed"] == ran["runs"][0]["steps"]["total"]
    assert outputs_of(ran) == plain


@pytest.mark.parametrize(("isolation", "jobs"), list(zip(available_isolations(), ("1", "5", "3"), strict=False)))
def test_every_isolation_and_any_parallelism_give_the_same_digests(
    isolation: str, jobs: str, project: Path, plain: dict[str, str], tmp_path: Path
) -> None:
    words = ("--store", str(tmp_path / "s"), "--isolation", isolation, "--jobs", jobs)
    ran = data_of("run", "manifests/small.yaml", *words, cwd=project)
    assert ran["runs"][0]["isolation"] == isolation
    assert outputs_of(ran) == plain


SHUFFLED = """
import os, random, sys
listdir, scandir = os.listdir, os.scandir
class Shuffled:
    def __init__(self, *given): self.found = scandir(*given)
    def __enter__(self): return self
    def __exit__(self, *_): self.found.close()
    def close(self): self.found.close()
    def __iter__(self):
        entries = list(self.found); random.shuffle(entries); return iter(entries)
def shuffled(*given):
    names = listdir(*given); random.shuffle(names); return names
os.listdir, os.scandir = shuffled, Shuffled
from harness.cli.main import run_command_line
sys.exit(run_command_line(sys.argv[1:]))
"""


def test_another_folder_working_directory_and_order_of_files_give_the_same_digests(
    project: Path, plain: dict[str, str], tmp_path: Path
) -> None:
    moved = tmp_path / "a folder with spaces and ünïcode" / "project"
    shutil.copytree(project, moved, ignore=shutil.ignore_patterns(".harness"))
    words = [sys.executable, "-c", SHUFFLED, "run", str(moved / "manifests" / "small.yaml"), "--json"]
    done = subprocess.run(
        words, cwd=tmp_path, env=clean_env(), capture_output=True, text=True, timeout=SECONDS, check=True
    )
    assert outputs_of(json.loads(done.stdout)) == plain


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_another_user_gives_the_same_digests(project: Path, plain: dict[str, str]) -> None:
    """As `nobody`, from a copy of the source that everybody may read."""
    with tempfile.TemporaryDirectory(prefix="harness-user-", dir="/var/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        shutil.copytree(REPOSITORY / "harness", folder / "source" / "harness")
        shutil.copytree(project, folder / "project", ignore=shutil.ignore_patterns(".harness"))
        subprocess.run(["chown", "-R", "nobody", str(folder)], check=True)
        env = clean_env({"PYTHONPATH": str(folder / "source"), "HOME": str(folder)})
        become = ["setpriv", "--reuid", "nobody", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all"]
        python = folder / "venv" / "bin" / "python"
        for base in (os.path.realpath(sys.executable), f"/usr/bin/python3.{sys.version_info.minor}"):
            probe = [*become, "sh", "-c", f"exec '{base}' -c pass"]  # the second exec has lost root's powers
            if not subprocess.run(probe, capture_output=True, check=False).returncode:
                subprocess.run([base, "-m", "venv", "--without-pip", str(folder / "venv")], check=True)
                break
        else:
            pytest.skip("no Python of this version may be run by another user: it lies in a private folder")
        site = next((folder / "venv" / "lib").glob("python*/site-packages"))
        site.rmdir()
        site.symlink_to(sysconfig.get_path("purelib"))
        words = [*become, str(python), "-m", "harness.cli.main", "run", "manifests/small.yaml", "--json"]
        words += ["--store", str(folder / "store"), "--isolation", "process"]
        done = subprocess.run(
            words, cwd=folder / "project", env=env, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        assert done.returncode == 0, done.stderr
        assert outputs_of(json.loads(done.stdout)) == plain
