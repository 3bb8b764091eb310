"""A scripted agent, whichever client carries its calls, and the small project whose items it answers.

The agent is a generator: it yields the tool and the arguments of its next call, and is sent the call's result. So the
same attempt goes through Python, through MCP clients in both eras, and through a command line that knows one call.
"""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from support import REPOSITORY, clean_env, harness, unlocked_project

from harness.digest import sha256
from harness.verbs.attempts import AttemptDoor
from harness.verbs.project import Project
from harness.verbs.requests import ServeRequest

Call = tuple[str, dict[str, Any]]
Steps = Generator[Call, dict[str, Any], dict[str, Any]]  # what a scripted agent is
Answer = Callable[[str], Mapping[str, Any]]  # a prompt's text to what is submitted: `answer`, `abstain`
AGENTS = """
agents:
  splits:
    dev: {public: true, items: 4, templates: [1, 6]}
  budget: {calls: 1000, seconds: 86400}
"""
SPLIT, STUDY = "dev", "small"
LONGEST = 300  # seconds until a closed attempt is scored
AT_ONCE = 20  # answers of one call
BUSY = "E_BUSY"  # the code of a call that takes longer than a call may: it is made again


def answer(prompt: str) -> dict[str, Any]:
    """Answer by the prompt's text alone: a right sum, a wrong one, or that it is not known."""
    numbers = [int(one) for one in re.findall(r"\d+", prompt)]
    place = int(sha256(prompt.encode())[:8], 16) % 4
    if len(numbers) != 2 or place == 3:
        return {"answer": "I do not know the answer.", "abstain": True}
    return {"answer": str(sum(numbers) + (place == 2))}


def whole_attempt(study: str, key: str, say: Answer = answer, *, subset: str = "", page: int = 50) -> Steps:
    """Take a whole attempt: every item read in all its parts, every answer submitted, the scores waited for."""
    offers = yield "list_studies", {}
    assert study in {one["study"] for one in offers["studies"]}
    named = {"study": study, "split": SPLIT, **({"subset": subset} if subset else {})}
    begun = yield "start_attempt", {**named, "idempotency_key": key, "agent_label": "scripted"}
    attempt = begun["attempt_id"]
    cursor: dict[str, str] = {}
    items: list[str] = []
    while True:
        listed = yield "list_items", {"attempt_id": attempt, "limit": page, "status": "all", **cursor}
        items += [one["item_id"] for one in listed["items"]]
        if "next_cursor" not in listed:
            break
        cursor = {"cursor": listed["next_cursor"]}
    answers = []
    for item in items:
        text, part, parts = "", 0, 1
        while part < parts:
            part += 1
            shown = (yield "get_item", {"attempt_id": attempt, "item_ids": [item], "part": part})["items"][0]
            said = shown["prompt"] if "prompt" in shown else json.dumps(shown["messages"])  # a chat comes as its turns
            text, parts = text + said, shown.get("parts", 1)
        answers.append({"item_id": item, **say(text)})
    for place in range(0, len(answers), AT_ONCE):
        told = yield "submit_answers", {"attempt_id": attempt, "answers": answers[place : place + AT_ONCE]}
        assert {one["status"] for one in told["receipts"]} == {"recorded"}, told
    return (yield from scored(attempt))


def scored(attempt: str) -> Steps:
    """Finish an attempt, and ask again until it is scored."""
    end = time.monotonic() + LONGEST
    while True:
        told = yield "finish_attempt", {"attempt_id": attempt}
        if told["status"] != "scoring":
            return told
        assert time.monotonic() < end, "scoring takes too long"
        time.sleep(0.3)


def drive(steps: Steps, call: Callable[[str, dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
    """Make a scripted agent's calls one after the other, and give what it ends with."""
    tool, args = next(steps)
    try:
        while True:
            tool, args = steps.send(call(tool, args))
    except StopIteration as done:
        found: dict[str, Any] = done.value
        return found


def told(result: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out of a finished attempt what differs from one attempt to the next: digests of its own record and log."""
    return {name: value for name, value in result.items() if name not in ("record", "transcript_head")}


def served_project(folder: Path, items: int = 4) -> Path:
    """Write and lock a project of a few additions, of which agents may attempt some; gives its folder."""
    manifest = unlocked_project(folder, count=24)
    manifest.write_text(manifest.read_text() + AGENTS.replace("items: 4", f"items: {items}"))
    harness("lock", manifest, cwd=folder, check=0)
    return folder


def by_python(folder: Path, study: str = STUDY, say: Answer = answer, subset: str = "") -> dict[str, Any]:
    """Take a whole attempt with the Python verbs: what every client is held against."""
    with AttemptDoor(Project(folder), ServeRequest(engine="local")) as door:
        return drive(whole_attempt(study, f"python {time.time_ns()}", say, subset=subset), door.call)


def server_words() -> list[str]:
    """Spell the command that serves a project's studies to agents, in the folder of that project."""
    return [sys.executable, "-m", "harness.cli.main", "serve"]


def server_env() -> dict[str, str]:
    """Give the environment of a server that a test starts: whatever client starts it hands on no other."""
    wanted = ("PATH", "HOME", "PYTHONPATH", "DOCKER_HOST", "TMPDIR")
    return {name: value for name, value in clean_env().items() if name in wanted}


@functools.cache
def offline() -> tuple[str, ...]:
    """Give the words before a command that cut it off from every network, or skip."""
    for words in (("unshare", "--net"), ("unshare", "--net", "--map-root-user")):
        if (
            shutil.which("unshare")
            and subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0
        ):
            return words
    pytest.skip("no namespace without a network can be made here")


def peers_python(*modules: str) -> str:
    """Give the Python of `make peers`, or of PEERS, that holds these modules, or skip."""
    made = REPOSITORY / ".bench" / "peers"
    venv = os.environ.get("PEERS") or (made if (made / "ready").exists() else None)
    if venv is None:
        pytest.skip("other people's software is not here: `make peers`, or PEERS=DIR of a virtual environment")
    python = str(Path(venv).absolute() / "bin" / "python")
    done = subprocess.run([python, "-c", f"import {', '.join(modules)}"], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"{done.stderr.strip().rpartition(chr(10))[2]}; `make peers` again")
    return python


def calls_of(store: Path) -> Iterator[dict[str, Any]]:
    """Give the calls of every transcript of a store."""
    for path in sorted(store.glob("runs/*/transcript.jsonl")):
        yield from (one for one in map(json.loads, path.read_bytes().splitlines()) if one["event"] == "call")
