"""Docker engine: every step in a container of its own, by image ID, without network or capabilities.

Uses dockerd, or podman through its socket. If the container engine does not hold the image, it is loaded from a stream
that the caller passes. Independent of how images are made.

A container is created, attached to, started, monitored and removed. The harness holds the other end of its standard
input. If the harness or the engine dies, the guard process inside reads the end of that stream and kills everything in
the container. The client finds the socket and the engine's limits, removes orphaned containers and loads images.
"""

from __future__ import annotations

import contextlib
import os
import resource
import select
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from harness.engines import engine
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
from harness.engines.monitor import JobMonitor, MemoryMeter, count_threads
from harness.engines.system_calls import can_filter, engine_profile
from harness.errors import HarnessError, InputError, MissingError

ENDING = 30.0  # seconds within which the engine must report how a container ended
STARVED = 200  # exit code of the guard if the kernel killed a process for memory
# PID 1 of the container: when it ends, the kernel ends all others.
_SCRIPT = 'exec 3<&0 </dev/null; (read -r _ <&3; kill -KILL -1) & exec 3<&-; "$@"; code=$?'
# Reads the kernel's own count of processes killed for memory (control groups of either version): the engine's report
# of it can be lost if a container ends at once.
_COUNT = f"""
for counts in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
    [ -r $counts ] || continue
    while read -r what number; do [ "$what" != oom_kill ] || [ "$number" = 0 ] || exit {STARVED}; done <$counts
done"""
_ULIMITS = {"core": ("c", 512), "nofile": ("n", 1), "fsize": ("f", 512), "data": ("d", 1024)}  # option and unit


def guard_command(bounds: Mapping[str, int], *, grouped: bool = True) -> tuple[str, ...]:
    """Return the command of the container's PID 1, which sets resource limits and ends when its stdin ends.

    The limits are set here again because podman's socket omits them. `grouped` says that the container has a control
    group for memory of its own; the kernel's count for another group would say nothing about this container.
    """
    held = "".join(
        f"ulimit -{letter} {bounds[name] // unit} || exit 126; "
        for name, (letter, unit) in _ULIMITS.items()
        if name in bounds
    )
    if "nproc" in bounds:  # shells spell it in two ways
        held += "{{ ulimit -u {0} || ulimit -p {0} || exit 126; }} 2>/dev/null; ".format(bounds["nproc"])
    return ("/bin/sh", "-c", f"{held}{_SCRIPT}{_COUNT if grouped else ''}\nexit $code", "guard")


@contextmanager
def translating_engine_errors(what: str) -> Iterator[None]:
    """Context manager that turns errors of the docker SDK into errors a user can act on."""
    import docker.errors  # noqa: PLC0415 - heavy
    import requests  # noqa: PLC0415 - heavy

    try:
        yield
    except docker.errors.APIError as bad:
        said = str(bad.explanation or bad)
        raise translate_engine_error(what, said) from bad
    except (docker.errors.DockerException, requests.exceptions.RequestException, OSError) as bad:
        raise MissingError(
            f"the container engine stopped answering while {what}: {str(bad)[:300]}",
            next="start it again and run again: everything finished so far is kept",
        ) from bad


def translate_engine_error(what: str, said: str) -> HarnessError:
    """Translate an error message of the container engine into an error a user can act on."""
    if any(mark in said for mark in ("could not select device driver", "nknown runtime", "CDI", "nvidia-container")):
        return engine.missing_gpu_error(f"the engine has no GPU runtime ({said[:200]})")
    if "o such image" in said or "image not known" in said:
        return MissingError(
            f"the engine does not hold the image: {said[:200]}", next="run again: the image is loaded at the start"
        )
    if "no space left" in said:
        return MissingError("the engine's disk is full", where=said[:300], next="free some room and run again")
    return MissingError(
        f"the engine refused while {what}: {said[:400]}", next="`harness doctor` says what the engine can do"
    )


