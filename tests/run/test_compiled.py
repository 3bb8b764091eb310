"""A step takes what was compiled of the source that it was given, and of no other."""

from __future__ import annotations

import json
import marshal
import subprocess
import sys
from importlib.util import source_hash
from pathlib import Path

from harness.run.closure import Code
from harness.run.executing.execute import compile_sources
from harness.run.step import COMPILED

KIND = "harness.rows:cut"
CODE = Code()
SOURCES = {path: CODE.sources[path] for path in CODE.closure(KIND).files}


def step(folder: Path, made: bytes) -> subprocess.CompletedProcess[str]:
    """Lay out a step that cuts a table, with what was compiled beside its code, and run it."""
    for path, source in SOURCES.items():
        (folder / "code" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "code" / path).write_bytes(source)
    for name in ("in", "out"):
        (folder / name).mkdir()
    (folder / "in" / "rows").write_text("1\n2\n3\n")
    (folder / "step.json").write_text(
        json.dumps({"kind": KIND, "params": {"size": 2, "rows": 3}, "inputs": ["rows"], "outputs": ["rows"]})
    )
    (folder / COMPILED).write_bytes(made)
    return again(folder)


def again(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-s", "-S", "-P", "-B", "code/harness/run/step.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def forged(of: bytes) -> bytes:
    """Give what was compiled, of which `rows` is another program that says it is of a source with these bytes."""
    body = marshal.dumps(compile("def cut(params, inputs, out): (out / 'forged').touch()", "x", "exec"))
    return marshal.dumps({**marshal.loads(compile_sources(SOURCES)), "harness/rows.py": (source_hash(of), body)})


def outputs(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "out").iterdir())


def test_what_was_compiled_is_what_runs(tmp_path: Path) -> None:
    done = step(tmp_path, forged(SOURCES["harness/rows.py"]))
    assert done.returncode == 0 and outputs(tmp_path) == ["forged"], done.stderr[-2000:]


def test_what_was_made_of_another_source_is_not_taken(tmp_path: Path) -> None:
    done = step(tmp_path, forged(SOURCES["harness/rows.py"] + b"\n"))
    assert done.returncode == 0 and outputs(tmp_path) == ["part-00000", "part-00001"], done.stderr[-2000:]


def test_an_error_names_the_file_and_its_line(tmp_path: Path) -> None:
    assert step(tmp_path, compile_sources(SOURCES)).returncode == 0
    (tmp_path / "in" / "rows").unlink()
    said = again(tmp_path).stderr
    assert 'File "code/harness/rows.py", line' in said and "with open(inputs" in said
