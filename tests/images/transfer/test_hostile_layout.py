"""A layout or an archive that somebody else wrote: what is not right is refused, and nothing of it stays."""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from handmade import LAYER, altered, config_bytes, descriptor, handmade, layer

from harness.digest import sha256
from harness.errors import InputError
from harness.images.image import Image, list_images
from harness.images.transfer.layout import archive_bytes, read_layout, write_layout
from harness.store.store import Store


def _refused(other: Store, path: Path, what: str) -> None:
    with pytest.raises(InputError, match=what) as bad:
        read_layout(other, path, "cpu")
    assert bad.value.where and bad.value.next
    assert list_images(other) == [] and list(other.temp.iterdir()) == []


@pytest.fixture
def saved(store: Store, tmp_path: Path) -> Path:
    write_layout(store, handmade(store), tmp_path / "saved")
    return tmp_path / "saved"


def _blob(saved: Path, image: Image, index: int) -> Path:
    return saved / "blobs" / "sha256" / (image.manifest, image.config, *image.layers)[index]


@pytest.mark.parametrize(("index", "what"), [(0, "what index.json names"), (1, "are others"), (3, "are others")])
def test_a_changed_byte_is_found(index: int, what: str, saved: Path, store: Store, other: Store) -> None:
    path = _blob(saved, list_images(store)[0], index)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    _refused(other, saved, what)


@pytest.mark.parametrize("index", [0, 1, 2])
def test_a_missing_blob_is_named(index: int, saved: Path, store: Store, other: Store) -> None:
    path = _blob(saved, list_images(store)[0], index)
    path.unlink()
    _refused(other, saved, f"{path.name} is missing")


def test_longer_and_shorter_blobs_are_refused(saved: Path, store: Store, other: Store) -> None:
    path = _blob(saved, list_images(store)[0], 3)
    data = path.read_bytes()
    path.write_bytes(data + bytes(512))
    _refused(other, saved, "more bytes come")
    path.write_bytes(data[:-512])
    _refused(other, saved, "are others")


def test_links_and_devices_are_not_followed(saved: Path, store: Store, other: Store) -> None:
    path = _blob(saved, list_images(store)[0], 3)
    path.rename(saved / "elsewhere")
    path.symlink_to(saved / "elsewhere")
    _refused(other, saved, "cannot be read")
    path.unlink()
    os.mkfifo(path)
    _refused(other, saved, "not a plain file")
    (saved / "blobs").rename(saved / "real")
    (saved / "blobs").symlink_to("real")
    _refused(other, saved, "is a link")


def _gzipped(store: Store) -> dict[str, Any]:
    data = gzip.compress(layer({"a": b"a"}))
    return {"layers": [descriptor(f"{LAYER}+gzip", store.blobs.put(data), data)]}


HOSTILE: list[tuple[str, str, Callable[[Store], dict[str, Any]]]] = [
    ("compressed", "a layer is compressed", _gzipped),
    ("media", "a layer of type 'text/plain'", lambda s: {"layers": [descriptor("text/plain", sha256(b"a"), b"a")]}),
    ("other diff ids", "diff_ids are not", lambda s: {"config_data": config_bytes([sha256(b"other")])}),
    ("no rootfs", "names no layers", lambda s: {"config_data": b"{}"}),
    ("config no JSON", "not a JSON document", lambda s: {"config_data": b"[" * 100_000}),
    ("config a list", "not a JSON object", lambda s: {"config_data": b"[]"}),
    ("no layers", "1 to 127 layers", lambda s: {"layers": []}),
    ("many layers", "1 to 127 layers", lambda s: {"layers": [descriptor(LAYER, sha256(b"a"), b"a")] * 200}),
    ("index", "an index of several images", lambda s: {"manifests": []}),
    ("docker's own", "a manifest of type", lambda s: {"mediaType": "application/vnd.docker.distribution.manifest.v2"}),
    ("config's type", "a config of type", lambda s: {"config": descriptor("text/plain", sha256(b"a"), b"a")}),
    ("size", "at most", lambda s: {"layers": [{**descriptor(LAYER, sha256(b"a"), b"a"), "size": 2**60}]}),
    ("size text", "lacks mediaType", lambda s: {"layers": [{**descriptor(LAYER, sha256(b"a"), b"a"), "size": "1"}]}),
    ("digest path", "not a SHA-256", lambda s: {"layers": [descriptor(LAYER, "../../../etc/passwd", b"a")]}),
    ("padding", "more than", lambda s: {"annotations": {"a": "x" * (5 << 20)}}),
]


