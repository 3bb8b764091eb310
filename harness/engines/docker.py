"""Docker engine: every step in a container of its own, by image ID, without network or capabilities.

Uses dockerd, or podman through its socket. If the container engine does not hold the image, it is loaded from a stream
that the caller passes. Independent of how images are made.
"""

from __future__ import annotations

import os
import resource
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.engines import engine
from harness.engines.container import (
    DEADLINE,
    MEMORY,
    OWNER,
    PIDS,
    Container,
    connect_engine,
    container_deadline,
    engine_name,
    ensure_image,
    find_engine_name,
    guard_command,
    identify_process,
    is_rootless,
    remove_orphans,
    translating_engine_errors,
    unenforced_limits,
)
from harness.engines.engine import (
    CALLS,
    DISK,
    MACHINE,
    NETWORK,
    PROCESSES,
    SHARED,
    SOCKETS,
    Device,
    EngineKind,
    EngineOptions,
    Job,
    Limits,
    Outcome,
)
from harness.engines.isolation import NOBODY, chown_back, chown_to_step
from harness.engines.monitor import JobMonitor
from harness.engines.system_calls import can_filter, engine_profile

PLACE = Path("/step")
PYTHON = ("python3", "-s", "-S", "-P", "-B")
SMALL = Limits(seconds=60, memory=256 << 20)


