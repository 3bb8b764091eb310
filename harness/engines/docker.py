"""The docker engine: every step in a container of its own, by image ID, without network or capabilities.

It speaks to dockerd, or to podman through its socket. It is handed the image as a stream to load where the engine does
not hold it, and knows nothing of how images are made.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.engines import gpu
from harness.engines.budget import Budget
from harness.engines.container import GUARD, Container, answered, refusal
from harness.engines.engine import SOCKETS, Job, Limits, Outcome
from harness.engines.owner import DEADLINE, OWNER, abandoned, deadline, me
from harness.errors import InputError, MissingError

PLACE = Path("/step")
NOBODY = 65534
PYTHON = ("python3", "-s", "-S", "-P", "-B")
SMALL = Limits(seconds=60, memory=256 << 20)
HOSTS = ("unix:///var/run/docker.sock", "unix:///run/podman/podman.sock")
ADVICE = "start one (`dockerd`, or `podman system service`) and name its socket in DOCKER_HOST"


def connect() -> tuple[str, str, dict[str, Any]]:
    """Find an engine that answers: where, by which version of its API, and what it says of itself."""
    try:
        import docker  # noqa: PLC0415 - heavy
        import docker.errors  # noqa: PLC0415 - heavy
        import requests  # noqa: PLC0415 - heavy
    except ImportError as bad:
        raise MissingError("the docker SDK is not installed", next="pip install 'llm-harness[containers]'") from bad
    named = os.environ.get("DOCKER_HOST", "")
    if named and not named.startswith("unix://"):
        raise InputError("DOCKER_HOST names an engine elsewhere, which could not read a step's folder", next=ADVICE)
    hosts, why = [named] if named else list(HOSTS), ""
    for host in hosts:
        try:
            with docker.APIClient(base_url=host, version="auto", timeout=10) as client:
                return host, client.api_version, client.version()
        except (docker.errors.DockerException, requests.exceptions.RequestException, OSError) as bad:
            why = why or str(bad)
    raise MissingError(f"no container engine answers at {' or '.join(hosts)}: {why[:200]}", next=ADVICE)


def probe() -> str:
    """Say which engine answers here."""
    return _spell(connect()[2])


def _spell(version: Mapping[str, Any]) -> str:
    parts = version.get("Components") or [{"Name": "Engine"}]
    return f"{parts[0]['Name']} {version['Version']}"


class DockerEngine:
    """Runs steps in containers of one image."""

    name = "docker"
    isolation = "container"
    seals_inputs = True

    def __init__(
        self, image: str, names: Sequence[str], load: Callable[[], Iterable[bytes]], gpus: gpu.Wanted = 0
    ) -> None:
        self.image = image
        self._host, self._api, self._version = connect()
        with self._connected() as client:
            _sweep(client)
            self._reference = _ensure(client, [image, *names], load)
            with answered("it was asked what it can do"):
                self._info: dict[str, Any] = client.info()
        self.device = gpu.choose(gpus, self._ask)

    def command(self, script: str) -> tuple[str, ...]:
        """Spell a command for the image's own interpreter: no user site, no .pth files, no bytecode."""
        return (*PYTHON, script)

    def inside(self, folder: Path) -> Path:
        """Say where a step finds its private folder."""
        return PLACE

    def socket(self, path: Path) -> Path:
        """Say where a step finds a socket of its job."""
        return SOCKETS / path.name

    def facts(self) -> Mapping[str, Any]:
        """Say what the engine is, for the record, and which limits its kernel cannot hold."""
        unbounded = [name for name in ("MemoryLimit", "PidsLimit") if self._info.get(name) is False]
        return {"engine": _spell(self._version), **({"unbounded": unbounded} if unbounded else {})}

    def run(self, job: Job, on_log: Callable[[bytes], None], cancel: threading.Event) -> Outcome:
        """Run one command in a container that is gone when this returns, with every process in it."""
        out = job.folder / "out"
        _hand_over(job.folder)
        budget = Budget((out,), job.limits)
        started = time.monotonic()
        with self._connected() as client, Container(client, self._settings(job)) as container:
            ended = container.run(job.limits.seconds, cancel.is_set, budget, on_log, job.limits.log_bytes)
        _take_back(out)
        killed = ended.why != "ended"
        code = ended.code
        return Outcome(
            exit=0 if code > 128 or killed else code,
            signal=code - 128 if code > 128 and not killed else 0,
            oom=ended.oom,
            timed_out=ended.why == "deadline",
            cancelled=ended.why == "cancel",
            over=budget.over or budget.spent(now=True),
            usage={"wall_ms": round(1000 * (time.monotonic() - started))},
            isolation=self.isolation,
            log=bytes(ended.log),
        )

    def _connected(self) -> Any:
        """Connect anew: the SDK's sessions are not made to be shared by threads, and each closes what it opened."""
        import docker  # noqa: PLC0415 - heavy

        return docker.APIClient(base_url=self._host, version=self._api, timeout=120)

    def _ask(self, query: Sequence[str]) -> str:
        """Ask the driver from inside a container that is given all GPUs."""
        settings = self._base(tuple(query), {"PATH": "/usr/local/nvidia/bin:/usr/bin:/bin"}, SMALL)
        settings["HostConfig"]["DeviceRequests"] = self._request(["all"])
        with self._connected() as client, Container(client, settings) as container:
            ended = container.run(SMALL.seconds, lambda: False, None, lambda _: None, 65536)
        text = ended.log.decode("utf-8", "replace")
        if ended.code:
            raise gpu.missing(f"`nvidia-smi` in the container ended with {ended.code}: {text.strip()[:200]}")
        return text

    def _request(self, ids: Sequence[str]) -> list[dict[str, Any]]:
        """Spell a request for GPUs: to NVIDIA's runtime where the engine has it, else by CDI."""
        if "nvidia" not in (self._info.get("Runtimes") or {}) and self._info.get("CDISpecDirs"):
            return [{"Driver": "cdi", "DeviceIDs": [f"nvidia.com/gpu={one}" for one in ids]}]
        return [{"Driver": "nvidia", "DeviceIDs": list(ids), "Capabilities": [["gpu", "utility", "compute"]]}]

    def _settings(self, job: Job) -> dict[str, Any]:
        """Spell what a step's container may do: read its folder, write `out/`, and nothing else."""
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
        settings["WorkingDir"] = str(PLACE)
        return settings

    def _base(self, argv: Sequence[str], env: Mapping[str, str], limits: Limits) -> dict[str, Any]:
        """Spell the hardening that every container has; seccomp stays the engine's default."""
        uid, gid = (NOBODY, NOBODY) if os.geteuid() == 0 else (os.geteuid(), os.getegid())
        bounds = {"core": 0, "nofile": 1024, "fsize": limits.file_bytes}
        if "Podman" in _spell(self._version):
            bounds["nproc"] = 4096  # of all steps together; unasked, podman gives more than some kernels let it
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
            "Cmd": [*GUARD, *argv],
            "Entrypoint": [],
            "Env": [f"{name}={value}" for name, value in env.items()],
            "User": f"{uid}:{gid}",
            "Hostname": "step",
            "OpenStdin": True, "StdinOnce": True, "AttachStdin": True, "AttachStdout": True, "AttachStderr": True,
            "Labels": {OWNER: me(), DEADLINE: str(deadline(limits.seconds))},
            "HostConfig": host,
        }  # fmt: skip


