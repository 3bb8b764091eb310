"""A real installation that somebody altered: no run begins on it, and no step loads bytecode that is not our own."""

from __future__ import annotations

import importlib.util
import json
import os
import py_compile
import shutil
import subprocess
import sys
import sysconfig
import threading
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from support import SECONDS, clean_env, small_project

from harness.clean_start import BYTECODE
from harness.engines.engine import Job, Limits
from harness.engines.local import LocalEngine, available_isolations
from harness.run.installed import bytecode, checked
from harness.run.installed.packages import TICK
from harness.run.installed.packages import installed_packages as packages

NEEDED = """
annotated_doc annotated_types click markdown_it_py mdurl pydantic pydantic_core pygments pyyaml rfc8785 rich shellingham
typer typing_extensions typing_inspection
"""

pytestmark = pytest.mark.together


@dataclass(frozen=True)
class Home:
    """An environment of its own, with copies of what the harness needs."""

    folder: Path
    project: Path

    @property
    def site(self) -> Path:
        return next((self.folder / "lib").glob("python*/site-packages"))

    def harness(self, *words: str) -> subprocess.CompletedProcess[str]:
        line = [str(self.folder / "bin" / "python"), "-m", "harness.cli.main", *words]
        return subprocess.run(
            line, cwd=self.project, env=clean_env(), capture_output=True, text=True, timeout=SECONDS, check=False
        )

    def refused(self, *words: str) -> str:
        done = self.harness(*words, "--json")
        assert done.returncode == 3, (done.stdout, done.stderr)
        error: dict[str, Any] = json.loads(done.stderr.strip().splitlines()[-1])["error"]
        assert "make setup" in error["next"]
        return str(error["what"])


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")], check=True)
    made = Home(folder / "venv", small_project(folder / "project", count=7, models=("oracle",)).parents[1])
    site = Path(sysconfig.get_path("purelib"))
    for package in packages(site):
        if package.name in NEEDED.split():
            for path in {line.partition(b",")[0] for line in package.lines} - {b""}:
                name = os.fsdecode(path)
                if not name.startswith("../") and not name.endswith(".pyc"):
                    target = made.site / name
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(site / name, target)
    time.sleep(2 * TICK / 1e9)
    return made


@pytest.fixture
def kept(home: Home) -> Iterator[Path]:
    """A file that a test may alter: it is as it was afterwards."""
    path = home.site / "rich" / "console.py"
    record = next(home.site.glob("rich-*.dist-info")) / "RECORD"
    before = {one: one.read_bytes() for one in (path, record)}
    yield path
    for one, data in before.items():
        one.write_bytes(data)


def test_a_run_on_what_was_installed_runs(home: Home) -> None:
    done = home.harness("run", "manifests/small.yaml", "--json")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("verb", ["run", "lock", "reproduce"])
def test_nothing_begins_when_a_line_was_added_to_a_package(home: Home, kept: Path, verb: str) -> None:
    with kept.open("a") as file:
        file.write("# mine\n")
    assert "rich/console.py (changed)" in home.refused(verb, "manifests/small.yaml")


def test_nothing_begins_when_the_record_was_edited_too(home: Home, kept: Path) -> None:
    with kept.open("a") as file:
        file.write("# mine\n")
    told = urlsafe_b64encode(sha256(kept.read_bytes()).digest()).decode().rstrip("=")
    record = next(home.site.glob("rich-*.dist-info")) / "RECORD"
    lines = [
        f"rich/console.py,sha256={told},{kept.stat().st_size}" if line.startswith("rich/console.py,") else line
        for line in record.read_text().splitlines()
    ]
    record.write_text("\n".join(lines) + "\n")
    said = home.refused("run", "manifests/small.yaml")
    assert "RECORD (not what the locked wheel brings)" in said and "console" not in said


def test_a_file_that_no_step_reads_is_a_note_in_output_and_record(home: Home) -> None:
    before = json.loads(home.harness("run", "manifests/small.yaml", "--json").stdout)["runs"][0]
    note = next(home.site.glob("rich-*.dist-info")) / "INSTALLER"
    kept = note.read_bytes()
    note.write_bytes(b"uv\n")
    try:
        done = home.harness("run", "manifests/small.yaml", "--json")
        [ran] = json.loads(done.stdout)["runs"]
        name = f"{note.parent.name}/INSTALLER (changed)"
        assert done.returncode == 0 and name in ran["unread"] and name in done.stderr and "unread" not in before
        assert ran["steps"]["executed"] == 0  # it is in no key
        record = json.loads((home.project / ".harness" / "runs" / ran["run"] / "record.json").read_bytes())
        assert record["facts"]["unread"] == {"files": 1, "first": [name]}
    finally:
        note.write_bytes(kept)
    old = json.loads((home.project / ".harness" / "runs" / before["run"] / "record.json").read_bytes())
    assert "unread" not in old["facts"]


