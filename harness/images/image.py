"""Images of a store: config, manifest and layers as blobs, the list of images, and the project's image pins.

`lockfiles/images.json` says which images the project means; a store's own list says which it holds.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.digest import canonical, document, document_digest, parse
from harness.errors import HarnessError, InputError, MissingError
from harness.files import translating_os_errors, write_atomic
from harness.images.recipe import OTHERS, Licence, Recipe, combined
from harness.store.blobs import is_digest
from harness.store.store import Store
from harness.store.sweep import image_files, read_image

MOVED = "+moved"  # the ending of an image made of newer packages than the locked ones
PINS = "lockfiles/images.json"


@dataclass(frozen=True)
class Pin:
    """Digests that pin an image (OCI, `sha256:` and 64 hex digits); a tag never pins one."""

    image_id: str
    manifest: str
    diff_ids: tuple[str, ...]

    def as_data(self) -> dict[str, Any]:
        """Encode the pin as images.json and locks hold it."""
        return {"image_id": self.image_id, "manifest": self.manifest, "diff_ids": list(self.diff_ids)}


@dataclass(frozen=True)
class Image:
    """Image in a store: config, manifest and uncompressed layers are digests of blobs, layers lowest first."""

    name: str
    config: str
    manifest: str
    layers: tuple[str, ...]
    sources: Mapping[str, str]  # file name of each .deb and wheel it was made of → the blob that holds it

    @property
    def pin(self) -> Pin:
        """Pin of this image as images.json writes it; the image ID is the digest of its config."""
        return Pin(f"sha256:{self.config}", f"sha256:{self.manifest}", tuple(f"sha256:{one}" for one in self.layers))


def pins(root: Path) -> dict[str, Pin]:
    """Read the image pins of a project; empty where it has no images.json."""
    path = root / PINS
    if not path.is_file():
        return {}
    try:
        with translating_os_errors(path):
            body = parse(path.read_bytes(), "images/1", str(path))
        found = {
            name: Pin(one["image_id"], one["manifest"], tuple(one["diff_ids"])) for name, one in body["images"].items()
        }
        for pin in found.values():
            if not all(_is_oci(text) for text in (pin.image_id, pin.manifest, *pin.diff_ids)):
                raise ValueError
    except (LookupError, TypeError, AttributeError, ValueError) as bad:
        raise InputError(
            "this file is not what `harness images build` writes", where=str(path), next="restore it from git"
        ) from bad
    return found


def save_pins(root: Path, found: Mapping[str, Pin]) -> None:
    """Write the image pins of a project to `lockfiles/images.json`."""
    body = {"type": "images/1", "images": {name: pin.as_data() for name, pin in sorted(found.items())}}
    write_atomic(root / PINS, document(body) + b"\n")


def _is_oci(text: object) -> bool:
    return isinstance(text, str) and text.startswith("sha256:") and is_digest(text.removeprefix("sha256:"))


def add_image(store: Store, image: Image) -> None:
    """Write an image's entry into the store's list; its blobs must lie there, and `gc` keeps what an entry names."""
    body = {
        "type": "image/1",
        "name": image.name,
        "config": image.config,
        "manifest": image.manifest,
        "layers": list(image.layers),
        "sources": dict(image.sources),
    }
    store.tree.write_file(store.images / f"{image.config}.json", document(body) + b"\n", mode=0o444)


def inventory_path(store: Store, image: Image) -> Path:
    """Path of the inventory of an image in its store."""
    return store.images / "inventories" / f"{image.config}.spdx.json"


def remove_image(store: Store, image: Image) -> None:
    """Remove an image and its inventory from the store's list; the next `gc` frees the blobs nothing else needs."""
    path = store.images / f"{image.config}.json"
    store.tree.remove(path)
    store.tree.remove(inventory_path(store, image))
    store.tree.sync_folder(path.parent)


def list_images(store: Store) -> list[Image]:
    """List the images of a store, sorted by name."""
    return sorted((_read(store, path) for path in image_files(store)), key=lambda image: (image.name, image.config))


