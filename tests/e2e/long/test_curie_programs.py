"""Hostile code in answers to the PDB task: contained, recorded, worth 0; and an honest program beside it is worth 1."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from e2e.test_curie import project, table
from support import REPOSITORY, data_of, harness
from support_draws import drawn

from harness.engines.local import available_isolations
from harness.images.image import find_image, read_image_pins
from harness.store.store import Store

HONEST = """\
THREE = dict(ALA="A", ARG="R", ASN="N", ASP="D", CYS="C", GLN="Q", GLU="E", GLY="G", HIS="H", ILE="I", LEU="L",
             LYS="K", MET="M", PHE="F", PRO="P", SER="S", THR="T", TRP="W", TYR="Y", VAL="V")

def sequence(text):
    seen, letters = set(), []
    for line in text.splitlines():
        if line.startswith("ATOM") and line[12:16].strip() == "CA" and line[21:27] not in seen:
            seen.add(line[21:27])
            letters.append(THREE.get(line[17:20], "X"))
    return ">it\\n" + "".join(letters)
"""
HOSTILE = {
    "honest": HONEST,
    "fork bomb": "def f(text):\n    import os\n    while True:\n        os.fork()",
    "network": (
        "def f(text):\n    import socket\n    socket.create_connection(('127.0.0.1', 9), 2)\n    return '>x\\nMKT'"
    ),
    "gold": (
        "def f(text):\n    import glob\n    found = glob.glob('/**/gold*', recursive=True)\n"
        "    return '>x\\n' + open(found[0]).read()"
    ),
    "outside": "def f(text):\n    open('/usr/x', 'w').write('x')\n    return '>x\\nMKT'",
    "loop": "def f(text):\n    while True:\n        pass",
    "flood": ("def f(text):\n    import os\n    while True:\n        os.write(1, b'x' * (1 << 20))\n    return ''"),
}
OTHERS = [name for name in HOSTILE if name != "honest"]
ORDER: Sequence[str] = ("honest", *drawn(OTHERS, 2))  # of each way to be contained `tests/run/test_trials_attacked.py`


def answered(folder: Path) -> Path:
    """Lay out a project in which an imported model answers each record with one of the programs."""
    project(folder, ("pdb",), models=(), outputs=("items", "scores", "trials", "means"))
    path = folder / "manifests" / "m.yaml"
    text = path.read_text().replace("models:", "models:\n  theirs: {provider: imported, source: data/answers.jsonl}")
    path.write_text(text.replace("count: 3", f"count: {len(ORDER)}") + "image: cpu\nsandbox: sandbox\n")
    (folder / "data").mkdir()
    rows = [
        {"item": f"pdb-demo-{n:03d}", "template": 1, "sample": 0, "text": f"```python\n{HOSTILE[name]}\n```"}
        for n, name in enumerate(ORDER, 1)
    ]
    (folder / "data" / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def hold(folder: Path, run: Any) -> None:
    """Look at what came of the programs: only the honest one is right, and each has an outcome."""
    items = {f"pdb-demo-{n:03d}": name for n, name in enumerate(ORDER, 1)}
    tried = {items[row["item"]]: row for row in table(folder, run, "trials") if row["model"] == "theirs"}
    scores = {
        items[row["item"]]: row
        for row in table(folder, run, "scores")
        if row["scorer"] == "sequence" and row["model"] == "theirs"
    }
    assert set(tried) == set(scores) == set(ORDER)
    assert {name: row["value"] for name, row in scores.items()} == {name: int(name == "honest") for name in ORDER}
    assert tried["honest"]["outcome"] == "done" and all(row["outcome"] for row in tried.values())
    assert "loop" not in tried or tried["loop"]["outcome"] in ("cpu", "time")
    assert "network" not in tried or "MKT" not in tried["network"]["stdout"]


@pytest.mark.exhaustive
@pytest.mark.skipif("bubblewrap" not in available_isolations(), reason="code in answers is run in bubblewrap")
def test_hostile_answers_are_contained_and_worth_nothing_on_local(tmp_path: Path) -> None:
    folder = answered(tmp_path / "p")
    harness("lock", "manifests/m.yaml", cwd=folder, check=0)
    hold(folder, data_of("run", "manifests/m.yaml", cwd=folder))


@pytest.mark.skipif(
    "bubblewrap" not in available_isolations(), reason="without it nothing is contained, and that is the point"
)
def test_a_bare_process_runs_no_program_and_ends_before_its_first_step(tmp_path: Path) -> None:
    folder = answered(tmp_path / "p")
    harness("lock", "manifests/m.yaml", cwd=folder, check=0)
    done = harness("run", "manifests/m.yaml", "--isolation", "process", cwd=folder)
    assert done.returncode == 3 and "does not contain foreign code" in done.stderr


@pytest.mark.exhaustive
def test_hostile_answers_are_contained_and_worth_nothing_on_docker(docker_host: str, tmp_path: Path) -> None:
    found, store = read_image_pins(REPOSITORY), REPOSITORY / ".harness"
    if any(name not in found or find_image(Store(store), found[name].image_id) is None for name in ("cpu", "sandbox")):
        pytest.skip("the images are not here: `make images`")
    folder = answered(tmp_path / "p")
    shutil.copy(REPOSITORY / "lockfiles" / "images.json", folder / "lockfiles")
    env = {"DOCKER_HOST": docker_host}
    harness("lock", "manifests/m.yaml", cwd=folder, check=0)
    run = data_of("run", "manifests/m.yaml", "--engine", "docker", "--images", str(store), cwd=folder, env=env)
    hold(folder, run)
