"""A run in containers gives the bytes a local run gives, and its record says what it ran in."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support import data_of, error_of, harness, journals, outputs_of
from support_engine import client, container_project, variant

from harness.digest import sha256_file
from harness.engines.docker import DockerEngine
from harness.engines.engine import Job
from harness.manifest.load import load
from harness.run.engines import Choice
from harness.run.service import Place, run_manifest

pytestmark = pytest.mark.usefixtures("docker_host")


@pytest.fixture(scope="module")
def images(image_store: tuple[Path, str]) -> tuple[str, ...]:
    return ("--engine", "docker", "--images", str(image_store[0]))


@pytest.fixture(scope="module")
def ran(docker_host: str, image_store: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a project with two runs: one on this machine, and after it one in containers."""
    folder = tmp_path_factory.mktemp("docker") / "project"
    container_project(folder, image_store, models=("noisy-oracle",))
    harness("run", "manifests/small.yaml", "--store", "local", cwd=folder, check=0)
    harness("run", "manifests/small.yaml", "--engine", "docker", "--images", image_store[0], cwd=folder, check=0)
    return folder


def shown(project: Path, *args: str) -> Any:
    return data_of("run", "manifests/small.yaml", *args, cwd=project)


def test_the_outputs_are_those_of_a_local_run_under_other_keys(
    ran: Path, images: tuple[str, ...], image_store: tuple[Path, str]
) -> None:
    here, there = shown(ran, "--store", "local"), shown(ran, *images)
    assert outputs_of(here) == outputs_of(there) and len(outputs_of(there)) > 1
    run = there["runs"][0]
    assert (run["engine"], run["isolation"], run["image"]) == ("docker", "container", image_store[1])
    assert (run["image_state"], run["device"], here["runs"][0]["image_state"]) == ("pinned", "cpu", "none")
    assert run["steps"]["executed"] == 0 and run["steps"]["cached"] == run["steps"]["total"]
    keys = [
        {e["key"] for events in journals(store) for e in events if "key" in e}
        for store in (ran / "local", ran / ".harness")
    ]
    assert not keys[0] & keys[1]
    started = next(journals(ran / ".harness"))[0]
    assert started["image"] == image_store[1] and started["facts"]["engine"]


def test_the_difference_to_a_local_run_is_named(ran: Path) -> None:
    records = [next((ran / store / "runs").glob("*/record.json")) for store in ("local", ".harness")]
    told = harness("diff", *records, cwd=ran)
    assert "image" in told.stdout and told.returncode in (0, 1), told.stdout + told.stderr
    data = json.loads(harness("diff", *records, "--json", cwd=ran).stdout)
    assert data["rows"] == [] and "image" in json.dumps(data)


def test_an_audit_makes_steps_again_in_the_image_of_the_run(ran: Path) -> None:
    report = data_of("audit", "last", "--rerun", "3", cwd=ran)
    assert report["verdict"] == "agreed"


def test_an_audit_without_an_engine_is_incomplete_and_says_why(ran: Path) -> None:
    env = {"DOCKER_HOST": "unix:///nonexistent/docker.sock"}
    report = data_of("audit", "last", "--rerun", "3", cwd=ran, env=env, check=1)
    assert report["verdict"] == "incomplete"
    skipped = [check for check in report["checks"] if check["verdict"] != "pass"]
    assert skipped and all("no container engine answers" in check["detail"] for check in skipped)
    assert data_of("audit", "last", "--level", "hashes", cwd=ran, env=env, check=None)["verdict"] != "disagreed"


def test_what_a_step_prints_is_in_the_journal_and_the_text_names_the_image(
    ran: Path, images: tuple[str, ...], image_store: tuple[Path, str]
) -> None:
    text = harness("run", "manifests/small.yaml", *images, cwd=ran, check=0).stdout
    assert f"image: pinned {image_store[1][7:19]}" in text and "engine docker" in text


def test_no_engine_or_one_elsewhere_is_told_with_advice(ran: Path, images: tuple[str, ...]) -> None:
    cases = {"unix:///nonexistent/docker.sock": 3, "tcp://192.0.2.1:2375": 2, "ssh://somewhere": 2}
    for host, code in cases.items():
        done = harness("run", "manifests/small.yaml", *images, "--json", cwd=ran, env={"DOCKER_HOST": host}, check=code)
        assert "DOCKER_HOST" in error_of(done)["next"]


