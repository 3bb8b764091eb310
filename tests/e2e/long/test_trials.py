"""Code that models wrote, from answers to scores: tried in the sandbox, recorded, resumed after a kill, and audited."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from support import REPOSITORY, clean_env, outputs_of
from toys.verdicts import Verdicts

from harness.images.image import find_image, read_image_pins
from harness.store.store import Store

pytestmark = pytest.mark.together
ANSWERS: tuple[str, ...] = (
    "Here:\n```python\ndef square(n):\n    return n * n\n```",
    "```python\ndef square(n):\n    return n * n\n```",
    "```python\ndef square(n):\n    while True: pass\n```",
    "I would rather not.",
    "```python\ndef square(n):\n    raise ValueError(n)\n```",
    "```python\ndef square(n):\n    import os\n    os.kill(os.getpid(), 9)\n```",
    "```python\ndef square(n):\n    return 'x' * (1 << 20)\n```",
    "```python\nimport numpy\ndef square(n):\n    return int(numpy.square(n))\n```",
)
ENDS = ("done", "done", "cpu", None, "failed", "killed", "output", "done")
MANIFEST = f"""\
harness: 2
study: snippets
name: snippets
about: Squares that somebody else's model programmed, tried here.
models:
  theirs: {{provider: imported, source: data/answers.jsonl}}
datasets:
  squares: {{make: snippets.squares, count: {len(ANSWERS)}}}
prompts: {{set: snippets/ask@1}}
resources: {{gpus: 0, memory: 2GiB, timeout: 5m}}
sandbox: sandbox
outputs: {{right: {{within: "1e-9"}}}}
"""


class Snippets(Verdicts):
    """The copy with the study `snippets` in it."""

    study, manifest, answers = "snippets", MANIFEST, ANSWERS

    def data(self) -> None:
        """Lay down what somebody else's model answered."""
        rows = (
            {"item": f"square-{n}", "template": 1, "sample": 0, "text": text} for n, text in enumerate(self.answers)
        )
        (self.project / "data").mkdir()
        (self.project / "data" / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Snippets, Any]:
    snippets = Snippets(tmp_path_factory.mktemp("snippets") / "toy")
    snippets.make("")
    return snippets, snippets.run()


def test_each_program_is_tried_and_its_end_is_an_outcome_that_is_scored(ran: tuple[Snippets, Any]) -> None:
    tables = ran[0].tables(ran[1])
    outcomes = {row["item"]: row["outcome"] for row in tables["trials"]}
    assert [outcomes.get(f"square-{n}") for n in range(len(ANSWERS))] == list(ENDS)
    assert ran[1]["runs"][0]["trials"] == {"cpu": 1, "done": 3, "failed": 1, "killed": 1, "output": 1}
    values = {row["item"]: row["value"] for row in tables["scores"]}
    assert [values[f"square-{n}"] for n in range(len(ANSWERS))] == [1, 1, 0, 0, 0, 0, 0, 1]


def test_it_is_seven_files_and_no_line_that_was_there_is_another(ran: tuple[Snippets, Any]) -> None:
    added, changed = ran[0].laid()
    assert not changed and all("studies/snippets/" in name for name in added)
    assert len(added) + 1 <= 8, "with the manifest"


def test_its_array_is_accepted_and_compared_within_its_tolerance(ran: tuple[Snippets, Any], tmp_path: Path) -> None:
    copy = ran[0].copied(tmp_path / "toy")
    copy.call("lock", "--accept", "last")
    again = json.loads(copy.call("reproduce", copy.path, "--json").stdout)["runs"][0]
    assert again["verdict"] == "agreed"
    copy.edit("measures.py", "sum(said) / len(said)", "sum(said) / len(said) + 1e-12")
    near = {one["name"]: one for one in copy.run()["runs"][0]["outputs"]}["right"]
    assert near["verdict"] == "agreed" and near["level"] == {"within": "1e-9"}
    copy.edit("measures.py", "1e-12", "1e-3")
    far = json.loads(copy.call("run", copy.path, "--json", check=1).stdout)["runs"][0]
    assert {one["name"] for one in far["outputs"] if one["verdict"] == "disagreed"} == {"right"}