def test_nothing_begins_beside_a_path_file_that_no_record_lists(home: Home) -> None:
    extra = home.site / "extra.pth"
    extra.write_text("/elsewhere\n")
    try:
        assert "extra.pth (not listed, and changes what Python imports)" in home.refused("run", "manifests/small.yaml")
    finally:
        extra.unlink()


def test_the_doctor_shows_what_was_altered_as_missing(home: Home, kept: Path) -> None:
    kept.write_bytes(kept.read_bytes() + b"# mine\n")
    done = home.harness("doctor", "--json")
    found = {one["subject"]: one for one in json.loads(done.stdout)["findings"]}
    assert done.returncode == 3 and found["packages"]["state"] == "missing"
    assert "rich/console.py (changed)" in found["packages"]["found"]
    assert found["bytecode"]["state"] == "better" and "make setup" in found["bytecode"]["advice"]


@dataclass(frozen=True)
class Steps:
    """Steps on the packages of a folder, which only this test has."""

    prefix: Path
    folder: Path

    def says(self, isolation: str = "process") -> str:
        """Run a step that imports the package, and give what its module says."""
        said: list[bytes] = []
        job = Job(LocalEngine(isolation).command("code/step.py"), self.folder, {"PATH": "/usr/bin:/bin"}, Limits())
        outcome = LocalEngine(isolation).run(job, said.append, threading.Event())
        assert outcome.fine, outcome.log
        return b"".join(said).decode().strip()

    @property
    def source(self) -> Path:
        return self.prefix / "site" / "alpha.py"


@pytest.fixture
def steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Steps:
    made = Steps(tmp_path / "venv", tmp_path / "step")
    for folder in (made.prefix / "site", *(made.folder / name for name in ("code", "out", "tmp"))):
        folder.mkdir(parents=True)
    made.source.write_text("said = 'true'\n")
    (made.folder / "code" / "step.py").write_text(
        "import sys\nsys.path.append(sys.argv[1])\nimport alpha\nprint(alpha.said)\n"
    )
    monkeypatch.setattr(sys, "executable", os.path.realpath(sys.executable))
    monkeypatch.setattr(sys, "prefix", str(made.prefix))
    monkeypatch.setattr("harness.engines.isolation.sysconfig.get_path", lambda _: str(made.prefix / "site"))
    return made


def forged(source: Path, target: Path) -> None:
    """Put other code where Python looks for a source's bytecode, with the true source's digest in it."""
    other = source.parents[2] / "other.py"
    other.write_text("said = 'forged'\n")
    target.parent.mkdir(parents=True, exist_ok=True)
    py_compile.compile(str(other), str(target), invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)
    data = target.read_bytes()
    target.write_bytes(data[:8] + importlib.util.source_hash(source.read_bytes()) + data[16:])


@pytest.mark.parametrize("own", [True, False], ids=["own bytecode", "none"])
@pytest.mark.parametrize("isolation", available_isolations())
def test_no_step_loads_bytecode_that_lies_beside_its_source(steps: Steps, isolation: str, own: bool) -> None:
    if own:
        bytecode.make_bytecode(steps.prefix / BYTECODE, [steps.prefix / "site"])
    forged(steps.source, Path(importlib.util.cache_from_source(str(steps.source))))
    assert steps.says(isolation) == "true"


@pytest.mark.parametrize("isolation", available_isolations())
def test_a_step_loads_our_bytecode_only_from_a_folder_with_its_list(steps: Steps, isolation: str) -> None:
    folder = steps.prefix / BYTECODE
    bytecode.make_bytecode(folder, [steps.prefix / "site"])
    forged(steps.source, Path(bytecode.bytecode_path(str(steps.source), folder)))
    assert steps.says(isolation) == "forged"  # so this is where Python looks; the check of the list names it
    bytecode.digest_list_path(folder).unlink()
    assert steps.says(isolation) == "true"


def test_bytecode_of_ours_is_not_loaded_for_a_source_that_was_altered(steps: Steps) -> None:
    bytecode.make_bytecode(steps.prefix / BYTECODE, [steps.prefix / "site"])
    facts = steps.source.stat()
    steps.source.write_text("said = 'trie'\n")
    os.utime(steps.source, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert steps.says() == "trie"  # what runs is what lies there, and what lies there is held against RECORD


def test_a_step_leaves_no_bytecode_anywhere(steps: Steps) -> None:
    assert steps.says() == "true"
    assert not list(steps.prefix.rglob("*.pyc"))


def test_the_place_of_a_check_is_the_place_of_the_steps() -> None:
    place, words = checked.import_paths(), LocalEngine("process").command("x")
    assert str(place.site) == words[-1]
    assert f"pycache_prefix={place.bytecode if bytecode.read_list(place.bytecode) else os.devnull}" in words
