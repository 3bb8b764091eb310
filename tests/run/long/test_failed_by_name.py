"""A step killed for memory or time, one that crashed, and one whose program failed are told apart in the list of runs.

Each is a real step: it allocates too much, sleeps too long, is killed, or reads memory that is not its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from support_files import DATA, downloaded, manifest, shelf
from support_inside import inner_data, inside

pytestmark = pytest.mark.together

SHELF = "manifests/shelf.yaml"
ENDS = {
    "memory": "bytearray(1 << 30)",
    "time": "import time; time.sleep(1000)",
    "disk": '(out / "rows").write_bytes(bytes(8 << 20))',
    "killed": "import os; os.kill(os.getpid(), 9)",
    "crashed": "import ctypes; ctypes.string_at(0)",
    "outputs": "return",
    "failed": 'raise ValueError("took more than 5 s, it says")',
}


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with shelf(tmp_path_factory.mktemp("code")) as folder:
        yield folder


@pytest.mark.parametrize("outcome", ENDS)
def test_how_a_step_ended_is_named(code: Path, tmp_path: Path, outcome: str) -> None:
    head, mark, _ = DATA.partition("def value(params, inputs, out):\n")
    (code / "data.py").write_text(f'{head}{mark}    """End badly."""\n    {ENDS[outcome]}\n')
    manifest(tmp_path, more="resources: {memory: 256MiB, timeout: 4s, disk: 2MiB}\n")
    inside("import", "data", downloaded(tmp_path / "mine"), cwd=tmp_path, check=0)
    inside("lock", SHELF, cwd=tmp_path, check=0)
    failed = inside("run", SHELF, "--jobs", "1", "--json", cwd=tmp_path, check=4)
    [run] = inner_data("runs", cwd=tmp_path)["runs"]
    [one] = run["failures"]
    assert (run["status"], one["outcome"]) == ("failed", outcome)
    assert one["error"] == json.loads(failed.stderr.splitlines()[-1])["error"]["what"]
    shown = inside("runs", cwd=tmp_path, check=0).stdout
    assert f"{outcome}{' by signal 11' if outcome == 'crashed' else ''}: {one['step']}" in shown
