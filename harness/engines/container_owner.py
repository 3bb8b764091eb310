"""Labels that name a container's owner process, so that a later run can tell orphaned containers."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

OWNER, DEADLINE = "harness.owner", "harness.deadline"
GRACE = 60.0  # seconds after its deadline in which a container's owner removes it


def this_process() -> str:
    """Identify this process uniquely: boot id, PID namespace, PID and start time."""
    return f"{_boot()} {_namespace()} {os.getpid()} {_began(os.getpid())}"


def deadline(seconds: float) -> int:
    """Time by which a container that starts now must have ended, in seconds since boot."""
    return round(_now() + seconds)


def is_orphaned(labels: Mapping[str, str]) -> bool:
    """Whether a container's owner is dead, or cannot be seen from here and is long overdue."""
    try:
        boot, namespace, pid, began = labels[OWNER].split()
        number, late = int(pid), _now() > int(labels[DEADLINE]) + GRACE
    except (KeyError, ValueError):
        return False  # the mark is not ours
    if boot != _boot():
        return True
    return _began(number) != began if namespace == _namespace() else late


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _namespace() -> str:
    return os.readlink("/proc/self/ns/pid")


def _began(pid: int) -> str:
    """Start time of a process in ticks; empty where there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def _now() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME)