def test_an_image_that_is_nowhere_is_named_with_the_way_to_make_it(
    image_store: tuple[Path, str], images: tuple[str, ...], tmp_path: Path
) -> None:
    variant(image_store, tmp_path / "images", "elsewhere")
    other = next((tmp_path / "images" / "images").glob("*.json")).stem
    container_project(tmp_path / "p", (tmp_path / "images", f"sha256:{other}"))
    done = harness("run", "manifests/small.yaml", *images, "--json", cwd=tmp_path / "p", check=3)
    error = error_of(done)
    assert "not in this store" in error["what"] and other[:12] in error["what"] and "images build" in error["next"]
    assert not list((tmp_path / "p" / ".harness" / "runs").glob("*"))


def test_another_image_under_the_same_names_is_not_what_runs(
    docker_host: str, image_store: tuple[Path, str], images: tuple[str, ...], ran: Path, tmp_path: Path
) -> None:
    names = ("tests", "sandbox", "harness/tests")
    with client(docker_host) as engine:
        known = {tag for image in engine.images() for tag in image["RepoTags"] or ()}
        if known & {f"{name}:latest" for name in names}:
            pytest.skip("somebody uses these names")
        settings = {"Image": image_store[1], "Cmd": ["true"]}
        made = engine.create_container_from_config(settings)["Id"]
        other = engine.commit(made, changes="LABEL evil=1")["Id"]
        engine.remove_container(made)
        try:
            for name in names:
                engine.tag(other, name)
            words = ("--store", str(tmp_path / "s"), "--jobs", "8", *images)
            run = shown(ran, *words)["runs"][0]
        finally:
            engine.remove_image(other, force=True)
    assert run["image"] == image_store[1] != other and run["image_state"] == "pinned" and run["steps"]["executed"] > 0


def test_a_run_in_an_image_the_lock_does_not_pin_says_so(
    docker_host: str, image_store: tuple[Path, str], ran: Path, tmp_path: Path
) -> None:
    shutil.copytree(ran, tmp_path / "p", ignore=shutil.ignore_patterns(".harness", "local"))
    moved = variant(image_store, tmp_path / "images", "tests+moved")
    words = ("manifests/small.yaml", "--engine", "docker", "--moved", "--images", str(tmp_path / "images"))
    try:
        run = data_of("run", *words, cwd=tmp_path / "p")["runs"][0]
        assert (run["image"], run["image_state"]) == (moved, "moved")
        assert outputs_of({"runs": [run]}) == outputs_of(shown(ran, "--store", "local"))
        assert f"image: moved {moved[7:19]}" in harness("run", *words, cwd=tmp_path / "p", check=0).stdout
        report = data_of("audit", "last", cwd=tmp_path / "p", check=1)
        assert report["verdict"] == "incomplete"
        assert next(c["detail"] for c in report["checks"] if c["verdict"] != "pass").startswith("image: moved")
    finally:
        with client(docker_host) as engine:
            engine.remove_image(moved, force=True)
    none = harness("run", *words[:4], cwd=tmp_path / "p", check=3)
    assert "images build tests --moved" in none.stderr


def test_an_inference_step_is_not_given_the_answers_and_what_steps_print_is_in_the_journal(
    image_store: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = container_project(tmp_path / "p", image_store, models=("echo",))
    given: dict[str, set[str]] = {}
    inner = DockerEngine.run

    def run(self: DockerEngine, job: Job, on_log: Any, cancel: Any) -> Any:
        """Every step says much before it begins, and its inputs are written down."""
        kind = json.loads((job.folder / "step.json").read_bytes())["kind"]
        found = [path for name in ("in", "code", "tmp", "out") for path in (job.folder / name).rglob("*")]
        given.setdefault(kind, set()).update(sha256_file(path)[0] for path in found if path.is_file())
        say = 'yes "$1" | head -c 300000; exec "$@"'
        return inner(self, replace(job, argv=("sh", "-c", say, "sh", *job.argv)), on_log, cancel)

    monkeypatch.setattr(DockerEngine, "run", run)
    place = Place(tmp_path / "p" / ".harness", Choice("docker", images=image_store[0]))
    ran = run_manifest(load(manifest), place, lambda *_: None)
    gold = {one.name: one.sha256 for one in ran.outputs}["gold"]
    [inference] = [kind for kind in given if kind.endswith(":respond")]
    assert gold not in given[inference] and given[inference]
    assert [kind for kind in given if gold in given[kind]]  # those that compare with it do have it

    [events] = journals(tmp_path / "p" / ".harness")
    said: Counter[str] = Counter()
    for event in events:
        if event["event"] == "step.log":
            said[event["step"]] += len(event["text"])
    assert set(said) == {event["step"] for event in events if event["event"] == "step.done"}
    assert all(1000 < size < (80 << 10) for size in said.values())
    monkeypatch.undo()
    assert data_of("audit", "last", "--rerun", "1", cwd=tmp_path / "p")["verdict"] == "agreed"
