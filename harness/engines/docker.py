"""Docker engine: every step in a container of its own, by image ID, without network or capabilities.

It speaks to dockerd, or to podman through its socket. It is handed the image as a stream to load where the engine does
not hold it, and knows nothing of how images are made.
"""

from __future__ import annotations

import os
import resource
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.engines import gpu
from harness.engines.container import (
    DEADLINE,
    MEMORY,
    OWNER,
    PIDS,
    Container,
    connect,
    deadline,
    engine_name,
    ensure_image,
    guard_command,
    is_rootless,
    probe,
    remove_orphans,
    this_process,
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
    EngineOptions,
    Job,
    Kind,
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

    Opening it removes containers that dead runs left, and loads the image where the container engine lacks it.
    """

    name = "docker"
    isolation = "container"
    seals_inputs = True

    def __init__(
        self, image: str, names: Sequence[str], load: Callable[[], Iterable[bytes]], gpus: gpu.Wanted = 0
    ) -> None:
        self.image, self.device = image, Device()
        self._host, self._api, self._version = connect()
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
            self.claims -= {"users"}  # its own filter of calls lets a namespace be made
        self.claims |= frozenset() if PIDS in self.unbounded else PROCESSES
        self.device = gpu.choose_device(gpus, self._ask)

    def command(self, script: str) -> tuple[str, ...]:
        """Command line for the image's own interpreter: no user site, no .pth files, no bytecode."""
        return (*PYTHON, script)

    def inside(self, folder: Path) -> Path:
        """Path of a step's private folder inside the container."""
        return PLACE

    def socket(self, path: Path) -> Path:
        """Path of a job's socket inside the container."""
        return SOCKETS / path.name

    def facts(self) -> Mapping[str, Any]:
        """Name and version of the engine for the record, and the limits it cannot enforce."""
        return {"engine": engine_name(self._version), **({"unbounded": self.unbounded} if self.unbounded else {})}

    def run(self, job: Job, on_log: Callable[[bytes], None], cancel: threading.Event) -> Outcome:
        """Run one command in a container that is removed before this returns, with every process in it."""
        out = job.folder / "out"
        os.chmod(job.folder / "tmp", 0o1777)  # noqa: S103 - a tmpfs takes its mode from the folder it is laid upon
        if os.geteuid() == 0:  # a rootless engine is the user whose socket it is, and can give nothing to anybody else
            chown_to_step(out, user=os.stat(self._host.removeprefix("unix://")).st_uid if self._rootless else NOBODY)
        monitor = JobMonitor(job.limits, on_log, cancel, (out,))
        with self._connected() as client, Container(client, self._settings(job)) as container:
            on_gpu = job.infers and self.device.kind != "cpu"  # whose driver maps far more memory than it uses
            weighed = MEMORY in self.unbounded and not on_gpu
            code, oom = container.run(monitor, counted=PIDS in self.unbounded, weighed=weighed)
        oom = oom or (MEMORY in self.unbounded and code != 0 and b"MemoryError" in monitor.log[-2000:])
        if os.geteuid() == 0:
            chown_back(out)
        return monitor.outcome(code, self.isolation, oom=oom)

    def _connected(self) -> Any:
        """Open a new client: the SDK's sessions are not safe to share between threads."""
        import docker  # noqa: PLC0415 - heavy

        return docker.APIClient(base_url=self._host, version=self._api, timeout=120)

    def _ask(self, query: Sequence[str]) -> str:
        """Run a GPU query inside a container that is given all GPUs."""
        settings = self._base(tuple(query), {"PATH": "/usr/local/nvidia/bin:/usr/bin:/bin"}, SMALL)
        settings["HostConfig"]["DeviceRequests"] = self._request(["all"])
        monitor = JobMonitor(SMALL, lambda _: None, threading.Event())
        with self._connected() as client, Container(client, settings) as container:
            code, _ = container.run(monitor)
        text = monitor.log.decode("utf-8", "replace")
        if code:
            raise gpu.no_gpu(f"`nvidia-smi` in the container ended with {code}: {text.strip()[:200]}")
        return text

    def _request(self, ids: Sequence[str]) -> list[dict[str, Any]]:
        """Encode a request for GPUs: by NVIDIA's runtime where the engine has it, else by CDI."""
        if "nvidia" not in (self._info.get("Runtimes") or {}) and self._info.get("CDISpecDirs"):
            return [{"Driver": "cdi", "DeviceIDs": [f"nvidia.com/gpu={one}" for one in ids]}]
        return [{"Driver": "nvidia", "DeviceIDs": list(ids), "Capabilities": [["gpu", "utility", "compute"]]}]

    def _settings(self, job: Job) -> dict[str, Any]:
        """Make the settings of a step's container: its folder read-only, `out/` writable, and nothing else."""
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
        """Write the filter of system calls as the engine takes it: dockerd its text, podman the path of a file.

        The file lies where a tmpfs is laid upon in the container.
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
        """Hardening settings of every container; a step's gets our filter of calls in place of the engine's own."""
        uid, gid = (NOBODY, NOBODY) if os.geteuid() == 0 else (os.geteuid(), os.getegid())
        if self._rootless:
            uid, gid = 0, 0  # the user who runs the engine; any other name is one of his that owns nothing here
        bounds = {"core": 0, "nofile": 1024, "fsize": limits.file_bytes}
        if self._podman:  # of all steps together; unasked, podman gives more than some kernels let it
            hard = resource.getrlimit(resource.RLIMIT_NPROC)[1] if self._rootless else resource.RLIM_INFINITY
            most = 4 * limits.processes if PIDS in self.unbounded else 4096  # a flood outruns a look from outside
            bounds["nproc"] = most if hard == resource.RLIM_INFINITY else min(most, hard)
        if MEMORY in self.unbounded and self.device.kind == "cpu":
            bounds["data"] = limits.memory  # of each process, at least
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
            "Labels": {OWNER: this_process(), DEADLINE: str(deadline(limits.seconds))},
            "HostConfig": host,
        }


def _tmpfs(memory: int) -> str:
    return f"rw,noexec,nosuid,nodev,mode=1777,size={memory}"


def _open(options: EngineOptions) -> DockerEngine:
    image = options.image()
    return DockerEngine(image.id, [image.manifest], image.load, options.gpus)


ENGINE = Kind(
    "a container for each step, without network, in the pinned image",
    in_image=True,
    open=_open,
    probe=probe,
    only=DockerEngine.isolation,
)
