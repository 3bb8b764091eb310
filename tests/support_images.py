"""Real images for tests: built once into the repository's own store, branched into private ones to be broken."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from support import REPOSITORY, clean_env, command, harness

from harness.digest import sha256
from harness.errors import MISSING
from harness.files import hold_lock
from harness.images.image import Image, find_image, list_images, read_image_pins
from harness.images.recipe import Wheel
from harness.store.blobs import Blobs
from harness.store.store import Store

SHARED = REPOSITORY / ".harness"


def built(name: str, *, fresh: bool = False) -> Image:
    """Give a pinned image of the repository's store, building it where it is not there yet; skips where none can be.

    A fresh one is also built again where the code that makes its layers has changed.
    """
    with hold_lock(SHARED / "locks" / "test-images"):
        pin = read_image_pins(REPOSITORY).get(name)
        if (
            not fresh
            and pin
            and (SHARED / "format").is_file()
            and (image := find_image(Store.open(SHARED), pin.image_id))
        ):
            return image
        done = harness("images", "build", name, cwd=REPOSITORY)
        if done.returncode == MISSING:
            pytest.skip(f"no image {name} can be built here: {done.stderr.strip()[-600:]}")
        assert done.returncode == 0, done.stderr
        image = find_image(Store.open(SHARED), read_image_pins(REPOSITORY)[name].image_id)
        assert image
        return image


def sandbox_store() -> tuple[Path, str]:
    """Give the repository's store and the ID of its sandbox; made of the newest packages where the locked are gone."""
    try:
        return SHARED, built("sandbox").pin.image_id
    except pytest.skip.Exception as lack:
        with hold_lock(SHARED / "locks" / "test-images"):
            if not any(image.name == "sandbox+moved" for image in _shelf()):
                done = harness("images", "build", "sandbox", "--moved", cwd=REPOSITORY)
                if done.returncode:
                    raise lack from None
            return SHARED, next(image.pin.image_id for image in _shelf() if image.name == "sandbox+moved")


def _shelf() -> list[Image]:
    return list_images(Store.open(SHARED)) if (SHARED / "format").is_file() else []


def project(folder: Path) -> Path:
    """Copy what a build reads into a project of its own."""
    shutil.copytree(REPOSITORY / "images", folder / "images")
    (folder / "lockfiles").mkdir()
    for path in [*(REPOSITORY / "lockfiles").glob("image-*.txt"), REPOSITORY / "lockfiles" / "images.json"]:
        shutil.copy(path, folder / "lockfiles")
    return folder


def branch(image: Image, root: Path, *, layers: bool = True, shelf: bool = True) -> Store:
    """Make a store that holds an image's packages, its layers, its entry; blobs are links: never write them."""
    store = Store.make(root)
    digests = {*image.sources.values()} | ({image.config, image.manifest, *image.layers} if layers else set())
    for digest in digests:
        target = store.blobs.path(digest)
        target.parent.mkdir(parents=True, exist_ok=True)
        source = Store(SHARED).blobs.path(digest)
        try:
            os.link(source, target)
        except OSError:  # another disk
            shutil.copy2(source, target)
    store.images.mkdir()
    if layers:
        shutil.copytree(SHARED / "images" / "layers", store.images / "layers")
    if layers and shelf:
        shutil.copy2(SHARED / "images" / f"{image.config}.json", store.images)
    return store


def change(store: Store, digest: str, offset: int = 1000) -> None:
    """Flip one bit of a blob, in a copy of its file."""
    path = store.blobs.path(digest)
    data = bytearray(path.read_bytes())
    data[offset] ^= 1
    path.unlink()
    path.write_bytes(data)


def under(
    umask: str, *args: str | Path, cwd: Path, env: Mapping[str, str], check: int | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a verb under another umask and other variables."""
    words = ["sh", "-c", f'umask {umask}; exec "$@"', "sh", *command(*map(str, args))]
    done = subprocess.run(
        words, cwd=cwd, env=clean_env(env), text=True, capture_output=True, stdin=subprocess.DEVNULL, check=False,
        timeout=300,
    )  # fmt: skip
    assert check is None or done.returncode == check, f"{args} → {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def wheel_bytes(
    name: str, version: str, files: Mapping[str, bytes], *, tag: str = "py3-none-any", tools: str = "", run: str = ""
) -> bytes:
    """Give a wheel made by hand; `tools` is its entry_points.txt, `run` a member that is executable."""
    info = f"{name}-{version}.dist-info"
    held = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {tag}\n".encode(),
        **({f"{info}/entry_points.txt": tools.encode()} if tools else {}),
    }
    record = [_row(path, data) for path, data in held.items()] + [f"{info}/RECORD,,"]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for path, data in {**held, f"{info}/RECORD": ("\n".join(record) + "\n").encode()}.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = (0o100755 if path == run else 0o100644) << 16
            file.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _row(path: str, data: bytes) -> str:
    import base64

    shown = f'"{path}"' if "," in path else path
    digest = base64.urlsafe_b64encode(bytes.fromhex(sha256(data))).rstrip(b"=").decode()
    return f"{shown},sha256={digest},{len(data)}"


def put(blobs: Blobs, data: bytes, name: str, version: str = "1.0", line: int = 1) -> Wheel:
    """Keep a wheel's bytes; gives the line of a lock that pins it."""
    return Wheel(name, version, blobs.put(data), f"lockfiles/image-test.txt:{line}")
