"""What the driver says of its GPUs becomes the device in a key and facts in a record; a lack of them is told."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest
from support import data_of, error_of, harness, journals, manifest_text, unlocked_project
from support_engine import open_docker

from harness.engines import engine
from harness.engines.engine import Job, Limits
from harness.engines.local import LocalEngine, available_isolations
from harness.errors import MissingError
from harness.run.executing.workshop import Workshop
from harness.store.store import Store

H100 = "NVIDIA H100 80GB HBM3, GPU-1111, 550.54.15, 9.0, 81559"
A100 = "NVIDIA A100-SXM4-40GB, GPU-2222, 550.54.15, 8.0, 40960"
OTHER = H100.replace("1111", "3333")


def says(*lines: str) -> Any:
    return lambda query: "\n".join(lines) + "\n"


def nothing(query: Any) -> str:
    raise engine.missing_gpu_error("no driver")


def test_no_gpu_is_asked_for_where_none_is_wanted() -> None:
    assert engine.choose_device(0, nothing).kind == "cpu" and engine.choose_device(0, nothing).facts == {}


@pytest.mark.parametrize(
    ("wanted", "used"), [(1, ["GPU-1111"]), (2, ["GPU-1111", "GPU-3333"]), ("prefer", ["GPU-1111"])]
)
def test_the_device_is_the_compute_capability_and_the_facts_name_each_gpu(wanted: Any, used: list[str]) -> None:
    device = engine.choose_device(wanted, says(H100, OTHER))
    assert device.kind == "cuda:sm_90" and [one["uuid"] for one in device.facts["gpus"]] == used
    assert device.facts["gpus"][0] == {
        "model": "NVIDIA H100 80GB HBM3", "uuid": "GPU-1111", "driver": "550.54.15", "compute_capability": "9.0",
        "memory_mib": "81559",
    }  # fmt: skip


GARBAGE = ["", "No devices were found", "a,b,c", "a,b,c,d,e", f"{H100}, more", f"{H100}\nand so on", "\0" * 500,
           H100.replace("9.0", "[N/A]"), '"' + H100]  # fmt: skip


def test_a_missing_driver_and_a_silent_one_have_different_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(MissingError, match="is not here"):
        engine.query_driver(engine.QUERY)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setattr(engine, "PATIENCE", 0.1)
    with pytest.raises(MissingError, match="gave no answer"):
        engine.query_driver(("sleep", "10"))


@pytest.mark.parametrize("answer", [*GARBAGE, f"{H100}\n{A100}"])
def test_an_answer_that_names_no_such_gpus_is_refused_and_prefer_says_why(answer: str) -> None:
    with pytest.raises(MissingError, match="nvidia-container-toolkit") as refused:
        engine.choose_device(2, says(answer))
    assert len(str(refused.value)) < 1000
    if answer in GARBAGE:
        device = engine.choose_device("prefer", says(answer))
        assert device.kind == "cpu" and device.facts["gpus_wanted"] == "prefer" and device.facts["gpus_missing"]


def test_gpus_of_several_kinds_are_refused_where_a_step_would_have_both() -> None:
    assert engine.choose_device(1, says(A100, H100)).kind == "cuda:sm_80"
    with pytest.raises(MissingError, match=r"different compute capabilities \(8\.0, 9\.0\)"):
        engine.choose_device(2, says(A100, H100))


@pytest.mark.parametrize(
    ("visible", "used"),
    [("1", ["GPU-3333"]), ("GPU-3333", ["GPU-3333"]), ("GPU-33,0", ["GPU-3333", "GPU-1111"]), ("1, 0", ["GPU-3333"])],
)
def test_only_gpus_that_the_harness_may_use_are_chosen_in_their_order(visible: str, used: list[str]) -> None:
    device = engine.choose_device(len(used), says(H100, OTHER), visible)
    assert [one["uuid"] for one in device.facts["gpus"]] == used


@pytest.mark.parametrize("visible", ["", "2", "-1", "GPU-", "0,0", "0,GPU-1111", "GPU-4", "MIG-1111", "0,x", "²", "01"])
def test_no_gpu_is_chosen_that_the_harness_may_not_use(visible: str) -> None:
    with pytest.raises(MissingError, match="CUDA_VISIBLE_DEVICES"):
        engine.choose_device(2, says(H100, OTHER), visible)


def test_a_step_that_infers_is_shown_the_gpus_that_were_chosen_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {**driver(tmp_path / "bin", f"{H100}\n{OTHER}"), "CUDA_VISIBLE_DEVICES": "1"}.items():
        monkeypatch.setenv(name, value)
    local, seen = LocalEngine(available_isolations()[0], gpus=1), []
    for folder in ("out", "tmp"):
        (tmp_path / folder).mkdir()
    tmp_path.chmod(0o755)
    for infers in (True, False):
        script = 'echo "[$CUDA_VISIBLE_DEVICES]"'
        job = Job(("sh", "-c", script), tmp_path, {"PATH": "/usr/bin:/bin"}, Limits(seconds=60), infers=infers)
        seen.append(local.run(job, lambda _: None, threading.Event()).log)
    assert seen == [b"[GPU-3333]\n", b"[]\n"] and not local.keeps


def driver(folder: Path, answer: str) -> dict[str, str]:
    """Lay a program called nvidia-smi on the PATH."""
    folder.mkdir()
    program = folder / "nvidia-smi"
    program.write_text(f"#!/bin/sh\ncat <<'END'\n{answer}\nEND\n")
    program.chmod(0o755)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def wanting(project: Path, gpus: str) -> None:
    path = project / "manifests" / "small.yaml"
    path.write_text(manifest_text(models=("noisy-oracle",)).replace("gpus: 0", f"gpus: {gpus}"))


@pytest.mark.long
def test_a_run_on_this_machine_s_gpu_says_so_in_key_and_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "p"
    unlocked_project(project)
    wanting(project, "1")
    isolation = ("--isolation", available_isolations()[0])
    none = driver(tmp_path / "none", "No devices were found")
    refused = harness("run", "manifests/small.yaml", "--relock", *isolation, "--json", cwd=project, env=none, check=3)
    assert "no GPU" in error_of(refused)["what"] and "gpus: prefer" in error_of(refused)["next"]

    wanting(project, "prefer")
    text = harness("run", "manifests/small.yaml", "--relock", *isolation, cwd=project, env=none, check=0).stdout
    [events] = journals(project / ".harness")
    assert "device: cpu (no GPU: " in text and events[0]["facts"]["gpus_wanted"] == "prefer"

    wanting(project, "1")
    env = driver(tmp_path / "bin", H100)
    run = data_of("run", "manifests/small.yaml", "--relock", *isolation, cwd=project, env=env)["runs"][0]
    assert run["device"] == "1 x NVIDIA H100 80GB HBM3"
    _, events = journals(project / ".harness")
    assert events[0]["facts"]["gpus"][0]["driver"] == "550.54.15"
    monkeypatch.setenv("PATH", env["PATH"])
    shop = Workshop(Store.open(project / ".harness"), LocalEngine(isolation[1], gpus=1), Limits())
    assert shop.setting.device == "cuda:sm_90"  # from where the keys of the steps that compute there have it


def test_docker_without_a_gpu_runtime_says_so_and_prefer_uses_the_cpu(
    docker_host: str, image_store: tuple[Path, str]
) -> None:
    try:
        open_docker(image_store, gpus=1)
    except MissingError as bad:
        assert "no GPU" in bad.what and "nvidia-container-toolkit" in bad.next
    else:
        pytest.skip("this engine has a GPU")
    device = open_docker(image_store, gpus="prefer").device
    assert device.kind == "cpu" and device.facts["gpus_wanted"] == "prefer" and device.facts["gpus_missing"]
