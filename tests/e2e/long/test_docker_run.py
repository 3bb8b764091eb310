"""A run in containers gives the bytes a local run gives, and its record says what it ran in."""

from __future__ import annotations

import json
import shutil
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from support import data_of, harness, journals, outputs_of
from support_engine import client, container_project, open_docker, variant

from harness.digest import sha256_file
from harness.engines.docker import DockerEngine
from harness.engines.engine import Job, Limits
from harness.manifest.load import load_manifest
from harness.run.engines import EngineChoice
from harness.run.service import RunTarget, run_manifest
from harness.verbs.run_data import run_data as data

pytestmark = [pytest.mark.usefixtures("docker_host"), pytest.mark.together]


@dataclass(frozen=True)
class Runs:
    """A project with two runs: one on this machine, in the store `local`, and one in containers, in its own."""

    folder: Path
    here: dict[str, Any]
    there: dict[str, Any]
    given: Mapping[str, set[str]]  # kind of a step → digests of all that it was shown in its container


@pytest.fixture(scope="module")
def images(image_store: tuple[Path, str]) -> tuple[str, ...]:
    return ("--engine", "docker", "--images", str(image_store[0]))


@pytest.fixture(scope="module")
def ran(docker_host: str, image_store: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory) -> Runs:
    folder = tmp_path_factory.mktemp("docker") / "project"
    manifest = load_manifest(container_project(folder, image_store, models=("echo",)))
    given: dict[str, set[str]] = {}
    inner = DockerEngine.run

    def run(self: DockerEngine, job: Job, on_log: Any, cancel: Any) -> Any:
        """Every step says much before it begins, and its inputs are written down."""
        if not (job.folder / "step.json").exists():
            return inner(self, job, on_log, cancel)  # the isolation itself is tried
        kind = json.loads((job.folder / "step.json").read_bytes())["kind"]
        found = [path for name in ("in", "code", "tmp", "out") for path in (job.folder / name).rglob("*")]
        given.setdefault(kind, set()).update(sha256_file(path)[0] for path in found if path.is_file())
        say = 'yes "$1" | head -c 300000; exec "$@"'
        return inner(self, replace(job, argv=("sh", "-c", say, "sh", *job.argv)), on_log, cancel)

    here = run_manifest(manifest, RunTarget(folder / "local"), lambda *_: None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DockerEngine, "run", run)
        place = RunTarget(folder / ".harness", EngineChoice("docker", images=image_store[0]))
        there = run_manifest(manifest, place, lambda *_: None)
    return Runs(folder, data(here, None).as_data(), data(there, None).as_data(), given)


def test_the_outputs_are_those_of_a_local_run_under_other_keys(ran: Runs, image_store: tuple[Path, str]) -> None:
    run = ran.there
    assert outputs_of({"runs": [ran.here]}) == outputs_of({"runs": [run]}) and len(run["outputs"]) > 1
    assert (run["engine"], run["isolation"], run["image"]) == ("docker", "container", image_store[1])
    assert (run["image_state"], run["device"], ran.here["image_state"]) == ("pinned", "cpu", "none")
    keys = [
        {e["key"] for events in journals(ran.folder / store) for e in events if "key" in e}
        for store in ("local", ".harness")
    ]
    assert keys[0] and not keys[0] & keys[1]
    started = next(journals(ran.folder / ".harness"))[0]
    assert started["image"] == image_store[1] and started["facts"]["engine"]


def test_a_second_run_has_nothing_to_do_and_names_the_image(
    ran: Runs, images: tuple[str, ...], image_store: tuple[Path, str]
) -> None:
    again = harness("run", "manifests/small.yaml", *images, cwd=ran.folder, check=0)
    assert "nothing was left to do" in again.stderr
    assert f"image: pinned {image_store[1][7:19]}" in again.stdout and "engine docker" in again.stdout


def test_the_difference_to_a_local_run_is_named(ran: Runs) -> None:
    records = [next((ran.folder / store / "runs").glob("*/record.json")) for store in ("local", ".harness")]
    data = data_of("diff", *records, cwd=ran.folder, check=None)
    assert data["rows"] == [] and "image" in json.dumps(data)


