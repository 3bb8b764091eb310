"""A locked package that the archive has dropped is fetched as it stood when the lock was written, or named."""

from __future__ import annotations

import functools
import http.server
import re
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support import REPOSITORY, error_of
from support_inside import inside

from harness.digest import sha256, sha256_file
from harness.errors import InputError, MissingError
from harness.images.image import list_images
from harness.images.layers import debian, layer
from harness.images.layers.layer import Archive
from harness.images.recipe import DEBS, Deb, Debs
from harness.store.store import Store

THEN = "20260101T000000Z"
POCKETS = {"debian": ("bookworm", "bookworm-updates"), "debian-security": ("bookworm-security",)}

pytestmark = [
    pytest.mark.together,
    pytest.mark.long,
    pytest.mark.skipif(
        not all(map(shutil.which, ("dpkg-deb", "apt-get"))), reason="apt and dpkg are not installed here"
    ),
]


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
    """A folder that a server on loopback offers; apt asks it for what is offered now and for what was kept."""
    root = tmp_path / "www"
    root.mkdir()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(root)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    url = f"http://127.0.0.1:{server.server_port}"
    (tmp_path / "url").write_text(url)
    monkeypatch.setattr(debian, "SIGNED", "trusted=yes")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    yield root
    server.shutdown()
    thread.join()
    server.server_close()


def asked(place: Path) -> Archive:
    """Say where both are asked."""
    url = (place.parent / "url").read_text()
    return Archive(f"{url}/now/debian", f"{url}/kept/debian")


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
    debian.ensure_debs(store, "base", lock, said.append, asked(place))
    assert store.blobs.state(lock.packages[0].sha256) == "sound"
    assert any(f"as of {THEN}" in line for line in said)


def test_what_neither_carries_is_named_with_what_is_offered_now(tmp_path: Path, place: Path) -> None:
    old, new = package(tmp_path, "1.0"), package(tmp_path, "2.0")
    archive(place / "now", new)
    kept(place, new)
    with pytest.raises(MissingError) as told:
        debian.ensure_debs(Store.make(tmp_path / "store"), "base", locked(old, "1.0"), lambda _: None, asked(place))
    assert "toy 1.0 (it offers 2.0 now)" in told.value.what and "--moved" in told.value.next


@pytest.mark.skipif(not shutil.which("mmdebstrap"), reason="mmdebstrap, which builds an image, is not installed here")
def test_a_person_is_told_by_the_name_of_the_image_and_nothing_is_shelved(tmp_path: Path, place: Path) -> None:
    archive(place / "now", package(tmp_path, "2.0"))
    kept(place, None)
    here = tmp_path / "project"
    (here / "images" / "mine").mkdir(parents=True)
    (here / "lockfiles").mkdir()
    recipe = "image: 1\nname: mine\nabout: x\nbase: debian/bookworm\npackages: [toy]\nepoch: 1\nuser: 65534:65534\n"
    (here / "images" / "mine" / "image.yaml").write_text(recipe)
    locked(package(tmp_path, "1.0"), "1.0").save(here / "images" / "mine" / DEBS)
    where = ("--archive", asked(place).now, "--snapshots", asked(place).snapshots)
    error = error_of(inside("images", "build", "mine", "--json", *where, cwd=here, check=3))
    assert "no longer carries what the lock names: toy 1.0 (it offers 2.0 now)" in error["what"]
    assert "harness images build mine --moved" in error["next"]
    (here / "images" / "mine" / "image.yaml").write_text(recipe.replace("toy", "no-such-package"))
    error = error_of(inside("images", "build", "mine", "--relock", "--json", *where, cwd=here, check=3))
    assert "no-such-package" in error["what"]
    assert "toy" in (here / "images" / "mine" / DEBS).read_text(), "the lock stays until the image is whole"
    assert not list_images(Store.open(here / ".harness"))


def test_a_snapshot_that_cannot_be_asked_is_said(tmp_path: Path, place: Path) -> None:
    old, new = package(tmp_path, "1.0"), package(tmp_path, "2.0")
    archive(place / "now", new)
    with pytest.raises(MissingError) as told:
        debian.ensure_debs(Store.make(tmp_path / "store"), "base", locked(old, "1.0"), lambda _: None, asked(place))
    assert "toy 1.0 (it offers 2.0 now)" in told.value.what and "apt-get update failed" in told.value.what