class Container:
    """Context manager of one container: created on entry, removed on exit, even after an error."""

    def __init__(self, client: Any, settings: Mapping[str, Any]) -> None:
        self.client, self.settings, self.id = client, settings, ""

    def __enter__(self) -> Container:
        """Create the container; it does not run yet."""
        with translating_engine_errors("it made a container"):
            self.id = self.client.create_container_from_config(self.settings)["Id"]
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the container and every process in it; if that fails twice, a later engine's sweep removes it."""
        for _attempt in range(2):  # podman refuses if the container ends at this moment
            try:
                with translating_engine_errors("it removed a container"):
                    self.client.remove_container(self.id, force=True, v=True)
            except HarnessError:
                continue  # the engine is gone: its next start finds the guard dead, and the sweep removes it
            return

    def run(self, monitor: JobMonitor, *, counted: bool = False, weighed: bool = False) -> tuple[int, bool]:
        """Run the container until it ends or must be killed; return the exit code, and whether memory ran out.

        `counted` says that the engine does not limit the number of processes, `weighed` that it does not limit memory.
        """
        with translating_engine_errors("it started a container"):
            stream = self.client.attach_socket(self.id, {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1})
        try:
            with translating_engine_errors("it started a container"):
                self.client.start(self.id)
                first = self.client.inspect_container(self.id)["State"]["Pid"] if counted or weighed else 0
            if first and counted:
                monitor.count_with(lambda: count_threads(first))
            if first and weighed:
                monitor.weigh_with(MemoryMeter(first, closed=True).measure)
            monitor.begin()
            _follow(stream.fileno(), monitor)
        finally:
            _hang_up(stream)
        with translating_engine_errors("it read how a container ended"):
            if monitor.why:
                self._kill()
            self.client.wait(self.id, timeout=ENDING)
            state = self.client.inspect_container(self.id)["State"]
        code = int(state["ExitCode"])
        return (0, True) if code == STARVED else (code, bool(state.get("OOMKilled")))

    def _kill(self) -> None:
        import docker.errors  # noqa: PLC0415 - heavy

        try:
            self.client.kill(self.id)
        except docker.errors.APIError as bad:
            if bad.response is None or bad.response.status_code not in (404, 409, 500):  # it has just ended by itself
                raise


def _hang_up(held: Any) -> None:
    """Close the attached stream at once, because an engine that still forwards a flood of output would not kill."""
    with socket.socket(fileno=os.dup(held.fileno())) as stream, contextlib.suppress(OSError):
        stream.shutdown(socket.SHUT_RDWR)
    answer = getattr(held, "_response", None)
    if answer is not None:
        answer.close()  # and its connection, which would otherwise stay open until garbage collection
    held.close()


def _follow(pipe: int, monitor: JobMonitor) -> None:
    """Read what the container prints until it ends or must be ended."""
    frames, ready = _Frames(monitor.log_output), select.poll()
    ready.register(pipe, select.POLLIN)
    while True:
        if ready.poll(1000 * monitor.poll_seconds):
            block = os.read(pipe, 65536)
            if not block:
                return
            frames.take(block)
        if monitor.must_end():
            return


class _Frames:
    """Demultiplexer of the engine's attach stream; a frame has an eight-byte header, which holds the frame's size."""

    def __init__(self, log_output: Callable[[bytes], None]) -> None:
        self.log_output, self.buffer = log_output, bytearray()

    def take(self, block: bytes) -> None:
        """Decode a block, which may hold several frames or a part of one."""
        self.buffer += block
        while len(self.buffer) >= 8:
            size = int.from_bytes(self.buffer[4:8])
            if len(self.buffer) < 8 + size:
                return
            self.log_output(bytes(self.buffer[8 : 8 + size]))
            del self.buffer[: 8 + size]


OWNER, DEADLINE = "harness.owner", "harness.deadline"
GRACE = 60.0  # seconds after its deadline in which a container's owner removes it


def identify_process() -> str:
    """Identify this process uniquely: boot id, PID namespace, PID and start time."""
    return f"{_boot()} {_namespace()} {os.getpid()} {_began(os.getpid())}"


def container_deadline(seconds: float) -> int:
    """Return the time by which a container that starts now must have ended, in seconds since boot."""
    return round(_now() + seconds)


def is_orphaned(labels: Mapping[str, str]) -> bool:
    """Whether a container's owner is dead, or is not visible from here and the container is long overdue."""
    try:
        boot, namespace, pid, began = labels[OWNER].split()
        number, late = int(pid), _now() > int(labels[DEADLINE]) + GRACE
    except (KeyError, ValueError):
        return False  # not our label
    if boot != _boot():
        return True
    return _began(number) != began if namespace == _namespace() else late


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _namespace() -> str:
    return os.readlink("/proc/self/ns/pid")


