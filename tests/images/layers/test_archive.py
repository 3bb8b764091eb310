"""A locked package that the archive has dropped is fetched as it stood when the lock was written, or named."""

from __future__ import annotations

import functools
import http.server
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import error_of
from support_inside import inside

from harness.digest import sha256, sha256_file
from harness.errors import MissingError
from harness.images.image import shelved
from harness.images.layers import debs, mirror
from harness.images.locks import DEBS, Deb, Debs
from harness.store.store import Store

THEN = "20260101T000000Z"
POCKETS = {"debian": ("bookworm", "bookworm-updates"), "debian-security": ("bookworm-security",)}

pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, ("dpkg-deb", "apt-get"))), reason="apt and dpkg are not installed here"
)


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, *_: object) -> None:
        """Keep still."""


def package(folder: Path, version: str) -> Path:
    """Make a real, tiny .deb."""
    build = folder / f"build-{version}"
    (build / "DEBIAN").mkdir(parents=True)
    lines = ["Package: toy", f"Version: {version}", "Architecture: all", "Maintainer: nobody", "Description: a toy"]
    (build / "DEBIAN" / "control").write_text("\n".join(lines) + "\n")
    made = folder / f"toy_{version}_all.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", build, made], check=True, capture_output=True)
    return made


def archive(root: Path, offered: Path | None) -> None:
    """Lay out an archive, as apt reads one, that offers one package or none."""
    for name, pockets in POCKETS.items():
        for pocket in pockets:
            index = b""
            if offered and pocket == "bookworm":
                pool = root / "debian" / "pool"
                pool.mkdir(parents=True)
                shutil.copy(offered, pool)
                said = subprocess.run(["dpkg-deb", "--field", offered], check=True, capture_output=True, text=True)
                digest, size = sha256_file(offered)
                index = f"{said.stdout}Filename: pool/{offered.name}\nSize: {size}\nSHA256: {digest}\n".encode()
            folder = root / name / "dists" / pocket
            (folder / "main" / "binary-amd64").mkdir(parents=True)
            (folder / "main" / "binary-amd64" / "Packages").write_bytes(index)
            listed = f"SHA256:\n {sha256(index)} {len(index)} main/binary-amd64/Packages\n"
            head = f"Suite: {pocket}\nCodename: {pocket}\nArchitectures: amd64\nComponents: main\n"
            (folder / "Release").write_text(head + "Date: Thu, 01 Jan 2026 00:00:00 UTC\n" + listed)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that a server on loopback offers, and that stands for both archives."""
    root = tmp_path / "www"
    root.mkdir()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(root)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    url = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setattr(mirror, "ARCHIVE", f"{url}/now/debian")
    monkeypatch.setattr(mirror, "SNAPSHOT", f"{url}/kept/debian")
    monkeypatch.setattr(mirror, "SIGNED", "trusted=yes")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    yield root
    server.shutdown()
    thread.join()
    server.server_close()


def kept(root: Path, offered: Path | None) -> None:
    """Lay out what the snapshot keeps: every archive below the moment it was taken."""
    archive(root / "whole", offered)
    for name in POCKETS:
        (root / "kept" / name).mkdir(parents=True)
        (root / "whole" / name).rename(root / "kept" / name / THEN)


def locked(path: Path, version: str) -> Debs:
    digest, size = sha256_file(path)
    return Debs("bookworm", ("toy",), (Deb("toy", version, "all", digest, size),), THEN)


def test_what_the_archive_dropped_is_fetched_from_the_snapshot(tmp_path: Path, place: Path) -> None:
    old, new = package(tmp_path, "1.0"), package(tmp_path, "2.0")
    archive(place / "now", new)
    kept(place, old)
    store, said = Store.make(tmp_path / "store"), list[str]()
    lock = locked(old, "1.0")
    debs.keep(store, "base", lock, said.append)
    assert store.blobs.state(lock.packages[0].sha256) == "sound"
    assert any(f"as of {THEN}" in line for line in said)


def test_what_neither_carries_is_named_with_what_is_offered_now(tmp_path: Path, place: Path) -> None:
    old, new = package(tmp_path, "1.0"), package(tmp_path, "2.0")
    archive(place / "now", new)
    kept(place, new)
    with pytest.raises(MissingError) as told:
        debs.keep(Store.make(tmp_path / "store"), "base", locked(old, "1.0"), lambda _: None)
    assert "toy 1.0 (it offers 2.0 now)" in told.value.what and "--moved" in told.value.next


def test_a_person_is_told_by_the_name_of_the_image_and_nothing_is_shelved(tmp_path: Path, place: Path) -> None:
    archive(place / "now", package(tmp_path, "2.0"))
    kept(place, None)
    here = tmp_path / "project"
    (here / "images" / "mine").mkdir(parents=True)
    (here / "lockfiles").mkdir()
    recipe = "image: 1\nname: mine\nabout: x\nbase: debian/bookworm\npackages: [toy]\nepoch: 1\nuser: 65534:65534\n"
    (here / "images" / "mine" / "image.yaml").write_text(recipe)
    locked(package(tmp_path, "1.0"), "1.0").save(here / "images" / "mine" / DEBS)
    error = error_of(inside("images", "build", "mine", "--json", cwd=here, check=3))
    assert "no longer carries what the lock names: toy 1.0 (it offers 2.0 now)" in error["what"]
    assert "harness images build mine --moved" in error["next"]
    (here / "images" / "mine" / "image.yaml").write_text(recipe.replace("toy", "no-such-package"))
    error = error_of(inside("images", "build", "mine", "--relock", "--json", cwd=here, check=3))
    assert "no-such-package" in error["what"]
    assert "toy" in (here / "images" / "mine" / DEBS).read_text(), "the lock stays until the image is whole"
    assert not shelved(Store.open(here / ".harness"))


def test_a_snapshot_that_cannot_be_asked_is_said(tmp_path: Path, place: Path) -> None:
    old, new = package(tmp_path, "1.0"), package(tmp_path, "2.0")
    archive(place / "now", new)
    with pytest.raises(MissingError) as told:
        debs.keep(Store.make(tmp_path / "store"), "base", locked(old, "1.0"), lambda _: None)
    assert "toy 1.0 (it offers 2.0 now)" in told.value.what and "apt-get update failed" in told.value.what


def test_other_bytes_under_the_same_version_are_refused(tmp_path: Path, place: Path) -> None:
    old = package(tmp_path, "1.0")
    archive(place / "now", old)
    lock = locked(old, "1.0")
    other = Debs(lock.suite, lock.asked, (Deb("toy", "1.0", "all", "0" * 64, 1),), THEN)
    with pytest.raises(Exception, match=r"toy_1\.0_all\.deb is not the package that was asked for"):
        debs.keep(Store.make(tmp_path / "store"), "base", other, lambda _: None)
