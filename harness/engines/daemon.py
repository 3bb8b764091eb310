"""Client of dockerd and podman: finds the socket and the engine's limits, removes orphans, loads images."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from harness.engines.container import OWNER, is_orphaned, translate_engine_error, translating_engine_errors
from harness.errors import InputError, MissingError

MEMORY, PIDS = "MemoryLimit", "PidsLimit"  # the engine's own names of what it can bound
HOSTS = ("unix:///var/run/docker.sock", "unix:///run/podman/podman.sock")
ADVICE = "start one (`dockerd`, or `podman system service`) and name its socket in DOCKER_HOST"


def connect() -> tuple[str, str, dict[str, Any]]:
    """Find a container engine that answers; gives its socket, API version and version document.

    It asks the socket that DOCKER_HOST names, else the usual ones; raises an error where none answers.
    """
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
            with socket.socket(socket.AF_UNIX) as door:  # the SDK leaves a socket behind where nobody opens
                door.connect(host.removeprefix("unix://"))
            with docker.APIClient(base_url=host, version="auto", timeout=10) as client:
                return host, client.api_version, client.version()
        except (docker.errors.DockerException, requests.exceptions.RequestException, OSError) as bad:
            why = why or _told(bad)
    raise MissingError(f"no container engine answers at {' or '.join(hosts)}: {why[:200]}", next=ADVICE)


def _told(bad: Exception) -> str:
    """Reason why an address does not answer; the SDK hides it inside its own message."""
    silent = any(word in repr(bad) for word in ("FileNotFoundError", "ConnectionRefusedError"))
    return "nothing listens there" if silent else str(bad)


def probe() -> str:
    """Name the container engine that answers here, for `harness doctor`."""
    return engine_name(connect()[2])


def engine_name(version: Mapping[str, Any]) -> str:
    """Name and version of an engine from its version document."""
    parts = version.get("Components") or [{"Name": "Engine"}]
    return f"{parts[0]['Name']} {version['Version']}"


def remove_orphans(client: Any) -> None:
    """Remove containers whose harness is dead, or cannot be seen from here and is long overdue."""
    import docker.errors  # noqa: PLC0415 - heavy

    with translating_engine_errors("it listed what older runs left"):
        for one in client.containers(all=True, filters={"label": OWNER}):
            if is_orphaned(one["Labels"]):
                with contextlib.suppress(docker.errors.APIError):  # another harness sweeps at the same time
                    client.remove_container(one["Id"], force=True, v=True)


def ensure_image(client: Any, names: Sequence[str], load: Callable[[], Iterable[bytes]]) -> str:
    """Load an image into the engine unless it is there; returns its name there, always one of `names` (digests)."""
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
    """Whether an ordinary user runs the engine: root in its containers is that user, and nobody more."""
    return info.get("Rootless") is True or "name=rootless" in (info.get("SecurityOptions") or ())


def unenforced_limits(client: Any, info: Mapping[str, Any]) -> list[str]:
    """List the limits, of memory and processes, that the engine cannot enforce, whatever rootless podman claims."""
    held = {name: info.get(name) is not False for name in (MEMORY, PIDS)}
    if info.get("Rootless") is True:
        with translating_engine_errors("it was asked which limits it can hold"):
            said = client._result(client._get(client._url("/libpod/info")), json=True)
        controllers = said["host"]["cgroupControllers"] or ()
        held = {MEMORY: "memory" in controllers, PIDS: "pids" in controllers}
    return [name for name, holds in held.items() if not holds]
