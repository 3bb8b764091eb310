"""The verbs `images push`, `pull`, `save` and `load`, which move container images."""

from __future__ import annotations

import time
from pathlib import Path

from pydantic import Field

from harness.errors import InputError
from harness.evidence.record import spell_healed
from harness.images.transfer.layout import read_layout, write_archive, write_layout
from harness.images.transfer.registry import pull as fetch
from harness.images.transfer.registry import push as send
from harness.store.store import Store
from harness.verbs.images import ImageData, image_data, named, pinned
from harness.verbs.project import PathText, Project, Request, Watch

NAME = "An image, by the name of its recipe in images/."


class PushRequest(Request):
    """Request of `images push`: which image, and its reference in a registry."""

    name: str = Field(description=NAME)
    reference: str = Field(description="HOST[:PORT]/NAME[:TAG], the place in a registry.")


def push(project: Project, asked: PushRequest, watch: Watch | None = None) -> ImageData:
    """Push a stored image to a registry; blobs that the registry has already are not sent again."""
    store = project.open()
    image = named(project, store, asked.name)
    pushed = send(store, image, asked.reference, _Meter(f"images push {asked.name}", watch or Watch()))
    return image_data(image, reference=pushed.reference, blobs=pushed.blobs, bytes=pushed.bytes)


class PullRequest(Request):
    """Request of `images pull`: which image, from which registry."""

    name: str = Field(description=NAME)
    source: str = Field(description="HOST[:PORT]/NAME[:TAG] or HOST[:PORT]/NAME@sha256:…, the place in a registry.")


def pull(project: Project, asked: PullRequest, watch: Watch | None = None) -> ImageData:
    """Pull an image from a registry, if it is the pinned one or named by its digest."""
    expected = pinned(project).get(asked.name)
    if expected is None and "@sha256:" not in asked.source:
        raise InputError(
            f"lockfiles/images.json pins no image {asked.name!r}, so its digest is not known",
            where=asked.source.rpartition("@")[2][:200],
            next="name it by digest: --from HOST/NAME@sha256:…",
        )
    watch, store = watch or Watch(), Store.make(project.store)
    image = fetch(store, asked.source, asked.name, expected, _Meter(f"images pull {asked.name}", watch))
    _tell_healed(store, watch)
    return image_data(image)


def _tell_healed(store: Store, watch: Watch) -> None:
    """Say how many damaged blobs of a store a transfer has written over."""
    if store.blobs.healed:
        watch.say(spell_healed({"blobs": len(store.blobs.healed)}))


class SaveRequest(Request):
    """Request of `images save`: which image, to which file."""

    name: str = Field(description=NAME)
    path: PathText = Field(description="FILE.tar, an archive; any other path becomes a layout folder.")


def save(project: Project, asked: SaveRequest, watch: Watch | None = None) -> ImageData:
    """Write a stored image to an archive, where the path ends in .tar, or to an OCI layout folder."""
    store = project.open()
    image = named(project, store, asked.name)
    write = write_archive if Path(asked.path).suffix == ".tar" else write_layout
    write(store, image, project.path(asked.path), _Meter(f"images save {asked.name}", watch or Watch()))
    return image_data(image, path=str(asked.path))


class LoadRequest(Request):
    """Request of `images load`: which archive, and the image's name here."""

    path: PathText = Field(description="An archive or an OCI layout folder.")
    name: str = Field(description="What the image is called here.")


def load(project: Project, asked: LoadRequest, watch: Watch | None = None) -> ImageData:
    """Load an image from a file; under a name that lockfiles/images.json pins, only the pinned image is taken."""
    expected, source = pinned(project).get(asked.name), project.path(asked.path)
    if not source.exists():
        raise InputError("there is no such file", where=str(asked.path), next="check the path")
    watch, store = watch or Watch(), Store.make(project.store)
    image = read_layout(store, source, asked.name, expected, _Meter(f"images load {asked.name}", watch))
    _tell_healed(store, watch)
    return image_data(image, pinned=expected is not None)


class _Meter:
    """Progress meter of a transfer: reports every few seconds, and nothing of quick ones."""

    def __init__(self, title: str, watch: Watch) -> None:
        self._title, self._watch, self._moved, self._last = title, watch, 0, time.monotonic()

    def __call__(self, count: int) -> None:
        """Add a number of bytes."""
        self._moved += count
        now = time.monotonic()
        if now - self._last >= 3:
            self._last = now
            self._watch.say(f"{self._title}: {self._moved / 2**20:.0f} MiB so far")
