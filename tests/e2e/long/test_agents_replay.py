"""One scripted agent through two servers, one after the other: the same scores, and one normal form of what it did."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support_agents import STUDY, drive, served_project, server_words, told, whole_attempt
from support_wire import WireClient, environment

from harness import verbs
from harness.run.attempts.score import NormalForm, normal_form
from harness.run.attempts.view import read_view
from harness.store.attempts import read_transcript
from harness.store.store import Store

pytestmark = pytest.mark.together


def form(store: Store, attempt: str) -> NormalForm:
    """Give the normal form of an attempt's transcript, over its view."""
    events = read_transcript(store, attempt).events
    view = read_view(store, events[0]["view"])
    assert view
    return normal_form(events, [json.loads(line)["key"] for line in view.items_file.read_bytes().splitlines()[1:]])


def test_two_servers_give_a_scripted_agent_the_same_scores_and_normal_form(tmp_path: Path) -> None:
    folder = served_project(tmp_path / "project")
    ends, attempts = [], []
    for key in ("first", "second"):
        steps = whole_attempt(STUDY, key)
        with WireClient(server_words(), cwd=folder, env=environment()) as client:
            client.hello()

            def call(tool: str, args: dict[str, object], client: WireClient = client) -> dict[str, object]:
                found = client.call(tool, **args)
                attempts.append(found.get("attempt_id"))
                return found

            ends.append(drive(steps, call))
            assert client.end() == 0
    one, two = dict.fromkeys(name for name in attempts if name)
    assert one != two and ends[0]["status"] == "scored" and ends[0]["scores"]
    assert told(ends[0]) == told(ends[1])
    project = verbs.Project(folder)
    store = project.open()
    forms = [form(store, attempt) for attempt in (one, two)]
    assert forms[0] == forms[1] and forms[0]["items"]
    paths = [store.root / "runs" / attempt / "transcript.jsonl" for attempt in (one, two)]
    assert paths[0].read_bytes() != paths[1].read_bytes()
    assert verbs.diff(project, verbs.DiffRequest(left=one, right=two)).level == "bytes"
    for attempt in (one, two):
        checked = verbs.verify_transcript(project, verbs.VerifyTranscriptRequest(attempt=attempt))
        assert (checked.verdict, checked.differing) == ("agreed", [])