def _tmpfs(memory: int) -> str:
    return f"rw,noexec,nosuid,nodev,mode=1777,size={memory}"


def _hand_over(folder: Path) -> None:
    """Let the container's user write to `out/` and `tmp/`; a tmpfs takes its mode from the folder it is laid upon."""
    os.chmod(folder / "tmp", 0o1777)  # noqa: S103 - covered by the container's own, never used
    if os.geteuid() == 0:
        os.chown(folder / "out", NOBODY, NOBODY)


def _take_back(out: Path) -> None:
    """Make the files that the step left the harness's own; links are not followed, folders are nobody's outputs."""
    if os.geteuid() == 0:
        os.chown(out, 0, 0)
        with os.scandir(out) as found:
            for one in found:
                os.chown(one.path, 0, 0, follow_symlinks=False)


def _sweep(client: Any) -> None:
    """Remove the containers whose harness is dead: what a kill left behind."""
    import docker.errors  # noqa: PLC0415 - heavy

    with answered("it listed what older runs left"):
        for one in client.containers(all=True, filters={"label": OWNER}):
            if abandoned(one["Labels"]):
                with contextlib.suppress(docker.errors.APIError):  # another harness sweeps at the same time
                    client.remove_container(one["Id"], force=True, v=True)


def _ensure(client: Any, names: Sequence[str], load: Callable[[], Iterable[bytes]]) -> str:
    """Give the name by which the engine knows the image, a digest always; load it where it is not there."""
    with answered("it looked for the image"):
        found = _known(client, names)
        if not found:
            for line in client.load_image(load()):
                if "error" in line:
                    raise refusal("it loaded the image", str(line["error"]))
            found = _known(client, names)
    if not found:
        raise MissingError(
            f"the engine loaded image {names[0]} and knows it by another ID", next="use dockerd or podman"
        )
    return found


def _known(client: Any, names: Sequence[str]) -> str:
    import docker.errors  # noqa: PLC0415 - heavy

    for name in names:
        try:
            found = str(client.inspect_image(name)["Id"])
        except docker.errors.NotFound:
            continue
        if found.removeprefix("sha256:") == name.removeprefix("sha256:"):
            return name
    return ""
