"""The verbs of images: `build`, `verify`, `ls`, `rm`, `inventory`, `push`, `pull`, `save` and `load`."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from pydantic import Field

from harness.digest import sha256
from harness.errors import AGREED, DISAGREED, HarnessError, InputError
from harness.evidence.record import spell_healed
from harness.files import write_atomic
from harness.images.build import BuiltImage, build_image, verify_images
from harness.images.image import MOVED, Image, Pin, list_images, read_image_pins, remove_image, require_image
from harness.images.image import make_inventory as write
from harness.images.layers.layer import Archive
from harness.images.recipe import recipe_lineage
from harness.images.transfer.layout import read_layout, write_archive, write_layout
from harness.images.transfer.registry import pull_image as fetch
from harness.images.transfer.registry import push_image as send
from harness.store.store import Store
from harness.verbs.project import Project, Result, Watch
from harness.verbs.requests import (
    BuildRequest,
    InventoryRequest,
    LoadRequest,
    PullRequest,
    PushRequest,
    RemoveRequest,
    SaveRequest,
    VerifyRequest,
)


class ImageData(Result):
    """Description of an image: its digests and, as far as a verb sets them, size, pin, state, reference or path."""

    name: str
    image_id: str
    manifest: str
    diff_ids: list[str]
    bytes: int = 0  # of its layers
    pinned: str | bool = ""  # whether it is as pinned in lockfiles/images.json
    differs: list[str] = Field(default_factory=list)  # what differs from the pin
    state: str = ""  # pinned | moved | old
    reference: str = ""  # in a registry
    blobs: int = 0  # how many were sent there
    path: str = ""  # of an archive or a folder


def image_data(image: Image, **more: Any) -> ImageData:
    """Return the description of an image, with the fields that a verb adds."""
    return ImageData(**{"name": image.name, **image.pin.as_data(), **more})


class BuildResult(Result):
    """Result of `images build`: the images that were built."""

    images: list[ImageData]

    @property
    def code(self) -> int:
        """Exit code: 1 if an image differs from its pin."""
        return DISAGREED if any(one.differs for one in self.images) else AGREED

    def as_data(self) -> dict[str, object]:
        """Return the fields of the image if there is one only, else a list of images."""
        whole = super().as_data()
        return self.images[0].as_data() if len(self.images) == 1 else whole


def build(project: Project, asked: BuildRequest, watch: Watch | None = None) -> BuildResult:
    """Build images from their locks, without a builder or a daemon, and compare them with their pins.

    With `moved` or `relock`, the newest Debian packages are resolved instead. Raises InputError if both are set.
    """
    watch = watch or Watch()
    if asked.moved and asked.relock:
        raise InputError("--moved and --relock exclude each other", next="--relock pins the newest packages")
    root, archive = project.root, Archive(asked.archive, asked.snapshots)
    for name in asked.names:
        recipe_lineage(root, name)  # a wrong recipe raises an error before anything is written
    store, found = Store.make(project.store), []
    for name in dict.fromkeys(asked.names):
        tell = watch.task(f"images build {name}")
        one = build_image(store, root, name, tell, moved=asked.moved, relock=asked.relock, archive=archive)
        _remark(one, watch)
        found.append(_sized(one.image, store, pinned=one.pinned, differs=list(one.differs)))
    if store.blobs.healed:
        watch.say(spell_healed({"blobs": len(store.blobs.healed)}))
    return BuildResult(images=found)


def _remark(built: BuiltImage, watch: Watch) -> None:
    """Report what a build changed in the project, or what differs from the pin."""
    name = built.image.name
    if built.pinned == "differs":
        watch.say(f"{name} is not what lockfiles/images.json pins: {'; '.join(built.differs)}")
        watch.say(f"  next:  undo the change, or `harness images build {name} --relock` if it is meant")
    elif built.pinned in ("new", "renewed"):
        watch.say(f"lockfiles/images.json pins {name} as {built.image.pin.image_id} now; review and commit it")


class VerifiedImage(Result):
    """Result for one image: its verdict, and what is wrong with it."""

    name: str
    image_id: str
    flaws: list[str]
    stored: bool
    verdict: str  # agreed | disagreed | not stored


class VerifyResult(Result):
    """Result of `images verify`: whether stored images are what is pinned."""

    verdict: str  # agreed | disagreed
    images: list[VerifiedImage]

    @property
    def code(self) -> int:
        """Exit code: 1 if any image disagrees."""
        return AGREED if self.verdict == "agreed" else DISAGREED


def verify(project: Project, asked: VerifyRequest, watch: Watch | None = None) -> VerifyResult:
    """Verify stored images against their pins, reading every byte; `rebuild` also makes their layers again."""
    tell = (watch or Watch()).task("images verify")
    found = verify_images(project.open(), project.root, asked.names, tell, rebuild=asked.rebuild)
    images = [VerifiedImage(**{**vars(one), "flaws": list(one.flaws), "verdict": one.verdict}) for one in found]
    return VerifyResult(verdict="disagreed" if any(one.flaws for one in found) else "agreed", images=images)


class ImagesResult(Result):
    """Result of `images ls`: the images of a store."""

    images: list[ImageData]


def ls(project: Project) -> ImagesResult:
    """List the images of the store, each with its state: pinned, moved (newer packages) or old."""
    store, known = project.open(), pinned_images(project)

    def state(image: Image) -> str:
        if image.name.endswith(MOVED):
            return "moved"
        pin = known.get(image.name)
        return "pinned" if pin and pin.image_id == image.pin.image_id else "old"

    return ImagesResult(images=[_sized(image, store, state=state(image)) for image in list_images(store)])


class RemovedImage(Result):
    """Image that was removed from the list."""

    name: str
    image_id: str


class RemoveResult(Result):
    """Result of `images rm`: the images that were removed."""

    removed: list[RemovedImage]


def rm(project: Project, asked: RemoveRequest) -> RemoveResult:
    """Remove the images of a name or ID from the store's list; `gc` then frees the bytes that nothing else uses."""
    store = project.open()
    images = list_images(store)
    short = asked.name.removeprefix("sha256:")
    gone = [one for one in images if one.name == asked.name or (len(short) >= 6 and one.config.startswith(short))]
    if not gone:
        raise unknown_image_error(store, asked.name, images)
    for image in gone:
        remove_image(store, image)
    return RemoveResult(removed=[RemovedImage(name=one.name, image_id=one.pin.image_id) for one in gone])


