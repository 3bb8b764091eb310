"""Real container engines for tests: the one that answers here, or a private one that is gone afterwards."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support import harness, manifest_text

from harness.digest import encode_document, sha256
from harness.engines.docker import OWNER, DockerEngine
from harness.files import write_atomic
from harness.images.image import add_image, find_image
from harness.images.transfer.layout import archive_bytes
from harness.store.store import Store

USUAL = "unix:///var/run/docker.sock"
SEALED = ("unshare", "--net")  # its containers reach no network, and it leaves the bridges of other engines alone
ALONE = ("--bridge=none", "--iptables=false", "--ip6tables=false", "--ip-forward=false")


def client(host: str) -> Any:
    """Give a connection of the test's own."""
    import docker

    return docker.APIClient(base_url=host, version="auto", timeout=60)


def answers(host: str) -> bool:
    """Whether an engine answers there."""
    import docker.errors

    try:
        with socket.socket(socket.AF_UNIX) as door:  # the SDK forgets a socket that nobody opened
            door.connect(host.removeprefix("unix://"))
        with client(host) as asked:
            asked.version()
    except (docker.errors.DockerException, OSError):
        return False
    return True


def ours(host: str, owner: str = "") -> list[dict[str, Any]]:
    """List the containers that a harness made: all of them, or those of one owner."""
    with client(host) as asked:
        mark = f"{OWNER}={owner}" if owner else OWNER
        found: list[dict[str, Any]] = asked.containers(all=True, filters={"label": mark})
        return found


def open_docker(images: tuple[Path, str], **more: Any) -> DockerEngine:
    """Give the docker engine for the tests' image, loading it where the engine does not hold it."""
    store = Store.open(images[0])
    image = find_image(store, images[1])
    assert image
    return DockerEngine(image.pin.image_id, [image.pin.manifest], lambda: archive_bytes(store, image), **more)


def until(true: Any, seconds: float = 20.0) -> bool:
    """Wait for something to become true, and say whether it did."""
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


class Service:
    """A program that serves an engine's socket from a folder of its own."""

    def __init__(self, folder: Path, words: list[str], env: Mapping[str, str] | None = None) -> None:
        self.folder, self.words, self.env = folder, words, {**os.environ, **(env or {})}
        self.host = f"unix://{folder}/sock"

    def start(self) -> None:
        """Start it and wait until it answers; what it said is the reason of a skip where it does not."""
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                self.words, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.env,
                start_new_session=True,
            )  # fmt: skip
        if not until(lambda: answers(self.host) or self.process.poll() is not None) or self.process.poll() is not None:
            said = (self.folder / "log").read_text(errors="replace").strip().splitlines()[-3:]
            self.stop()
            pytest.skip(f"{self.words[0]} does not start here: {' '.join(said)[-400:]}")

    def kill(self) -> None:
        """End it as a crash would, with the containerd of its own: neither is told. Its containers are not touched."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        assert until(lambda: not self._end_containerd(), 20)
        (self.folder / "exec" / "containerd" / "containerd.pid").unlink(missing_ok=True)  # a zombie passes for alive

    def _end_containerd(self) -> list[int]:
        """End what dockerd started to help it, and list what there still was: a second start would meet its locks."""
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            try:
                words = (path / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[0].endswith(b"containerd") and any(os.fsencode(self.folder) in word for word in words):
                found.append(int(path.name))
                with suppress(ProcessLookupError):
                    os.kill(found[-1], signal.SIGKILL)
        return found

    def stop(self) -> None:
        """End it as it should end."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self.kill()


@contextmanager
def private(words: list[str], env: Mapping[str, str] | None = None) -> Iterator[Service]:
    """Serve an engine from a new folder, named FOLDER in its words; its mounts and the folder are gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="engine-"))
    service = Service(folder, [word.replace("FOLDER", str(folder)) for word in words], env)
    try:
        service.start()
        yield service
    finally:
        service.stop()
        _unmount(folder)
        shutil.rmtree(folder, ignore_errors=True)


def _unmount(folder: Path) -> None:
    places = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    for place in sorted((one for one in places if one.startswith(f"{folder}/")), reverse=True):
        subprocess.run(["umount", "-l", place], capture_output=True, check=False)


@contextmanager
def dockerd() -> Iterator[Service]:
    """Give a private dockerd, sealed off from every network; skips where none can run."""
    if os.geteuid() != 0:
        pytest.skip("no container engine answers, and only root can start one")
    if not shutil.which("dockerd"):
        pytest.skip("no container engine answers, and dockerd is not installed")
    places = ["--data-root=FOLDER/data", "--exec-root=FOLDER/exec", "--pidfile=FOLDER/pid", "--host=unix://FOLDER/sock"]
    with private([*SEALED, "dockerd", *ALONE, *places]) as service:
        yield service


def container_project(folder: Path, images: tuple[Path, str], models: tuple[str, ...]) -> Path:
    """Write a locked project whose steps run in the image of the tests."""
    (folder / "lockfiles").mkdir(parents=True)
    store, image_id = images
    image = find_image(Store.open(store), image_id)
    assert image
    body = {"type": "images/1", "images": {"tests": image.pin.as_data()}}
    write_atomic(folder / "lockfiles" / "images.json", encode_document(body) + b"\n")
    manifest = folder / "manifests" / "small.yaml"
    manifest.parent.mkdir()
    manifest.write_text(manifest_text(models=models) + "image: tests\n")
    harness("lock", manifest, cwd=folder, check=0)
    return manifest


def variant(images: tuple[Path, str], root: Path, name: str) -> str:
    """Shelve an image of the same layers and another ID in a store of its own; gives its ID."""
    store, image_id = images
    image = find_image(Store.open(store), image_id)
    assert image
    other = Store.make(root)
    blobs = Store.open(store).blobs
    for digest in image.layers:
        other.blobs.path(digest).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(blobs.path(digest), other.blobs.path(digest))
    config = json.loads(blobs.read(image.config))
    config["config"]["Labels"] = {"variant": name}
    data = json.dumps(config, sort_keys=True).encode()
    manifest = json.loads(blobs.read(image.manifest))
    manifest["config"] = {**manifest["config"], "digest": f"sha256:{sha256(data)}", "size": len(data)}
    made = replace(
        image, name=name, config=other.blobs.put(data), sources={},
        manifest=other.blobs.put(json.dumps(manifest, sort_keys=True).encode()),
    )  # fmt: skip
    other.images.mkdir()
    add_image(other, made)
    return made.pin.image_id
