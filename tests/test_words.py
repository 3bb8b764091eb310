"""The pages that a contributor reads: the glossary names what is there, each decision its reasons."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.house
ROOT = Path(__file__).resolve().parents[1]
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))


def test_every_place_that_the_glossary_names_is_there() -> None:
    page = (ROOT / "docs" / "glossary.md").read_text()
    places = re.findall(r"`([a-z_/]+/|[a-z_/]+\.py)(?:: ([A-Za-z_., ]+))?`", page)
    assert len(places) >= 40
    for path, names in places:
        found = ROOT / "harness" / path
        assert found.exists(), path
        for name in filter(None, re.split(r"[ ,]+", names)):
            assert re.search(rf"\b(class|def) {name}\b|^{name}\b", found.read_text(), re.MULTILINE), f"{path}: {name}"


def test_each_decision_is_listed_and_says_what_why_and_what_was_rejected() -> None:
    listed = (ROOT / "docs" / "decisions" / "README.md").read_text()
    for path in DECISIONS:
        assert all(f"**{part}.**" in path.read_text() for part in ("Decision", "Why", "Rejected")), path.name
        assert f"]({path.name})" in listed


def test_files_for_contributors_are_sound() -> None:
    assert len(DECISIONS) >= 12
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert [hook["entry"] for repository in hooks for hook in repository["hooks"]] == ["make check"]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors", "license", "version"} <= cited.keys()
    assert f'version = "{cited["version"]}"' in (ROOT / "pyproject.toml").read_text()
    linked = re.findall(r"\]\(([^)#]+)", (ROOT / "CONTRIBUTING.md").read_text())
    assert linked and all((ROOT / path).exists() for path in linked)
