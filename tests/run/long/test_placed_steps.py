"""Steps on a worker of this machine: how inputs reach it, what a failure is, and what it is not asked for in vain."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from evidence.bare import Bare, bare
from needs import needs
from support import REPOSITORY, clean_env, command, executed, journals, small_project
from support_hosts import until

from harness.engines.engine import Limits
from harness.engines.local import LocalEngine
from harness.errors import MissingError
from harness.evidence.record import FAILED, TIME
from harness.manifest.schema import Resources
from harness.run.engines import PlacementChoice
from harness.run.executing.execute import StepEnded
from harness.run.executing.runner import Runner
from harness.run.executing.workshop import Workshop
from harness.run.placement import cluster
from harness.run.placement.cluster import DaskPlacement, PlacementTerms
from harness.steps import GATHER, Pinned, Plan, Step

needs("distributed")
pytestmark = [pytest.mark.together, pytest.mark.long]


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlacementChoice]:
    """Give a scheduler of this machine with one worker."""
    with scheduler_of(tmp_path_factory.mktemp("dask"), {}) as choice:
        yield choice


@contextmanager
def scheduler_of(folder: Path, *workers: Mapping[str, str], options: Sequence[str] = ()) -> Iterator[PlacementChoice]:
    """Context manager that yields a scheduler of this machine with workers, whose variables are given."""
    processes, file = list[subprocess.Popen[bytes]](), folder / "scheduler.json"
    own: list[tuple[list[str], Mapping[str, str]]] = [(["scheduler", "--port", "0", "--no-jupyter"], {})]
    for number, env in enumerate(workers):
        place = ["--local-directory", str(folder / str(number))]
        own.append((["worker", "--nthreads", "1", "--no-nanny", *place, *options], env))
    try:
        for number, (words, env) in enumerate(own):
            line = [sys.executable, "-m", "dask", words[0], "--host", "127.0.0.1", *words[1:], "--no-dashboard"]
            with open(folder / f"{number}.log", "wb") as log:
                processes.append(
                    subprocess.Popen(
                        [*line, "--scheduler-file", str(file)],
                        env=clean_env(env), cwd=REPOSITORY, stdout=log, stderr=log,
                    )
                )  # fmt: skip
            until(file.exists, "the scheduler listens")
        yield PlacementChoice("dask", str(file))
    finally:
        for process in reversed(processes):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Bare:
    """Give a project with its lock and a store."""
    return bare(tmp_path_factory.mktemp("bare"))


def placed(made: Bare, choice: PlacementChoice, step: Step, limits: Limits | None = None, **asked: str) -> str:
    """Run one step on the worker; give the run's id."""
    workshop = Workshop(made.store, LocalEngine("process"), limits or Limits())
    terms = PlacementTerms("process", Resources.model_validate({"memory": "1GiB", **asked}), 0, "portable")
    runner = Runner(made.loaded, made.lock, Plan((step,), {}), workshop, limit=1)
    with DaskPlacement(choice, workshop, terms).open() as placement:
        runner.placement = placement
        return runner.run(lambda *_: None).run


def gather(made: Bare, name: str, data: bytes = b"rows") -> Step:
    """Give a step that copies some rows, under a key of its own."""
    parts = {"parts": (Pinned(made.store.blobs.put(data)),)}
    return Step(name, GATHER, "responses", {"name": "rows", "n": name}, parts, ("rows",))


def last(made: Bare, event: str) -> list[dict[str, object]]:
    """Give the lines of an event in the newest journal."""
    return [line for line in list(journals(made.store.root))[-1] if line["event"] == event]


