"""A server of agents' tools over a small project, as a client starts it, and what one does with it in tests."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support_wire import PATIENCE, WireClient, environment

STUDY, SPLIT = "small", "dev"


def server(folder: Path, *words: str, program: str = "harness_tools") -> WireClient:
    """Start a server over a project, from somewhere else, and shake hands."""
    command = [sys.executable, "-m", program, "--project", str(folder), *words]
    return WireClient(command, cwd=Path("/"), env=environment()).hello()


def started(client: WireClient, key: str, **more: str) -> str:
    """Start an attempt and give its id."""
    asked = {"study": STUDY, "split": SPLIT, "idempotency_key": key, **more}
    while (found := client.call("start_attempt", **asked)).get("code") == "E_BUSY":
        pass  # on a busy machine it takes longer than a call may, and is asked for again
    return str(found["attempt_id"])


CONTROL = "Which word belongs to the record"  # begins the question of the control item


def items(client: WireClient, attempt: str) -> list[str]:
    """Give the ids of an attempt's items, the control item aside, which only its question tells apart."""
    listed = client.call("list_items", attempt_id=attempt, limit=50, status="all")["items"]
    names, found = [one["item_id"] for one in listed], list[str]()
    while names:
        read = client.call("get_item", attempt_id=attempt, item_ids=names[:20])
        found += [one["item_id"] for one in read["items"] if CONTROL not in json.dumps(one)]
        names = [*read.get("left_out", []), *names[20:]]
    return found


def answers(*pairs: tuple[str, object]) -> list[dict[str, object]]:
    """Write answers as submit_answers takes them."""
    return [{"item_id": item, "answer": answer} for item, answer in pairs]


def transcript(folder: Path, attempt: str) -> list[dict[str, Any]]:
    """Read the whole lines of an attempt's transcript."""
    data = (folder / ".harness" / "runs" / attempt / "transcript.jsonl").read_bytes()
    return [json.loads(line) for line in data.split(b"\n")[:-1]]


def until(true: Callable[[], object]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "it never came to be"
        time.sleep(0.02)


def children(pid: int) -> dict[str, int]:
    """Give the children of a process by the module that each runs, of those that still run."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == pid and b"-m" in words:
            found[words[words.index(b"-m") + 1].decode()] = int(folder.name)
    return found


def gone(pid: int) -> bool:
    """Whether a process has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def opened_by(trace: Path, module: str) -> set[str]:
    """Give the paths that a process and its threads opened, or tried to, once it ran a module; strace -f wrote them."""
    own: set[str] = set()
    paths: set[str] = set()
    for line in trace.read_text(errors="replace").splitlines():
        pid, _, what = line.partition(" ")
        what = what.strip()
        if what.startswith("execve(") and f'"{module}"' in what:
            own.add(pid)
        elif pid in own and what.startswith("clone") and "= " in what:
            own.add(what.rpartition("= ")[2].split()[0])
        elif pid in own and '"' in what:
            paths.add(os.fsdecode(what.split('"')[1].encode("latin-1", "replace")))
    assert own, "nothing ran it"
    return paths
