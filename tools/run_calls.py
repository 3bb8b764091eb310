"""Calls of an operator's agent that runs manifests, made by a worker: arguments in, bounded data out.

A run is started here as a process in a session of its own, which this worker, its supervisor and the client may leave
behind. What an agent is told of an error has no path in it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

from harness.attempts.codes import AttemptError
from harness.errors import HarnessError
from harness.run.withheld import keeps_words
from harness.verbs.agent_reading import AgentReader, list_prompts, study_prompt
from harness.verbs.agent_runs import AgentDoor, runnable_manifests
from harness.verbs.project import Project, Watch
from harness.verbs.requests import ServeRequest
from harness_tools.verb_calls import plain_data

Data = Mapping[str, Any]
LISTED = 12  # records that resources/list names
SHOWN = 400  # letters of an error's text


def call_run(project: Project, served: ServeRequest, principal: str, job: Data, watch: Watch) -> Data:
    """Answer a call of an agent that runs manifests, whose arguments are checked; raise AttemptError if it fails."""
    tool, asked = str(job["tool"]), dict(job["arguments"])
    manifests = runnable_manifests(project, served)  # their files may change while they are served
    here = project.of(manifests[0])
    door = AgentDoor(here, manifests, principal, served, lambda run: spawn_run(here, run))
    reader = AgentReader(door)
    calls: Mapping[str, Callable[[], Data]] = {
        "list_manifests": door.manifests,
        "plan_run": lambda: door.plan(asked["manifest"], asked["overrides"], watch),
        "start_run": lambda: door.start(
            asked["manifest"],
            asked["idempotency_key"],
            asked["overrides"],
            (asked.get("budget_s"), asked.get("budget_dollars")),
            str(job.get("client", "")),
        ),
        "get_run": lambda: _get(door, asked),
        "cancel_run": lambda: door.cancel(asked["run"], asked["reason"]),
        "scores": lambda: reader.scores(asked["run"], (asked["offset"], asked["limit"])),
        "compare": lambda: reader.compare(
            asked["run_a"], asked.get("run_b", ""), asked["models"], (asked["offset"], asked["limit"])
        ),
        "claims": lambda: reader.claims(asked.get("manifest", ""), (asked["offset"], asked["limit"]), watch),
        "resources/list": lambda: {"runs": [run for run, _ in zip(reader.listed(), range(LISTED), strict=False)]},
        "resources/read": lambda: (
            reader.record(asked["run"]) if "run" in asked else reader.transcript(asked["attempt"], asked["begin"])
        ),
        "prompts/list": lambda: {"prompts": list_prompts(manifests)},
        "prompts/get": lambda: study_prompt(manifests, asked["name"], asked["arguments"]),
    }
    try:
        found = calls[tool]()
    except AttemptError:
        raise
    except HarnessError as bad:
        raise AttemptError("E_ARGUMENT", *_words(door, bad)) from bad
    return found if tool.startswith(("resources/", "prompts/")) else plain_data(found)


def spawn_run(project: Project, run: str) -> None:
    """Start the process that executes a run, without waiting for it."""
    command = [sys.executable, "-P", "-m", "harness_tools.run_process", str(project.root), str(project.store), run]
    silent = subprocess.DEVNULL
    process = subprocess.Popen(
        command, stdin=silent, stdout=silent, stderr=silent, start_new_session=True, cwd=project.root, env=os.environ
    )
    threading.Thread(target=process.wait, name="reaper", daemon=True).start()


def _get(door: AgentDoor, asked: Data) -> Data:
    if ("run" in asked) == ("idempotency_key" in asked):
        raise AttemptError("E_ARGUMENT", "a run is named by its id or by its key", "Give one of the two.")
    return door.get(asked.get("run", ""), asked.get("idempotency_key", ""))


def _words(door: AgentDoor, bad: HarnessError) -> tuple[str, str]:
    """Return what an agent is told of an error, and what is next: no path, and no word of data that is closed."""
    if any(keeps_words(one, door.store) for one in door.served):
        return f"{bad.name}: an operator sees why", "Tell the operator."
    places = (str(door.project.root), str(door.project.store))
    what, after = bad.what[:SHOWN], bad.next[:SHOWN]
    for place in places:
        what, after = what.replace(place, "."), after.replace(place, ".")
    return f"{bad.name}: {what}", after
