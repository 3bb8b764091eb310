"""Image build and verification: layers are made or reused, config, manifest and inventory written, pins compared.

Verification hashes every byte of a stored image; with `rebuild`, layers are also made again.
"""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from harness.clock import unique_stamp
from harness.digest import CHUNK, document_digest, encode_document, parse_document, sha256_file
from harness.errors import HarnessError, InputError, MissingError
from harness.files import translating_os_errors
from harness.images import recipe
from harness.images.image import (
    MOVED,
    Image,
    Pin,
    add_image,
    encode_config,
    encode_manifest,
    find_image,
    image_labels,
    keep_inventory,
    list_images,
    read_image_pins,
    require_image,
    save_pins,
)
from harness.images.layers import debian, layer, python
from harness.images.layers.debian import OWN
from harness.images.layers.layer import Archive, require_program
from harness.images.recipe import (
    DEBS,
    Deb,
    Debs,
    LocatedRecipe,
    Recipe,
    Wheel,
    read_debs,
    read_wheels,
    recipe_lineage,
    wheel_licence,
)
from harness.store.store import Store
from harness.store.tree import MOST_NOTE

Tell = Callable[[str, str, int, int], None]  # step, state, done, total
Make = Callable[[Path, Path], None]  # scratch folder, the layer's file


@dataclass(frozen=True)
class LayerPlan:
    """Plan of one layer: all inputs that determine its bytes, and the function that writes it."""

    title: str
    inputs: Mapping[str, Any]
    make: Make


@dataclass(frozen=True)
class BuildPlan:
    """Plan of an image: recipe, layers lowest first, packages by file name, labels, and locks to write afterwards."""

    name: str
    recipe: Recipe
    parts: tuple[LayerPlan, ...]
    sources: Mapping[str, str]
    relocked: Mapping[Path, Debs]  # locks to write after the image is complete
    labels: Mapping[str, str]


def plan_build(
    store: Store,
    root: Path,
    name: str,
    tell: Tell,
    *,
    moved: bool = False,
    relock: bool = False,
    archive: Archive = debian.OWN,
) -> BuildPlan:
    """Plan the layers of an image and of its base images, and fetch every package that the store lacks.

    Packages are those of the locks. With `moved`, the newest Debian packages of all recipes are used; with `relock`,
    those of the image's own recipe.
    """
    parts: list[LayerPlan] = []
    sources: dict[str, str] = {}
    stacked: list[Wheel] = []
    relocked: dict[Path, Debs] = {}
    line = recipe_lineage(root, name)

    def say(text: str) -> None:
        tell("packages", text, 0, len(line))

    for one in line:
        recipe = one.recipe
        if recipe.suite:
            chosen = _debs(store, one, name, say, archive, newest=moved or (relock and one is line[-1]))
            if relock and one is line[-1]:
                relocked[one.folder / DEBS] = Debs(recipe.suite, recipe.packages, tuple(chosen), _taken())
            parts.append(_debian_part(store, recipe, chosen))
            sources.update({deb.file: deb.sha256 for deb in chosen})
        if path := one.requirements:
            found = _wheels(path, one)
            python.ensure_wheels(store, found, say)
            stacked += found
            python.check_wheels(store.blobs, stacked)
            parts += _wheel_parts(store, recipe, found)
            sources.update({wheel.label: wheel.sha256 for wheel in found})
    said = image_labels([one.recipe for one in line], sources, [wheel_licence(store.blobs, wheel) for wheel in stacked])
    return BuildPlan(name + MOVED * moved, line[-1].recipe, tuple(parts), sources, relocked, said)


def _taken() -> str:
    """Return the time stamp of a query to the archive, in the format of snapshot archives."""
    return unique_stamp().partition("-")[0]


def _debs(
    store: Store, one: LocatedRecipe, name: str, say: Callable[[str], None], archive: Archive, *, newest: bool
) -> Sequence[Deb]:
    if newest:
        return debian.resolve_packages(store, one.recipe.suite, one.recipe.packages, say, archive)
    locked = read_debs(one)
    debian.ensure_debs(store, name, locked, say, archive)
    return locked.packages