def test_an_audit_makes_steps_again_in_the_image_of_the_run(ran: Runs) -> None:
    assert data_of("audit", "last", "--rerun", "3", cwd=ran.folder)["verdict"] == "agreed"


def test_an_audit_without_an_engine_runs_steps_here_and_names_the_image(ran: Runs) -> None:
    env = {"DOCKER_HOST": "unix:///nonexistent/docker.sock"}
    report = data_of("audit", "last", cwd=ran.folder, env=env)
    coverage = report["coverage"]
    assert report["verdict"] == "agreed" and coverage["other"] == coverage["again"] == coverage["steps"]
    again = [check["detail"] for check in report["checks"] if check["detail"].startswith("made again")]
    assert again and all(f"image: {ran.there['image'][:19]}" in detail for detail in again)


def test_an_inference_step_is_not_given_the_answers(ran: Runs) -> None:
    gold = outputs_of({"runs": [ran.there]})["gold"]
    [inference] = [kind for kind in ran.given if kind.endswith(":respond")]
    assert gold not in ran.given[inference] and ran.given[inference]
    assert [kind for kind in ran.given if gold in ran.given[kind]]  # those that compare with it do have it


def test_what_steps_print_is_in_the_journal_and_no_more_than_its_end(ran: Runs) -> None:
    events = next(journals(ran.folder / ".harness"))
    said: Counter[str] = Counter()
    for event in events:
        if event["event"] == "step.log":
            said[event["step"]] += len(event["text"])
    assert set(said) == {event["step"] for event in events if event["event"] == "step.done"}
    assert all(1000 < size < (80 << 10) for size in said.values())


def test_another_image_under_the_same_names_is_not_what_runs(
    docker_host: str, image_store: tuple[Path, str], tmp_path: Path
) -> None:
    names = ("tests", "sandbox", "harness/tests")
    with client(docker_host) as engine:
        known = {tag for image in engine.images() for tag in image["RepoTags"] or ()}
        if known & {f"{name}:latest" for name in names}:
            pytest.skip("somebody uses these names")
        open_docker(image_store)  # loads it
        settings = {"User": "0:0", "HostConfig": {"NetworkMode": "none"}}
        made = engine.create_container_from_config({**settings, "Image": image_store[1], "Cmd": ["touch", "/evil"]})[
            "Id"
        ]
        engine.start(made)
        assert engine.wait(made)["StatusCode"] == 0
        other = engine.commit(made)["Id"]
        engine.remove_container(made)
        for name in ("out", "tmp"):
            (tmp_path / name).mkdir()
        try:
            for name in names:
                engine.tag(other, name)
            job = Job(("test", "-e", "/evil"), tmp_path, {"PATH": "/usr/bin:/bin"}, Limits(cpus=1.0))
            outcome = open_docker(image_store).run(job, lambda _: None, threading.Event())
        finally:
            engine.remove_image(other, force=True)
    assert (outcome.exit, outcome.log) == (1, b""), outcome


def test_a_run_in_an_image_the_lock_does_not_pin_says_so(
    docker_host: str, image_store: tuple[Path, str], ran: Runs, tmp_path: Path
) -> None:
    shutil.copytree(ran.folder, tmp_path / "p", ignore=shutil.ignore_patterns(".harness", "local"))
    moved = variant(image_store, tmp_path / "images", "tests+moved")
    words = ("manifests/small.yaml", "--engine", "docker", "--moved", "--images", str(tmp_path / "images"))
    try:
        run = data_of("run", *words, cwd=tmp_path / "p")["runs"][0]
        assert (run["image"], run["image_state"]) == (moved, "moved")
        assert outputs_of({"runs": [run]}) == outputs_of({"runs": [ran.here]})
        assert f"image: moved {moved[7:19]}" in harness("run", *words, cwd=tmp_path / "p", check=0).stdout
        report = data_of("audit", "last", cwd=tmp_path / "p", check=1)
        assert report["verdict"] == "incomplete"
        assert next(c["detail"] for c in report["checks"] if c["verdict"] != "pass").startswith("image: moved")
    finally:
        with client(docker_host) as engine:
            engine.remove_image(moved, force=True)
