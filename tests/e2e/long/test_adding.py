"""The four pages "How to add …": their examples are complete, touch what was promised, and do what the page says."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from support import REPOSITORY, clean_env, manifest_text, outputs_of, tree

DOCUMENT = REPOSITORY / "docs" / "architecture.md"
COPIED = ("harness", "tools", "manifests", "certificates", "lockfiles", "tests", "docs", "pyproject.toml")
# What each may touch (docs/architecture.md#how-to-add): its own files and its tests, and not one line of anything else.
PROMISED = {
    "a study": [r"harness/studies/toy/\S+", r"manifests/demo/toy\.yaml", r"tests/studies/toy/test_\w+\.py"],
    "a scorer": [r"harness/scorers/toy\.py", r"tests/scorers/test_toy\.py"],
    "a provider": [r"harness/models/providers/toy\.py", r"tests/models/test_toy\.py"],
    "an engine": [r"harness/engines/toy\.py", r"tests/engines/test_toy\.py"],
}
SECONDS = 1200  # the rules of the house are read in full, beside whatever else a machine does
pytestmark = pytest.mark.together


@dataclass(frozen=True)
class Page:
    """One page: the files of its example, and the commands that use them with what they print."""

    files: dict[str, str]
    commands: list[tuple[str, str]]


def page(kind: str) -> Page:
    """Read one page of the document."""
    _, found, rest = DOCUMENT.read_text().partition(f"### How to add {kind}\n")
    assert found, f"no page says how to add {kind}"
    text = re.split(r"^(?:## |### )", rest, maxsplit=1, flags=re.MULTILINE)[0]
    files: dict[str, str] = {}
    commands: list[tuple[str, str]] = []
    for language, block in re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        if language == "console":
            commands += re.findall(r"^\$ (.*)\n((?:[^$].*\n)*)", block, re.MULTILINE)
        else:
            first, _, body = block.partition("\n")
            files[first.removeprefix("# ")] = body
    return Page(files, commands)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project into which all four examples are laid, each on untouched ground."""
    root = tmp_path_factory.mktemp("adding") / "project"
    for name in COPIED:
        if (REPOSITORY / name).is_dir():
            shutil.copytree(REPOSITORY / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(REPOSITORY / name, root / name)
    for kind in PROMISED:
        for name, text in page(kind).files.items():
            assert not (root / name).exists(), f"{name} is there already: adding {kind} touches what it should not"
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
    return with_program(root)


def with_program(root: Path) -> Path:
    """Put the command `harness` of a copy beside it, and give the copy."""
    program = root.parent / "bin" / "harness"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m harness.cli.main "$@"\n')
    program.chmod(0o755)
    return root


def call(root: Path, words: str) -> subprocess.CompletedProcess[str]:
    """Run a line as a reader of the page would, with the copy's harness."""
    path = f"{root.parent / 'bin'}:{Path(sys.executable).parent}:/usr/bin:/bin:/usr/sbin:/sbin"
    env = clean_env({"PYTHONPATH": str(root), "PATH": path})
    done = subprocess.run(
        ["sh", "-c", words], cwd=root, env=env, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, f"$ {words}\n{done.stdout}{done.stderr}"
    return done


def code(root: Path) -> dict[str, bytes]:
    """Give the copy's source, without what Python keeps beside it."""
    return {name: data for name, data in tree(root / "harness").items() if "__pycache__" not in name}


@pytest.mark.parametrize("kind", PROMISED)
def test_it_touches_what_was_promised_and_says_how_much(kind: str) -> None:
    names = page(kind).files
    strangers = [name for name in names if not any(re.fullmatch(one, name) for one in PROMISED[kind])]
    assert names and not strangers
    tests = sum(name.startswith("tests/") for name in names)
    row = f"| {kind.split()[1]} | {len(names) - tests} + {tests} |"
    assert row in DOCUMENT.read_text(), f"the table of the document should say: {row}"


def test_their_own_tests_pass_and_the_house_rules_hold_with_all_four(copy: Path) -> None:
    names = [name for kind in PROMISED for name in page(kind).files if name.endswith(".py")]
    tests = " ".join(name for name in names if name.startswith("tests/"))
    # A folder of its own for what these write, or at its end pytest would clear away what others left in the usual one.
    own = f"--basetemp={copy.parent / 'tests'} -o faulthandler_timeout={SECONDS // 2}"
    call(copy, f"python -P -m pytest -q -p no:cacheprovider {own} tests/test_house.py {tests}")
    call(copy, f"ruff check --no-cache {' '.join(names)} && ruff format --no-cache --check {' '.join(names)}")


@pytest.mark.parametrize("kind", PROMISED)
def test_the_commands_do_what_the_page_says(copy: Path, kind: str) -> None:
    before = code(copy)
    for words, said in page(kind).commands:
        done = call(copy, words)
        if said:
            assert done.stdout == said
    assert code(copy) == before


def test_a_run_on_the_engine_of_the_page_gives_the_bytes_of_a_local_run(copy: Path) -> None:
    path = "manifests/small.yaml"
    (copy / path).write_text(manifest_text(7))
    call(copy, f"harness lock {path}")
    local, toy = (
        json.loads(call(copy, f"harness run {path} --engine {engine} --store of-{engine} --json").stdout)
        for engine in ("local", "toy")
    )
    assert toy["runs"][0]["engine"] == "toy" and toy["runs"][0]["steps"]["executed"] > 10
    assert outputs_of(toy) == outputs_of(local)
