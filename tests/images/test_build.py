"""Building for real: the same bytes anywhere, only what changed made anew, and a plain word where it cannot be done."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tarfile
import time
from pathlib import Path

import pytest
from support import SmallDisk, clean_env, command, data_of, error_of, harness, tree
from support_images import SHARED, branch, built, change, project, under

from harness.images.image import Image, inventory_path, list_images, read_image_pins, save_pins
from harness.images.image import Pin as PinOf
from harness.images.recipe import load_recipe, read_debs
from harness.store.store import Store

ALIEN = {"TZ": "Asia/Kathmandu", "LC_ALL": "tr_TR.UTF-8", "LANG": "de_DE.UTF-8", "PYTHONHASHSEED": "7", "EDITOR": "x"}
NOWHERE = {"PATH": "/nonexistent"}


@pytest.fixture(scope="module")
def sandbox() -> Image:
    return built("sandbox", fresh=True)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    return project(tmp_path / "project")


@pytest.mark.long
def test_folder_umask_time_zone_and_locale_do_not_change_an_image(tmp_path: Path, sandbox: Image, here: Path) -> None:
    """Every layer is made again by `--rebuild`, which finds what was damaged and nothing else; the rest by `build`."""
    store = branch(sandbox, here / ".harness")
    with tarfile.open(store.blobs.path(sandbox.layers[1])) as tar:
        file = next(one for one in tar if one.name.endswith("numpy/version.py"))
    change(store, sandbox.layers[1], file.offset_data + 5)
    (tmp_path / "other tmp").mkdir()
    env = {**ALIEN, "TMPDIR": str(tmp_path / "other tmp")}
    done = under("077", "images", "verify", "sandbox", "--rebuild", "--json", cwd=here, env=env, check=1)
    [found] = json.loads(done.stdout)["images"]
    assert found["flaws"] == [
        f"layer 2 is changed: {store.blobs.path(sandbox.layers[1])}",
        f"rebuilt, the layer of light wheels differs: {file.name} (its contents)",
    ]
    for digest in (sandbox.layers[1], sandbox.config, sandbox.manifest):
        store.blobs.remove(digest)
    (store.images / f"{sandbox.config}.json").unlink()
    made = json.loads(under("077", "images", "build", "sandbox", "--json", cwd=here, env=env, check=0).stdout)
    assert made["pinned"] == "same"
    assert made["image_id"] == sandbox.pin.image_id
    assert made["manifest"] == sandbox.pin.manifest
    assert made["diff_ids"] == list(sandbox.pin.diff_ids)
    listed = json.loads(inventory_path(store, sandbox).read_bytes())["packages"]
    digests = {one["checksums"][0]["checksumValue"] for one in listed}
    assert digests == {sandbox.config, *sandbox.sources.values()}, "the inventory lists every package by its digest"
    assert not list(store.temp.iterdir())
    assert not list((tmp_path / "other tmp").iterdir())


@pytest.mark.long
def test_a_change_of_a_light_wheel_makes_its_own_layer_anew_and_no_other(sandbox: Image, here: Path) -> None:
    store = branch(sandbox, here / ".harness")
    lock = here / "lockfiles" / "image-sandbox.txt"
    lock.write_text("".join(line for line in lock.read_text().splitlines(True) if not line.startswith("scipy")))
    done = harness("images", "build", "sandbox", "--json", cwd=here, check=1, env=NOWHERE)  # without mmdebstrap
    made = json.loads(done.stdout)
    assert made["diff_ids"][0] == sandbox.pin.diff_ids[0]
    assert made["diff_ids"][1] != sandbox.pin.diff_ids[1]
    assert "the layer of light wheels is sha256:" in done.stderr
    assert "debian" not in done.stderr.partition("is not what")[2]
    assert read_image_pins(here)["sandbox"] == sandbox.pin
    states = {one["image_id"]: one["state"] for one in data_of("images", "ls", cwd=here)["images"]}
    assert states == {sandbox.pin.image_id: "pinned", made["image_id"]: "old"}
    again = data_of("images", "build", "sandbox", "--relock", cwd=here)
    assert again["pinned"] == "renewed"
    assert read_image_pins(here)["sandbox"].image_id == made["image_id"]
    assert len(list_images(store)) == 2


@pytest.mark.long
def test_an_image_that_is_not_what_is_pinned_is_told_by_its_part(sandbox: Image, here: Path) -> None:
    branch(sandbox, here / ".harness")
    pin = sandbox.pin
    save_pins(here, {"sandbox": PinOf(pin.image_id, pin.manifest, ("sha256:" + "0" * 64, pin.diff_ids[1]))})
    done = harness("images", "build", "sandbox", cwd=here, check=1)
    assert "sandbox is not what lockfiles/images.json pins: the layer of debian is sha256:" in done.stderr
    assert "instead of sha256:0000" in done.stderr
    assert "--relock" in done.stderr
    recipe = here / "images" / "sandbox" / "image.yaml"
    recipe.write_text(recipe.read_text().replace("65534:65534", "1000:1000"))
    save_pins(here, {"sandbox": pin})
    assert "the config differs" in harness("images", "build", "sandbox", cwd=here, check=1).stderr


@pytest.mark.long
def test_several_names_give_a_list(sandbox: Image, here: Path) -> None:
    branch(sandbox, here / ".harness")
    made = data_of("images", "build", "sandbox", "base", "sandbox", cwd=here)
    assert [one["name"] for one in made["images"]] == ["sandbox", "base"]
    assert made["images"][1]["image_id"] == read_image_pins(here)["base"].image_id


@pytest.mark.long
def test_a_new_name_is_pinned_aloud(sandbox: Image, here: Path) -> None:
    branch(sandbox, here / ".harness")
    (here / "lockfiles" / "images.json").unlink()
    done = harness("images", "build", "sandbox", cwd=here, check=0)
    assert f"lockfiles/images.json pins sandbox as {sandbox.pin.image_id} now" in done.stderr
    assert read_image_pins(here) == {"sandbox": sandbox.pin}


@pytest.mark.long
@pytest.mark.parametrize(("kind", "names"), [("deb", "libc6_"), ("whl", "numpy")])
def test_a_tampered_package_is_refused_by_name(sandbox: Image, here: Path, kind: str, names: str) -> None:
    store = branch(sandbox, here / ".harness", layers=False)
    digest = next(one for file, one in sandbox.sources.items() if file.startswith(names) and file.endswith(kind))
    change(store, digest)
    error = error_of(harness("images", "build", "sandbox", "--json", cwd=here, check=1))
    assert names.strip("_") in error["what"]
    assert error["where"] == str(store.blobs.path(digest))
    assert "again" in error["next"]
    assert not list_images(store)


@pytest.mark.long
def test_without_mmdebstrap_a_build_says_how_to_get_it(sandbox: Image, here: Path) -> None:
    store = branch(sandbox, here / ".harness", layers=False)
    error = error_of(harness("images", "build", "base", "--json", cwd=here, check=3, env=NOWHERE))
    assert "mmdebstrap is not installed" in error["what"]
    assert error["next"] == "apt-get install mmdebstrap"
    assert not list_images(store)


def test_mmdebstrap_is_asked_for_before_a_package_is_fetched(here: Path) -> None:
    error = error_of(harness("images", "build", "base", "--json", cwd=here, check=3, env=NOWHERE))
    assert error["what"] == "mmdebstrap is not installed"


@pytest.mark.long
def test_a_moved_image_is_a_distinct_one_and_pins_nothing(newest: Path) -> None:
    here = newest
    before = tree(here / "lockfiles"), tree(here / "images")
    done = harness("images", "build", "sandbox", "--moved", "--json", cwd=here)
    if done.returncode == 3:
        pytest.skip(f"the Debian archive cannot be asked here: {error_of(done)['what']}")
    made = json.loads(done.stdout)
    assert (made["name"], made["pinned"]) == ("sandbox+moved", "moved")
    assert made["image_id"] != read_image_pins(here)["sandbox"].image_id
    assert before == (tree(here / "lockfiles"), tree(here / "images"))
    states = {one["name"]: one["state"] for one in data_of("images", "ls", cwd=here)["images"]}
    assert states == {"base": "pinned", "sandbox": "pinned", "sandbox+moved": "moved"}
    assert data_of("images", "verify", "sandbox+moved", cwd=here)["verdict"] == "agreed"
    harness("images", "build", "sandbox", "--moved", "--relock", cwd=here, check=2)


@pytest.fixture(scope="module")
def newest(sandbox: Image, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a project whose lock was lost and made anew: its store holds the layer of Debian's newest packages."""
    here = project(tmp_path_factory.mktemp("newest") / "project")
    branch(sandbox, here / ".harness")
    (here / "images" / "base" / "debs.json").unlink()
    assert "--relock" in error_of(harness("images", "build", "base", "--json", cwd=here, check=2))["next"]
    done = harness("images", "build", "base", "--relock", "--json", cwd=here)
    if done.returncode == 3:
        pytest.skip(f"the Debian archive cannot be asked here: {error_of(done)['what']}")
    return here


