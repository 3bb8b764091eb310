"""One name for one thing: classes, the glossary, the names of tests, and the pages that a contributor reads."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.house
ROOT = Path(__file__).resolve().parents[1]
LONGEST = 70  # letters of a test's name
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))


def bodies(folder: str) -> dict[str, list[ast.stmt]]:
    """Give what stands at the top of each module of a folder."""
    found = sorted((ROOT / folder).rglob("*.py"))
    return {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text()).body for path in found}


def test_no_two_public_classes_have_one_name() -> None:
    found = defaultdict(list)
    for path, body in {**bodies("harness"), **bodies("tools")}.items():
        for one in body:
            if isinstance(one, ast.ClassDef) and not one.name.startswith("_"):
                found[one.name].append(path)
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}


def test_names_of_tests_are_no_longer_than_a_line_of_a_report() -> None:
    found = [
        name
        for body in bodies("tests").values()
        for one in body
        if isinstance(one, ast.FunctionDef) and len(name := one.name) > LONGEST and name.startswith("test_")
    ]
    assert found == []


def test_every_place_that_the_glossary_names_is_there() -> None:
    page = (ROOT / "docs" / "glossary.md").read_text()
    places = re.findall(r"`([a-z_/]+/|[a-z_/]+\.py)(?:: ([A-Za-z_., ]+))?`", page)
    assert len(places) >= 40
    for path, names in places:
        found = ROOT / "harness" / path
        assert found.exists(), path
        for name in filter(None, re.split(r"[ ,]+", names)):
            assert re.search(rf"\b(class|def) {name}\b|^{name}\b", found.read_text(), re.MULTILINE), f"{path}: {name}"


@pytest.mark.parametrize("path", DECISIONS, ids=lambda path: path.stem[:2])
def test_a_decision_says_what_why_and_what_was_rejected_on_half_a_page(path: Path) -> None:
    text = path.read_text()
    assert all(f"**{part}.**" in text for part in ("Decision", "Why", "Rejected"))
    assert len(text.splitlines()) <= 30
    assert f"]({path.name})" in (path.parent / "README.md").read_text()


def test_files_for_contributors_are_sound() -> None:
    assert len(DECISIONS) >= 12
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert [hook["entry"] for repository in hooks for hook in repository["hooks"]] == ["make check"]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors", "license", "version"} <= cited.keys()
    assert f'version = "{cited["version"]}"' in (ROOT / "pyproject.toml").read_text()
    linked = re.findall(r"\]\(([^)#]+)", (ROOT / "CONTRIBUTING.md").read_text())
    assert linked and all((ROOT / path).exists() for path in linked)