def find_image(store: Store, image_id: str) -> Image | None:
    """Find an image by its ID, or None."""
    path = store.images / f"{image_id.removeprefix('sha256:')}.json"
    return _read(store, path) if _is_oci(image_id) and store.tree.facts(path) else None


def require_image(store: Store, image_id: str, name: str) -> Image:
    """Get an image by its ID, or raise an error that says how to build or fetch it."""
    image = find_image(store, image_id)
    if image is None:
        raise MissingError(
            f"image {name} ({image_id[:19]}…) is not in this store",
            where=str(store.images),
            next=f"`harness images build {name}` makes it; `harness images pull {name} --from REGISTRY` fetches it",
        )
    return image


def _read(store: Store, path: Path) -> Image:
    """Read an entry of the list of images; its file name must be the image's ID."""
    try:
        body = read_image(store, path)
        image = Image(body["name"], body["config"], body["manifest"], tuple(body["layers"]), dict(body["sources"]))
        if image.config == path.stem and all(map(is_digest, (image.manifest, *image.layers, *image.sources.values()))):
            return image
    except (LookupError, TypeError, ValueError, HarnessError):
        pass
    raise MissingError(
        "this entry of an image cannot be read", where=str(path), next="remove it and `harness images build` again"
    )


CONFIG = "application/vnd.oci.image.config.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar"
PATH = "/usr/local/bin:/usr/bin:/bin"
STANDARD = "org.opencontainers.image"
LOCK = "llm-harness.image.lock"


def labels(line: Sequence[Recipe], sources: Mapping[str, str], found: Sequence[Licence]) -> dict[str, str]:
    """Make the labels of an image; they enter its ID, so they come from recipes and locks, never from a time or commit.

    The revision is that of the recipes, never of the repository: a commit that changes no image must move no image.
    What a recipe tells people (`about`), and where its lock lies, moves none either; the lock's packages do.
    """
    recipes = [
        one.model_dump(mode="json", exclude_defaults=True, exclude={"about", "requirements"})
        | {"heavy": sorted(one.heavy), "packages": sorted(one.packages)}
        for one in line
    ]
    source = next((one.source for one in reversed(line) if one.source), "")
    debian = [Licence()] if any(one.suite for one in line) else []  # said in texts, not in expressions
    return {
        f"{STANDARD}.revision": f"sha256:{document_digest({'type': 'image-recipe/1', 'recipes': recipes})}",
        f"{STANDARD}.licenses": combined([*debian, *found]) or OTHERS,
        LOCK: f"sha256:{document_digest({'type': 'image-lock/1', 'packages': dict(sources)})}",
        **({f"{STANDARD}.source": source} if source else {}),
    }


def config(
    name: str, epoch: int, user: str, layers: Sequence[tuple[str, str]], more: Mapping[str, str] | None = None
) -> bytes:
    """Encode an image's config from its layers (title and SHA-256, lowest first); its digest is the image ID."""
    created = datetime.datetime.fromtimestamp(epoch, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    said = {f"{STANDARD}.created": created, f"{STANDARD}.title": name, **(more or {})}
    return canonical(
        {
            "architecture": "amd64",
            "os": "linux",
            "created": created,
            "config": {
                "Cmd": ["python3"],
                "Env": [f"PATH={PATH}", "PYTHONDONTWRITEBYTECODE=1"],
                "Labels": said,
                "User": user,
                "WorkingDir": "/",
            },
            "history": [{"created": created, "created_by": f"harness images build: {title}"} for title, _ in layers],
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}" for _, digest in layers]},
        }
    )


def manifest(config: tuple[str, int], layers: Sequence[tuple[str, int]]) -> bytes:
    """Encode an image's manifest from the digests and sizes of its config and its uncompressed layers."""

    def refer(kind: str, digest: str, size: int) -> dict[str, str | int]:
        return {"mediaType": kind, "digest": f"sha256:{digest}", "size": size}

    return canonical(
        {
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "config": refer(CONFIG, *config),
            "layers": [refer(LAYER, *layer) for layer in layers],
        }
    )
