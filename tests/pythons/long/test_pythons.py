"""Every Python here gives steps the same, and so do the C library, zlib and expat below it; what parts is named."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support import REPOSITORY
from support_places import find_python

PROBE = Path(__file__).parents[1] / "probe.py"
# Of the characters of Unicode 14: what is called lower case from 3.12 on, and what means a number from 3.13 on.
LOWER = (0x10FC, 0xA7F2, 0xA7F3, 0xA7F4, 0xAB69)
NUMBER = (0x4E24, 0x4EAC, 0x4FE9, 0x5006, 0x5146, 0x62D0, 0x6D1E, 0x7695, 0x79ED, 0x920E, 0x94A9)
FOUND = {version: path for version in ("3.11", "3.12", "3.13", "3.14") if (path := find_python(version))}
OLDEST = next(iter(FOUND.values()), "")
OTHERS = [pytest.param(path, id=version) for version, path in [*FOUND.items(), ("Debian's", "/usr/bin/python3")]
          if path != OLDEST and Path(path).exists()]  # fmt: skip


def asked(python: str, *words: str | Path) -> str:
    return subprocess.run([python, "-I", PROBE, *words], capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write down the characters of the oldest Python's Unicode, but those that are named."""
    if "3.11" not in FOUND:
        pytest.skip("Python 3.11, to which the others are held, is not here")
    path = tmp_path_factory.mktemp("characters") / "known"
    path.write_text("\n".join(sorted({*asked(OLDEST, "--assigned").split()} - {*map(str, LOWER + NUMBER)}, key=int)))
    return path


@pytest.fixture(scope="module")
def oldest(known: Path) -> Any:
    return json.loads(asked(OLDEST, known))


@pytest.mark.parametrize("python", OTHERS)
def test_what_steps_call_of_python_is_the_same_in_each(python: str, known: Path, oldest: Any) -> None:
    here = json.loads(asked(python, known))
    assert len(oldest["found"]) > 35 and len(known.read_text().split()) > 280_000
    assert {name for name, one in oldest["found"].items() if here["found"].get(name) != one} == set(), here["system"]


@pytest.mark.parametrize("python", OTHERS)
def test_characters_that_part_are_the_named_ones(python: str, tmp_path: Path) -> None:
    for points, where in ((LOWER, "unicode: is…"), (NUMBER, "unicode: numeric")):
        (tmp_path / "named").write_text("\n".join(map(str, points)))
        before, here = (json.loads(asked(one, tmp_path / "named"))["found"] for one in (OLDEST, python))
        parted = {name for name in before if before[name] != here[name] and name.startswith("unicode")}
        assert parted <= {where, "unicode: is…"}


def test_the_page_names_what_parts() -> None:
    page = (REPOSITORY / "docs" / "install.md").read_text()
    assert all(f"U+{one:04X}" in page for one in LOWER + NUMBER)
