"""What a step in a container costs beside a bare `docker run` with the same flags and the same work."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from bench.costs import Size
from bench.measure import Failed, ratio
from bench.table import Row

from harness.engines.docker import DockerEngine, connect_engine
from harness.engines.engine import Job, Limits
from harness.errors import MissingError
from harness.images.image import read_image_pins, require_image
from harness.images.transfer.layout import archive_bytes
from harness.store.store import Store

ROOT = Path(__file__).resolve().parents[2]
IMAGE = "sandbox"
SECONDS, ABREAST = 10, 8


def container_rows(work: Path, size: Size) -> list[Row]:
    """Take turns with the command line of docker; no rows, and a word why, where there is no engine or no image."""
    try:
        engine, host = sandboxed(), connect_engine()[0]
        subprocess.run(["docker", "--version"], capture_output=True, check=True)
    except (MissingError, OSError) as lack:
        sys.stderr.write(f"containers are left out: {lack}\n")
        return []
    turns = _Turns(engine, host, work)
    turns.both(["true"])  # both warm
    little = [turns.both(["true"]) for _ in range(6 * size.repeats)]
    much = [turns.both(["sleep", str(SECONDS)]) for _ in range((size.repeats + 1) // 2)]
    abreast = [turns.both(["true"], ABREAST) for _ in range(2 * size.repeats)]
    return [
        Row("containers", "wall of a step that does nothing, beyond that of `docker run`", _beyond(little), 150, "ms"),
        Row("containers", f"wall of a step of {SECONDS} s against `docker run`", _ratios(much), 1.15),
        Row("containers", f"wall of {ABREAST} steps at once against {ABREAST} `docker run`", _ratios(abreast), 1.15),
        Row("containers", "wall of a step that does nothing", tuple(1000 * ours for ours, _ in little), unit="ms"),
        Row("containers", "wall of `docker run` of nothing", tuple(1000 * bare for _, bare in little), unit="ms"),
    ]


def sandboxed() -> DockerEngine:
    """Open the engine with the small image, of the project's own store."""
    store = Store.open(ROOT / ".harness")
    pin = read_image_pins(ROOT)[IMAGE]
    image = require_image(store, pin.image_id, IMAGE)
    return DockerEngine(pin.image_id, [pin.manifest], lambda: archive_bytes(store, image))


class _Turns:
    """The same work done by both sides, one after the other."""

    def __init__(self, engine: DockerEngine, host: str, work: Path) -> None:
        self.engine, self.host, self.work = engine, host, work
        self.count = 0

    def both(self, argv: Sequence[str], abreast: int = 1) -> tuple[float, float]:
        """Give the wall of ours and of theirs; who begins changes from turn to turn."""
        jobs = [self._job(argv) for _ in range(abreast)]
        order: list[Callable[[Job], None]] = [self._ours, self._bare]
        walls = {}
        for side in order if self.count // abreast % 2 else reversed(order):
            begun = time.perf_counter()
            with ThreadPoolExecutor(abreast) as pool:
                list(pool.map(side, jobs))
            walls[side] = time.perf_counter() - begun
        return walls[self._ours], walls[self._bare]

    def _job(self, argv: Sequence[str]) -> Job:
        self.count += 1
        folder = self.work / f"step-{self.count}"
        for name in ("in", "out", "tmp", "code"):
            (folder / name).mkdir(parents=True)
        return Job(tuple(argv), folder, {"PATH": "/usr/bin:/bin"}, Limits(cpus=1.0))

    def _ours(self, job: Job) -> None:
        outcome = self.engine.run(job, lambda _: None, threading.Event())
        if not outcome.fine:
            raise Failed(f"the step failed: {outcome}")

    def _bare(self, job: Job) -> None:
        words = ["docker", "--host", self.host, "run", "--rm", *flags(self.engine._settings(job)), *job.argv]
        done = subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL, check=False)
        if done.returncode:
            raise Failed(f"`docker run` exited {done.returncode}: {done.stderr.decode('utf-8', 'replace')[-500:]}")


def flags(settings: Mapping[str, Any]) -> list[str]:
    """Spell a container's settings the way the command line of docker takes them, and then its image."""
    host = settings["HostConfig"]
    words = ["--read-only", "--interactive", "--cap-drop=ALL", "--log-driver=none"]
    words += [f"--network={host['NetworkMode']}", f"--ipc={host['IpcMode']}", f"--pids-limit={host['PidsLimit']}"]
    words += [f"--memory={host['Memory']}", f"--memory-swap={host['MemorySwap']}", f"--shm-size={host['ShmSize']}"]
    words += [f"--cpus={host['NanoCpus'] / 1e9}", f"--user={settings['User']}", f"--hostname={settings['Hostname']}"]
    words += [f"--workdir={settings['WorkingDir']}", *(f"--security-opt={one}" for one in host["SecurityOpt"])]
    words += [f"--ulimit={one['Name']}={one['Soft']}:{one['Hard']}" for one in host["Ulimits"]]
    words += [f"--tmpfs={place}:{options}" for place, options in host["Tmpfs"].items()]
    words += [f"--label={name}={value}" for name, value in settings["Labels"].items()]
    words += [f"--env={one}" for one in settings["Env"]]
    for one in host["Mounts"]:
        sealed = ",readonly" if one["ReadOnly"] else ""
        words.append(f"--mount=type=bind,src={one['Source']},dst={one['Target']}{sealed}")
    return [*words, settings["Image"]]


def _beyond(pairs: Sequence[tuple[float, float]]) -> tuple[float, ...]:
    return tuple(1000 * (ours - bare) for ours, bare in pairs)


def _ratios(pairs: Sequence[tuple[float, float]]) -> tuple[float, ...]:
    return tuple(ratio(ours, bare) for ours, bare in pairs)