def test_record_and_audit_say_that_outcomes_are_trust(ran: tuple[Snippets, Any]) -> None:
    run = ran[1]["runs"][0]["run"]
    record = json.loads((ran[0].project / ".harness" / "runs" / run / "record.json").read_bytes())
    assert record["trials"] == ["squares/trials/square/theirs/part-00000"]
    report = json.loads(ran[0].call("audit", "last", "--budget", "900", "--json").stdout)
    assert report["verdict"] == "agreed" and report["coverage"]["trials"] == 1
    assert "outcomes of foreign code taken on trust: 1 step" in ran[0].call("audit", "last").stdout


def test_a_second_run_tries_nothing_again(ran: tuple[Snippets, Any]) -> None:
    again = ran[0].run()
    assert ran[0].executed(again["runs"][0]["run"]) == set() and outputs_of(again) == outputs_of(ran[1])
    assert "code tried: 1 cpu, 3 done" in ran[0].call("run", ran[0].path).stdout


def test_without_walls_it_is_refused_with_the_way_out(ran: tuple[Snippets, Any]) -> None:
    said = ran[0].call("run", ran[0].path, "--isolation", "process", "--store", "bare", check=3).stderr
    assert "does not contain foreign code" in said and "--engine docker" in said


class Slow(Snippets):
    """Programs that take a second each, but for their number the same."""

    answers = tuple(
        f"```python\nimport time\ndef square(n):\n    time.sleep(1)  # {n}\n    return n * n\n```" for n in range(8)
    )


def test_a_kill_loses_only_the_programs_under_way(tmp_path: Path) -> None:
    slow = Slow(tmp_path / "toy")
    slow.make("")
    env = clean_env({"PYTHONPATH": str(slow.source)})
    words = [sys.executable, "-P", "-m", "harness.cli.main", "run", str(slow.path), "--jobs", "2"]
    with subprocess.Popen(
        words, cwd=slow.project, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as going:
        journals = slow.project / ".harness" / "runs"
        for _ in range(600):
            lines = [path.read_text() for path in journals.glob("*/journal.jsonl")] if journals.is_dir() else []
            if sum(text.count('"trial.done"') for text in lines) >= 3:
                break
            time.sleep(0.1)
        os.kill(going.pid, signal.SIGKILL)
    [killed] = journals.glob("*/journal.jsonl")
    before = killed.read_text().count('"trial.done"')
    assert 3 <= before < 8
    ran = slow.run("--jobs", "2")
    journal = (journals / ran["runs"][0]["run"] / "journal.jsonl").read_text()
    assert journal.count('"trial.done"') == 8 - before
    assert json.loads(slow.call("audit", "last", "--budget", "900", "--json").stdout)["verdict"] == "agreed"


def test_on_docker_they_run_in_the_sandbox_with_the_same_outcomes(
    ran: tuple[Snippets, Any], docker_host: str, tmp_path: Path
) -> None:
    store = REPOSITORY / ".harness"
    held = {name: read_image_pins(REPOSITORY).get(name) for name in ("cpu", "sandbox")}
    if not store.is_dir() or not all(pin and find_image(Store(store), pin.image_id) for pin in held.values()):
        pytest.skip("the images `cpu` and `sandbox` are not here: `make images`")
    copy = ran[0].copied(tmp_path / "toy")
    shutil.copy(REPOSITORY / "lockfiles" / "images.json", copy.project / "lockfiles")
    copy.lock()
    there = copy.run("--store", "second", "--engine", "docker", "--images", str(store))
    assert [row["outcome"] for row in copy.tables(there, "second")["trials"]] == [end for end in ENDS if end]
    assert outputs_of(there)["scores"] == outputs_of(ran[1])["scores"]
    run = there["runs"][0]["run"]
    record = json.loads((copy.project / "second" / "runs" / run / "record.json").read_bytes())
    sandbox = held["sandbox"]
    assert sandbox and record["sandbox"]["image"] == sandbox.image_id != record["image"]
    assert (
        json.loads(copy.call("audit", "last", "--store", "second", "--json", "--images", str(store)).stdout)["verdict"]
        == "agreed"
    )
