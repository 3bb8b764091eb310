"""From a wheel, in an empty folder: two commands from a file of questions to the scores of two models, for anybody."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from support import REPOSITORY
from support_wheel import Installed, install

from harness.digest import sha256_file

needs("torch", "transformers", "setuptools")
pytestmark = pytest.mark.together
CAPITALS = """question,answer,continent
What is the capital of Kenya?,Nairobi,Africa
What is the capital of Egypt?,Cairo,Africa
What is the capital of Japan?,Tokyo,Asia
What is the capital of France?,Paris,Europe
"""
STAND_INS = ("-m", "oracle=baseline/oracle", "-m", "baseline/echo")


def as_root() -> bool:
    """Whether this test may be somebody else, and mount folders where nobody else sees it."""
    return os.geteuid() == 0 and subprocess.run(["unshare", "--mount", "true"], check=False).returncode == 0


@pytest.fixture(scope="module")
def installed() -> Iterator[Installed]:
    with tempfile.TemporaryDirectory(prefix="wheel-") as name:  # everybody may pass, as nobody may pytest's own
        Path(name).chmod(0o755)
        yield install(Path(name))


@pytest.fixture(scope="module")
def project(installed: Installed) -> Path:
    """A folder in which `new` and `run` were called, and nothing else was."""
    folder = installed.folder / "capitals"
    folder.mkdir()
    (folder / "capitals.csv").write_text(CAPITALS)
    told = installed.harness("new", "capitals", "--from", "capitals.csv", cwd=folder)
    assert told.rstrip().endswith("next: harness run manifests/capitals.yaml")
    (folder / "told").write_text(installed.harness("run", "manifests/capitals.yaml", cwd=folder))
    return folder


@pytest.fixture(scope="module")
def small(installed: Installed) -> Path:
    """The same of stand-ins alone, for what loads no model: here each start compiles what it imports."""
    folder = installed.folder / "small"
    folder.mkdir()
    (folder / "capitals.csv").write_text(CAPITALS)
    installed.harness("new", "capitals", "--from", "capitals.csv", *STAND_INS, cwd=folder)
    installed.harness("run", "manifests/capitals.yaml", cwd=folder)
    return folder


def scores(installed: Installed, folder: Path) -> dict[tuple[str, str], Any]:
    found = json.loads(installed.harness("scores", "last", "--json", cwd=folder))
    [run] = found["runs"]
    return {(line["model"], line["scorer"]): line for line in run["scores"]}


def test_the_wheel_has_every_file_that_a_project_needs(installed: Installed) -> None:
    root = REPOSITORY / "harness"
    for path in root.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            assert (installed.site / "harness" / path.relative_to(root)).is_file(), path
    for pattern in ("assets/*/*", "images/*/*", "certificates/*.json", "lockfiles/image*"):
        found = list(REPOSITORY.glob(pattern))
        assert found
        for path in found:
            there = installed.site / "harness" / "shipped" / path.relative_to(REPOSITORY)
            assert sha256_file(there) == sha256_file(path)


def test_two_commands_end_with_the_scores_of_two_models(installed: Installed, project: Path) -> None:
    told = (project / "told").read_text()
    assert "95 % interval" in told and "oracle" in told and "tiny" in told
    found = scores(installed, project)
    assert {model for model, _ in found} == {"oracle", "tiny"}
    assert found["oracle", "exact"]["value"] == 1 and found["tiny", "exact"]["n"] == 4


def test_what_was_asked_is_not_asked_again(installed: Installed, project: Path) -> None:
    again = json.loads(installed.harness("run", "manifests/capitals.yaml", "--json", cwd=project))
    assert [run["steps"]["executed"] for run in again["runs"]] == [0]


def test_what_is_accepted_by_an_audit_is_reproduced(installed: Installed, small: Path) -> None:
    assert installed.harness("lock", "--accept", "last", cwd=small).endswith("its audit: agreed\n")
    assert ": agreed (" in installed.harness("reproduce", "manifests/capitals.yaml", cwd=small)


def test_another_version_finds_the_lock_as_it_is(installed: Installed, project: Path) -> None:
    """Pins are the project's own files and digests: what a package brings otherwise moves none of them."""
    shipped = installed.site / "harness" / "shipped" / "lockfiles"
    aside = shipped.rename(shipped.with_name("others"))
    try:
        shown = json.loads(installed.harness("show", "manifests/capitals.yaml", "--json", cwd=project))
    finally:
        aside.rename(shipped)
    assert shown["moved"] == [] and shown["stages"]


def test_the_doctor_speaks_of_what_is_installed_and_of_no_checkout(installed: Installed, project: Path) -> None:
    found = json.loads(installed.harness("doctor", "--json", cwd=project, check=None))["findings"]
    told = {one["subject"]: one for one in found}
    assert told["packages"]["state"] == "ok"
    assert "-m harness.run.installed.setup" in told["bytecode"]["advice"]
    assert not any("make setup" in one["advice"] for one in found)


@pytest.mark.skipif(not as_root(), reason="only root can be somebody else")
def test_somebody_who_owns_nothing_but_the_folder_gets_there_too(installed: Installed) -> None:
    folder, nobody = installed.folder / "theirs", installed.nobody()
    folder.mkdir()
    (folder / "capitals.csv").write_text(CAPITALS)
    os.chown(folder, nobody.user, nobody.user)
    nobody.harness("new", "capitals", "--from", "capitals.csv", *STAND_INS, cwd=folder)
    nobody.harness("run", "manifests/capitals.yaml", cwd=folder)
    assert scores(installed, folder)["oracle", "exact"]["value"] == 1
    assert (folder / "manifests" / "capitals.yaml").stat().st_uid == nobody.user


@pytest.mark.skipif(not as_root(), reason="only root can mount a folder read-only")
def test_a_project_that_cannot_be_written_runs_with_a_store_elsewhere(installed: Installed, small: Path) -> None:
    place = installed.folder / "elsewhere"
    run = ("run", "manifests/capitals.yaml")
    told = installed.harness(*run, cwd=small, read_only=small, check=3)
    assert "cannot be written" in told and "--store DIR" in told
    told = installed.harness(*run, "--store", str(place), cwd=small, read_only=small)
    assert "95 % interval" in told
    other = ("new", "other", "--from", "capitals.csv", *STAND_INS)
    assert "nothing can be written" in installed.harness(*other, cwd=small, read_only=small, check=3)


@pytest.mark.nightly  # of an image `test_docker_run.py` holds it, and what the wheel brings for it a test above
def test_containers_take_the_image_that_the_project_pins(
    installed: Installed, image_store: tuple[Path, str], docker_host: str
) -> None:
    folder = installed.folder / "contained"
    folder.mkdir()
    (folder / "capitals.csv").write_text(CAPITALS)
    installed.harness("new", "capitals", "--from", "capitals.csv", *STAND_INS, cwd=folder)
    manifest = folder / "manifests" / "capitals.yaml"
    manifest.write_text(manifest.read_text() + "image: sandbox\n")
    installed.harness("lock", str(manifest), cwd=folder)
    local = json.loads(installed.harness("run", str(manifest), "--json", cwd=folder))
    words = ("run", str(manifest), "--engine", "docker", "--images", str(image_store[0]), "--json")
    there = json.loads(installed.harness(*words, cwd=folder))
    outputs = [{one["name"]: one["sha256"] for one in found["runs"][0]["outputs"]} for found in (local, there)]
    assert outputs[0]["scores"] == outputs[1]["scores"]
    assert there["runs"][0]["image"] == image_store[1]
