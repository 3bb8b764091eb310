"""Stores that earlier harnesses recorded: every later one audits them, explains them, and gives the same outputs.

`tests/kept` holds a project of each time with its lock, expectation, store and one run. None is ever made anew: a form
that changes is read in both forms.
"""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest
from support import REPOSITORY, data_of, harness, unpack

KEPT = sorted((REPOSITORY / "tests" / "kept").glob("*.tar.xz"))


@pytest.fixture(scope="module", params=KEPT, ids=lambda path: path.name.partition(".")[0])
def project(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Lay down the project of a time."""
    folder = tmp_path_factory.mktemp("kept")
    with tarfile.open(request.param) as archive:
        unpack(archive, folder)
    for name in ("tmp", "locks"):
        (folder / ".harness" / name).mkdir(exist_ok=True)
    return folder


def test_its_run_is_audited_and_every_step_made_again(project: Path) -> None:
    report = data_of("audit", "last", "--budget", "900", cwd=project)
    assert (report["verdict"], report["level"]) == ("agreed", "full")
    assert report["coverage"]["again"] == report["coverage"]["steps"] > 10
    assert {check["verdict"] for check in report["checks"]} == {"pass"}


def test_its_store_is_sound_and_its_run_is_listed_explained_and_read(project: Path) -> None:
    harness("fsck", cwd=project, check=0)
    [run] = data_of("runs", cwd=project)["runs"]
    for words in (("explain", run["run"]), ("scores", run["run"]), ("get", run["run"], "labels")):
        assert harness(*words, cwd=project, check=0).stdout


@pytest.mark.long
def test_a_run_of_today_gives_its_outputs(project: Path) -> None:
    """As the expectation has them that was accepted then."""
    [ran] = data_of("run", "manifests/small.yaml", "--store", "today", cwd=project)["runs"]
    assert ran["verdict"] == "agreed" and len(ran["outputs"]) == 9


@pytest.mark.long
def test_a_byte_of_it_that_changed_is_named(project: Path) -> None:
    blob = max((project / ".harness" / "blobs" / "sha256").rglob("*"), key=lambda path: path.stat().st_size)
    blob.chmod(0o644)
    whole = blob.read_bytes()
    blob.write_bytes(whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:])
    try:
        report = data_of("audit", "last", cwd=project, check=1)
    finally:
        blob.write_bytes(whole)
    assert report["verdict"] != "agreed"
    assert blob.name in str([check for check in report["checks"] if check["verdict"] != "pass"])
