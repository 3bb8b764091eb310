"""A local model in one thread and in two: two runs with two keys, which diff, claims and audit tell apart."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from support import REPOSITORY, data_of, error_of, harness, journals

from harness.run.environment import count_cores

needs("torch", "transformers")
pytestmark = [
    pytest.mark.long, pytest.mark.together, pytest.mark.skipif(count_cores() < 2, reason="one core alone"),
]  # fmt: skip
TEXT = """\
harness: 2
study: reliability
name: sums
about: A few additions by a local model.
models:
  tiny: {provider: transformers, source: assets/tiny-shaped, logprobs: 1}
datasets:
  addition: {make: reliability.addition, seed: 7, count: 10}
prompts: {set: reliability/addition@1}
generation: {max_tokens: 1}
resources: {gpus: 0, memory: 2GiB, timeout: 10m}
claims:
  - {of: "counts#/addition/drawn", published: 10, within: 0, where: nowhere}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose manifest was run in one thread, then locked for two."""
    folder = tmp_path_factory.mktemp("threads")
    (folder / "lockfiles").mkdir()
    (folder / "manifests").mkdir()
    shutil.copytree(REPOSITORY / "assets", folder / "assets")
    manifest = folder / "manifests" / "sums.yaml"
    manifest.write_text(TEXT)
    for _ in range(2):
        harness("lock", manifest, cwd=folder, check=0)
        if manifest.read_text() == TEXT:
            harness("run", manifest, cwd=folder, check=0)
            manifest.write_text(TEXT.replace("timeout: 10m", "timeout: 10m, threads: 2"))
    return folder


def test_two_threads_are_another_run_and_every_verb_says_so(project: Path) -> None:
    def verdict() -> str:
        [said] = data_of("claims", "manifests/sums.yaml", cwd=project, check=None)["claims"]
        return str(said["verdict"])

    assert verdict() == "not run: needs a run under its present lock"  # a run in one thread gives it no value
    harness("run", "manifests/sums.yaml", cwd=project, check=0)
    assert verdict().startswith("met")
    ran: list[dict[str, dict[str, Any]]] = [
        {event["step"]: event for event in events if event["event"].startswith("step.")}
        for events in journals(project / ".harness")
    ]
    again = [name for name in ran[0] if ran[0][name]["key"] != ran[1][name]["key"]]
    answers = "addition/responses/tiny/part-00000"
    below = {name for name in again if ran[0][name]["stage"] in ("scores", "analyses")}  # sums may end otherwise
    assert {*again} == {answers, *below} and answers in again
    assert [run[answers]["facts"]["threads"] for run in ran] == [1, 2]
    runs = sorted(path.name for path in (project / ".harness" / "runs").iterdir())
    parted = data_of("diff", *runs, cwd=project, check=None)
    assert parted["first"]["stage"] == "numerics"
    differing = {stage["stage"]: stage["changed"] for stage in parted["stages"] if stage["changed"]}
    assert set(differing) <= {"numerics", "responses"} and "numerics/OMP_NUM_THREADS" in differing["numerics"]
    found = data_of(
        "audit", runs[1], "--rerun", "1", "--budget", "900", cwd=project
    )  # in one thread an audit agrees with any other run
    assert found["verdict"] in ("agreed", "unconfirmed")
    assert "numerics" not in str([check for check in found["checks"] if check["verdict"] != "pass"])


def test_a_run_in_more_threads_than_there_are_cores_begins_nothing(project: Path) -> None:
    manifest = project / "manifests" / "sums.yaml"
    before, runs = manifest.read_text(), len(list((project / ".harness" / "runs").iterdir()))
    manifest.write_text(TEXT.replace("timeout: 10m", f"timeout: 10m, threads: {count_cores() + 1}"))
    harness("lock", manifest, cwd=project, check=0)
    refused = harness("run", manifest, "--json", cwd=project, check=3)
    assert f"has {count_cores()} cores" in error_of(refused)["what"]
    assert len(list((project / ".harness" / "runs").iterdir())) == runs
    manifest.write_text(before)
