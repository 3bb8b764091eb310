"""Each cheat of the threat model that a local run can meet, carried out, and the check that names it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from support import data_of, finished_project, harness

from harness.digest import encode_document, seal_document

pytestmark = pytest.mark.together
LOCK, EXPECT = (f"lockfiles/manifests/small.{kind}.json" for kind in ("lock", "expect"))


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cheats")
    finished_project(folder)
    harness("lock", "--accept", "last", cwd=folder, check=0)
    return folder


@pytest.fixture
def project(ran: Path, tmp_path: Path) -> Path:
    shutil.copytree(ran, tmp_path / "project")
    return tmp_path / "project"


def reseal(path: Path, edit: Any) -> None:
    """Edit a lock or an expectation as somebody would who knows how it is sealed."""
    body = json.loads(path.read_bytes())
    edit(body)
    path.write_bytes(seal_document(body))


def failed(project: Path, subject: str = "last") -> set[str]:
    report = data_of("audit", subject, "--level", "hashes", cwd=project, check=1)
    return {check["id"] for check in report["checks"] if check["verdict"] != "pass"}


def test_a_dataset_trimmed_through_its_lock_does_not_run(project: Path) -> None:
    def trim(body: Any) -> None:
        body["pins"]["datasets"]["addition"]["items"]["rows"] = 3

    reseal(project / LOCK, trim)
    done = harness("run", "manifests/small.yaml", cwd=project)
    assert done.returncode == 2
    assert "pins/datasets/addition/items/rows" in done.stderr


def test_a_generator_that_changed_does_not_pass_for_the_pinned_data(project: Path) -> None:
    def other(body: Any) -> None:
        body["pins"]["datasets"]["addition"]["gold"]["sha256"] = "0" * 64

    reseal(project / LOCK, other)
    done = harness("run", "manifests/small.yaml", cwd=project)
    assert done.returncode == 2
    assert "pins/datasets/addition/gold/sha256" in done.stderr


def test_a_bad_run_that_is_deleted_is_missed(project: Path) -> None:
    harness("run", "manifests/small.yaml", "--limit", "1", cwd=project, check=0)
    shutil.rmtree(max((project / ".harness" / "runs").iterdir()))
    kept = next((project / ".harness" / "runs").iterdir()).name
    assert "unaccounted" in failed(project, kept)
    assert harness("fsck", cwd=project).returncode == 1


def test_a_record_that_names_another_output_is_not_believed(project: Path) -> None:
    path = next((project / ".harness").glob("runs/*/record.json"))
    body = json.loads(path.read_bytes())
    body["outputs"]["checks"]["sha256"] = body["outputs"]["counts"]["sha256"]
    path.chmod(0o644)
    path.write_bytes(encode_document(body) + b"\n")
    got = harness("get", "last", "checks", cwd=project)
    assert got.returncode == 1 and got.stdout == ""
    assert "record.changed" in failed(project)


def test_an_expectation_that_was_gutted_confirms_nothing(project: Path) -> None:
    def gut(body: Any) -> None:
        body["lock_sha256"] = "0" * 64

    reseal(project / EXPECT, gut)
    assert "expect.missing" in failed(project, "manifests/small.yaml")
    [again] = data_of("run", "manifests/small.yaml", cwd=project)["runs"]
    assert again["verdict"] == "unconfirmed"


def test_an_expectation_of_a_laxer_level_confirms_nothing(project: Path) -> None:
    def relax(body: Any) -> None:
        body["outputs"]["checks"] |= {"level": {"within": "1e99"}, "values": {}, "sha256": "0" * 64}

    reseal(project / EXPECT, relax)
    assert "output.differs" in failed(project, "manifests/small.yaml")
    done = harness("reproduce", "manifests/small.yaml", cwd=project)
    assert done.returncode == 1 and "another level" in done.stdout


def test_a_cached_result_of_another_model_is_found_by_its_key(project: Path) -> None:
    """The entry of one model's responses is copied over the other's: its own key gives it away."""
    store = project / ".harness"
    journal = next(store.glob("runs/*/journal.jsonl"))
    events = [json.loads(line) for line in journal.read_bytes().splitlines()]
    keys = {event["step"]: event["key"] for event in events if event["event"] == "step.done"}
    one, two = (keys[f"addition/responses/{model}/part-00000"] for model in ("oracle", "noisy-oracle"))
    target = store / "keys" / two[:2] / f"{two}.json"
    target.chmod(0o644)
    target.write_bytes((store / "keys" / one[:2] / f"{one}.json").read_bytes())
    assert "entry.changed" in failed(project)
    again = data_of("run", "manifests/small.yaml", cwd=project)["runs"][0]
    assert again["steps"]["executed"] == 1, "the next run makes that step anew and takes nothing on trust"
    assert again["verdict"] == "agreed"