def _wheels(path: Path, one: LocatedRecipe) -> tuple[Wheel, ...]:
    found = read_wheels(path, path.relative_to(one.root).as_posix())
    unknown = sorted(set(one.recipe.heavy) - {wheel.name for wheel in found})
    if unknown:
        raise InputError(
            f"`heavy` names wheels that the lock does not hold: {', '.join(unknown)}",
            where=one.tree.at(("heavy",)),
            next=f"remove them, or lock them in {one.recipe.requirements}",
        )
    return found


def _debian_part(store: Store, recipe: Recipe, chosen: Sequence[Deb]) -> LayerPlan:
    inputs = {
        "type": "layer-inputs/1",
        "kind": "debian",
        "code": _code(debian, layer, layer),
        "epoch": recipe.epoch,
        "suite": recipe.suite,
        "packages": sorted([deb.file, deb.sha256] for deb in chosen),
    }

    def make(folder: Path, target: Path) -> None:
        debian.write_debian_layer(store.blobs, folder, chosen, recipe.suite, recipe.epoch, target)

    return LayerPlan("debian", inputs, make)


def _wheel_parts(store: Store, recipe: Recipe, found: Sequence[Wheel]) -> list[LayerPlan]:
    heavy = [wheel for wheel in found if wheel.name in recipe.heavy]
    light = [wheel for wheel in found if wheel.name not in recipe.heavy]
    return [_wheel_part(store, recipe, title, some) for title, some in (("heavy", heavy), ("light", light)) if some]


def _wheel_part(store: Store, recipe: Recipe, title: str, found: Sequence[Wheel]) -> LayerPlan:
    inputs = {
        "type": "layer-inputs/1",
        "kind": "wheels",
        "code": _code(python, layer),
        "epoch": recipe.epoch,
        "packages": [[wheel.name, wheel.version, wheel.sha256] for wheel in found],
    }

    def make(folder: Path, target: Path) -> None:
        python.write_wheel_layer(store.blobs, found, recipe.epoch, target)

    return LayerPlan(f"{title} wheels", inputs, make)


def _code(*modules: Any) -> list[str]:
    """Return the digests of the source files that make a layer, so that a change of code makes the layer again."""
    return [sha256_file(Path(str(module.__file__)))[0] for module in (*modules, recipe)]


@dataclass(frozen=True)
class BuiltImage:
    """Result of a build: the image, how it compares with its pin, and the parts that differ from the pin."""

    image: Image
    pinned: str  # same, new, renewed, moved, differs
    differs: tuple[str, ...] = ()


def build_image(
    store: Store,
    root: Path,
    name: str,
    tell: Tell,
    *,
    moved: bool = False,
    relock: bool = False,
    archive: Archive = OWN,
) -> BuiltImage:
    """Build one image from its locks, add it and its inventory to the store, and compare it with its pin.

    An image without a pin is pinned. `moved` uses the newest Debian packages and compares nothing. `relock` resolves
    the packages of the image's own recipe again, and writes their lock and the pin.
    """
    with one_build_at_a_time(store):
        _equipped(store, root, name)
        meant = plan_build(store, root, name, tell, moved=moved, relock=relock, archive=archive)
        image = assemble_image(store, meant, tell)
        keep_inventory(store, root, image)
        for path, lock in meant.relocked.items():
            lock.save(path)
        if moved:
            return BuiltImage(image, "moved")
        known = read_image_pins(root)
        pin = known.get(name)
        if pin == image.pin:
            return BuiltImage(image, "same")
        if pin is None or relock:
            save_pins(root, {**known, name: image.pin})
            return BuiltImage(image, "new" if pin is None else "renewed")
        return BuiltImage(image, "differs", tuple(describe_differences(pin, image, meant)))


