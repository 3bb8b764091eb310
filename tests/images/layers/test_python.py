"""Wheel layers: what pip would install, at the same bytes every time; what is no fitting wheel is refused by name."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from support import unpack
from support_images import SHARED, built, put, wheel_bytes

from harness.errors import InputError
from harness.images.layers import python
from harness.images.recipe import Wheel
from harness.run.installed.packages import build_environment
from harness.store.blobs import Blobs
from harness.store.tree import StoreTree

EPOCH = 1_767_225_600


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    return Blobs(StoreTree(tmp_path))


def members(path: Path) -> dict[str, tarfile.TarInfo]:
    with tarfile.open(path) as tar:
        found = tar.getmembers()
    assert len({one.name for one in found}) == len(found)
    return {one.name: one for one in found}


def odd_wheel() -> bytes:
    files = {
        "odd/__init__.py": b"x = 1\n", "odd/tool.sh": b"#!/bin/sh\n", "odd/a,b.txt": b"comma",
        "odd/" + "n" * 120: b"long",
        "odd-1.0.data/scripts/oddly": b"#!python\n", "odd-1.0.data/data/share/odd/note": b"note",
        "odd-1.0.data/purelib/odd/more.py": b"y = 2\n", "odd-1.0.data/headers/odd.h": b"int x;",
    }  # fmt: skip
    return wheel_bytes("odd", "1.0", files, tools="[console_scripts]\nodd = odd:main\n", run="odd/tool.sh")


def test_a_wheel_layer_has_one_date_and_owner_and_no_scripts(tmp_path: Path, blobs: Blobs) -> None:
    wheel = put(blobs, odd_wheel(), "odd")
    python.check_wheels(blobs, [wheel])
    python.write_wheel_layer(blobs, [wheel], EPOCH, tmp_path / "layer.tar")
    found = members(tmp_path / "layer.tar")
    inside = {name.removeprefix(f"{python.SITE}/") for name in found if name.startswith(f"{python.SITE}/")}
    assert {"odd", "odd/__init__.py", "odd/tool.sh", "odd/a,b.txt", "odd/" + "n" * 120, "odd/more.py"} <= inside
    assert "usr/local/share/odd/note" in found
    assert not [name for name in found if "scripts" in name or "bin" in name or name.endswith("odd.h")]
    assert {one.mtime for one in found.values()} == {EPOCH}
    assert {(one.uid, one.gid, one.uname, one.gname) for one in found.values()} == {(0, 0, "", "")}
    assert found[f"{python.SITE}/odd/tool.sh"].mode == 0o755
    assert found[f"{python.SITE}/odd/__init__.py"].mode == 0o644
    order = list(found)
    assert all(order.index(str(Path(name).parent)) < order.index(name) for name in order if "/" in name)


def test_the_same_wheels_give_the_same_bytes(tmp_path: Path, blobs: Blobs) -> None:
    wheels = [put(blobs, odd_wheel(), "odd"), put(blobs, wheel_bytes("even", "1.0", {"even.py": b""}), "even")]
    for name in ("one", "two"):
        python.write_wheel_layer(blobs, wheels, EPOCH, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def installed_by_pip(wheels: list[Path], folder: Path) -> Path:
    words = ["install", "--quiet", "--no-deps", "--no-index", "--no-compile", "--only-binary", ":all:"]
    words += ["--python-version", "3.11", "--disable-pip-version-check", "--target", str(folder), *map(str, wheels)]
    subprocess.run([sys.executable, "-m", "pip", *words], check=True)
    return folder


@pytest.mark.long
def test_a_package_in_an_image_has_the_record_it_has_when_pip_installs_it(tmp_path: Path, blobs: Blobs) -> None:
    """Steps in a container and on the machine then differ in their packages only where the packages do."""
    (tmp_path / "wheels").mkdir()
    files = [tmp_path / "wheels" / "odd-1.0-py3-none-any.whl"]
    files[0].write_bytes(odd_wheel())
    wheels = [put(blobs, odd_wheel(), "odd")]
    label, digest = next(one for one in built("sandbox").sources.items() if one[0].startswith("numpy-"))
    data = Blobs(StoreTree(SHARED)).read(digest)
    name, version = label.removesuffix(".whl").split("-")
    wheels.append(put(blobs, data, name, version))
    files.append(tmp_path / "wheels" / f"{name}-{version}-{_tag(blobs.path(digest))}.whl")
    files[-1].write_bytes(data)
    python.write_wheel_layer(blobs, wheels, EPOCH, tmp_path / "layer.tar")
    with tarfile.open(tmp_path / "layer.tar") as tar:
        unpack(tar, tmp_path / "root")
    ours = json.loads(build_environment(tmp_path / "root" / python.SITE))
    theirs = json.loads(build_environment(installed_by_pip(files, tmp_path / "site")))
    assert set(ours["packages"]) == {"odd", "numpy"}
    assert ours["packages"] == theirs["packages"]
    assert ours["loose"] == {}


def _tag(path: Path) -> str:
    with zipfile.ZipFile(path) as file:
        name = next(name for name in file.namelist() if name.endswith(".dist-info/WHEEL"))
        return str(re.findall(r"^Tag: (\S+)", file.read(name).decode(), re.MULTILINE)[0])


@pytest.mark.parametrize("path", ["../escape.py", "pkg/../../escape.py", "/etc/passwd", "pkg\\..\\x"])
def test_a_path_that_leads_out_of_a_wheel_is_refused(blobs: Blobs, path: str) -> None:
    wheel = put(blobs, wheel_bytes("evil", "1.0", {path: b""}), "evil")
    with pytest.raises(InputError, match=r"evil 1\.0 .* leads out of its folder") as bad:
        python.check_wheels(blobs, [wheel])
    assert bad.value.where == "lockfiles/image-test.txt:1"


def test_two_wheels_with_different_contents_of_one_path_are_both_named(blobs: Blobs) -> None:
    one = put(blobs, wheel_bytes("one", "1.0", {"shared/__init__.py": b"1"}), "one")
    two = put(blobs, wheel_bytes("two", "2.0", {"shared/__init__.py": b"2"}), "two", "2.0", line=2)
    with pytest.raises(InputError) as bad:
        python.check_wheels(blobs, [one, two])
    assert "one 1.0 and two 2.0 both bring shared/__init__.py" in bad.value.what
    assert bad.value.where == "lockfiles/image-test.txt:1, lockfiles/image-test.txt:2"


def test_two_wheels_may_bring_the_same_file(tmp_path: Path, blobs: Blobs) -> None:
    wheels = [
        put(blobs, wheel_bytes(name, "1.0", {"shared/__init__.py": b"", f"shared/{name}.py": b""}), name)
        for name in ("one", "two")
    ]
    python.check_wheels(blobs, wheels)
    python.write_wheel_layer(blobs, wheels, EPOCH, tmp_path / "layer.tar")
    assert {f"{python.SITE}/shared/{name}.py" for name in ("one", "two")} <= set(members(tmp_path / "layer.tar"))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x1f\x8b\x08\x00 an sdist", "it is no wheel"),
        (b"", "it is no wheel"),
        (wheel_bytes("pkg", "1.0", {}, tag="cp312-cp312-manylinux_2_28_x86_64"), "it is for cp312"),
        (wheel_bytes("pkg", "1.0", {}, tag="cp311-cp311-macosx_11_0_arm64"), "it is for cp311-cp311-macosx"),
        (wheel_bytes("pkg", "1.0", {}, tag="cp311-cp311-musllinux_1_2_x86_64"), "it is for cp311-cp311-musl"),
        (wheel_bytes("pkg", "1.1", {}), "it is pkg 1.1"),
        (wheel_bytes("other", "1.0", {}), "it is other 1.0"),
    ],
)
def test_what_is_no_wheel_for_the_image_is_refused_by_line(blobs: Blobs, data: bytes, words: str) -> None:
    wheel = Wheel("pkg", "1.0", blobs.put(data), "lockfiles/image-test.txt:7")
    with pytest.raises(InputError) as bad:
        python.check_wheels(blobs, [wheel])
    assert words in bad.value.what
    assert bad.value.where == "lockfiles/image-test.txt:7"


def test_a_wheel_that_breaks_off_is_refused(tmp_path: Path, blobs: Blobs) -> None:
    data = bytearray(wheel_bytes("pkg", "1.0", {"pkg.py": b"x" * 10_000}))
    data[40] ^= 0xFF  # inside the deflated bytes of the first file
    wheel = Wheel("pkg", "1.0", blobs.put(bytes(data)), "lockfiles/image-test.txt:7")
    with pytest.raises(InputError, match="it is no wheel"):
        python.write_wheel_layer(blobs, [wheel], EPOCH, tmp_path / "layer.tar")
