"""kill -9 of any process of a server, at any moment of an attempt: what was acknowledged is there, once, and scored."""

from __future__ import annotations

import contextlib
import os
import queue
import random
import re
import signal
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support import judging_here
from support_server import children, gone, items, transcript, until
from support_views import ADDITION, project
from support_wire import WireClient, environment

from harness import verbs

pytestmark = pytest.mark.together
SERVE = [sys.executable, "-m", "harness.cli.main", "serve"]
ITEMS = 24
MANIFEST = ADDITION.replace("items: 4, templates: [1, 6]", f"items: {ITEMS}, templates: [1]").replace(
    "calls: 100", "calls: 5000"
)
ANSWERING, WORKER = "harness_tools.answering", "harness_tools.worker"
LATE = 3  # answers that may be given behind the one that a kill follows
LOST = (AssertionError, BrokenPipeError, queue.Empty)  # what a client meets whose server has died


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project(tmp_path_factory.mktemp("killed") / "project", MANIFEST)


@contextlib.contextmanager
def served(folder: Path) -> Iterator[WireClient]:
    with WireClient(SERVE, cwd=folder, env=environment()) as client:
        yield client.hello()


def begin(client: WireClient, key: str) -> str:
    begun = client.call("start_attempt", study="small", split="dev", idempotency_key=key)
    assert "attempt_id" in begun, begun
    return str(begun["attempt_id"])


class Shot:
    """The kill of a process, a moment after so many answers were acknowledged; done when its family is gone, too."""

    def __init__(self, pid: int, family: list[int], told: dict[str, str], most: int, later: float) -> None:
        self.most, self.thread = most, threading.Thread(target=self._fire, args=(pid, family, told, later))
        self.thread.start()

    def _fire(self, pid: int, family: list[int], told: dict[str, str], later: float) -> None:
        until(lambda: len(told) >= self.most)
        time.sleep(later)
        os.kill(pid, signal.SIGKILL)
        until(partial(all_gone, family))  # the answering process answers for a moment longer than its supervisor lives


def all_gone(pids: list[int]) -> bool:
    return all(gone(pid) for pid in pids)


def total(prompt: str) -> str:
    return str(sum(map(int, re.findall(r"\d+", prompt))))


def play(client: WireClient, attempt: str, told: dict[str, str], shot: Shot | None = None) -> dict[str, Any]:
    """Answer every item that is still open, note each receipt as it comes, and finish; gives the scores.

    A shot that is late, as on a busy machine, is waited for soon after its moment: the attempt is still open then.
    """
    for name in items(client, attempt):
        prompt = client.call("get_item", attempt_id=attempt, item_ids=[name])["items"][0]["prompt"]
        given = [{"item_id": name, "answer": total(prompt)}]
        (receipt,) = client.call("submit_answers", attempt_id=attempt, answers=given)["receipts"]
        assert receipt["status"] in ("recorded", "duplicate") and (name not in told or receipt["status"] == "duplicate")
        told[name] = receipt["answer_sha256"]
        if shot and len(told) > shot.most + LATE:
            shot.thread.join()
    return finished(client, attempt)


def finished(client: WireClient, attempt: str) -> dict[str, Any]:
    end = time.monotonic() + 60
    while (said := client.call("finish_attempt", attempt_id=attempt)).get("status", "scoring") == "scoring":
        assert "status" in said or said["retryable"], said  # its worker was killed under it
        assert time.monotonic() < end, "it was never scored"
    return said


def verified(folder: Path, attempt: str) -> verbs.VerifyTranscriptResult:
    return verbs.verify_transcript(verbs.Project(folder), verbs.VerifyTranscriptRequest(attempt=attempt))


def recorded(folder: Path, attempt: str) -> list[tuple[str, str]]:
    """Give every answer that the transcript records, as often as it does."""
    receipts = [one for line in transcript(folder, attempt) for one in line.get("receipts", [])]
    return [(one["item_id"], one["answer_sha256"]) for one in receipts if one["status"] == "recorded"]


