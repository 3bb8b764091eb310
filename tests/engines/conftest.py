"""Fixtures of the engines' tests: the docker engine on a real engine, and a folder in which a step runs."""

from __future__ import annotations

import tempfile
import textwrap
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support_engine import open_docker, ours

from harness.engines.docker import DockerEngine, identify_process
from harness.engines.engine import Job, Limits, Outcome
from harness.engines.local import LocalEngine
from harness.run.environment import step_environment

LIMITS = Limits(seconds=60, memory=512 << 20, cpus=1.0)
Run = Callable[..., Outcome]


@pytest.fixture(scope="session")
def docker(docker_host: str, image_store: tuple[Path, str]) -> DockerEngine:
    return open_docker(image_store)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Give a step's folder, laid out the way `execute` does it."""
    path = tmp_path / "step"
    for name in ("in", "out", "tmp", "code"):
        (path / name).mkdir(parents=True)
    (path / "in" / "rows").write_text("given")
    for one in (path, *path.iterdir()):
        one.chmod(0o755)
    return path


@pytest.fixture
def step(docker: DockerEngine, docker_host: str, place: Path) -> Iterator[Run]:
    """Run a few lines of Python in a container; gives the outcome, and sees to it that no container is left."""

    def go(
        code: str, on_log: Callable[[bytes], None] = lambda _: None, cancel: threading.Event | None = None,
        sockets: tuple[Path, ...] = (), **limits: Any,
    ) -> Outcome:  # fmt: skip
        (place / "code" / "main.py").write_text("import os, sys\n" + textwrap.dedent(code))
        wanted = replace(LIMITS, **limits)
        env = step_environment(docker.inside(place))
        job = Job(docker.command("code/main.py"), place, env, wanted, sockets)
        return docker.run(job, on_log, cancel or threading.Event())

    yield go
    assert ours(docker_host, identify_process()) == []


@pytest.fixture
def folder() -> Iterator[Path]:
    """Give the folder of a step that runs on this machine, with a short path: sockets below it may have no long one."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as top:  # what was ended may write for a moment
        path = Path(top, "step")
        for name in ("in", "out", "tmp", "code"):
            (path / name).mkdir(parents=True)
        (path / "in" / "rows").write_text("given")
        (path / "step.json").write_text("{}")
        yield path


@pytest.fixture
def run(folder: Path) -> Run:
    """Run a few lines of Python in an isolation of this machine; gives the outcome."""

    def go(
        isolation: str, code: str, on_log: Callable[[bytes], None] = lambda _: None,
        cancel: threading.Event | None = None, sockets: tuple[Path, ...] = (), **limits: Any,
    ) -> Outcome:  # fmt: skip
        (folder / "code" / "main.py").write_text("import os, sys\n" + textwrap.dedent(code))
        engine = LocalEngine(isolation)
        wanted = replace(Limits(seconds=60), **limits)
        argv = (*engine.command("code/main.py"), str(folder.parent))
        job = Job(argv, folder, step_environment(folder), wanted, sockets)
        return engine.run(job, on_log, cancel or threading.Event())

    return go