@pytest.mark.long
def test_relock_writes_lock_and_pin_only_once_the_image_is_whole(newest: Path) -> None:
    here = newest
    assert [deb.name for deb in read_debs(load_recipe(here, "base")).packages if deb.name == "python3"] == ["python3"]


@pytest.mark.long
def test_a_full_disk_leaves_nothing_half_made(tmp_path: Path, sandbox: Image, here: Path) -> None:
    kept = branch(sandbox, tmp_path / "kept")
    for digest in (sandbox.layers[1], sandbox.config, sandbox.manifest):
        kept.blobs.remove(digest)
    (kept.images / f"{sandbox.config}.json").unlink()
    room = sum(path.stat().st_size for path in kept.root.rglob("*") if path.is_file()) // 2**20
    with SmallDisk(tmp_path / "small", f"{room + 60}m") as disk:
        shutil.copytree(kept.root, disk.seen / "store")
        words = ("images", "build", "sandbox", "--json", "--store", tmp_path / "small" / "store")
        blobs = set(tree(disk.seen / "store" / "blobs"))
        error = error_of(harness(*words, cwd=here, check=3, disk=disk))
        assert error["what"] == "the disk is full"
        assert error["next"].startswith("free some room")
        assert set(tree(disk.seen / "store" / "blobs")) == blobs
        assert not list((disk.seen / "store" / "tmp").iterdir())
        assert not list_images(Store(disk.seen / "store"))
        disk.remount(f"size={room + 400}m")
        assert data_of(*words[:-3], *words[-2:], cwd=here, disk=disk)["pinned"] == "same"


@pytest.mark.long
def test_a_build_that_is_stopped_leaves_no_mount_and_no_folder(sandbox: Image, here: Path) -> None:
    store = branch(sandbox, here / ".harness", layers=False)
    child = subprocess.Popen(
        command("images", "build", "base"), cwd=here, env=clean_env(), stderr=subprocess.DEVNULL, text=True
    )
    deadline = time.monotonic() + 60
    while not list(store.temp.glob("layer-*/mmdebstrap.*/usr")) and time.monotonic() < deadline:
        time.sleep(0.1)
    os.kill(child.pid, signal.SIGTERM)
    assert child.wait(60) == 130
    assert not list(store.temp.iterdir())
    assert str(store.temp) not in Path("/proc/self/mounts").read_text()
    assert not list_images(store)


@pytest.mark.long
def test_the_shared_store_is_untouched_by_all_this(sandbox: Image) -> None:
    assert data_of("images", "verify", "sandbox", cwd=SHARED.parent)["verdict"] == "agreed"