def _equipped(store: Store, root: Path, name: str) -> None:
    """Check for mmdebstrap before packages are fetched; a build from stored layers may not need it."""
    if not store.tree.list_names("images/layers") and any(one.recipe.suite for one in recipe_lineage(root, name)):
        require_program("mmdebstrap", "mmdebstrap")


@contextmanager
def one_build_at_a_time(store: Store) -> Iterator[None]:
    """Context manager that allows one build at a time in a store, so that a second one reuses its layers.

    `gc` is refused during the block.
    """
    with store.in_use(), store.lock("images"):
        yield


def assemble_image(store: Store, meant: BuildPlan, tell: Tell) -> Image:
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
    spelled = encode_config(meant.name, recipe.epoch, recipe.user, titled, meant.labels)
    sizes = [(digest, store.blobs.size(digest)) for digest in layers]
    image_id = store.blobs.put(spelled)
    named = store.blobs.put(encode_manifest((image_id, len(spelled)), sizes))
    image = Image(meant.name, image_id, named, tuple(layers), meant.sources)
    add_image(store, image)
    return image


def describe_differences(pin: Pin, image: Image, meant: BuildPlan) -> Iterator[str]:
    """Yield the parts in which an image differs from its pin, one message each."""
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
    """Return the path of the record of the layer that was made from the same inputs."""
    return store.images / "layers" / f"{document_digest(part.inputs)}.json"


def _kept(store: Store, part: LayerPlan) -> str:
    """Return the digest of the stored layer of the same inputs and code, if it is intact, else an empty text."""
    path = _record(store, part)
    try:
        digest = str(parse_document(store.tree.read_file(path, MOST_NOTE), "layer/1", str(path))["layer"])
        return digest if store.blobs.state(digest) == "sound" else ""
    except (OSError, HarnessError, LookupError):
        return ""  # the layer is made again


def _made(store: Store, part: LayerPlan) -> str:
    with store.folder("layer") as folder:
        target = folder / "layer.tar"
        part.make(folder, target)
        digest, _ = store.blobs.adopt(target)
    said = encode_document({"type": "layer/1", "layer": digest, "inputs": part.inputs}) + b"\n"
    store.tree.write_file(_record(store, part), said)
    return digest


@dataclass(frozen=True)
class ImageCheck:
    """Result of verifying one image: its flaws, and whether the store has it at all."""

    name: str
    image_id: str
    flaws: tuple[str, ...] = ()
    stored: bool = True

    @property
    def verdict(self) -> str:
        """The verdict of the check: agreed, disagreed, or not stored."""
        return "disagreed" if self.flaws else "agreed" if self.stored else "not stored"


def verify_images(
    store: Store, root: Path, names: Sequence[str], tell: Tell, *, rebuild: bool = False
) -> list[ImageCheck]:
    """Verify stored images against their pins by reading every byte; `rebuild` also makes their layers again.

    Without names, all pinned images are checked, and those that the store lacks are reported as not stored.
    """
    known = read_image_pins(root)
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
    """Return the images to check under a name: the pinned one, else all that were built under that name."""
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
    """Yield the parts of an image that are missing, changed, or not as pinned; each blob is read once."""
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
    """Return the config and layers that an image's own documents name."""
    config = json.loads(store.blobs.read(image.config))
    manifest = json.loads(store.blobs.read(image.manifest))

    def plain(digests: Sequence[str]) -> tuple[str, ...]:
        return tuple(digest.removeprefix("sha256:") for digest in digests)

    layers = plain([one["digest"] for one in manifest["layers"]])
    return plain([manifest["config"]["digest"]])[0], layers, plain(config["rootfs"]["diff_ids"])


def _rebuilt(store: Store, root: Path, image: Image, tell: Tell) -> Iterator[str]:
    """Rebuild every layer from the stored packages, and yield the first file that differs in each."""
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
            return first_file_difference(stored, target)


def first_file_difference(stored: Path, made: Path) -> str:
    """Return the first file in which the tars of two layers differ, and what differs in it."""
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