@pytest.mark.parametrize(("what", "change"), [row[1:] for row in HOSTILE], ids=[row[0] for row in HOSTILE])
def test_a_manifest_or_config_that_is_not_right_is_refused(
    what: str, change: Callable[[Store], dict[str, Any]], store: Store, other: Store, tmp_path: Path
) -> None:
    image = altered(store, [store.blobs.put(layer({"a": b"a"}))], **change(store))
    folder = tmp_path / "hostile"
    write_layout(store, image, folder)
    if what == "more than":  # the index, too, says an honest size
        index = json.loads((folder / "index.json").read_bytes())
        assert index["manifests"][0]["size"] > 4 << 20
        what = "at most"
    _refused(other, folder, what)


def _tar(path: Path, members: Iterator[tuple[tarfile.TarInfo, bytes]] | list[tuple[tarfile.TarInfo, bytes]]) -> Path:
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as tar:
        for entry, data in members:
            tar.addfile(entry, io.BytesIO(data))
    return path


def _entry(
    name: str, data: bytes = b"", kind: bytes = tarfile.REGTYPE, link: str = ""
) -> tuple[tarfile.TarInfo, bytes]:
    entry = tarfile.TarInfo(name)
    entry.size, entry.type, entry.linkname = len(data), kind, link
    return entry, data


ENTRIES = {
    "up": ([_entry("../../home/x", b"x")], "leads out of it"),
    "absolute": ([_entry("/etc/cron.d/x", b"x")], "leads out of it"),
    "symlink": ([_entry("index.json", kind=tarfile.SYMTYPE, link="/etc/passwd")], "is a link"),
    "hard link": ([_entry("index.json", kind=tarfile.LNKTYPE, link="a")], "is a link"),
    "device": ([_entry("index.json", kind=tarfile.CHRTYPE)], "a device"),
    "twice": ([_entry("index.json", b"{}"), _entry("index.json", b"[]")], "twice"),
    "empty": ([], "index.json is missing"),
    "long name": ([_entry("x" * 200_000, b"x")], "not an archive"),
    "many": ([_entry(f"d{n}", kind=tarfile.DIRTYPE) for n in range(10_001)], "more than 10000"),
    "no index": ([_entry("index.json", b"nonsense")], "not a JSON document"),
    "huge index": ([_entry("index.json", b" " * (5 << 20))], "more than"),
    "two images": ([_entry("index.json", b'{"manifests":[{},{}]}')], "2 images lie here"),
}


@pytest.mark.parametrize("case", ENTRIES)
def test_an_archive_that_means_harm_is_refused(case: str, other: Store, tmp_path: Path) -> None:
    members, what = ENTRIES[case]
    _refused(other, _tar(tmp_path / "bad.tar", members), what)


def test_an_archive_that_was_cut_short_changed_or_compressed_is_refused(
    store: Store, other: Store, tmp_path: Path
) -> None:
    data = b"".join(archive_bytes(store, handmade(store)))
    path = tmp_path / "cpu.tar"
    path.write_bytes(data[: len(data) // 2])
    _refused(other, path, "cut short")
    path.write_bytes(gzip.compress(data, 1))
    _refused(other, path, "not an archive of an image")
    at = data.index(b"handmade\n")
    path.write_bytes(data[:at] + b"H" + data[at + 1 :])
    _refused(other, path, "are others")
    path.write_bytes(b"")
    _refused(other, path, "not an archive|is missing")
