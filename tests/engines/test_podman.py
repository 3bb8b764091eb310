"""Podman's socket serves as the engine: the same run, the same bytes, the same walls."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import textwrap
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support import data_of, outputs_of
from support_engine import Service, client, container_project, open_docker, ours, private
from support_walls import FILES, NAMES, REFUSED, SOCKETS, TAKEN, WAITS, X32, tried

from harness.engines.engine import Job, Limits, Outcome
from harness.run.environment import step_environment

pytestmark = [pytest.mark.long, pytest.mark.together]

CONF = """\
[containers]
default_ulimits = ["nofile=20000:20000", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
"""


ROOT = os.geteuid() == 0


@pytest.fixture(scope="module")
def podman(image_store: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Serve podman from folders of its own, and see it run one container; skips with its own words where it cannot.

    An ordinary user's is rootless: root in its containers is that user.
    """
    for program in ("podman", "runc", *(() if ROOT else ("newuidmap",))):
        if not shutil.which(program):
            pytest.skip(f"{program} is not installed")
    conf = tmp_path_factory.mktemp("podman") / "containers.conf"
    conf.write_text(CONF)
    env = {"CONTAINERS_CONF": str(conf), "XDG_RUNTIME_DIR": str(conf.parent)}
    places = ["--root=FOLDER/root", "--runroot=FOLDER/run", "--tmpdir=FOLDER/tmp", "--storage-driver=overlay"]
    words = ["podman", *places, "--runtime=runc", "--cgroup-manager=cgroupfs", "system", "service", "--time=0"]
    with private([*words, "unix://FOLDER/sock"], env) as service:
        try:
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("DOCKER_HOST", service.host)
                engine = open_docker(image_store)
            with client(service.host) as asked:
                bare = {"Image": engine.image, "Cmd": ["true"], "HostConfig": {"NetworkMode": "none"}}
                made = asked.create_container_from_config(bare)
                asked.start(made["Id"])
                asked.wait(made["Id"], timeout=30)
                asked.remove_container(made["Id"], force=True)
        except Exception as bad:  # whatever podman lacks on this machine, it says so here
            clear(service, env)
            pytest.skip(f"podman runs no container here: {str(bad)[-400:]}")
        yield service
        clear(service, env)


def clear(service: Service, env: dict[str, str]) -> None:
    """Remove what belongs to the other users that an ordinary user has in containers, and end podman's own keeper."""
    if not ROOT:
        service.stop()
        with suppress(ProcessLookupError):
            os.killpg(service.process.pid, signal.SIGKILL)  # it works in a second process, which hears no word
        gone = [*service.words[:5], "unshare", "rm", "-rf", f"{service.folder}/root", f"{service.folder}/run"]
        subprocess.run(gone, env={**os.environ, **env}, cwd=service.folder, capture_output=True, check=False)
        for path in (service.folder / "tmp").rglob("pause.pid"):
            with suppress(ProcessLookupError):
                os.kill(int(path.read_text()), signal.SIGKILL)


def test_a_run_on_podman_gives_the_bytes_of_a_local_run(
    podman: Service, image_store: tuple[Path, str], tmp_path: Path
) -> None:
    project = tmp_path / "project"
    container_project(project, image_store, models=("noisy-oracle",))
    here = data_of("run", "manifests/small.yaml", "--store", "local", cwd=project)
    words = ("run", "manifests/small.yaml", "--engine", "docker", "--images", str(image_store[0]))
    ran = data_of(*words, cwd=project, env={"DOCKER_HOST": podman.host})
    assert outputs_of(ran) == outputs_of(here) and ran["runs"][0]["image"] == image_store[1]
    assert ours(podman.host) == []


def test_what_podman_cannot_bound_is_named(
    podman: Service, image_store: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", podman.host)
    named = open_docker(image_store).facts().get("unbounded", [])
    assert set(named) <= {"MemoryLimit", "PidsLimit"}
    if not ROOT and not Path("/sys/fs/cgroup/cgroup.controllers").exists():
        assert len(named) == 2  # a user holds no group of the first kind


CASES: dict[str, dict[str, Any]] = {
    "print('said', flush=True); sys.exit(7)": {"exit": 7, "log": b"said\n"},
    "os.kill(os.getpid(), 9)": {"signal": 9, "oom": False},
    "held = bytearray(1 << 30)": {"fine": False},  # podman tells of a child no more than that it was killed
    "while True: os.fork()": {"fine": False},
    "os.execvp('yes', ['yes'])": {"timed_out": True},
    "[os.mkdir(f'out/{n}') for n in range(10**6)]": {"over": "more than 10000 files"},
    "open('tmp/x', 'w').write('x'); open('out/x', 'w').write('x')": {"fine": True},
    "open('in/x', 'w')": {"fine": False},
    "open('/usr/x', 'w')": {"fine": False},
    "print(*[line for line in open('/proc/self/status') if line[:6] in ('CapEff', 'CapBnd', 'NoNewP')])": {
        "log": b"CapEff:\t0000000000000000\n CapBnd:\t0000000000000000\n NoNewPrivs:\t1\n\n"
    },
    "print({line.split(':')[0].strip() for line in list(open('/proc/net/dev'))[2:]} - {'lo'}, os.getuid())": {
        "log": b"set() 65534\n" if ROOT else b"set() 0\n"
    },
    "import resource as r; print(*[r.getrlimit(one) for one in (r.RLIMIT_NOFILE, r.RLIMIT_CORE, r.RLIMIT_FSIZE)])": {
        "log": b"(1024, 1024) (0, 0) (1073745920, 1073745920)\n"  # which podman's socket leaves out
    },
    "import signal\nfor _ in range(600):\n    if not os.fork(): signal.pause()\nimport time; time.sleep(60)": {
        "fine": False,
        "timed_out": False,
    },
}


def test_steps_on_podman_end_as_they_do_on_dockerd(
    podman: Service, image_store: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", podman.host)
    engine = open_docker(image_store)
    for number, (code, wanted) in enumerate(CASES.items()):
        folder = tmp_path / str(number)
        for name in ("in", "out", "tmp", "code"):
            (folder / name).mkdir(parents=True)
        (folder / "code" / "main.py").write_text(f"import os, sys\n{code}\n")
        seconds = 1.0 if "while" in code or "yes" in code else 60.0
        limits = Limits(seconds=seconds, memory=256 << 20, processes=128, cpus=1.0, disk=1 << 30)
        job = Job(engine.command("code/main.py"), folder, {"PATH": "/usr/bin:/bin"}, limits)
        outcome = engine.run(job, lambda _: None, threading.Event())
        assert {name: getattr(outcome, name) for name in wanted} == wanted, (code, outcome)
    assert ours(podman.host) == []


@pytest.fixture
def step(podman: Service, image_store: tuple[Path, str], place: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run a few lines of Python in podman's container, in one folder."""
    monkeypatch.setenv("DOCKER_HOST", podman.host)
    engine = open_docker(image_store)

    def go(_: str, code: str, **limits: Any) -> Outcome:
        (place / "code" / "main.py").write_text("import os, sys\n" + textwrap.dedent(code))
        wanted = replace(Limits(seconds=60, memory=512 << 20, cpus=1.0), **limits)
        job = Job(engine.command("code/main.py"), place, step_environment(engine.inside(place)), wanted)
        return engine.run(job, lambda _: None, threading.Event())

    return go


def test_podman_refuses_every_call_that_attacks(step: Any, place: Path) -> None:
    plain = {name: call for name, call in REFUSED.items() if name not in ("typing into a terminal", X32)}
    ended = tried(step, place, "podman", plain | {"clone3": (435, 0, 0)})
    assert {name: how for name, how in ended.items() if how != "EPERM"} == {"clone3": "ENOSYS"}
    assert step("podman", SOCKETS).log == b"socket 1\nsocketpair 1\n"


@pytest.mark.parametrize("way", [*TAKEN, "files in memory", "names in memory"])
def test_a_step_on_podman_past_its_memory_as_a_whole_is_ended(step: Any, way: str) -> None:
    code = {**TAKEN, "files in memory": FILES, "names in memory": NAMES}[way]
    outcome = step("podman", code + WAITS, memory=128 << 20, seconds=15)
    assert not outcome.fine and (outcome.oom or outcome.signal == signal.SIGKILL), outcome
