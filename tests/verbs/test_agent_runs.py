"""Runs that agents ask for, without a server: one run for each key, within what the manifest lists, each to its own."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support_runs import MAX_RUNS, NAME, runnable

from harness.attempts.codes import AttemptError
from harness.errors import InputError
from harness.store import attempts
from harness.store.store import Store
from harness.store.sweep import find_strangers
from harness.verbs.agent_runs import ALL_AT_ONCE, AT_ONCE, AgentDoor, runnable_manifests
from harness.verbs.project import Project
from harness.verbs.requests import ServeRequest


@pytest.fixture
def door(tmp_path: Path) -> AgentDoor:
    return at(runnable(tmp_path / "project"), "local:1")


def at(folder: Path, principal: str, **more: Any) -> AgentDoor:
    project, spawned = Project.at(folder), list[str]()
    door = AgentDoor(project, runnable_manifests(project, ServeRequest()), principal, ServeRequest(), spawned.append)
    return replace(door, **more)


def refused(work: Callable[[], object]) -> str:
    with pytest.raises(AttemptError) as caught:
        work()
    return caught.value.name


def test_a_key_is_one_run_of_its_principal(door: AgentDoor) -> None:
    started = list[str]()
    door = replace(door, spawn=started.append)
    first = door.start(NAME, "k", {"limit": 3})
    again = door.start(NAME, "k", {"limit": "3"})
    assert (again["run"], again["resumed"], started) == (first["run"], True, [first["run"]])
    assert refused(lambda: door.start(NAME, "k", {"limit": 4})) == "E_IDEMPOTENCY_MISMATCH"
    assert refused(lambda: door.start(NAME, "k", {"limit": 3}, (5, None))) == "E_IDEMPOTENCY_MISMATCH"
    other = replace(door, principal="local:2")
    assert (
        refused(lambda: other.get(first["run"])) == refused(lambda: other.cancel(first["run"], "")) == "E_UNKNOWN_RUN"
    )
    assert refused(lambda: other.get(key="k")) == "E_UNKNOWN_RUN"
    assert other.start(NAME, "k", {})["run"] != first["run"]
    store = Store.open(door.project.store)
    was = attempts.read_asked(store, first["run"])
    assert was and (was.principal, was.key, was.overrides) == ("local:1", "k", {"limit": "3"})
    attempts.write_asked(store, replace(was, at="2020-01-01T00:00:00.000Z"))  # its server was killed before it began
    assert door.get(key="k")["state"] == "not-begun"
    assert door.start(NAME, "k", {"limit": 3})["state"] == "starting" and started[-1] == first["run"]
    assert not list(find_strangers(store))


def test_what_the_manifest_does_not_list_is_refused_by_name(door: AgentDoor) -> None:
    for overrides in ({"prompts": "x"}, {"settings.mode": "x"}, {"models": "x"}, {"image": "x"}, {"": "x"}):
        assert refused(lambda said=overrides: door.start(NAME, "k", said)) == "E_OVERRIDE"  # type: ignore[misc]
    for name, value in (
        *(("limit", value) for value in (0, -1, "1e3", "2147483648", [1], True, None, 0.5, {}, "٣")),
        *(("model", value) for value in ("oracle,dataset=x", "a=b", "", [], ["oracle", "../x"], "-m x")),
        *(("seeds", value) for value in ("[{", {"a": 1}, [[1]], ["x" * 300], "x\ny", [0] * 51)),
    ):
        assert refused(lambda said={name: value}: door.start(NAME, "k", said)) == "E_OVERRIDE", value  # type: ignore[misc]
    for budget in ((601, None), (None, "0.51"), (None, "1e9"), (10**7, "0")):
        assert refused(lambda said=budget: door.start(NAME, "k", {}, said)) == "E_BUDGET"  # type: ignore[misc]
    assert refused(lambda: door.start("none", "k", {})) == "E_UNKNOWN_MANIFEST"
    assert refused(lambda: door.plan("none", {}, None)) == "E_UNKNOWN_MANIFEST"  # type: ignore[arg-type]
    assert not list(attempts.asked_runs(door.store))
    bare = replace(
        door, served=tuple(replace(one, manifest=one.manifest.model_copy(update={"runs": None})) for one in door.served)
    )
    assert refused(lambda: bare.start(NAME, "k", {"limit": 1})) == "E_OVERRIDE"
    assert refused(lambda: bare.start(NAME, "k", {})) == "E_NOT_LOCKED"  # the lock is of another manifest
    assert bare.manifests()["manifests"][0]["budget"] == {"seconds": 3600, "dollars": "0"}


def test_nobody_starts_everybodys_runs(door: AgentDoor) -> None:
    store = door.store
    runs = [door.start(NAME, f"k{number}", {})["run"] for number in range(AT_ONCE)]
    assert refused(lambda: door.start(NAME, "more", {})) == "E_RUNS_FULL"
    assert door.start(NAME, "k0", {})["run"] == runs[0]  # what was started is found all the same
    for number in range(AT_ONCE, ALL_AT_ONCE):
        replace(door, principal=f"local:{number + 10}").start(NAME, "k", {})
    assert refused(lambda: replace(door, principal="local:99").start(NAME, "k", {})) == "E_RUNS_FULL"
    for one in attempts.asked_runs(store):
        attempts.write_state(store, one.run, attempts.DONE, verdict="agreed")
    for number in range(AT_ONCE, MAX_RUNS):
        attempts.write_state(store, door.start(NAME, f"k{number}", {})["run"], attempts.DONE)
    assert door.manifests()["manifests"][0]["runs_left"] == 0
    assert refused(lambda: door.start(NAME, "last", {})) == "E_NO_RUNS_LEFT"


def test_how_a_run_stands_is_known_by_its_lock(door: AgentDoor) -> None:
    store, run = door.store, door.start(NAME, "k", {})["run"]
    with attempts.hold_run_lock(store, run):
        assert door.get(run)["state"] == "starting"
        attempts.write_state(store, run, attempts.RUNNING, done=1, total=4, step="addition/make executed")
        found = door.get(key="k")
        assert (found["state"], found["done"], found["ended"]) == ("running", 1, False)
        door.cancel(run, "enough")
        assert attempts.wants_stop(store, run)
    found = door.get(run)
    assert (found["state"], found["ended"], found["done"]) == ("killed", True, 1)
    attempts.write_state(store, run, attempts.STOPPED, why="it was asked to stop")
    assert door.get(run)["state"] == "cancelled"
    for name in ("../x", "", "last", "20260101T000000Z-00000000", f"{run}.asked"):
        assert refused(lambda said=name: door.mine(store, said)) == "E_UNKNOWN_RUN"  # type: ignore[misc]


def test_only_manifests_that_say_so_are_served_by_default(tmp_path: Path) -> None:
    folder = runnable(tmp_path / "project")
    (path,) = (folder / "manifests").iterdir()
    text = path.read_text()
    path.write_text(text[: text.index("runs:")])
    with pytest.raises(InputError, match="no manifest of this project lets agents start runs"):
        runnable_manifests(Project.at(folder), ServeRequest())
    (named,) = runnable_manifests(Project.at(folder), ServeRequest(manifests=[path]))
    assert named.manifest.runs is None
    for wrong in (
        "overrides: [prompts]",
        "overrides: [limit, limit]",
        "max_runs: 0",
        "budget: {seconds: 1, dollars: -1}",
    ):
        path.write_text(
            text.replace("overrides: [limit, model, seeds]", wrong).replace(
                "\n  budget: {seconds: 600, dollars: '0.50'}", "" if "budget" in wrong else "\n  budget: {seconds: 600}"
            )
        )
        with pytest.raises(InputError):
            Project.at(folder).manifest(path)
    assert os.path.exists(folder)
