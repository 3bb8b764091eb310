"""How the house is written: one place for each thing, reasons for what is installed, a README that is true."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.house
ROOT = Path(__file__).resolve().parents[1]


def python_files() -> list[Path]:
    return [path for folder in ("harness", "tools") for path in sorted((ROOT / folder).rglob("*.py"))]


ONE_PLACE = [  # a pattern, and the files in which it may stand
    (  # the last two cannot import ours
        r"^\s*(import|from) hashlib\b",
        {"harness/digest.py", "harness/clean_start.py", "tools/verify_bundle.py"},
    ),
    (r"^\s*(import|from) random\b", {"harness/seeds.py"}),
    (r"\bos\.(fsync|fdatasync)\(", {"harness/files.py"}),
    (r"fcntl\.flock\(", {"harness/files.py", "harness/attempts/transcript.py"}),  # by path; by open descriptor
    (r"^\s*(import|from) (pickle|shelve|dill|joblib)\b", set()),
    (
        r"^\s*(import|from) marshal\b",
        {"harness/run/executing/execute.py", "harness/run/step.py", "harness/run/step_warm.py"},
    ),  # of our own
    (
        r"\b(eval|exec)\(",  # of what is run as trials
        {
            "harness/trial_entry.py",
            "harness/studies/curie/code/pdb_entry.py",
            "harness/studies/questions/code/code_entry.py",
        },
    ),
    (r"\byaml\.(load|unsafe_load|full_load)\b", set()),
    (r"\bprint\(", {"harness/cli/terminal.py", "tools/verify_bundle.py"}),
    (
        r"\bimportlib\.import_module\(|\b__import__\(",
        {
            "harness/run/step.py",
            "harness/run/step_batch.py",
            "harness/run/step_warm.py",
            "harness/parts.py",
            "harness/clean_start.py",
        },
    ),
    (r"\bnp\.(load|save|savez|savez_compressed|memmap|fromfile|lib\.format)\b|\.tofile\(", {"harness/arrays.py"}),
    (r"datetime\.now\(|time\.time\(", {"harness/clock.py"}),
]


def test_there_is_one_place_for_each_thing() -> None:
    texts = {path.relative_to(ROOT).as_posix(): path.read_text() for path in python_files()}
    found = [
        f"{pattern} in {name}"
        for pattern, allowed in ONE_PLACE
        for name, text in texts.items()
        if name not in allowed and re.search(pattern, text, re.MULTILINE)
    ]
    assert found == []


def test_every_dependency_says_why_it_is_there() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    block = text[text.index("dependencies = [") : text.index("[project.scripts]")]
    lines = [line for line in block.splitlines() if line.strip().startswith('"')]
    assert lines and all("# " in line for line in lines)


def test_nothing_in_the_project_names_one_machine() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    pattern = re.compile("/" + "(work|root|farm)" + "/")
    for name in listed:
        path = ROOT / name
        if path.is_file() and path.suffix != ".lock":
            assert not pattern.search(path.read_text(errors="ignore")), name


def test_the_readme_shows_the_help_as_it_is() -> None:
    env = {**os.environ, "COLUMNS": "80", "TERM": "dumb"}
    shown = subprocess.run(
        [sys.executable, "-m", "harness.cli.main", "--help"], capture_output=True, text=True, check=True, env=env
    ).stdout.strip()
    assert shown in (ROOT / "README.md").read_text()


def test_the_readme_counts_the_outputs_that_are_expected() -> None:
    expect = json.loads((ROOT / "lockfiles" / "manifests" / "addition-demo.expect.json").read_text())["outputs"]
    [shown] = re.findall(r"^addition-demo: agreed \((\d+) outputs; ", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert int(shown) == len(expect)


def test_every_make_target_the_readme_names_is_there() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"^make ([a-z]+)", (ROOT / "README.md").read_text(), re.MULTILINE))
    assert {"reproduce", "test"} <= named <= targets
