"""Checking stored images: one flipped byte is found, and a rebuild names the file it lies in."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from handmade import handmade, pinned_project
from support import error_of
from support_images import change
from support_inside import inner_data, inside

from harness.images.build import first_file_difference
from harness.images.image import read_image_pins, save_pins
from harness.store.store import Store


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A project that pins a small image made by hand."""
    store = Store.make(tmp_path / "project" / ".harness")
    return pinned_project(tmp_path / "project", handmade(store))


def test_a_sound_image_agrees(small: Path) -> None:
    found = inner_data("images", "verify", cwd=small)
    assert found["verdict"] == "agreed"
    assert [(one["name"], one["flaws"]) for one in found["images"]] == [("cpu", [])]


@pytest.mark.parametrize("part", ["config", "manifest", "layer 2"])
def test_a_flipped_bit_anywhere_is_found(small: Path, part: str) -> None:
    store = Store.open(small / ".harness")
    pin = read_image_pins(small)["cpu"]
    digest = {"config": pin.image_id, "manifest": pin.manifest, "layer 2": pin.diff_ids[1]}[part][7:]
    change(store, digest, offset=100)
    found = inner_data("images", "verify", "cpu", cwd=small, check=1)
    assert found["verdict"] == "disagreed"
    assert found["images"][0]["flaws"] == [f"{part} is changed: {store.blobs.path(digest)}"]
    store.blobs.path(digest).unlink()
    assert f"{part} is missing" in inside("images", "verify", cwd=small, check=1).stdout


def test_an_image_that_is_not_stored_is_missing_and_the_mend_is_said(small: Path) -> None:
    pin = read_image_pins(small)["cpu"]
    save_pins(small, {"cpu": type(pin)("sha256:" + "1" * 64, pin.manifest, pin.diff_ids)})
    error = error_of(inside("images", "verify", "--json", cwd=small, check=3))
    assert error["what"] == "no pinned image is in this store" and "`make images`" in error["next"]
    error = error_of(inside("images", "verify", "cpu", "--json", cwd=small, check=3))
    assert "image cpu (sha256:111111111111…) is not in this store" in error["what"]
    assert "harness images build cpu" in error["next"]
    assert error_of(inside("images", "verify", "nobody", "--json", cwd=small, check=3))["next"]


def test_a_pin_that_names_other_layers_disagrees(small: Path) -> None:
    pin = read_image_pins(small)["cpu"]
    save_pins(small, {"cpu": type(pin)(pin.image_id, pin.manifest, pin.diff_ids[::-1])})
    assert "not what lockfiles/images.json pins" in inside("images", "verify", cwd=small, check=1).stdout


Member = tuple[str, bytes, int]


def written(path: Path, members: Sequence[Member]) -> Path:
    with tarfile.open(path, "w", format=tarfile.GNU_FORMAT) as tar:
        for name, data, mode in members:
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(data), mode
            tar.addfile(member, io.BytesIO(data))
    return path


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ([("a", b"1", 0o644), ("b", b"X", 0o644)], "b (its contents)"),
        ([("a", b"1", 0o755), ("b", b"2", 0o644)], "a (its name, kind, rights, owner, date or size)"),
        ([("a", b"1", 0o644), ("c", b"2", 0o644)], "c (its name, kind, rights, owner, date or size)"),
        ([("a", b"1", 0o644)], "b stands in one of them only"),
        ([("a", b"1", 0o644), ("b", b"2", 0o644), ("c", b"", 0o644)], "c stands in one of them only"),
    ],
)
def test_the_first_difference_of_two_layers_is_named(tmp_path: Path, members: list[Member], says: str) -> None:
    stored = written(tmp_path / "stored", [("a", b"1", 0o644), ("b", b"2", 0o644)])
    assert first_file_difference(stored, written(tmp_path / "made", members)).startswith(says)


def test_a_stored_layer_that_is_no_tar_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "stored").write_bytes(b"\xff" * 5000)
    made = written(tmp_path / "made", [("a", b"1", 0o644)])
    assert first_file_difference(tmp_path / "stored", made).startswith("the stored one is no tar")