def pinned_images(project: Project) -> dict[str, Pin]:
    """Return the image pins of a project; empty if the folder is in no project."""
    try:
        root = project.root
    except HarnessError:
        return {}
    return read_image_pins(root)


def find_named_image(project: Project, store: Store, name: str) -> Image:
    """Return the image that is pinned under a name, else the only one of that name in the store.

    Raises InputError if the store has none or several.
    """
    pin = pinned_images(project).get(name)
    if pin:
        return require_image(store, pin.image_id, name)
    images = list_images(store)
    found = [image for image in images if image.name == name]
    if len(found) == 1:
        return found[0]
    if not found:
        raise unknown_image_error(store, name, images)
    raise InputError(
        f"{len(found)} images in this store are called {name!r}, and lockfiles/images.json pins none of them",
        where=str(store.images),
        next="`harness images ls` lists them; `harness images rm ID` drops one",
    )


def unknown_image_error(store: Store, name: str, images: list[Image]) -> InputError:
    """Return the error for a name of which the store has no image; it lists the stored images."""
    known = ", ".join(sorted({image.name for image in images})) or "none"
    return InputError(
        f"no image {name!r} in this store",
        where=str(store.images),
        next=f"stored are: {known}; `harness images build NAME` makes one",
    )


def _sized(image: Image, store: Store, **more: Any) -> ImageData:
    """Return the description of an image, with the size of its layers."""
    paths = [store.blobs.path(one) for one in image.layers]
    return image_data(image, bytes=sum(path.stat().st_size for path in paths if path.exists()), **more)


