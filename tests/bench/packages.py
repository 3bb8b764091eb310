"""What it costs to know what is installed: a step's start on our own bytecode, a run's look, and a full check."""

from __future__ import annotations

import resource
import threading
import time
from pathlib import Path

from bench.costs import FULL, Size
from bench.measure import Cost, Failed, Missing, ratio
from bench.table import Row

from harness.engines.engine import Job, Limits
from harness.engines.local import LocalEngine
from harness.run.environment import step_environment
from harness.run.installed import bytecode
from harness.run.installed.checked import InstallCheck, check_installed, import_paths

NEEDS = "import importlib, json, os, pathlib, sys, sysconfig, typing\n"  # what the entry point of a step imports
STARTS = {"a step that imports no package": NEEDS, "a step that imports numpy": f"{NEEDS}import numpy\n"}
REPEATS = 30


def package_rows(work: Path, size: Size) -> list[Row]:
    """Measure both: what every step pays, and what every run and every audit pays once."""
    if bytecode.read_list(import_paths().bytecode) is None:
        raise Missing("no bytecode of our own was made here; `make setup` makes it")
    return [*_start_rows(work, size), *_check_rows(size)]


def _start_rows(work: Path, size: Size) -> list[Row]:
    rows = []
    for what, text in STARTS.items():
        ours, theirs = [], []
        for _ in range(1 + (REPEATS if size is FULL else 5)):
            ours.append(_start(work, text, own=True))
            theirs.append(_start(work, text, own=False))
        del ours[0], theirs[0]  # these filled the page cache
        pairs = list(zip(ours, theirs, strict=True))
        cpu = tuple(ratio(mine.cpu, its.cpu) for mine, its in pairs)
        wall = tuple(ratio(mine.wall, its.wall) for mine, its in pairs)
        rows += [
            Row("start", f"CPU of {what}, our bytecode against the installer's", cpu, 1.1),
            Row("start", f"wall of {what}, our bytecode against the installer's", wall),
            Row("start", f"wall of {what}", tuple(1000 * mine.wall for mine in ours), unit="ms"),
        ]
    return rows


def _start(work: Path, text: str, *, own: bool) -> Cost:
    """Run one step on the local engine; without our own bytecode it reads what lies beside each source."""
    folder = work / "step"
    for name in ("out", "tmp"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "step.py").write_text(f"import sys\nsys.path.append(sys.argv[1])\n{text}", encoding="utf-8")
    engine = LocalEngine("process")
    words = engine.command("step.py")
    if not own:
        words = words[: words.index("-X")] + words[-2:]
    job = Job(words, folder, step_environment(folder), Limits())
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    outcome = engine.run(job, lambda _: None, threading.Event())
    wall = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if not outcome.fine:
        raise Failed(f"a step that only starts failed: {outcome.log.decode(errors='replace')[-500:]}")
    return Cost(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall)


def _check_rows(size: Size) -> list[Row]:
    place = import_paths()
    check_installed(place, full=True)
    starts = [check_installed(place, full=False) for _ in range(1 + size.audits)][1:]
    if any(one.bytes for one in starts):
        raise Failed("a start read files; was something installed while it was measured?")
    fulls = [check_installed(place, full=True) for _ in range(size.repeats)]
    told = f"{fulls[0].files:,} files, {fulls[0].bytes >> 20:,} MiB"
    return [
        Row("packages", "wall of the look at what is installed that begins a run", _ms(starts, "wall"), 150, "ms"),
        Row("packages", "CPU of the look that begins a run", _ms(starts, "cpu"), unit="ms"),
        Row("packages", f"CPU of a full check, every byte hashed: {told}", _ms(fulls, "cpu"), unit="ms"),
        Row("packages", "wall of a full check", _ms(fulls, "wall"), unit="ms"),
    ]


def _ms(found: list[InstallCheck], clock: str) -> tuple[float, ...]:
    return tuple(1000 * float(getattr(one, clock)) for one in found)
