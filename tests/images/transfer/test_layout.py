"""An image leaves a store as files and enters another: the same bytes, or a refusal that says what is wrong."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from handmade import altered, contents, handmade, layer, pinned_project
from support import error_of, tree
from support_inside import inner_data, inside

from harness.digest import sha256
from harness.errors import DamageError, InputError
from harness.images.image import Image, find_image, list_images
from harness.images.transfer.layout import archive_bytes, image_tag, read_layout, write_archive, write_layout
from harness.store.store import Store


@pytest.mark.parametrize("write", [write_archive, write_layout])
def test_an_image_enters_another_store_with_the_same_ids_and_bytes(
    write: Callable[..., None], store: Store, other: Store, tmp_path: Path
) -> None:
    image = handmade(store)
    moved: list[int] = []
    write(store, image, tmp_path / "out", moved.append)
    assert sum(moved) >= 3_000_000
    assert read_layout(other, tmp_path / "out", "cpu") == image
    assert find_image(other, image.pin.image_id) == image
    assert contents(other, image) == contents(store, image)
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".tmp")] == []


def test_two_archives_of_an_image_have_equal_bytes_and_any_tar_reads_them(store: Store, tmp_path: Path) -> None:
    image = handmade(store)
    data = b"".join(archive_bytes(store, image))
    write_archive(store, image, tmp_path / "cpu.tar")
    assert data == (tmp_path / "cpu.tar").read_bytes()
    with tarfile.open(tmp_path / "cpu.tar") as tar:
        names = tar.getnames()
        assert names[:3] == ["oci-layout", "index.json", "manifest.json"] and len(names) == len(set(names))
        assert {entry.mtime for entry in tar} == {0}
        [docker] = json.loads(tar.extractfile("manifest.json").read())
    assert docker["Config"] == f"blobs/sha256/{image.config}" and docker["RepoTags"] == [image_tag(image)]


def test_a_layer_that_stands_twice_in_an_image_is_written_once(store: Store, other: Store, tmp_path: Path) -> None:
    one = store.blobs.put(layer({"a": b"a"}))
    image = altered(store, [one, one])
    write_archive(store, image, tmp_path / "a.tar")
    assert read_layout(other, tmp_path / "a.tar", "cpu").layers == (one, one)


def test_a_damaged_layer_never_leaves_the_store(store: Store, tmp_path: Path) -> None:
    image = handmade(store)
    path = store.blobs.path(image.layers[1])
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    for write in (write_archive, write_layout):
        with pytest.raises(DamageError, match=image.layers[1][:12]):
            write(store, image, tmp_path / "out")
    assert not (tmp_path / "out").exists() and not [path for path in tmp_path.iterdir() if ".tmp" in path.name]


def test_a_layout_is_never_written_over_something_else(store: Store, tmp_path: Path) -> None:
    image = handmade(store)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis").write_text("years of work")
    with pytest.raises(InputError, match="exists already"):
        write_layout(store, image, tmp_path / "mine")
    assert tree(tmp_path / "mine") == {"thesis": b"years of work"}
    (tmp_path / "empty").mkdir()
    write_layout(store, image, tmp_path / "empty")
    assert (tmp_path / "empty" / "oci-layout").is_file()


def test_what_was_built_here_keeps_its_sources_when_it_is_loaded_again(store: Store, tmp_path: Path) -> None:
    image = handmade(store)
    deb = store.blobs.put(b"a package")
    from harness.images.image import add_image

    add_image(store, Image(image.name, image.config, image.manifest, image.layers, {"a.deb": deb}))
    write_archive(store, image, tmp_path / "cpu.tar")
    assert read_layout(store, tmp_path / "cpu.tar", "cpu").sources == {"a.deb": deb}


# The command line


def test_save_and_load_carry_an_image_to_another_machine(store: Store, tmp_path: Path) -> None:
    image = handmade(store)
    project = pinned_project(tmp_path / "project", image)
    for path in ("cpu.tar", "layout"):
        saved = inner_data("images", "save", "cpu", path, "--store", store.root, cwd=project)
        assert saved["image_id"] == image.pin.image_id and saved["path"] == path
        loaded = inner_data("images", "load", path, "--name", "cpu", "--store", tmp_path / f"far-{path}", cwd=project)
        assert loaded["pinned"] is True and loaded["diff_ids"] == list(image.pin.diff_ids)


def test_who_may_only_read_a_store_can_save_from_it(store: Store, tmp_path: Path) -> None:
    image = handmade(store, size=5000)
    project = pinned_project(tmp_path / "project", image)
    before = tree(store.root)
    inner_data("images", "save", "cpu", "cpu.tar", "--store", store.root, cwd=project)
    assert tree(store.root) == before


def test_another_image_under_a_pinned_name_is_refused(store: Store, tmp_path: Path) -> None:
    project = pinned_project(tmp_path / "project", handmade(Store.make(tmp_path / "elsewhere"), size=1000))
    write_archive(store, handmade(store), tmp_path / "cpu.tar")
    done = inside("images", "load", tmp_path / "cpu.tar", "--name", "cpu", "--json", cwd=project, check=2)
    assert "another image than the one that is meant" in error_of(done)["what"]
    assert list_images(Store.open(project / ".harness")) == []
    inner_data("images", "load", tmp_path / "cpu.tar", "--name", "theirs", cwd=project)
    assert [image.name for image in list_images(Store.open(project / ".harness"))] == ["theirs"]
    assert error_of(inside("images", "save", "cpu", "x.tar", "--json", cwd=project, check=3))["next"]
    assert "no image 'none'" in error_of(inside("images", "save", "none", "x", "--json", cwd=project, check=2))["what"]
    assert error_of(inside("images", "load", "absent.tar", "--name", "a", "--json", cwd=project, check=2))["next"]
    assert error_of(inside("images", "load", "x", "--name", "Bad Name", "--json", cwd=project, check=2))["next"]


# Other people's readers


def test_an_engine_that_loads_an_archive_finds_the_image_by_its_id(store: Store) -> None:
    docker = pytest.importorskip("docker")
    if not (os.environ.get("DOCKER_HOST") or Path("/var/run/docker.sock").exists()):
        pytest.skip("no container engine here: DOCKER_HOST is not set")
    try:
        client = docker.from_env(timeout=60)
        client.ping()
    except docker.errors.DockerException as bad:
        pytest.skip(f"the container engine does not answer: {bad}")
    image = handmade(store)
    try:
        [loaded] = client.images.load(archive_bytes(store, image))
        assert loaded.id in (image.pin.image_id, image.pin.manifest)  # engines on containerd go by the manifest
        client.images.remove(loaded.id, force=True)
    finally:
        client.close()


def test_skopeo_reads_both_forms_with_the_same_digests(store: Store, tmp_path: Path) -> None:
    if not shutil.which("skopeo"):
        pytest.skip("skopeo is not installed")
    image = handmade(store)
    write_archive(store, image, tmp_path / "cpu.tar")
    write_layout(store, image, tmp_path / "layout")
    for place in ("oci-archive:cpu.tar", "oci:layout", "docker-archive:cpu.tar"):
        raw = ["skopeo", "inspect", "--raw", place]
        manifest = subprocess.run(raw, cwd=tmp_path, check=True, capture_output=True).stdout
        config = subprocess.run([*raw, "--config"], cwd=tmp_path, check=True, capture_output=True).stdout
        assert sha256(config) == image.config
        assert sha256(manifest) == image.manifest or place.startswith("docker")  # that form has its own manifest


def test_podman_pulls_an_archive_under_the_same_id(store: Store, tmp_path: Path) -> None:
    if not shutil.which("podman"):
        pytest.skip("podman is not installed")
    image = handmade(store)
    write_archive(store, image, tmp_path / "cpu.tar")
    with tempfile.TemporaryDirectory(prefix="p") as short:  # podman takes no long path here
        place = ["--root", f"{short}/p", "--runroot", f"{short}/r", "--storage-driver", "vfs"]
        words = ["podman", *place, "pull", "-q", f"oci-archive:{tmp_path}/cpu.tar"]
        done = subprocess.run(words, text=True, capture_output=True, check=False)
    if done.returncode and image.config not in done.stdout:
        pytest.skip(f"podman cannot run here: {done.stderr.strip()[-200:]}")
    assert done.stdout.strip() == image.config