FORMAT = "SPDX-2.3"


class InventoryResult(Result):
    """Result of `images inventory`: the path of the file if one was written, else the document itself."""

    name: str
    image_id: str
    format: str
    sha256: str  # of the document's bytes, which are the same on every machine
    packages: int
    path: str = ""
    document: dict[str, Any] = Field(default_factory=dict)


def inventory(project: Project, asked: InventoryRequest) -> InventoryResult:
    """Make the inventory of a stored image: packages, digests, and the licences they state (SPDX).

    It is written to `output` if that is given, else it is part of the result.
    """
    store = project.open()
    image = find_named_image(project, store, asked.name)
    data = write(store, project.root, image)
    document = json.loads(data)
    more: dict[str, Any] = {"document": document}
    if asked.output is not None:
        path = project.path(asked.output)
        write_atomic(path, data)
        more = {"path": str(path)}
    return InventoryResult(
        name=image.name,
        image_id=image.pin.image_id,
        format=FORMAT,
        sha256=sha256(data),
        packages=len(document["packages"]) - 1,
        **more,
    )


NAME = "An image, by the name of its recipe in images/."


def push(project: Project, asked: PushRequest, watch: Watch | None = None) -> ImageData:
    """Push a stored image to a registry; blobs that the registry already has are not sent again."""
    store = project.open()
    image = find_named_image(project, store, asked.name)
    pushed = send(store, image, asked.reference, _Meter(f"images push {asked.name}", watch or Watch()))
    return image_data(image, reference=pushed.reference, blobs=pushed.blobs, bytes=pushed.bytes)


def pull(project: Project, asked: PullRequest, watch: Watch | None = None) -> ImageData:
    """Pull an image from a registry, if it is the pinned one or named by its digest."""
    expected = pinned_images(project).get(asked.name)
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
    """Report how many damaged blobs of a store a transfer has replaced."""
    if store.blobs.healed:
        watch.say(spell_healed({"blobs": len(store.blobs.healed)}))


def save(project: Project, asked: SaveRequest, watch: Watch | None = None) -> ImageData:
    """Write a stored image to an archive if the path ends in .tar, else to an OCI layout folder."""
    store = project.open()
    image = find_named_image(project, store, asked.name)
    write = write_archive if Path(asked.path).suffix == ".tar" else write_layout
    write(store, image, project.path(asked.path), _Meter(f"images save {asked.name}", watch or Watch()))
    return image_data(image, path=str(asked.path))


def load(project: Project, asked: LoadRequest, watch: Watch | None = None) -> ImageData:
    """Load an image from a file; under a name that lockfiles/images.json pins, only the pinned image is accepted."""
    expected, source = pinned_images(project).get(asked.name), project.path(asked.path)
    if not source.exists():
        raise InputError("there is no such file", where=str(asked.path), next="check the path")
    watch, store = watch or Watch(), Store.make(project.store)
    image = read_layout(store, source, asked.name, expected, _Meter(f"images load {asked.name}", watch))
    _tell_healed(store, watch)
    return image_data(image, pinned=expected is not None)


class _Meter:
    """Progress meter of a transfer: reports every few seconds, so a quick transfer reports nothing."""

    def __init__(self, title: str, watch: Watch) -> None:
        self._title, self._watch, self._moved, self._last = title, watch, 0, time.monotonic()

    def __call__(self, count: int) -> None:
        """Add a number of bytes."""
        self._moved += count
        now = time.monotonic()
        if now - self._last >= 3:
            self._last = now
            self._watch.say(f"{self._title}: {self._moved / 2**20:.0f} MiB so far")
