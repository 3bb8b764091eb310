"""The shelf of images and the sweep: what an image needs is kept, what was taken off the shelf goes."""

from __future__ import annotations

from pathlib import Path

import pytest
from handmade import handmade, pinned_project
from support import error_of
from support_inside import inner_data, inside

from harness.digest import encode_document
from harness.images.image import Image, add_image
from harness.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.make(tmp_path / "project" / ".harness")


@pytest.fixture
def image(store: Store) -> Image:
    """An image on the shelf, with a package it was made of and the note of how a layer was made."""
    made = handmade(store)
    made = Image(made.name, made.config, made.manifest, made.layers, {"pkg_1_all.deb": store.blobs.put(b"a package")})
    add_image(store, made)
    (store.images / "layers").mkdir()
    note = encode_document({"type": "layer/1", "layer": made.layers[0], "inputs": {}})
    (store.images / "layers" / f"{'a' * 64}.json").write_bytes(note + b"\n")
    pinned_project(store.root.parent, made)
    return made


def all_of(image: Image) -> set[str]:
    return {image.config, image.manifest, *image.layers, *image.sources.values()}


def test_gc_keeps_what_images_consist_of_and_what_they_were_made_of(store: Store, image: Image) -> None:
    loose = store.blobs.put(b"nobody's")
    swept = inner_data("gc", "--delete", "--store", store.root, cwd=store.root)
    assert swept["blobs"] == [loose]
    assert swept["folders"] == []
    assert all(Store.open(store.root).blobs.state(digest) == "sound" for digest in all_of(image))
    assert inner_data("fsck", "--store", store.root, cwd=store.root)["flaws"] == []


@pytest.mark.parametrize("by", ["name", "id", "prefix"])
def test_rm_takes_an_image_off_the_shelf_and_gc_frees_it(store: Store, image: Image, by: str) -> None:
    name = {"name": "cpu", "id": image.pin.image_id, "prefix": image.config[:12]}[by]
    removed = inner_data("images", "rm", name, cwd=store.root.parent)
    assert removed["removed"] == [{"name": "cpu", "image_id": image.pin.image_id}]
    assert all(Store.open(store.root).blobs.state(digest) == "sound" for digest in all_of(image))
    swept = inner_data("gc", "--delete", cwd=store.root.parent)
    assert set(swept["blobs"]) == all_of(image)
    assert swept["folders"] == [f"{'a' * 64}.json"]
    assert inner_data("images", "ls", cwd=store.root.parent)["images"] == []
    error = error_of(inside("images", "rm", name, "--json", cwd=store.root.parent, check=2))
    assert "stored are: none" in error["next"]


@pytest.mark.parametrize("damage", [b"{}", b"", b'{"type":"image/1"'])
def test_an_unreadable_entry_stops_gc_before_anything_goes(store: Store, image: Image, damage: bytes) -> None:
    path = store.images / f"{image.config}.json"
    path.chmod(0o644)
    path.write_bytes(damage)
    loose = store.blobs.put(b"nobody's")
    error = error_of(inside("gc", "--delete", "--json", cwd=store.root.parent, check=1))
    assert error["what"].startswith("nothing was deleted")
    assert error["where"] == str(path)
    assert store.blobs.check(loose) == "sound"
    flaws = inner_data("fsck", cwd=store.root.parent, check=1)["flaws"]
    assert [(flaw["id"], flaw["subject"]) for flaw in flaws] == [("image.changed", str(path))]


def test_fsck_names_the_layer_that_an_image_lacks(store: Store, image: Image) -> None:
    store.blobs.remove(image.layers[1])
    flaws = inner_data("fsck", cwd=store.root.parent, check=1)["flaws"]
    assert [(flaw["id"], flaw["subject"]) for flaw in flaws] == [("blob.missing", image.layers[1])]


def test_ls_tells_the_pinned_from_the_old(store: Store, image: Image) -> None:
    older = handmade(store, name="cpu", size=1000)
    moved = handmade(store, name="cpu+moved", size=2000)
    states = {one["image_id"]: one["state"] for one in inner_data("images", "ls", cwd=store.root.parent)["images"]}
    assert states == {image.pin.image_id: "pinned", older.pin.image_id: "old", moved.pin.image_id: "moved"}


def test_the_verbs_of_images_explain_themselves(tmp_path: Path) -> None:
    shown = inside("images", cwd=tmp_path, check=0).stdout
    assert all(f"\n  {verb} " in shown for verb in ("build", "verify", "ls", "rm"))
    assert "harness images build --help" in inside("images", "build", cwd=tmp_path, check=2).stderr
