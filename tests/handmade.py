"""A small image made by hand, and a project that pins it: nothing of the builder is needed to move images about."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.digest import sha256
from harness.images.image import Image, add_image, save_pins
from harness.store.store import Store

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar"


def layer(files: Mapping[str, bytes]) -> bytes:
    """Give a tar of a few files."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


def descriptor(media: str, digest: str, data: bytes) -> dict[str, Any]:
    """Spell how a manifest names a blob."""
    return {"mediaType": media, "digest": f"sha256:{digest}", "size": len(data)}


def config_bytes(layers: list[str]) -> bytes:
    """Spell a config over layers that are named by their digests."""
    body = {
        "architecture": "amd64",
        "os": "linux",
        "config": {"Cmd": ["/hello"], "User": "65534:65534"},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{one}" for one in layers]},
    }
    return json.dumps(body).encode()


def handmade(store: Store, name: str = "cpu", size: int = 3_000_000) -> Image:
    """Make an image of two layers by hand, and put it on a store's shelf."""
    tars = [layer({"etc/issue": b"handmade\n"}), layer({"data": bytes(range(256)) * (size // 256), "hello": b"#!\n"})]
    digests = [store.blobs.put(data) for data in tars]
    config = config_bytes(digests)
    body = {
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "config": descriptor(CONFIG, store.blobs.put(config), config),
        "layers": [descriptor(LAYER, digest, data) for digest, data in zip(digests, tars, strict=True)],
    }
    image = Image(name, store.blobs.put(config), store.blobs.put(json.dumps(body).encode()), tuple(digests), {})
    add_image(store, image)
    return image


def altered(store: Store, layers: list[str], /, **changes: Any) -> Image:
    """Put an image together from layers, with any field of its manifest changed."""
    config = changes.pop("config_data", config_bytes(layers))
    body = {
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "config": descriptor(CONFIG, sha256(config), config),
        "layers": [descriptor(LAYER, one, store.blobs.read(one)) for one in layers],
        **changes,
    }
    return Image("cpu", store.blobs.put(config), store.blobs.put(json.dumps(body).encode()), tuple(layers), {})


def contents(store: Store, image: Image) -> list[bytes]:
    """Give every byte of an image, checked."""
    return [store.blobs.read(digest) for digest in (image.manifest, image.config, *image.layers)]


def pinned_project(folder: Path, image: Image) -> Path:
    """Write a project whose images.json means this image."""
    (folder / "lockfiles").mkdir(parents=True)
    save_pins(folder, {image.name: image.pin})
    return folder