def _began(pid: int) -> str:
    """Return the start time of a process in ticks; empty if there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def _now() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME)


MEMORY, PIDS = "MemoryLimit", "PidsLimit"  # the engine's own names of the limits it can enforce
HOSTS = ("unix:///var/run/docker.sock", "unix:///run/podman/podman.sock")
ADVICE = "start one (`dockerd`, or `podman system service`) and name its socket in DOCKER_HOST"


def connect_engine() -> tuple[str, str, dict[str, Any]]:
    """Find a container engine that answers; return its socket, API version and version document.

    Tries the socket that DOCKER_HOST names, or else the usual ones. Raises MissingError if none answers.
    """
    try:
        import docker  # noqa: PLC0415 - heavy
        import docker.errors  # noqa: PLC0415 - heavy
        import requests  # noqa: PLC0415 - heavy
    except ImportError as bad:
        raise MissingError("the docker SDK is not installed", next="pip install 'repro-harness[containers]'") from bad
    named = os.environ.get("DOCKER_HOST", "")
    if named and not named.startswith("unix://"):
        raise InputError("DOCKER_HOST names an engine elsewhere, which could not read a step's folder", next=ADVICE)
    hosts, why = [named] if named else list(HOSTS), ""
    for host in hosts:
        try:
            with socket.socket(socket.AF_UNIX) as door:  # the SDK leaks a socket if nothing listens
                door.connect(host.removeprefix("unix://"))
            with docker.APIClient(base_url=host, version="auto", timeout=10) as client:
                return host, client.api_version, client.version()
        except (docker.errors.DockerException, requests.exceptions.RequestException, OSError) as bad:
            why = why or _told(bad)
    raise MissingError(f"no container engine answers at {' or '.join(hosts)}: {why[:200]}", next=ADVICE)


def _told(bad: Exception) -> str:
    """Return the reason why an address does not answer; the SDK hides it inside its own message."""
    silent = any(word in repr(bad) for word in ("FileNotFoundError", "ConnectionRefusedError"))
    return "nothing listens there" if silent else str(bad)


def find_engine_name() -> str:
    """Return the name of the container engine that answers here, for `harness doctor`."""
    return engine_name(connect_engine()[2])


def engine_name(version: Mapping[str, Any]) -> str:
    """Return the name and version of an engine from its version document."""
    parts = version.get("Components") or [{"Name": "Engine"}]
    return f"{parts[0]['Name']} {version['Version']}"


def remove_orphans(client: Any) -> None:
    """Remove containers whose harness is dead, or is not visible from here and the container is long overdue."""
    import docker.errors  # noqa: PLC0415 - heavy

    with translating_engine_errors("it listed what older runs left"):
        for one in client.containers(all=True, filters={"label": OWNER}):
            if is_orphaned(one["Labels"]):
                with contextlib.suppress(docker.errors.APIError):  # another harness sweeps at the same time
                    client.remove_container(one["Id"], force=True, v=True)


def ensure_image(client: Any, names: Sequence[str], load: Callable[[], Iterable[bytes]]) -> str:
    """Load an image into the engine unless it is there; return its name there, always one of `names` (digests)."""
    with translating_engine_errors("it looked for the image"):
        found = _known(client, names)
        if not found:
            for line in client.load_image(load()):
                if "error" in line:
                    raise translate_engine_error("it loaded the image", str(line["error"]))
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


def is_rootless(info: Mapping[str, Any]) -> bool:
    """Whether an ordinary user runs the engine, so that root in its containers is that user and has no other rights."""
    return info.get("Rootless") is True or "name=rootless" in (info.get("SecurityOptions") or ())


def unenforced_limits(client: Any, info: Mapping[str, Any]) -> list[str]:
    """List which limits, of memory and processes, the engine cannot enforce, whatever rootless podman claims."""
    held = {name: info.get(name) is not False for name in (MEMORY, PIDS)}
    if info.get("Rootless") is True:
        with translating_engine_errors("it was asked which limits it can hold"):
            said = client._result(client._get(client._url("/libpod/info")), json=True)
        controllers = said["host"]["cgroupControllers"] or ()
        held = {MEMORY: "memory" in controllers, PIDS: "pids" in controllers}
    return [name for name, holds in held.items() if not holds]


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