class DockerEngine:
    """Engine that runs each step in a new container of one image; a tag is never used.

    Creating it removes containers that dead runs left, and loads the image if the container engine lacks it.
    """

    name = "docker"
    isolation = "container"
    seals_inputs = True

    def __init__(
        self, image: str, names: Sequence[str], load: Callable[[], Iterable[bytes]], gpus: engine.Wanted = 0
    ) -> None:
        self.image, self.device = image, Device()
        self._host, self._api, self._version = connect_engine()
        self._podman = "Podman" in engine_name(self._version)
        with self._connected() as client:
            remove_orphans(client)
            self._reference = ensure_image(client, [image, *names], load)
            with translating_engine_errors("it was asked what it can do"):
                self._info: dict[str, Any] = client.info()
            self._rootless = is_rootless(self._info)
            self.unbounded = unenforced_limits(client, self._info)
        self.claims = NETWORK | DISK | MACHINE | SHARED
        if can_filter():
            self.claims |= CALLS
        elif self._podman:
            self.claims -= {"users"}  # podman's own filter allows new user namespaces
        self.claims |= frozenset() if PIDS in self.unbounded else PROCESSES
        self.device = engine.choose_device(gpus, self._ask, os.environ.get(engine.VISIBLE))

    def command(self, script: str) -> tuple[str, ...]:
        """Return the command line for the image's own interpreter: no user site, no .pth files, no bytecode."""
        return (*PYTHON, script)

    def inside(self, folder: Path) -> Path:
        """Return the path of a step's private folder inside the container."""
        return PLACE

    def socket(self, path: Path) -> Path:
        """Return the path of a job's socket inside the container."""
        return SOCKETS / path.name

    def facts(self) -> Mapping[str, Any]:
        """Return the name and version of the engine for the record, and the limits it cannot enforce."""
        return {"engine": engine_name(self._version), **({"unbounded": self.unbounded} if self.unbounded else {})}

    def run(self, job: Job, on_log: Callable[[bytes], None], cancel: threading.Event) -> Outcome:
        """Run one command in a container, which is removed with every process in it before this returns."""
        out = job.folder / "out"
        os.chmod(job.folder / "tmp", 0o1777)  # noqa: S103 - a tmpfs takes its mode from the folder it is mounted on
        if os.geteuid() == 0:  # a rootless engine runs as its socket's owner and can chown to no one else
            chown_to_step(out, user=os.stat(self._host.removeprefix("unix://")).st_uid if self._rootless else NOBODY)
        monitor = JobMonitor(job.limits, on_log, cancel, (out,))
        with self._connected() as client, Container(client, self._settings(job)) as container:
            on_gpu = job.infers and self.device.kind != "cpu"  # a GPU driver maps far more memory than it uses
            weighed = MEMORY in self.unbounded and not on_gpu
            code, oom = container.run(monitor, counted=PIDS in self.unbounded, weighed=weighed)
        oom = oom or (MEMORY in self.unbounded and code != 0 and b"MemoryError" in monitor.log[-2000:])
        if os.geteuid() == 0:
            chown_back(out)
        return monitor.outcome(code, self.isolation, oom=oom)

    def _connected(self) -> Any:
        """Return a new client, because the SDK's sessions are not safe to share between threads."""
        import docker  # noqa: PLC0415 - heavy

        return docker.APIClient(base_url=self._host, version=self._api, timeout=120)

    def _ask(self, query: Sequence[str]) -> str:
        """Run a GPU query inside a container that is given all GPUs, and return its output."""
        settings = self._base(tuple(query), {"PATH": "/usr/local/nvidia/bin:/usr/bin:/bin"}, SMALL)
        settings["HostConfig"]["DeviceRequests"] = self._request(["all"])
        monitor = JobMonitor(SMALL, lambda _: None, threading.Event())
        with self._connected() as client, Container(client, settings) as container:
            code, _ = container.run(monitor)
        text = monitor.log.decode("utf-8", "replace")
        if code:
            raise engine.missing_gpu_error(f"`nvidia-smi` in the container ended with {code}: {text.strip()[:200]}")
        return text

    def _request(self, ids: Sequence[str]) -> list[dict[str, Any]]:
        """Encode a request for GPUs: by NVIDIA's runtime if the engine has it, else by CDI."""
        if "nvidia" not in (self._info.get("Runtimes") or {}) and self._info.get("CDISpecDirs"):
            return [{"Driver": "cdi", "DeviceIDs": [f"nvidia.com/gpu={one}" for one in ids]}]
        return [{"Driver": "nvidia", "DeviceIDs": list(ids), "Capabilities": [["gpu", "utility", "compute"]]}]

    def _settings(self, job: Job) -> dict[str, Any]:
        """Return the settings of a step's container: its folder read-only, `out/` writable, and nothing else."""
        settings = self._base(job.argv, job.env, job.limits)
        host = settings["HostConfig"]
        binds = [(job.folder, PLACE, True), (job.folder / "out", PLACE / "out", False)]
        binds += [(socket, SOCKETS / socket.name, True) for socket in job.sockets]
        host["Mounts"] = [
            {"Type": "bind", "Source": str(source), "Target": str(target), "ReadOnly": sealed}
            for source, target, sealed in binds
        ]
        host["Tmpfs"][str(PLACE / "tmp")] = _tmpfs(job.limits.memory)
        if job.infers and (gpus := self.device.facts.get("gpus")):
            host["DeviceRequests"] = self._request([one["uuid"] for one in gpus])
        if can_filter():
            host["SecurityOpt"].append(f"seccomp={self._filter(job)}")
        settings["WorkingDir"] = str(PLACE)
        return settings

    def _filter(self, job: Job) -> str:
        """Return the system call filter as the engine takes it: its text for dockerd, the path of a file for podman.

        The file is in the step's `tmp/`, over which the container mounts a tmpfs.
        """
        profile = engine_profile(
            on_gpu=job.infers and bool(self.device.facts.get("gpus")), on_loopback=bool(job.sockets)
        )
        if not self._podman:
            return profile
        path = job.folder / "tmp" / "calls.json"
        path.write_text(profile)
        path.chmod(0o644)
        return str(path)

    def _base(self, argv: Sequence[str], env: Mapping[str, str], limits: Limits) -> dict[str, Any]:
        """Return the hardening settings of every container; `_settings` adds our own system call filter for a step."""
        uid, gid = (NOBODY, NOBODY) if os.geteuid() == 0 else (os.geteuid(), os.getegid())
        if self._rootless:
            uid, gid = 0, 0  # root here is the user who runs the engine; any other ID owns nothing here
        bounds = {"core": 0, "nofile": 1024, "fsize": limits.file_bytes}
        if self._podman:  # for all steps together; by default podman sets more than some kernels allow
            hard = resource.getrlimit(resource.RLIMIT_NPROC)[1] if self._rootless else resource.RLIM_INFINITY
            most = 4 * limits.processes if PIDS in self.unbounded else 4096  # a fork bomb outruns checks from outside
            bounds["nproc"] = most if hard == resource.RLIM_INFINITY else min(most, hard)
        if MEMORY in self.unbounded and self.device.kind == "cpu":
            bounds["data"] = limits.memory  # for each process, at least
        host: dict[str, Any] = {
            "ReadonlyRootfs": True,
            "NetworkMode": "none",
            "IpcMode": "private",
            "CapDrop": ["ALL"],
            "SecurityOpt": ["no-new-privileges"],
            "PidsLimit": limits.processes,
            "Memory": limits.memory,
            "MemorySwap": limits.memory,
            "NanoCpus": int(limits.cpus * 1e9),
            "Ulimits": [{"Name": name, "Soft": most, "Hard": most} for name, most in bounds.items()],
            "Tmpfs": {"/tmp": _tmpfs(limits.memory)},  # noqa: S108 - the step's own, inside its container
            "ShmSize": min(limits.memory, 1 << 30),
            "LogConfig": {"Type": "none"},  # what it prints comes over the attached stream
        }
        return {
            "Image": self._reference,
            "Cmd": [*guard_command(bounds, grouped=MEMORY not in self.unbounded), *argv],
            "Entrypoint": [],
            "Env": [f"{name}={value}" for name, value in env.items()],
            "User": f"{uid}:{gid}",
            "Hostname": "step",
            "OpenStdin": True,
            "StdinOnce": True,
            "AttachStdin": True,
            "AttachStdout": True,
            "AttachStderr": True,
            "Labels": {OWNER: identify_process(), DEADLINE: str(container_deadline(limits.seconds))},
            "HostConfig": host,
        }


def _tmpfs(memory: int) -> str:
    return f"rw,noexec,nosuid,nodev,mode=1777,size={memory}"


def _open(options: EngineOptions) -> DockerEngine:
    image = options.image()
    return DockerEngine(image.id, [image.manifest], image.load, options.gpus)


ENGINE = EngineKind(
    "a container for each step, without network, in the pinned image",
    in_image=True,
    open=_open,
    probe=find_engine_name,
    only=DockerEngine.isolation,
)
