"""The public command line within the test's own process: for verbs whose promise needs no second one.

What a process of its own is part of (its exit, its signals, its terminal, its environment) is tested with `support`.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from support import judging_here

from harness.cli.main import run_command_line


def inside(
    *args: str | Path, cwd: Path, env: Mapping[str, str] | None = None, check: int | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a verb to its end, as `support.harness` does; `check` is the exit code that is expected of it."""
    words = [*map(str, args)]
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", errors="backslashreplace") for _ in range(2))
    with pytest.MonkeyPatch.context() as patch, judging_here(), redirect_stdout(out), redirect_stderr(err):
        patch.chdir(cwd)
        for name in [name for name in os.environ if name.startswith("HARNESS_")]:
            patch.delenv(name)
        for name, value in {"COLUMNS": "200", **(env or {})}.items():
            patch.setenv(name, value)
        code = run_command_line(words)
    said = [stream.flush() or stream.buffer.getvalue().decode() for stream in (out, err)]
    done = subprocess.CompletedProcess(words, code, *said)
    assert check in (None, code), f"`harness {' '.join(words)}` → {code}\n{said[0]}\n{said[1]}"
    return done


def inner_data(*args: str | Path, cwd: Path, check: int | None = 0, **more: Any) -> Any:
    """Give what a verb says with --json."""
    return json.loads(inside(*args, "--json", cwd=cwd, check=check, **more).stdout)
