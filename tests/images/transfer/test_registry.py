"""Push and pull against a real registry: Debian's `docker-registry`, on loopback."""

from __future__ import annotations

import base64
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from handmade import contents, handmade, pinned_project
from support import error_of
from support_inside import inner_data, inside

from harness.digest import sha256
from harness.errors import InputError
from harness.images.image import list_images
from harness.images.transfer.registry import PASSWORD, USER, pull_image, push_image
from harness.store.store import Store

SECRET = "quite secret"
HTPASSWD = "researcher:$2b$04$ONbOHHiIFDKwDqPxcN50ke4V2XdgWaFerIL2jozU5zWsDhKEHQKKK\n"  # bcrypt of SECRET
LOGIN = {USER: "researcher", PASSWORD: SECRET}


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in LOGIN:
        monkeypatch.delenv(name, raising=False)


@contextmanager
def _registry(folder: Path, auth: str = "") -> Iterator[str]:
    """Run Debian's registry on a free port; gives HOST:PORT."""
    if not shutil.which("docker-registry"):
        pytest.skip("docker-registry is not installed")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    config = folder / "config.yml"
    config.write_text(
        f"version: 0.1\nlog: {{level: info}}\nhttp: {{addr: '127.0.0.1:{port}'}}\n"
        f"storage: {{filesystem: {{rootdirectory: '{folder}/data'}}, delete: {{enabled: true}}}}\n{auth}"
    )
    with open(folder / "log", "wb") as log:
        process = subprocess.Popen(["docker-registry", "serve", str(config)], stdout=log, stderr=log)
    try:
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None, (folder / "log").read_text()
            time.sleep(0.05)
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with _registry(tmp_path_factory.mktemp("registry")) as host:
        yield host


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("guarded")
    (folder / "htpasswd").write_text(HTPASSWD)
    with _registry(folder, f"auth: {{htpasswd: {{realm: lab, path: '{folder}/htpasswd'}}}}\n") as host:
        yield host


@pytest.mark.parametrize("by", [":1", ""])
def test_push_then_pull_gives_the_same_image(by: str, registry: str, store: Store, other: Store) -> None:
    image = handmade(store)
    place = f"{registry}/lab/study/cpu{by}"
    pushed = push_image(store, image, place)
    assert pushed.reference == f"{registry}/lab/study/cpu@{image.pin.manifest}"
    moved: list[int] = []
    assert pull_image(other, place, "cpu", image.pin, moved.append) == image
    assert contents(other, image) == contents(store, image) and sum(moved) > 3_000_000
    assert pull_image(other, pushed.reference, "cpu", None) == image


def test_what_is_there_is_not_moved_again(registry: str, store: Store, other: Store) -> None:
    image = handmade(store, size=5000)
    place = f"{registry}/again:1"
    assert push_image(store, image, place).blobs == 3
    moved: list[int] = []
    again = push_image(store, image, place, moved.append)
    assert (again.blobs, again.bytes, moved) == (0, 0, [])
    pull_image(other, place, "cpu", image.pin)
    other.blobs.remove(image.layers[0])
    pull_image(other, place, "cpu", image.pin, moved.append)
    assert sum(moved) == store.blobs.path(image.layers[0]).stat().st_size


def test_a_tag_that_means_another_image_now_is_refused(registry: str, store: Store, other: Store) -> None:
    image = handmade(store, size=5000)
    theirs = handmade(Store.make(store.root.parent / "theirs"), size=7000)
    push_image(store, image, f"{registry}/moved:1")
    push_image(Store.open(store.root.parent / "theirs"), theirs, f"{registry}/moved:1")
    with pytest.raises(InputError, match="another image"):
        pull_image(other, f"{registry}/moved:1", "cpu", image.pin)
    assert list_images(other) == []
    assert pull_image(other, f"{registry}/moved", "cpu", image.pin) == image  # by its digest it is still there


def test_an_image_comes_back_through_other_peoples_tools(registry: str, store: Store, tmp_path: Path) -> None:
    if not shutil.which("skopeo"):
        pytest.skip("skopeo is not installed")
    image = handmade(store, size=5000)
    push_image(store, image, f"{registry}/tools:1")
    look = ["skopeo", "inspect", "--tls-verify=false", "--raw", f"docker://{registry}/tools:1"]
    assert sha256(subprocess.run(look, check=True, capture_output=True).stdout) == image.manifest


def test_the_verbs_hold_what_comes_against_the_pins(registry: str, store: Store, tmp_path: Path) -> None:
    image = handmade(store, size=5000)
    project = pinned_project(tmp_path / "project", image)
    place = f"{registry}/verbs:1"
    env = {"HTTP_PROXY": "http://127.0.0.1:1", "ALL_PROXY": "http://127.0.0.1:1"}  # loopback never goes through one
    pushed = inner_data("images", "push", "cpu", place, "--store", store.root, cwd=project, env=env)
    assert pushed["reference"].endswith(image.pin.manifest) and pushed["blobs"] == 3
    assert inner_data("images", "pull", "cpu", "--from", place, cwd=project)["image_id"] == image.pin.image_id
    assert list_images(Store.open(project / ".harness")) == [image]
    done = inside("images", "pull", "gpu", "--from", place, "--json", cwd=project, check=2)
    assert "pins no image 'gpu'" in error_of(done)["what"]
    inner_data("images", "pull", "gpu", "--from", pushed["reference"], cwd=project)
    wrong = pushed["reference"][:-1] + ("0" if pushed["reference"][-1] != "0" else "1")
    done = inside("images", "pull", "cpu", "--from", wrong, "--json", cwd=project, check=2)
    assert "is pinned to" in error_of(done)["what"]
    done = inside("images", "pull", "cpu", "--from", f"{registry}/none:1", "--json", cwd=project, check=2)
    assert "no such image" in error_of(done)["what"]


def test_a_registry_with_a_password_is_used_and_no_output_shows_it(guarded: str, store: Store, tmp_path: Path) -> None:
    image = handmade(store, size=5000)
    project = pinned_project(tmp_path / "project", image)
    words = ("images", "push", "cpu", f"{guarded}/cpu:1", "--store", store.root, "--json", "--debug")
    told = []
    for env, code, what in (
        ({}, 3, f"set {USER} and {PASSWORD}"),
        ({USER: "researcher"}, 3, "set both"),
        ({**LOGIN, PASSWORD: SECRET + "?"}, 3, f"check {USER}"),
        (LOGIN, 0, ""),
    ):
        done = inside(*words, cwd=project, env=env, check=code)
        told.append(done.stdout + done.stderr)
        assert what in done.stderr
    done = inside("images", "pull", "cpu", "--from", f"{guarded}/cpu:1", "--json", cwd=project, env=LOGIN, check=0)
    told.append(done.stdout + done.stderr)
    for text in told:
        assert SECRET not in text and base64.b64encode(f"researcher:{SECRET}".encode()).decode() not in text