@pytest.mark.parametrize("victim", [ANSWERING, "supervisor"])
def test_a_kill_at_any_moment_loses_no_answer_and_counts_none_twice(folder: Path, victim: str) -> None:
    told: dict[str, str] = {}
    attempt, chance = "", random.Random(victim)
    for most in (5, 12):
        with served(folder) as client:
            attempt = attempt or begin(client, victim)  # in another session it goes on by its id
            family = children(client.process.pid)
            pid = client.process.pid if victim == "supervisor" else family[ANSWERING]
            shot = Shot(pid, list(family.values()), told, most, chance.uniform(0, 0.004))
            with contextlib.suppress(*LOST):
                play(client, attempt, told, shot)
            shot.thread.join()
        found = verified(folder, attempt)
        assert found.verdict == "agreed" or (found.verdict == "incomplete" and found.torn), found
        assert told.items() <= dict(recorded(folder, attempt)).items()
    with served(folder) as client:
        said = play(client, attempt, told)
        assert begin(client, victim) != attempt  # a key is of its session
    kept = recorded(folder, attempt)
    assert len(kept) == len(dict(kept)) == said["n_answered"] and said["n_missing"] == 1
    assert told.items() <= dict(kept).items() and len(kept) > 12
    assert said["scores"]["addition/reliability.outcome"]["value"] == 1
    assert verified(folder, attempt).verdict == "agreed"


def test_a_scoring_that_is_killed_is_done_again_by_the_next_call(folder: Path) -> None:
    chance = random.Random(5)
    with served(folder) as client:
        attempt = begin(client, "scoring")
        for name in items(client, attempt)[:6]:
            client.call("submit_answers", attempt_id=attempt, answers=[{"item_id": name, "answer": "0"}])
        client.call("finish_attempt", attempt_id=attempt)
        runs = folder / ".harness" / "runs"
        for tried in range(2):
            name = attempt if not tried else f"{attempt}.{tried + 1}"
            until((runs / name / "journal.jsonl").exists)
            time.sleep(chance.uniform(0, 0.3))
            for pid in workers(client.process.pid):
                os.kill(pid, signal.SIGKILL)
            until(lambda: not workers(client.process.pid))
            asked = client.begin("tools/call", name="finish_attempt", arguments={"attempt_id": attempt})
        client.reply(asked)
        said = finished(client, attempt)
    assert (said["status"], said["n_answered"]) == ("scored", 6)
    assert said["scores"]["addition/reliability.outcome"]["n"] == 6
    assert verified(folder, attempt).verdict == "agreed"
    ended = [run for run in verbs.runs(verbs.Project(folder)).runs if run.run.startswith(attempt)]
    assert sum(run.status == "done" for run in ended) == 1
    with judging_here():
        audited = verbs.audit(verbs.Project(folder), verbs.AuditRequest(subject=said_run(folder, attempt)))
    assert {check.id for check in audited.checks if check.verdict != "pass"} == {"expect.missing"}
    assert verbs.fsck(verbs.Project(folder)).flaws == []


def said_run(folder: Path, attempt: str) -> str:
    return verbs.show_attempt(verbs.Project(folder), verbs.AttemptRequest(attempt=attempt)).attempt.run


def workers(parent: int) -> list[int]:
    """Give the workers of a supervisor that still run."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            mine = int((place / "stat").read_text().rpartition(")")[2].split()[1]) == parent
            if mine and WORKER.encode() in (place / "cmdline").read_bytes() and not gone(int(place.name)):
                found.append(int(place.name))
    return found


def test_a_server_that_dies_while_it_scores_leaves_it_to_the_next(folder: Path) -> None:
    with served(folder) as client:
        attempt = begin(client, "dies")
        name = items(client, attempt)[0]
        client.call("submit_answers", attempt_id=attempt, answers=[{"item_id": name, "answer": "0"}])
        client.call("finish_attempt", attempt_id=attempt)
        until((folder / ".harness" / "runs" / attempt / "journal.jsonl").exists)
        doomed = [client.process.pid, *children(client.process.pid).values(), *workers(client.process.pid)]
        for pid in set(doomed):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        until(partial(all_gone, doomed))
    with served(folder) as client:
        said = finished(client, attempt)
        assert (said["status"], said["n_answered"]) == ("scored", 1)
    assert verified(folder, attempt).verdict == "agreed"
