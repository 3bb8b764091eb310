"""The whole server: processes that die at any moment, servers and clients that meet, and what was recorded then."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support_server import SPLIT, STUDY, answers, children, gone, items, server, started, transcript, until
from support_views import ADDITION, project
from support_wire import WireClient

COUNT = 8  # items of the split
pytestmark = pytest.mark.together


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project(tmp_path_factory.mktemp("served") / "project", ADDITION)


@pytest.fixture
def client(folder: Path) -> Iterator[WireClient]:
    with server(folder) as found:
        yield found


def receipts(folder: Path, attempt: str) -> list[dict[str, object]]:
    return [one for line in transcript(folder, attempt) for one in line.get("receipts", [])]


@pytest.mark.parametrize(
    "victim",
    ["both", *(pytest.param(one, marks=pytest.mark.long) for one in ("supervisor", "harness_tools.answering"))],
)
def test_a_kill_between_submit_and_reply_loses_and_doubles_nothing(folder: Path, victim: str) -> None:
    with server(folder) as first:
        attempt = started(first, f"kill {victim}")
        names = items(first, attempt)
        wanted = answers(*((item, "12") for item in names[:3]))
        family = children(first.process.pid)
        answering = family["harness_tools.answering"]
        first.begin("tools/call", name="submit_answers", arguments={"attempt_id": attempt, "answers": wanted})
        until(lambda: receipts(folder, attempt))
        for name in ("supervisor", "harness_tools.answering") if victim == "both" else (victim,):
            with contextlib.suppress(ProcessLookupError):  # who answers may have ended with its supervisor
                os.kill(first.process.pid if name == "supervisor" else answering, signal.SIGKILL)
        until(lambda: gone(answering) and gone(first.process.pid))
        until(lambda: all(gone(pid) for pid in family.values()))
    recorded = receipts(folder, attempt)
    with server(folder) as second:
        again = second.call("submit_answers", attempt_id=attempt, answers=wanted)["receipts"]
        assert [one["status"] for one in again] == ["duplicate"] * 3
        assert [one["answer_sha256"] for one in again] == [one["answer_sha256"] for one in recorded]
        other = second.call("submit_answers", attempt_id=attempt, answers=answers((names[0], "13")))
        assert other["receipts"][0]["code"] == "E_ALREADY_SUBMITTED"
        done = second.call("finish_attempt", attempt_id=attempt)
        assert (done["n_answered"], done["n_missing"]) == (3, len(names) - 3 + 1)
    events = [line["event"] for line in transcript(folder, attempt)]
    assert events.count("reopened") == 1 and events[-1] == "attempt.closed"


@pytest.mark.long
def test_a_key_opens_its_attempt_again_in_its_session_alone(folder: Path, client: WireClient) -> None:
    """After a lost reply the same call gives the same attempt and says so; a second agent's same key is another one."""
    attempt = started(client, "lost reply")
    again = client.call("start_attempt", study=STUDY, split=SPLIT, idempotency_key="lost reply")
    assert (again["attempt_id"], again["resumed"]) == (attempt, True)
    assert [line["event"] for line in transcript(folder, attempt)] == ["attempt.started", "reopened"]
    with server(folder) as other:
        busy = other.call("list_items", attempt_id=attempt)
        assert (busy["code"], busy["retryable"]) == ("E_BUSY", True)
    assert client.end() == 0
    with server(folder) as other:
        mine = other.call("start_attempt", study=STUDY, split=SPLIT, idempotency_key="lost reply")
        assert mine["attempt_id"] != attempt and "resumed" not in mine
        assert other.call("list_items", attempt_id=attempt)["remaining"] == COUNT + 1
        wrong = other.call("start_attempt", study=STUDY, split=SPLIT, idempotency_key="lost reply", subset="template-1")
        assert wrong["code"] == "E_IDEMPOTENCY_MISMATCH"


def test_of_sixteen_answers_to_one_item_at_once_one_is_recorded(folder: Path, client: WireClient) -> None:
    attempt = started(client, "race")
    item = items(client, attempt)[0]
    asked = [
        client.begin(
            "tools/call",
            name="submit_answers",
            arguments={"attempt_id": attempt, "answers": answers((item, str(number)))},
        )
        for number in range(16)
    ]
    told = [client.reply(number)["result"]["structuredContent"]["receipts"][0] for number in asked]
    assert sorted(one["status"] for one in told) == ["recorded"] + ["rejected"] * 15
    assert [one["status"] for one in receipts(folder, attempt)].count("recorded") == 1


