"""What building and checking images costs: from kept packages alone, after a small change, and to verify."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from bench.costs import Size
from bench.measure import Failed, Missing, ratio, spend, spend_here
from bench.peers import environment
from bench.project import HARNESS
from bench.table import Row

from harness.images.build import verify_images
from harness.images.image import Image, read_image_pins, require_image
from harness.store.store import Store

ROOT = Path(__file__).resolve().parents[2]
NAME = "cpu"
LIGHT = "sniffio"  # a small wheel that no layer but the light one holds


def image_rows(work: Path, size: Size) -> list[Row]:
    """Measure in a project of its own, whose store holds the packages and no layer when it begins."""
    kept = _kept()
    cold, light, ratios = [], [], []
    for number in range(max(1, size.repeats // 2)):
        folder = _project(work / f"images-{number}", kept)
        cold.append(_harness(folder, "build", NAME))
        ratios += [_against_hashing(folder) for _ in range(3)]
        lock = folder / "lockfiles" / f"image-{NAME}.txt"
        lines = lock.read_text().splitlines(keepends=True)
        lock.write_text("".join(line for line in lines if not line.startswith(f"{LIGHT}==")))
        light.append(_harness(folder, "build", NAME, "--relock"))
        shutil.rmtree(folder)
    return [
        Row("images", "wall of `images build cpu` from kept packages, no layer kept", tuple(cold), 180, "s"),
        Row("images", "wall of `images build cpu` after a change of a light wheel", tuple(light), 20, "s"),
        Row("images", "wall of verifying `cpu` against hashlib over its layers", tuple(ratios), 1.3),
    ]


def _kept() -> Image:
    """Give the image whose packages the repository's store keeps, building it first where it is missing."""
    try:
        spend([HARNESS, "images", "build", NAME], environment(ROOT), ROOT)
    except Failed as bad:
        raise Missing(f"the image {NAME} cannot be built here: {bad}") from bad
    return require_image(Store.open(ROOT / ".harness"), read_image_pins(ROOT)[NAME].image_id, NAME)


def _project(folder: Path, kept: Image) -> Path:
    shutil.copytree(ROOT / "images", folder / "images")
    (folder / "lockfiles").mkdir()
    for path in [*(ROOT / "lockfiles").glob("image-*.txt"), ROOT / "lockfiles" / "images.json"]:
        shutil.copy(path, folder / "lockfiles")
    store = Store.make(folder / ".harness")
    for digest in kept.sources.values():
        target = store.blobs.path(digest)
        target.parent.mkdir(exist_ok=True)
        target.hardlink_to(Store(ROOT / ".harness").blobs.path(digest))
    return folder


def _harness(folder: Path, *words: str) -> float:
    return spend([HARNESS, "images", *words], environment(folder), folder).wall


def _against_hashing(folder: Path) -> float:
    """Hold the check of a stored image against the quickest way the library offers to hash the same layers."""
    store = Store.open(folder / ".harness")
    layers = [store.blobs.path(digest[7:]) for digest in read_image_pins(folder)[NAME].diff_ids]

    def plain() -> None:
        for path in layers:
            with open(path, "rb") as file:
                hashlib.file_digest(file, "sha256").hexdigest()

    def ours() -> None:
        if any(one.flaws for one in verify_images(store, folder, [NAME], lambda *_: None)):
            raise Failed(f"the image {NAME} was not sound")

    return ratio(spend_here(ours).wall, spend_here(plain).wall)