@pytest.mark.parametrize("way", ["with the request", "when it is lacking", "from a shared store"])
def test_inputs_reach_a_worker_however_they_travel(
    way: str, made: Bare, scheduler: PlacementChoice, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    if way == "when it is lacking":
        monkeypatch.setattr(cluster, "SMALL", 0)
    ask = DaskPlacement._ask

    def noting(self: DaskPlacement, message: bytes, *more: object) -> object:
        said, blobs = ask(self, message, *more)  # type: ignore[arg-type]
        asked.append(said["type"])
        return said, blobs

    monkeypatch.setattr(DaskPlacement, "_ask", noting)
    data = way.encode() * 100  # which no worker has yet
    run = placed(made, replace(scheduler, shared=way == "from a shared store"), gather(made, way, data))
    [done] = last(made, "step.done")
    entry = made.store.entries.get(str(done["key"]))
    assert entry and made.store.blobs.read(entry.outputs["rows"].sha256) == data
    assert done["worker"] == "w1" and (made.store.root / "runs" / run / "record.json").exists()
    assert asked == (["step-lacking/1", "step-answer/1"] if way == "when it is lacking" else ["step-answer/1"])


def test_a_step_that_fails_is_an_answer_with_its_log_and_no_worker_repeats_it(
    made: Bare, scheduler: PlacementChoice
) -> None:
    step = replace(gather(made, "fails"), params={"n": "fails"})  # without the name that it needs
    with pytest.raises(StepEnded) as error:
        placed(made, scheduler, step)
    assert error.value.ended == FAILED and any("KeyError" in note for note in error.value.__notes__)
    [failed] = last(made, "step.failed")
    assert failed["ended"] == FAILED and len(last(made, "step.log")) == 1


def test_a_step_that_takes_too_long_there_is_named_so(made: Bare, scheduler: PlacementChoice) -> None:
    [make] = [step for step in made.plan.steps if step.name.endswith("/make")]
    slow = replace(make, name="slow", params={**make.params, "count": 400_000})
    with pytest.raises(StepEnded) as error:
        placed(made, scheduler, slow, timeout="1s")
    assert error.value.ended == TIME == last(made, "step.failed")[0]["ended"]


def test_a_resource_that_nobody_offers_ends_the_run_with_advice(made: Bare, scheduler: PlacementChoice) -> None:
    with pytest.raises(MissingError) as error:
        placed(made, replace(scheduler, memory=True), gather(made, "large"))
    assert "MEMORY" in error.value.what and "--resources" in error.value.next


H200S = "\n".join(f"NVIDIA H200, GPU-{n}111, 570.1, 9.0, 143771" for n in range(3))


def placed_on_gpus(made: Bare, choice: PlacementChoice, names: Sequence[str], workers: int) -> None:
    """Run steps that infer, each on one GPU of so many workers; they only copy rows."""
    workshop = Workshop(made.store, LocalEngine("process", gpus=1), Limits())
    terms = PlacementTerms("process", Resources.model_validate({"memory": "1GiB", "gpus": 1}), 0, "portable")
    steps = tuple(replace(gather(made, name), infers=True) for name in names)
    with DaskPlacement(choice, workshop, terms).open() as placement:
        judged = placement.workers
        until(
            lambda: len(judged) == workers and all(one.device or one.refused for one in [*judged.values()]),
            "all are judged",
        )
        runner = Runner(made.loaded, made.lock, Plan(steps, {}), workshop, limit=1)
        runner.placement = placement
        runner.run(lambda *_: None)


def test_a_step_on_a_gpu_takes_a_worker_with_one_of_its_own(
    made: Bare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "nvidia-smi"  # a driver that pretends
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ncat <<'END'\n{H200S}\nEND\n")
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    monkeypatch.setenv("PATH", path)
    envs = [{"PATH": path, "CUDA_VISIBLE_DEVICES": one} for one in ("GPU-1111", "2", "GPU-1")]
    for name in ("dask", "none"):
        (tmp_path / name).mkdir()
    with scheduler_of(tmp_path / "dask", *envs, options=("--resources", "GPU=1")) as choice:
        placed_on_gpus(made, choice, [f"gpu-{n}" for n in range(6)], len(envs))
    joined = {str(line["worker"]): line["facts"]["gpus"] for line in last(made, "worker.joined")}  # type: ignore[index]
    assert sorted(gpu["uuid"] for gpus in joined.values() for gpu in gpus) == ["GPU-1111", "GPU-2111"]
    [refused] = last(made, "worker.refused")
    assert "on a GPU of worker" in str(refused["why"]) and refused["worker"] not in joined
    assert {line["worker"] for line in last(made, "step.done")} <= joined.keys() and len(joined) == 2
    with scheduler_of(tmp_path / "none", envs[0]) as choice, pytest.raises(MissingError) as error:  # it offers none
        placed_on_gpus(made, choice, ["gpu-none"], 1)
    assert "takes GPU=1" in error.value.what and '--resources "GPU=1"' in error.value.next


def test_a_scheduler_file_of_nobody_is_missing(made: Bare, scheduler: PlacementChoice, tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="no such scheduler file"):
        placed(made, replace(scheduler, target=str(tmp_path / "s.json")), gather(made, "none"))


def test_a_run_that_is_stopped_stops_its_workers_and_is_taken_up(tmp_path: Path, scheduler: PlacementChoice) -> None:
    project = small_project(tmp_path / "p", 20, ("oracle", "forger")).parents[1]
    words = command("run", "manifests/small.yaml", "--placement", f"dask={scheduler.target}")
    env = clean_env({"XDG_CONFIG_HOME": str(tmp_path)})
    with subprocess.Popen(words, cwd=project, env=env, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        until(lambda: executed(project / ".harness") or process.poll() is not None, "a step is done")
        os.kill(process.pid, signal.SIGINT)
        began = time.monotonic()
        _, said = process.communicate(timeout=120)
    assert process.returncode == 130, (said, time.monotonic() - began)
    again = subprocess.run(words, cwd=project, env=env, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    keys = executed(project / ".harness")
    assert len(keys) == len(set(keys))
