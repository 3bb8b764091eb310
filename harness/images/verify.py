"""Verification of stored images against their pins: every byte is hashed; with `rebuild`, layers are made again."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from harness.digest import CHUNK, sha256_file
from harness.errors import InputError, MissingError
from harness.files import translating_os_errors
from harness.images.build import LayerPlan, Tell, one_build_at_a_time, plan_build
from harness.images.image import MOVED, Image, Pin, find_image, list_images, pins, require_image
from harness.store.store import Store


@dataclass(frozen=True)
class ImageCheck:
    """Result of verifying one image: what is wrong with it, and whether the store holds it at all."""

    name: str
    image_id: str
    flaws: tuple[str, ...] = ()
    stored: bool = True

    @property
    def verdict(self) -> str:
        """Verdict of the check: agreed, disagreed, or not stored."""
        return "disagreed" if self.flaws else "agreed" if self.stored else "not stored"


def verify(store: Store, root: Path, names: Sequence[str], tell: Tell, *, rebuild: bool = False) -> list[ImageCheck]:
    """Verify stored images against their pins by reading every byte; `rebuild` also makes their layers again.

    Without names, all pinned images are checked, and those that the store lacks are reported as not stored.
    """
    known = pins(root)
    if not names and not known:
        raise InputError("this project pins no image", where=str(root), next="`harness images build NAME` pins one")
    absent = [] if names else [name for name, pin in known.items() if find_image(store, pin.image_id) is None]
    if absent and len(absent) == len(known):
        raise MissingError(
            "no pinned image is in this store",
            where=str(store.images),
            next="`make images`, or `harness images build NAME` for one of them",
        )
    found = [ImageCheck(name, known[name].image_id, stored=False) for name in absent]
    held = [name for name in dict.fromkeys(names or known) if name not in absent]
    for image in [image for name in held for image in _meant(store, known.get(name), name)]:
        pin = known.get(image.name)
        flaws = list(_flaws(store, image, pin or image.pin, tell))
        if rebuild:
            flaws += _rebuilt(store, root, image, tell)
        found.append(ImageCheck(image.name, image.pin.image_id, tuple(flaws)))
    return sorted(found, key=lambda one: one.name)


def _meant(store: Store, pin: Pin | None, name: str) -> list[Image]:
    """Images to check under a name: the pinned one, else all that were built under it."""
    if pin:
        return [require_image(store, pin.image_id, name)]
    images = [image for image in list_images(store) if image.name == name]
    if not images:
        raise MissingError(
            f"there is no image {name} in this store",
            where=str(store.images),
            next=f"`harness images build {name.removesuffix(MOVED)}`; `harness images ls` shows what there is",
        )
    return images


def _flaws(store: Store, image: Image, pin: Pin, tell: Tell) -> Iterator[str]:
    """Name what of an image is missing, changed, or not what is pinned; each blob is read once."""
    if image.pin != pin:
        yield "its manifest or its layers are not what lockfiles/images.json pins"
    blobs = {"config": image.config, "manifest": image.manifest}
    blobs |= {f"layer {number}": digest for number, digest in enumerate(image.layers, 1)}
    sound = True
    for done, (title, digest) in enumerate(blobs.items()):
        tell(image.name, f"reading its {title}", done, len(blobs))
        state = store.blobs.check(digest)
        if state != "sound":
            sound = sound and title.startswith("layer")
            yield f"{title} is {state}: {store.blobs.path(digest)}"
    if sound and _named(store, image) != (image.config, image.layers, image.layers):
        yield "its config or its manifest names other layers"
    tell(image.name, "read", len(blobs), len(blobs))


def _named(store: Store, image: Image) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Config and layers that an image's own documents name."""
    config = json.loads(store.blobs.read(image.config))
    manifest = json.loads(store.blobs.read(image.manifest))

    def plain(digests: Sequence[str]) -> tuple[str, ...]:
        return tuple(digest.removeprefix("sha256:") for digest in digests)

    layers = plain([one["digest"] for one in manifest["layers"]])
    return plain([manifest["config"]["digest"]])[0], layers, plain(config["rootfs"]["diff_ids"])


def _rebuilt(store: Store, root: Path, image: Image, tell: Tell) -> Iterator[str]:
    """Rebuild every layer from the stored packages, and name the first file that differs."""
    if image.name.endswith(MOVED):
        raise InputError(f"{image.name} has no locks it could be rebuilt from", next="verify it without --rebuild")
    with one_build_at_a_time(store):
        meant = plan_build(store, root, image.name, tell)
        if len(meant.parts) != len(image.layers):
            yield f"its recipe makes {len(meant.parts)} layers, it has {len(image.layers)}"
            return
        for number, (part, digest) in enumerate(zip(meant.parts, image.layers, strict=True)):
            tell(image.name, f"making the layer of {part.title} again", number, len(meant.parts))
            if flaw := _again(store, part, digest):
                yield f"rebuilt, the layer of {part.title} differs: {flaw}"


def _again(store: Store, part: LayerPlan, digest: str) -> str:
    stored = store.blobs.path(digest)
    with store.folder("layer") as folder:
        target = folder / "layer.tar"
        part.make(folder, target)
        with translating_os_errors(stored):
            if not stored.exists():
                return "it is not stored"
            if sha256_file(target)[0] == digest and store.blobs.state(digest) == "sound":
                return ""
            return first_difference(stored, target)


def first_difference(stored: Path, made: Path) -> str:
    """Name the first file in which the tars of two layers differ, and what differs in it."""
    try:
        with tarfile.open(stored, "r:") as old, tarfile.open(made, "r:") as new:
            for one, other in zip_longest(old, new):
                if one is None or other is None:
                    return f"{(one or other).name} stands in one of them only, or the stored one breaks off there"
                if one.get_info() != other.get_info():
                    return f"{other.name} (its name, kind, rights, owner, date or size)"
                if other.isreg() and not _same(old, one, new, other):
                    return f"{other.name} (its contents)"
    except tarfile.TarError as bad:
        return f"the stored one is no tar: {bad}"
    return "only the padding between files"


def _same(old: tarfile.TarFile, one: tarfile.TarInfo, new: tarfile.TarFile, other: tarfile.TarInfo) -> bool:
    left, right = old.extractfile(one), new.extractfile(other)
    assert left and right
    while chunk := left.read(CHUNK):
        if chunk != right.read(CHUNK):
            return False
    return not right.read(1)
