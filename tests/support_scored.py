"""Attempts that are scored: a small benchmark that agents may attempt, and a scripted agent that knows no ids."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from support import judging_here, manifest_text
from support_attempts import control_id
from support_ground import copy_of

from harness import verbs
from harness.digest import sha256

SPLIT = "{public: true, items: 3, templates: [1, 2]}"
STUDY = "small"


def open_project(folder: Path, split: str = SPLIT, calls: int = 60) -> verbs.Project:
    """Copy a project whose one manifest lets agents attempt a split, locked; its store holds the data alone."""
    block = f"agents: {{splits: {{dev: {split}}}, budget: {{calls: {calls}, seconds: 600}}}}\n"
    text = manifest_text(20, ("oracle",), STUDY) + block

    def make(here: Path) -> None:
        (here / "lockfiles").mkdir(parents=True)
        manifest = here / "manifests" / f"{STUDY}.yaml"
        manifest.parent.mkdir()
        manifest.write_text(text)
        verbs.lock(verbs.Project.at(here), verbs.LockRequest(manifests=[manifest]))

    return verbs.Project.at(copy_of(f"attempts-{sha256(text.encode())[:16]}", folder, make))


def sum_of(prompt: str) -> str:
    """Answer an addition."""
    return str(sum(map(int, re.findall(r"\d+", prompt))))


def begin(door: verbs.AttemptDoor, key: str, label: str = "script", **more: str) -> str:
    """Start an attempt and give its id."""
    args = {"study": STUDY, "split": "dev", "idempotency_key": key, "agent_label": label, **more}
    return str(door.call("start_attempt", args)["attempt_id"])


def read(door: verbs.AttemptDoor, attempt: str) -> dict[str, str]:
    """Read every item of an attempt, the control record aside: its prompt by its id."""
    page = door.call("list_items", {"attempt_id": attempt, "limit": 50, "status": "all"})
    ids = [one["item_id"] for one in page["items"]]
    told = [door.call("get_item", {"attempt_id": attempt, "item_ids": [name]})["items"][0] for name in ids]
    control = control_id(door.backend.served.target.store, attempt)
    return {one["item_id"]: one["prompt"] for one in told if one["item_id"] != control}


def play(door: verbs.AttemptDoor, attempt: str, wrong: str = "") -> dict[str, Any]:
    """Answer as the script does, one item after the other in the order of their prompts; gives what finish tells.

    The longest prompt stays without an answer, the shortest is declined; `wrong` is said instead of every sum.
    """
    sums = sorted(read(door, attempt).items(), key=lambda one: (len(one[1]), one[1]))
    for number, (name, prompt) in enumerate(sums[:-1]):
        given = {"item_id": name, "answer": wrong or sum_of(prompt), "abstain": number == 0}
        door.call("submit_answers", {"attempt_id": attempt, "answers": [given]})
    door.call("finish_attempt", {"attempt_id": attempt})
    return door.call("finish_attempt", {"attempt_id": attempt})


def played(project: verbs.Project, key: str, wrong: str = "", label: str = "script") -> str:
    """Make a whole attempt by the script, scored; gives its id."""
    with verbs.AttemptDoor(project) as door:
        attempt = begin(door, key, label)
        assert play(door, attempt, wrong)["status"] == "scored"
        return attempt


def flaws(project: verbs.Project, run: str, level: str = "hashes") -> list[tuple[str, str]]:
    """Give what an audit of a run does not find in order: id and detail of each check."""
    with judging_here():
        checks = verbs.audit(project, verbs.AuditRequest(subject=run, level=level)).checks
    return [(check.id, check.detail) for check in checks if check.verdict != "pass"]