def test_other_bytes_under_the_same_version_are_refused(tmp_path: Path, place: Path) -> None:
    old = package(tmp_path, "1.0")
    archive(place / "now", old)
    lock = locked(old, "1.0")
    other = Debs(lock.suite, lock.asked, (Deb("toy", "1.0", "all", "0" * 64, 1),), THEN)
    with pytest.raises(Exception, match=r"toy_1\.0_all\.deb is not the package that was asked for"):
        debian.ensure_debs(Store.make(tmp_path / "store"), "base", other, lambda _: None, asked(place))


LISTS = {
    "a list": "deb https://tools.invalid/apt bookworm-tools main\ndeb [trusted=yes] {url}/now/debian/ {release} main\n",
    "stanzas": "Types: deb\nURIs: {url}/now/debian\nSuites: {release} {release}-updates\nComponents: main\n\n"
    "Types: deb\nURIs: {url}/now/debian-security\nSuites: {release}-security\nComponents: main\n",
}


@pytest.fixture
def own(tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Let this machine's apt have other sources than it has, and name nobody who keeps older states."""

    def have(form: str, release: str, more: str = "") -> None:
        parts = tmp_path / "sources"
        parts.mkdir()
        url = (tmp_path / "url").read_text()
        name = "debian.sources" if form == "stanzas" else "debian.list"
        (parts / name).write_text(LISTS[form].format(url=url, release=release) if form else "")
        config = f'Dir::Etc::sourcelist "/dev/null"; Dir::Etc::sourceparts "{parts}"; {more}'
        (tmp_path / "apt.conf").write_text(config)
        monkeypatch.setenv("APT_CONFIG", str(tmp_path / "apt.conf"))

    return have


@pytest.mark.parametrize(("form", "release"), [(form, release) for form in LISTS for release in ("bookworm", "trixie")])
def test_what_nobody_names_is_asked_where_this_machine_s_apt_asks(
    form: str, release: str, tmp_path: Path, place: Path, own: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = tmp_path / "os-release"
    system.write_text(f'ID=debian\nVERSION_CODENAME="{release}"\n')
    monkeypatch.setattr(layer, "SYSTEM", system)
    own(form, release)
    old = package(tmp_path, "1.0")
    archive(place / "now", old)
    store, lock = Store.make(tmp_path / "store"), locked(old, "1.0")
    debian.ensure_debs(store, "base", lock, lambda _: None)
    assert store.blobs.state(lock.packages[0].sha256) == "sound"


def test_a_machine_that_knows_no_archive_of_debian_says_how_one_is_named(
    tmp_path: Path, place: Path, own: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = tmp_path / "os-release"
    system.write_text("ID=ubuntu\nVERSION_CODENAME=noble\n")
    monkeypatch.setattr(layer, "SYSTEM", system)
    own("stanzas", "noble")
    with pytest.raises(MissingError, match="asks no archive for Debian bookworm") as told:
        debian.ensure_debs(Store.make(tmp_path / "s"), "base", locked(package(tmp_path, "1.0"), "1.0"), lambda _: None)
    assert "--archive URL" in told.value.next


def test_snapshots_are_fetched_from_the_server_that_apt_names_only(tmp_path: Path, place: Path, own: Any) -> None:
    url = (tmp_path / "url").read_text()
    old, new = package(tmp_path, "1.0"), package(tmp_path, "2.0")
    archive(place / "now", new)
    kept(place, old)
    lock, only_now = locked(old, "1.0"), Archive(asked(place).now)
    own("", "", f'Acquire::Snapshots::URI::Origin::Debian "{url}/kept/debian/@SNAPSHOTID@/";')
    store = Store.make(tmp_path / "store")
    debian.ensure_debs(store, "base", lock, lambda _: None, only_now)
    assert store.blobs.state(lock.packages[0].sha256) == "sound"
    (tmp_path / "apt.conf").write_text("")
    with pytest.raises(MissingError, match="has no snapshot server"):
        debian.ensure_debs(Store.make(tmp_path / "other"), "base", lock, lambda _: None, only_now)


@pytest.mark.parametrize("option", ["--archive", "--snapshots"])
@pytest.mark.parametrize("address", ["debian", "http://a b", "cdrom:x", "http://a\ndeb http://b"])
def test_what_is_no_address_is_refused(option: str, address: str) -> None:
    with pytest.raises(InputError, match="no address of an archive") as told:
        Archive(address) if option == "--archive" else Archive("", address)
    assert told.value.where == option


def test_no_host_of_an_archive_is_written_anywhere() -> None:
    folders = [REPOSITORY / name for name in ("harness", "images", "lockfiles")]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert len(files) > 300
    assert not [path for path in files if re.search(rb"(deb|ftp|snapshot|security)\.debian\.org", path.read_bytes())]
    assert layer.public_url("http://me:secret@archive.example/debian") == "http://archive.example/debian"
