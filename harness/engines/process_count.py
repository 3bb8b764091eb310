"""Count of a command's processes and threads from outside, for where the kernel does not bound their number."""

from __future__ import annotations

import os
from pathlib import Path


def count_threads(first: int) -> int:
    """Count the threads of a process, of its descendants, and of its session, from /proc."""
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
    found = set[int]()
    while open_:
        one = open_.pop()
        if one not in found:
            found.add(one)
            open_ += below.get(one, ())
    return sum(tasks.get(one, 0) for one in found)
