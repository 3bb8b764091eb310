"""What work costs: CPU, wall and memory, of a command with all its descendants or of a call in this process.

Marks are held against CPU where they can be: the machine may be shared, and what others do shows in wall first.
"""

from __future__ import annotations

import gc
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


class Failed(Exception):
    """A measurement that means nothing: the command failed, or noise swallowed what was to be seen."""


class Missing(Exception):
    """What this machine lacks, and how to get it."""


@dataclass(frozen=True)
class Cost:
    """What one piece of work cost."""

    cpu: float  # seconds, user and system
    wall: float  # seconds
    rss: float = 0.0  # MiB, of the largest single process
    output: bytes = b""


def spend(command: Sequence[str | Path], env: Mapping[str, str], cwd: Path) -> Cost:
    """Run a command to its end; its cost covers every descendant that was waited for."""
    argv = [str(word) for word in command]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begun = time.perf_counter()
        child = subprocess.Popen(argv, env=dict(env), cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        _, status, used = os.wait4(child.pid, 0)
        wall = time.perf_counter() - begun
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        if child.returncode:
            err.seek(0)
            tail = err.read().decode("utf-8", "replace")[-2000:]
            words = " ".join([Path(argv[0]).name, *argv[1:3]])
            raise Failed(f"`{words} …` exited {child.returncode}:\n{tail}")
        return Cost(used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024, out.read())


def spend_here(work: Callable[[], object]) -> Cost:
    """Do the work in this process, all its threads counted; what lay about before is swept away first."""
    gc.collect()
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return Cost(time.process_time() - cpu, time.perf_counter() - wall)


def total(*costs: Cost) -> Cost:
    """Add up work that was done in several commands, one after the other."""
    return Cost(sum(one.cpu for one in costs), sum(one.wall for one in costs), max(one.rss for one in costs))


def slope(small: float, large: float, n_small: int, n_large: int) -> float:
    """Give the cost of one more, free of everything that is paid once."""
    if n_large <= n_small:
        raise Failed(f"no slope between {n_small} and {n_large}")
    return (large - small) / (n_large - n_small)


def ratio(ours: float, theirs: float) -> float:
    """Hold ours against theirs; refuses a base that noise has swallowed."""
    if theirs <= 0:
        raise Failed("noise swallowed what was to be compared with; measure again on a quieter machine")
    return ours / theirs
