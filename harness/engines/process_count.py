"""Processes of a command as they are seen from outside, for where the kernel does not bound their number or memory."""

from __future__ import annotations

import os
from pathlib import Path


def count_threads(first: int) -> int:
    """Count the threads of a process, of its descendants, and of its session, from /proc."""
    return sum(_look_for(first).values())


def list_processes(first: int, *, closed: bool) -> list[int]:
    """List a process and its descendants; also of its session, unless it is `closed`: no orphan gets out of it.

    Who may be an orphan is looked for among all processes of the machine, which takes longer.
    """
    if not closed or not Path("/proc/self/task", str(os.getpid()), "children").exists():
        return list(_look_for(first))
    found = [first]
    for one in found:  # it grows meanwhile
        try:
            for task in os.listdir(f"/proc/{one}/task"):
                found += map(int, Path(f"/proc/{one}/task/{task}/children").read_bytes().split())
        except OSError:
            continue  # it has ended
    return found


def _look_for(first: int) -> dict[int, int]:
    """Find a process, its descendants, and its session in /proc; how many threads each has."""
    tasks, below = {}, dict[int, list[int]]()
    open_ = [first]
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                facts = Path(f"/proc/{name}/stat").read_bytes().rpartition(b")")[2].split()
            except OSError:
                continue  # it has ended
            pid, parent, session = int(name), int(facts[1]), int(facts[3])
            tasks[pid] = int(facts[17])
            below.setdefault(parent, []).append(pid)
            if session == first:
                open_.append(pid)
    found = dict[int, int]()
    while open_:
        one = open_.pop()
        if one not in found:
            found[one] = tasks.get(one, 0)
            open_ += below.get(one, ())
    return found
