"""The page "with pip", walked with a wheel of this checkout in a clean environment of each Python; one is drawn.

The Pythons are one of each version that is supported, and the system's own, which may be built otherwise.
"""

from __future__ import annotations

import os
import subprocess
import tomllib
from pathlib import Path

import pytest
from needs import needs
from support import REPOSITORY
from support_draws import drawn
from support_pages import Walker
from support_places import find_python
from support_wheel import build

needs("setuptools")
pytestmark = [pytest.mark.exhaustive, pytest.mark.together]
SETTINGS = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
SUPPORTED = [line.rpartition(" ")[2] for line in SETTINGS["classifiers"] if ":: Python :: 3." in line]
SYSTEM = "/usr/bin/python3"
FOUND = {version: path for version in SUPPORTED if (path := find_python(version))}
SAID = {
    "harness docs  ": "with-pip",
    "harness docs own-project": "# Your own project",
    "harness init mine": "mine is a project",
    "harness run": "95 % interval",
    "harness audit last": "agreed",
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("wheel"))


def pythons() -> dict[str, str]:
    """Return the Pythons of this machine that are supported, by version: one of each, and the system's own."""
    found = {version: path for path in (*FOUND.values(), SYSTEM) if (version := _version(path))}
    return {version: path for version, path in found.items() if version.rpartition(".")[0] in SUPPORTED}


def _version(python: str) -> str:
    """Return a Python's version, such as 3.12.1; empty if it cannot make an environment."""
    command = [python, "-c", "import ensurepip, platform; print(platform.python_version())"]
    done = subprocess.run(command, capture_output=True, text=True, check=False) if Path(python).exists() else None
    return done.stdout.strip() if done else ""


PYTHONS = pythons()


@pytest.mark.nightly  # a wheel beside another Python runs, audits and asks in `tests/e2e/long/test_core_alone.py`
@pytest.mark.parametrize("version", drawn(PYTHONS, 1))
def test_the_page_is_walked_in_a_clean_environment(version: str, wheel: Path, tmp_path: Path) -> None:
    replaced = {
        "python3 -m venv": f"{PYTHONS[version]} -m venv",
        "pip install repro-harness": f"pip install {wheel}",
        "'repro-harness[tools]'": f"'{wheel}[tools]'",
    }
    walker = Walker(tmp_path, replaced)
    clean = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "HARNESS_", "VIRTUAL_"))
    }
    # What `. venv/bin/activate` sets, since each line is a shell of its own.
    venv = walker.folder / "venv"
    walker.env = {
        **clean,
        "PATH": f"{venv / 'bin'}:/usr/bin:/bin",
        "HOME": str(tmp_path / "home"),
        "COLUMNS": "200",
    }
    walked = walker.walk("with-pip.md")
    fetched = next(one for one in walked if "pip install" in one.line)
    if fetched.code and ("No matching distribution" in fetched.err or "Connection" in fetched.err):
        pytest.skip(f"pip fetches no packages here: {fetched.err.strip()[-300:]}")
    allowed = {"harness doctor": 3}  # a machine that lacks something still has a page of findings
    failed = {
        one.line: (one.code, one.out[-400:], one.err[-800:])
        for one in walked
        if one.code and allowed.get(one.line.partition("  ")[0].strip()) != one.code
    }
    assert not failed and len(walked) >= 12
    for begin, said in SAID.items():
        assert any(one.line.startswith(begin) and said in one.out + one.err for one in walked), begin
    program = "import platform, harness; print(platform.python_version(), harness.__file__)"
    asked = [str(venv / "bin" / "python"), "-c", program]
    done = subprocess.run(asked, capture_output=True, text=True, check=True, cwd=tmp_path, env=clean)
    assert done.stdout.startswith(f"{version} ") and str(venv) in done.stdout
    listed = subprocess.run([*asked[:1], "-m", "pip", "list"], capture_output=True, text=True, check=True, env=clean)
    assert "repro-harness" in listed.stdout and "torch" not in listed.stdout, "the page needs no model of weights"


def test_the_page_names_every_python_that_is_supported_and_every_extra() -> None:
    page = (REPOSITORY / "docs" / "with-pip.md").read_text()
    assert f"{', '.join(SUPPORTED[:-1])} or {SUPPORTED[-1]}" in " ".join(page.split())
    extras = SETTINGS["optional-dependencies"].keys() - {"dev", "scale"}
    assert all(f"`{name}`" in page for name in extras)


def test_the_wheel_brings_every_page_and_names_the_project(wheel: Path) -> None:
    import zipfile

    with zipfile.ZipFile(wheel) as held:
        names = set(held.namelist())
        [metadata] = [held.read(name).decode() for name in names if name.endswith(".dist-info/METADATA")]
    pages = {path.relative_to(REPOSITORY).as_posix() for path in (REPOSITORY / "docs").rglob("*.md")}
    assert {f"harness/shipped/{page}" for page in pages} <= names and len(pages) > 20
    assert "\nName: repro-harness\n" in metadata and "\nProject-URL: " not in metadata
