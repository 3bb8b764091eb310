"""What the walls around a step add to its start: its filter of system calls, its keyring, the look at its memory."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from unittest.mock import patch

from bench.costs import FULL, Size
from bench.measure import Failed
from bench.packages import NEEDS
from bench.table import Row

from harness.engines import local
from harness.engines.engine import Job, Limits
from harness.engines.local import LocalEngine, ProcessStart, available_isolations
from harness.run.environment import step_environment

REPEATS = 60
MARK = 5  # ms


def wall_rows(work: Path, size: Size) -> list[Row]:
    """Measure in each isolation of this machine, with the walls and without them in turns."""
    rows = []
    for isolation in available_isolations():
        with_, without = [], []
        for number in range(2 + (REPEATS if size is FULL else 5)):
            for found in (with_, without) if number % 2 else (without, with_):
                found.append(_start(work, isolation, walls=found is with_))
        added = tuple(mine - bare for mine, bare in zip(with_[2:], without[2:], strict=True))
        rows += [
            Row("walls", f"wall that they add to the start of a step, {isolation}", added, MARK, "ms"),
            Row("walls", f"wall of a step that imports no package, {isolation}", tuple(with_[2:]), unit="ms"),
        ]
    return rows


def _start(work: Path, isolation: str, *, walls: bool) -> float:
    """Run one step that does nothing; gives its wall in ms."""
    folder = work / "walled"
    for name in ("in", "out", "tmp", "code"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "code" / "main.py").write_text(NEEDS, encoding="utf-8")
    engine = LocalEngine(isolation)
    job = Job(engine.command("code/main.py"), folder, step_environment(folder), Limits(memory=2 << 30))
    with _as_it_is() if walls else _without():
        begun = time.perf_counter()
        outcome = engine.run(job, lambda _: None, threading.Event())
        wall = time.perf_counter() - begun
    if not outcome.fine:
        raise Failed(f"a step that only starts failed: {outcome.log.decode(errors='replace')[-500:]}")
    return 1000 * wall


@contextmanager
def _as_it_is() -> Iterator[None]:
    yield


@contextmanager
def _without() -> Iterator[None]:
    """Start steps as they were started before they had these walls."""
    with (
        patch.object(local, "filter_program", lambda **_: b""),
        patch.object(local, "run_process", partial(local.run_process, weighed=False)),
        patch.object(local, "started_process", _started),
    ):
        yield


@contextmanager
def _started(start: ProcessStart) -> Iterator[subprocess.Popen[bytes]]:
    """Start a process as it is, from the thread that asks."""
    yield subprocess.Popen(
        start.argv, cwd=start.folder, env=dict(start.env), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
