"""Whoever dies in the middle, the harness or the engine: no container outlives it, and running again completes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import clean_env, command, data_of, executed, outputs_of
from support_engine import Service, client, container_project, dockerd, open_docker, ours, until

from harness.engines.docker import OWNER

pytestmark = pytest.mark.together


@pytest.fixture(scope="module")
def project(image_store: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kill") / "project"
    container_project(folder, image_store, models=("noisy-oracle",))
    return folder


@pytest.fixture(scope="module")
def undisturbed(project: Path) -> dict[str, str]:
    return outputs_of(data_of("run", "manifests/small.yaml", "--store", "undisturbed", cwd=project))


def begin(project: Path, store: str, images: tuple[Path, str], host: str) -> subprocess.Popen[str]:
    """Start a run and give it when one of its containers runs."""
    words = ("run", "manifests/small.yaml", "--engine", "docker", "--images", str(images[0]), "--store", store)
    run = subprocess.Popen(
        command(*words), cwd=project, env=clean_env({"DOCKER_HOST": host}), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert until(
        lambda: (running(host, run.pid) and (project / store / "heads.jsonl").exists()) or run.poll() is not None, 60
    )
    assert run.poll() is None, run.communicate()
    return run


def owned(host: str, pid: int) -> list[dict[str, Any]]:
    return [one for one in ours(host) if one["Labels"][OWNER].split()[2] == str(pid)]


def running(host: str, pid: int) -> bool:
    return any(one["State"] == "running" for one in owned(host, pid))


def completes(project: Path, store: str, images: tuple[Path, str], host: str) -> dict[str, str]:
    """Run again to the end; nothing was done twice."""
    words = ("--engine", "docker", "--images", str(images[0]), "--store", store)
    outputs = outputs_of(data_of("run", "manifests/small.yaml", *words, cwd=project, env={"DOCKER_HOST": host}))
    assert max(Counter(executed(project / store)).values()) == 1
    return outputs


@pytest.mark.long
def test_a_stopped_or_killed_harness_leaves_no_container_and_can_run_again(
    project: Path, undisturbed: dict[str, str], image_store: tuple[Path, str], docker_host: str
) -> None:
    for word in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        run = begin(project, "store-word", image_store, docker_host)
        run.send_signal(word)
        _, said = run.communicate(timeout=60)
        assert run.returncode == (-word if word == signal.SIGKILL else 130), said
        assert until(lambda run=run: not running(docker_host, run.pid), 10)
        if word != signal.SIGKILL:
            assert owned(docker_host, run.pid) == [] and "run again" in said
    assert completes(project, "store-word", image_store, docker_host) == undisturbed
    assert owned(docker_host, run.pid) == []  # what the dead one left is swept by the next


SLEEPER = """
import sys, threading
from pathlib import Path
from harness.engines.engine import Job, Limits
from support_engine import open_docker
engine = open_docker((Path(sys.argv[1]), sys.argv[2]))
job = Job(("sh", "-c", sys.argv[4]), Path(sys.argv[3]), {"PATH": "/usr/bin:/bin"}, Limits(seconds=300, cpus=1.0))
engine.run(job, lambda text: print("ready", flush=True), threading.Event())
"""


@pytest.mark.parametrize("hostile", [False, True])
def test_a_container_ends_with_its_owner_and_is_swept_only_then(
    hostile: bool, image_store: tuple[Path, str], docker_host: str, tmp_path: Path
) -> None:
    """A hostile step can kill the guard beside it; then it is the sweep of the next run that ends it."""
    for name in ("in", "out", "tmp", "code"):
        (tmp_path / name).mkdir()
    script = ("kill -9 -1; " if hostile else "") + "echo; exec sleep 200"
    words = [sys.executable, "-c", SLEEPER, str(image_store[0]), image_store[1], str(tmp_path), script]
    env = clean_env()
    env["PYTHONPATH"] += os.pathsep + str(Path(__file__).parents[1])
    owner = subprocess.Popen(words, env=env, stdout=subprocess.PIPE, text=True)
    try:
        assert owner.stdout and owner.stdout.readline() == "ready\n"
        open_docker(image_store)  # sweeps, and leaves alone what a living harness owns
        assert running(docker_host, owner.pid)
    finally:
        owner.kill()
        owner.communicate()
    assert hostile or until(lambda: not running(docker_host, owner.pid), 10)
    assert len(owned(docker_host, owner.pid)) == 1
    open_docker(image_store)
    assert owned(docker_host, owner.pid) == []


@pytest.fixture(scope="module")
def sealed() -> Iterator[Service]:
    with dockerd() as service:
        yield service


def inside(service: Service) -> list[int]:
    """Give the processes that run in the containers of a private engine: the children of its shims."""
    shims, parents = set(), {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            words = (path / "cmdline").read_bytes()
            state, parent = (path / "stat").read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        parents[int(path.name)] = int(parent) if state != "Z" else 0
        if b"containerd-shim" in words and os.fsencode(service.folder) in words:
            shims.add(int(path.name))
    return [pid for pid, parent in parents.items() if parent in shims]


@pytest.mark.long
def test_an_engine_that_dies_is_told_and_after_its_start_the_run_completes(
    sealed: Service, project: Path, undisturbed: dict[str, str], image_store: tuple[Path, str]
) -> None:
    run = begin(project, "store-engine", image_store, sealed.host)
    sealed.kill()
    _, said = run.communicate(timeout=60)
    assert run.returncode == 3, said
    assert "the container engine stopped answering" in said and "start it again" in said and "Traceback" not in said
    assert until(lambda: not inside(sealed), 10)
    assert data_of("audit", "last", "--store", "store-engine", cwd=project, check=1)["verdict"] == "incomplete"
    sealed.start()
    assert completes(project, "store-engine", image_store, sealed.host) == undisturbed
    assert ours(sealed.host) == []


def test_a_container_of_somebody_else_is_left_alone(image_store: tuple[Path, str], docker_host: str) -> None:
    with client(docker_host) as engine:
        labels = [{OWNER: "not our mark"}, {OWNER: "boot namespace pid began"}, {"harness": "x"}]
        made = [
            engine.create_container_from_config({"Image": image_store[1], "Cmd": ["true"], "Labels": one})["Id"]
            for one in labels
        ]
        try:
            open_docker(image_store)
            assert [engine.inspect_container(one)["Id"] for one in made] == made
        finally:
            for one in made:
                engine.remove_container(one)
