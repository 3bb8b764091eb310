"""Podman's socket serves as the engine: the same run, the same bytes, the same walls."""

from __future__ import annotations

import signal
import textwrap
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support import data_of, outputs_of
from support_engine import Service, container_project, open_docker, ours
from support_podman import ROOT
from support_walls import FILES, NAMES, REFUSED, SOCKETS, TAKEN, UNLISTED, WAITS, X32, tried

from harness.engines.engine import Job, Limits, Outcome
from harness.run.environment import step_environment

pytestmark = pytest.mark.together


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
    assert set(tried(step, place, "podman", UNLISTED).values()) <= {"EPERM", "ENOSYS"}
    assert step("podman", SOCKETS).log == b"socket 1\nsocketpair 1\n"


@pytest.mark.parametrize("way", [*TAKEN, "files in memory", "names in memory"])
def test_a_step_on_podman_past_its_memory_as_a_whole_is_ended(step: Any, way: str) -> None:
    code = {**TAKEN, "files in memory": FILES, "names in memory": NAMES}[way]
    outcome = step("podman", code + WAITS, memory=128 << 20, seconds=15)
    assert not outcome.fine and (outcome.oom or outcome.signal == signal.SIGKILL), outcome
