"""Image build: makes or reuses the layers, writes config, manifest and inventory, compares the image with its pin."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness.digest import document, document_digest, parse
from harness.errors import HarnessError
from harness.images.build_plan import BuildPlan, LayerPlan, Tell, plan_build
from harness.images.image import Image, Pin, add_image, pins, save_pins
from harness.images.inventory import keep
from harness.images.layers.debs import OWN
from harness.images.layers.programs import require_program
from harness.images.layers.sources import Archive
from harness.images.oci import config, manifest
from harness.images.recipe import lineage
from harness.store.limits import MOST_NOTE
from harness.store.store import Store


@dataclass(frozen=True)
class Built:
    """Result of a build: the image, how it stands to its pin, and the parts that differ from the pin."""

    image: Image
    pinned: str  # same, new, renewed, moved, differs
    differs: tuple[str, ...] = ()


def build(
    store: Store,
    root: Path,
    name: str,
    tell: Tell,
    *,
    moved: bool = False,
    relock: bool = False,
    archive: Archive = OWN,
) -> Built:
    """Build one image from its locks, add it and its inventory to the store, and compare it with its pin.

    An image without a pin is pinned. `moved` takes the newest Debian packages and compares nothing; `relock` resolves
    those of the image's own recipe anew, and writes their lock and the pin.
    """
    with one_build_at_a_time(store):
        _equipped(store, root, name)
        meant = plan_build(store, root, name, tell, moved=moved, relock=relock, archive=archive)
        image = assemble(store, meant, tell)
        keep(store, root, image)
        for path, lock in meant.relocked.items():
            lock.save(path)
        if moved:
            return Built(image, "moved")
        known = pins(root)
        pin = known.get(name)
        if pin == image.pin:
            return Built(image, "same")
        if pin is None or relock:
            save_pins(root, {**known, name: image.pin})
            return Built(image, "new" if pin is None else "renewed")
        return Built(image, "differs", tuple(differing(pin, image, meant)))


def _equipped(store: Store, root: Path, name: str) -> None:
    """Check for mmdebstrap before packages are fetched; a stored layer may do without it."""
    if not store.tree.list_names("images/layers") and any(one.recipe.suite for one in lineage(root, name)):
        require_program("mmdebstrap", "mmdebstrap")


@contextmanager
def one_build_at_a_time(store: Store) -> Iterator[None]:
    """Lock that lets one build at a time use a store, so that a second reuses its layers; `gc` refuses meanwhile."""
    with store.in_use(), store.lock("images"):
        yield


def assemble(store: Store, meant: BuildPlan, tell: Tell) -> Image:
    """Make the missing layers of an image and add it to the store; an unfinished image is never listed."""
    total = len(meant.parts)
    layers = []
    for number, part in enumerate(meant.parts):
        digest = _kept(store, part)
        tell(f"layer of {part.title}", "kept" if digest else "is being made", number, total)
        layers.append(digest or _made(store, part))
    tell("image", "complete", total, total)
    recipe = meant.recipe
    titled = [(part.title, digest) for part, digest in zip(meant.parts, layers, strict=True)]
    spelled = config(meant.name, recipe.epoch, recipe.user, titled, meant.labels)
    sizes = [(digest, store.blobs.size(digest)) for digest in layers]
    image_id = store.blobs.put(spelled)
    named = store.blobs.put(manifest((image_id, len(spelled)), sizes))
    image = Image(meant.name, image_id, named, tuple(layers), meant.sources)
    add_image(store, image)
    return image


def differing(pin: Pin, image: Image, meant: BuildPlan) -> Iterator[str]:
    """Name the parts in which an image differs from its pin, one message each."""
    if len(pin.diff_ids) != len(meant.parts):
        yield f"it has {len(meant.parts)} layers instead of {len(pin.diff_ids)}"
    layers = [
        f"the layer of {part.title} is {made[:19]}… instead of {old[:19]}…"
        for part, made, old in zip(meant.parts, image.pin.diff_ids, pin.diff_ids, strict=False)
        if made != old
    ]
    yield from layers
    if not layers and pin.image_id != image.pin.image_id:
        yield "the config differs: name, epoch or user of the recipe, or what its labels say of recipe and locks"
    elif not layers:
        yield "the manifest differs"


def _record(store: Store, part: LayerPlan) -> Path:
    """Path of the record of which layer the same inputs gave before."""
    return store.images / "layers" / f"{document_digest(part.inputs)}.json"


def _kept(store: Store, part: LayerPlan) -> str:
    """Find the stored layer of the same inputs and the same code, if its bytes are intact."""
    path = _record(store, part)
    try:
        digest = str(parse(store.tree.read_file(path, MOST_NOTE), "layer/1", str(path))["layer"])
        return digest if store.blobs.state(digest) == "sound" else ""
    except (OSError, HarnessError, LookupError):
        return ""  # it is made again


def _made(store: Store, part: LayerPlan) -> str:
    with store.folder("layer") as folder:
        target = folder / "layer.tar"
        part.make(folder, target)
        digest, _ = store.blobs.adopt(target)
    said = document({"type": "layer/1", "layer": digest, "inputs": part.inputs}) + b"\n"
    store.tree.write_file(_record(store, part), said)
    return digest
