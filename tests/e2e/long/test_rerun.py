"""What changes decides what runs again: exactly the steps that depend on it, and none for anything else."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support import REPOSITORY, SECONDS, clean_env, judging_once, unlocked_project

pytestmark = pytest.mark.together  # the house is built once
STAGES = ("make", "items", "gold", "budgets", "prompts", "responses", "scores", "labels", "proportions", "checks")


class House:
    """A copy of the harness's source with a project beside it, so that a test may edit either."""

    first = True  # whose bytecode the copies of it find beside their sources

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.source = folder / "source"
        self.project = folder / "project"
        shutil.copytree(REPOSITORY / "harness", self.source / "harness", ignore=shutil.ignore_patterns("__pycache__"))
        unlocked_project(self.project, count=6, models=("noisy-oracle",))
        self.call("lock", "manifests/small.yaml")

    def call(self, *words: str, program: str = "") -> subprocess.CompletedProcess[str]:
        start = [sys.executable, "-P", "-c", program] if program else judging_once("copies")
        env = clean_env({"PYTHONPATH": str(self.source), "PYTHONDONTWRITEBYTECODE": "" if self.first else "1"})
        # -P and the PYTHONPATH put the copy before the installed harness
        return subprocess.run(
            [*start, *words], cwd=self.project, env=env, capture_output=True, text=True, timeout=SECONDS, check=False
        )

    def run(self, *words: str, program: str = "") -> set[str]:
        """Run the manifest and give the stages of which any step was executed."""
        done = self.call("run", "manifests/small.yaml", "--json", *words, program=program)
        assert done.returncode == 0, done.stderr
        ran = json.loads(done.stdout)["runs"][0]
        journal = self.project / ".harness" / "runs" / ran["run"] / "journal.jsonl"
        events: list[dict[str, Any]] = [json.loads(line) for line in journal.read_bytes().splitlines()]
        names = [event["step"].removeprefix("addition/") for event in events if event["event"] == "step.done"]
        return {name.partition("/")[0] for name in names}

    def edit(self, path: str, old: str, new: str) -> None:
        file = self.source / path if path.startswith("harness/") else self.project / path
        text = file.read_text()
        assert old in text, f"{path} no longer holds {old!r}"
        file.write_text(text.replace(old, new, 1))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> House:
    house = House(tmp_path_factory.mktemp("rerun"))
    assert house.run() == set(STAGES)  # the data too: what `lock` made no run has executed
    return house


@pytest.fixture
def house(built: House, tmp_path: Path) -> House:
    copy = House.__new__(House)
    copy.first = False
    copy.folder, copy.source, copy.project = tmp_path, tmp_path / "source", tmp_path / "project"
    shutil.copytree(built.source, copy.source)
    shutil.copytree(built.project, copy.project)
    return copy


def test_an_edited_template_runs_everything_from_the_prompts_on(house: House) -> None:
    house.edit("harness/studies/reliability/prompts/addition@1.jsonl", "{a} + {b} =", "{a} + {b}  =")
    stale = house.call("run", "manifests/small.yaml", "--json")
    assert stale.returncode == 2
    assert "pins/prompts/reliability~1addition@1/sha256" in json.loads(stale.stderr)["error"]["what"]
    assert house.run("--relock") == {"prompts", "responses", "scores"}  # the scores came out the same: cut off there


def test_an_edited_scorer_runs_the_scores_and_what_they_change(house: House) -> None:
    house.edit("harness/answers/v2/addition.py", "str(int(a) + int(b))", "str(int(a) + int(b) + 1)")
    assert house.run() == {"scores", "labels", "proportions", "checks"}


def test_a_comment_in_a_scorer_reruns_nothing_beyond_equal_scores_and_explain_names_it(house: House) -> None:
    house.edit("harness/answers/addition.py", "from __future__", "# a comment\nfrom __future__")
    assert house.run() == {"scores"}
    why = json.loads(house.call("explain", "last", "addition/scores", "--json").stdout)["steps"]
    assert {step["state"] for step in why} == {"executed"}
    assert all(step["reason"].endswith("code: harness/answers/addition.py") for step in why)


def test_an_edited_stand_in_runs_the_responses_and_what_they_change(house: House) -> None:
    house.edit("harness/models/providers/baseline.py", "from __future__", "# a comment\nfrom __future__")
    assert house.run() == {"responses"}


def test_another_seed_runs_everything(house: House) -> None:
    house.edit("manifests/small.yaml", "seed: 7", "seed: 8")
    assert house.run("--relock") == set(STAGES)


