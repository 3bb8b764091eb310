"""The doctor names what is missing, and what would make it better."""

from __future__ import annotations

from pathlib import Path

import pytest
from needs import needs

from harness.engines.local import LocalEngine, advise_isolation, available_isolations
from harness.run.engines import engine_kinds
from harness.run.environment import step_environment
from harness.run.installed import doctor
from harness.run.installed.doctor import MachineFinding, examine_machine
from harness.run.processor import Processor

pytestmark = pytest.mark.together  # so that one worker probes its numerics once


def findings(store: Path) -> dict[str, MachineFinding]:
    return {one.subject: one for one in examine_machine(store, Path.cwd())}


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> dict[str, MachineFinding]:
    """Look at this machine as it is, whole: without a store, and with an engine that does not answer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
        return findings(tmp_path_factory.mktemp("doctor") / "not" / "yet")


@pytest.fixture
def no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try no engine, where a test is about something else."""
    monkeypatch.setattr(doctor, "engine_kinds", dict)


@pytest.fixture
def unread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read no installed file and compute nothing, where a test is about something else: that takes seconds."""
    monkeypatch.setattr(doctor, "_packages", tuple)
    monkeypatch.setattr(doctor, "_numerics", lambda: MachineFinding("ok", "numerics", "not tried", ""))


@pytest.mark.long
def test_each_engine_is_listed_and_one_that_does_not_answer_has_advice(usual: dict[str, MachineFinding]) -> None:
    found = usual
    assert set(engine_kinds()) <= set(found) and found["local"].state == "ok"
    assert found["docker"].state == "better" and "DOCKER_HOST" in found["docker"].advice
    assert found["docker"].found.endswith("/docker.sock: nothing listens there")
    assert found["isolation"].found == ", ".join(available_isolations())


@pytest.mark.usefixtures("no_engine", "unread")
def test_a_machine_on_which_no_step_can_run_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.engines.local.STEP_PATH", "/nowhere")
    available_isolations.cache_clear()
    try:
        isolation = findings(tmp_path)["isolation"]
    finally:
        available_isolations.cache_clear()
    assert isolation.state == "missing" and "prlimit" in isolation.found and "util-linux" in isolation.advice


@pytest.mark.usefixtures("no_engine", "unread")
def test_a_worse_isolation_a_read_only_store_and_missing_tools_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.run.installed.doctor.available_isolations", lambda: ("process",))
    monkeypatch.setattr("harness.run.installed.doctor.os.access", lambda *_: False)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("harness.run.installed.doctor.STEP_PATH", "/nowhere")
    found = findings(tmp_path)
    assert {name: found[name].state for name in ("isolation", "store", "GPU", "image builder")} == dict.fromkeys(
        ("isolation", "store", "GPU", "image builder"), "better"
    )
    assert all(found[name].advice for name in ("isolation", "store", "GPU", "image builder"))
    assert found["isolation"].found == "process" and "apt-get install bubblewrap" in found["isolation"].advice


@pytest.mark.usefixtures("no_engine", "unread")
@pytest.mark.parametrize("said", ["bwrap: No permissions to \x1b[31mmake a namespace\nand more", ""])
def test_bubblewrap_that_is_here_but_refused_is_not_to_be_installed(
    said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bwrap"
    program.write_text(f"#!/bin/sh\nprintf '%s' '{said}' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr("harness.run.installed.doctor.STEP_PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr("harness.run.installed.doctor.available_isolations", lambda: ("namespaces", "process"))
    isolation = findings(tmp_path)["isolation"]
    refused = ": bwrap: No permissions to [31mmake a namespace" if said else ""
    assert isolation.found == f"namespaces, process; bubblewrap is here but refused{refused}"
    assert isolation.state == "better" and isolation.advice.startswith(advise_isolation())


@pytest.mark.parametrize("switch,stands,mends", [
    ("user/max_user_namespaces", "0", "sysctl user.max_user_namespaces=15000"),
    ("kernel/unprivileged_userns_clone", "0", "sysctl kernel.unprivileged_userns_clone=1"),
    ("kernel/apparmor_restrict_unprivileged_userns", "1", "apt-get install apparmor-profiles"),
])  # fmt: skip
def test_what_forbids_user_namespaces_is_named_with_what_mends_it(
    switch: str, stands: str, mends: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bwrap").touch(0o755)
    monkeypatch.setattr("harness.engines.local.STEP_PATH", str(tmp_path))
    (tmp_path / switch).parent.mkdir()
    (tmp_path / switch).write_text(stands + "\n")
    advice = advise_isolation(tmp_path)
    assert advice.startswith(f"{switch.replace('/', '.')} is {stands}, ") and mends in advice
    (tmp_path / switch).write_text("1\n" if stands == "0" else "0\n")
    assert advise_isolation(tmp_path) == "allow user namespaces"
    (tmp_path / "bwrap").unlink()
    (tmp_path / switch).write_text(stands)
    assert advise_isolation(tmp_path) == f"{advice}; then apt-get install bubblewrap"
    (tmp_path / switch).unlink()
    assert advise_isolation(tmp_path) == "apt-get install bubblewrap"


def test_an_engine_is_usable_when_a_step_ran_there_and_was_contained(
    tmp_path: Path, docker_host: str, image_store: tuple[Path, str]
) -> None:
    alone = findings(tmp_path)["docker"]
    assert alone.state == "better" and "no image is in this store, so no step was tried" in alone.found
    found = findings(image_store[0])
    assert found["docker"].state == "ok" and "container passes 25 containment checks" in found["docker"].found
    for isolation in available_isolations():
        assert f"{isolation} passes " in found["local"].found


@pytest.mark.long
@pytest.mark.usefixtures("unread")
def test_a_wall_that_does_not_hold_and_limits_that_nobody_holds_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = available_isolations()[0]
    monkeypatch.setattr("harness.engines.local.chown_to_step", lambda *_: None)
    monkeypatch.setattr(LocalEngine, "_argv", lambda _, job, file: list(job.argv))  # no walls, and no bounds
    monkeypatch.setattr("harness.engines.monitor.DiskBudget.spent", lambda *_, **__: "")
    monkeypatch.setattr("harness.engines.monitor.MemoryMeter.measure", lambda *_: 0)
    if one == "process":
        pytest.skip("nothing is claimed on this machine")
    local = findings(tmp_path)["local"]
    assert local.state == "missing" and f"{one} lets a step reach" in local.found
    assert (
        "the network over IPv4" in local.found and f"{one} does not enforce the limits of memory, disk" in local.found
    )


@pytest.mark.usefixtures("no_engine", "unread")
def test_a_processor_without_avx2_lacks_what_every_step_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = Processor("Intel Core (family 6, model 26, no AVX2)", "GenuineIntel 6/26 none", "none")
    monkeypatch.setattr(doctor, "ask_processor", lambda: old)
    machine = findings(tmp_path)["machine"]
    assert machine.state == "missing" and machine.found.startswith(old.name) and "AVX2" in machine.advice


@pytest.mark.long
def test_a_machine_that_meets_the_committed_table_is_portable(usual: dict[str, MachineFinding]) -> None:
    needs("torch")
    numerics = usual["numerics"]
    assert numerics.state == "ok" and numerics.found.startswith("portable: ")


@pytest.mark.long
@pytest.mark.usefixtures("no_engine")
def test_a_machine_that_does_not_meet_it_is_told_what_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs("torch")
    other = {"ATEN_CPU_CAPABILITY": "default"}  # as if the processor had no AVX2
    monkeypatch.setattr(doctor, "step_environment", lambda folder: {**step_environment(folder), **other})
    doctor._numerics.cache_clear()
    try:
        numerics = findings(tmp_path)["numerics"]
    finally:
        doctor._numerics.cache_clear()
    assert numerics.state == "better" and "softmax" in numerics.found and "numerics: machine" in numerics.advice


@pytest.mark.usefixtures("no_engine", "unread")
def test_a_named_store_has_a_file_system_with_all_that_a_store_asks(tmp_path: Path) -> None:
    from harness.run.installed.doctor import NEEDED_CALLS, find_lacking_calls

    found = [one for one in examine_machine(tmp_path, tmp_path) if one.subject == "file system"]
    assert [one.state for one in found] == ["ok"] and all(name in found[0].found for name in NEEDED_CALLS)
    assert not list(tmp_path.iterdir())
    (tmp_path / "lock").mkdir()
    assert [line.partition(":")[0] for line in find_lacking_calls(tmp_path)] == ["locks between processes"]