@pytest.mark.long
def test_a_whole_line_is_recorded_though_nobody_waits_and_half_is_not(folder: Path) -> None:
    with server(folder) as first:
        attempt = started(first, "half a line")
        item = items(first, attempt)[0]
        first.begin(
            "tools/call", name="submit_answers", arguments={"attempt_id": attempt, "answers": answers((item, "1"))}
        )
        assert first.process.stdin
        first.process.stdin.write(b'{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"submit_an')
        assert first.end() == 0
    assert len(receipts(folder, attempt)) == 1
    with server(folder) as second:
        told = second.call("submit_answers", attempt_id=attempt, answers=answers((item, "1")))
        assert told["receipts"][0]["status"] == "duplicate"


def test_no_handle_but_a_real_one_opens_anything(client: WireClient) -> None:
    known = started(client, "guessed")
    text = ["", "x", "../x", "..", "a/b", "20260101T000000Z-" + "0" * 32, "%2e%2e%2f", "nul\0", "\ud800"]
    for name in (*text, 7, None, ["x"], {}):
        for tool, more in (("list_items", {}), ("finish_attempt", {}), ("get_item", {"item_ids": ["0" * 16]})):
            said = client.call(tool, attempt_id=name, **more)
            assert said["code"] in ("E_UNKNOWN_ATTEMPT", "E_ARGUMENT", "E_ENCODING"), (name, said)
    assert client.call("list_items", attempt_id=known)["remaining"] == COUNT + 1


@pytest.mark.long
def test_the_attempt_of_another_principal_is_unknown(folder: Path, client: WireClient) -> None:
    attempt = started(client, "mine")
    unknown = client.call("list_items", attempt_id="20260101T000000Z-" + "0" * 32)
    assert client.end() == 0
    with server(folder, program="support_stranger") as other:
        for tool in ("list_items", "finish_attempt"):
            assert other.call(tool, attempt_id=attempt) == unknown
        assert started(other, "mine") != attempt


@pytest.mark.long
def test_a_client_that_only_asks_for_the_tools_leaves_no_process_behind(folder: Path) -> None:
    with server(folder) as client:
        family = children(client.process.pid)
        assert client.ask("tools/list")["result"]["tools"]
        began = time.monotonic()
        assert client.end() == 0
        assert time.monotonic() - began < 5
    until(lambda: all(gone(pid) for pid in family.values()))


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.long)])
def test_a_signal_ends_the_server_and_its_children(folder: Path, number: int) -> None:
    with server(folder) as client:
        started(client, "signal")
        family = children(client.process.pid)
        os.kill(client.process.pid, number)
        until(lambda: gone(client.process.pid) and all(gone(pid) for pid in family.values()))


def test_no_byte_that_leaves_the_server_names_a_place_or_a_secret(folder: Path, client: WireClient) -> None:
    attempt = started(client, "crawl")
    names = items(client, attempt)
    for tool in (
        "list_items",
        "get_item",
        "submit_answers",
        "finish_attempt",
        "score_text",
        "start_attempt",
        "gold",
        "",
    ):
        for args in (
            {},
            {"attempt_id": attempt, "item_id": "../gold"},
            {"attempt_id": attempt, "gold": 1},
            {"study": "/"},
        ):
            if not (tool == "finish_attempt" and args.keys() == {"attempt_id"}):
                client.call(tool, **args)
    for name in names:
        client.call("get_item", attempt_id=attempt, item_ids=[name])
        client.call(
            "submit_answers", attempt_id=attempt, answers=answers((name, [1]), (name, {"a": 1}), (name, "\ud800"))
        )
    head = transcript(folder, attempt)[0]
    seen = b"".join(client.seen)
    for secret in (
        str(folder),
        str(folder.parent),
        ".harness",
        head["secret"],
        head["canary"]["key"],
        head["view"],
        "/proj",
    ):
        assert secret.encode() not in seen, secret
    assert b"Traceback" not in seen
