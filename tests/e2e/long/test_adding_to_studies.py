"""The page "Add to a study": its examples apply as they stand, change what the page counts, and do what it says."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from e2e.long.test_adding import COPIED, SECONDS, call, with_program
from support import REPOSITORY

DOCUMENT = REPOSITORY / "docs" / "adding.md"
KINDS = ("a scorer that manifests name", "a figure", "a table", "a question template")
pytestmark = pytest.mark.together


@dataclass(frozen=True)
class Recipe:
    """One example: its new files, its changes as (file, lines before, lines after), its commands and their output."""

    files: dict[str, str] = field(default_factory=dict)
    changes: list[tuple[str, str, str]] = field(default_factory=list)
    commands: list[tuple[str, str]] = field(default_factory=list)

    def counted(self) -> str:
        """Give how many files of the code are new, how many are changed, and how many are tests."""
        changed = {name for name, _, _ in self.changes}
        new, tests = ([name for name in self.files if name.startswith(f"{part}/")] for part in ("harness", "tests"))
        of_code = [name for name in changed if name.startswith("harness/")]
        return f"{len(new)} + {len(of_code)} + {len(tests) + len(changed) - len(of_code)}"


def recipe(kind: str) -> Recipe:
    """Read one example of the page."""
    _, found, rest = DOCUMENT.read_text().partition(f"## How to add {kind}\n")
    assert found, f"no part of the page says how to add {kind}"
    read = Recipe()
    text = re.split(r"^#{2,3} ", rest, maxsplit=1, flags=re.MULTILINE)[0]
    for language, block in re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        if language == "console":
            read.commands.extend(re.findall(r"^\$ (.*)\n((?:[^$].*\n)*)", block, re.MULTILINE))
            continue
        first, _, body = block.partition("\n")
        name = first.removeprefix("# ")
        if language == "diff":
            read.changes.append((name, _side(body, "-"), _side(body, "+")))
        else:
            read.files[name] = body
    return read


def _side(body: str, sign: str) -> str:
    """Give the lines before (`-`) or after (`+`) a change; those that stay are in both."""
    return "".join(line[1:] or "\n" for line in body.splitlines(keepends=True) if line[0] in (sign, " ", "\n"))


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with all the examples in it."""
    root = tmp_path_factory.mktemp("adding") / "project"
    for name in COPIED:
        if (REPOSITORY / name).is_dir():
            shutil.copytree(REPOSITORY / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(REPOSITORY / name, root / name)
    for kind in KINDS:
        for name, text in recipe(kind).files.items():
            assert not (root / name).exists(), f"{name} is there already"
            (root / name).write_text(text)
        for name, before, after in recipe(kind).changes:
            text = (root / name).read_text()
            assert text.count(before) == 1, f"docs/adding.md: these lines are not in {name}, or not once:\n{before}"
            (root / name).write_text(text.replace(before, after))
    return with_program(root)


@pytest.mark.parametrize("kind", KINDS)
def test_the_table_says_how_much_each_example_touches(kind: str) -> None:
    row = f"| {kind} | {recipe(kind).counted()} |"
    assert row in DOCUMENT.read_text(), f"the table of the page should say: {row}"


def test_their_tests_pass_and_ruff_has_nothing_to_say(copy: Path) -> None:
    names = {name for kind in KINDS for name in recipe(kind).files}
    names |= {name for kind in KINDS for name, _, _ in recipe(kind).changes}
    written = " ".join(sorted(name for name in names if name.endswith(".py")))
    tests = " ".join(sorted(name for name in names if re.fullmatch(r"tests/\S+/test_\w+\.py", name)))
    own = f"--basetemp={copy.parent / 'tests'} -o faulthandler_timeout={SECONDS // 2}"
    call(copy, f"python -P -m pytest -q -p no:cacheprovider -p no:xdist {own} {tests}")
    call(copy, f"ruff check --no-cache {written} && ruff format --no-cache --check {written}")


@pytest.mark.parametrize("kind", KINDS)
def test_the_commands_do_what_the_page_says(copy: Path, kind: str) -> None:
    for words, said in recipe(kind).commands:
        done = call(copy, words)
        if said:
            assert done.stdout == said
    pages = "tests/verbs/test_schema.py::test_the_page_has_the_tables_of_the_schema"
    if kind == KINDS[0]:
        call(copy, f"python -P -m pytest -q -p no:cacheprovider -p no:xdist --basetemp={copy.parent / 'page'} {pages}")