def test_another_version_of_a_package_runs_everything(house: House) -> None:
    """Every package an environment holds could be imported by a step, so each of them stands in every key."""
    program = """
import sys
from pathlib import Path
import harness.run.installed.checked as installed
import harness.run.executing.workshop as workshop
original = installed.checked_environment
installed.checked_environment = lambda: original().replace(b'"rich":{"record":"', b'"rich":{"record":"0')
from harness.cli.main import run_command_line
sys.exit(run_command_line(sys.argv[1:]))
"""
    assert house.run(program=program) == set(STAGES)


def test_the_file_all_steps_import_runs_all_steps(house: House) -> None:
    house.edit("harness/digest.py", "from __future__", "# a comment\nfrom __future__")
    assert house.run() == set(STAGES)


def test_what_no_step_imports_runs_nothing(house: House) -> None:
    for path in (
        "cli/terminal.py",
        "evidence/diff.py",
        "run/executing/runner.py",
        "studies/registry.py",
        "store/sweep.py",
    ):
        house.edit(f"harness/{path}", "from __future__", "# a comment\nfrom __future__")
    (house.source / "harness" / "studies" / "other").mkdir()
    (house.source / "harness" / "studies" / "other" / "__init__.py").write_text('"""Another study."""\n')
    assert house.run() == set()


def test_what_is_no_part_of_a_key_runs_nothing_and_says_so(house: House) -> None:
    house.edit("manifests/small.yaml", "memory: 2GiB", "memory: 3GiB")
    assert house.run("--relock") == set()
    told = house.call("run", "manifests/small.yaml", "--isolation", "process", "--jobs", "1").stderr
    assert "nothing was left to do" in told


def test_an_audit_executes_steps_of_other_code_and_equal_bytes_confirm(house: House) -> None:
    house.edit("harness/answers/addition.py", "from __future__", "# a comment\nfrom __future__")
    report = json.loads(house.call("audit", "last", "--budget", "900", "--json").stdout)
    assert (report["verdict"], report["coverage"]["again"]) == ("agreed", report["coverage"]["steps"])
    assert 0 < report["coverage"]["other"] < report["coverage"]["steps"]
    house.edit("harness/studies/reliability/measures/checks.py", '"n": scored,', '"n": scored + 1,')
    done = house.call("audit", "last", "--budget", "900", "--json")
    differing = [check for check in json.loads(done.stdout)["checks"] if check["verdict"] != "pass"]
    assert json.loads(done.stdout)["verdict"] == "incomplete" and done.returncode == 1
    assert {check["id"] for check in differing} == {"code.differs"}
    assert all("studies/reliability/measures/checks.py" in check["detail"] for check in differing), differing


def test_a_run_is_audited_in_full_after_a_module_of_its_steps_moved(house: House) -> None:
    kit = house.source / "harness" / "kit"
    (kit / "prompts.py").rename(kit / "wordings.py")
    for path in (house.source / "harness").rglob("*.py"):
        path.write_text(path.read_text().replace("harness.kit.prompts", "harness.kit.wordings"))
    moved = json.loads(house.call("audit", "last", "--budget", "900", "--json").stdout)
    assert (moved["verdict"], moved["coverage"]) == ("incomplete", None), "nothing says that it moved"
    told = "MOVES: tuple[Mapping[str, str], ...] = ("
    house.edit("harness/step_kinds.py", told, f'{told}\n    {{"harness.kit.wordings": "harness.kit.prompts"}},')
    report = json.loads(house.call("audit", "last", "--budget", "900", "--json").stdout)
    assert (report["verdict"], report["coverage"]["again"]) == ("agreed", report["coverage"]["steps"])
    assert 0 < report["coverage"]["other"] < report["coverage"]["steps"]


def test_another_name_of_the_rules_changes_no_label_and_diff_names_stage_cause_and_rows(house: House) -> None:
    [first] = (path.name for path in (house.project / ".harness" / "runs").iterdir())
    house.edit("harness/answers/v2/text.py", '"OURS-v2"', '"OURS-v3"')
    assert house.run() == {"scores", "labels"}
    done = house.call("diff", first, "last", "--json")
    assert done.returncode == 1
    parted = json.loads(done.stdout)
    assert parted["first"]["stage"] == "scores"
    assert parted["cause"] == "code: harness/answers/v2/text.py"
    assert parted["rows"][0]["fields"] == ["/detail/rule_set"]
    assert parted["rows"][0]["right"].endswith("v3")
    same = house.call("diff", "last", "last", "--json")
    assert same.returncode == 0
    assert json.loads(same.stdout)["level"] == "bytes"
