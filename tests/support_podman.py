"""Podman as the engine, served from folders of its own; it skips with podman's own words where it runs nothing."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from support_engine import Service, client, open_docker, private

CONF = """\
[containers]
default_ulimits = ["nofile=20000:20000", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
"""

ROOT = os.geteuid() == 0  # an ordinary user's podman is rootless


@contextmanager
def podman_service(image_store: tuple[Path, str], folder: Path) -> Iterator[Service]:
    """Serve podman, and see it run one container; skips with its own words where it cannot.

    An ordinary user's is rootless: root in its containers is that user.
    """
    for program in ("podman", "runc", *(() if ROOT else ("newuidmap",))):
        if not shutil.which(program):
            pytest.skip(f"{program} is not installed")
    conf = folder / "containers.conf"
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
