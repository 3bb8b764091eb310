"""A hidden split as another user: its agent is told that it is sealed, its operator the scores; else it is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from support import harness
from support_cheat import ASKED, NOBODY, cheated_project, hidden_words, leaked
from support_server import answers, items, transcript, until
from support_wire import WireClient, environment

pytestmark = pytest.mark.together
SERVE = [sys.executable, "-m", "harness.cli.main", "serve"]
USER = 54323
ASKS = {"study": "hidden", "split": "test"}
TOLD = {"status", "n_answered", "n_abstained", "n_missing", "transcript_head", "next"}
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cheated_project(tmp_path_factory.mktemp("sealed") / "project", "hidden")


def server(folder: Path, *words: str) -> WireClient:
    return WireClient([*SERVE, *words], cwd=folder, env=environment()).hello()


def shown(folder: Path, attempt: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(harness("attempts", "show", attempt, "--json", cwd=folder, check=0).stdout)
    return found


@needs_root
def test_an_agent_is_told_sealed_and_its_operator_the_scores(folder: Path) -> None:
    with server(folder, "--agent-uid", str(NOBODY)) as client:
        attempt = str(client.call("start_attempt", **ASKS, idempotency_key="whole")["attempt_id"])
        names = items(client, attempt)
        assert len(names) == ASKED
        given = answers(*((name, "A") for name in names[:-2]))
        for place in range(0, len(given), 20):
            client.call("submit_answers", attempt_id=attempt, answers=given[place : place + 20])
        told = [client.call("finish_attempt", attempt_id=attempt)]
        until(lambda: shown(folder, attempt)["attempt"]["status"] not in ("closed", "scoring"))
        told += [client.call("finish_attempt", attempt_id=attempt) for _ in range(2)]
        again = client.call("start_attempt", **ASKS, idempotency_key="whole")
        assert again["code"] == "E_FINISHED"
        assert client.end() == 0
    for one in told:
        assert one.keys() == TOLD
        assert (one["status"], one["n_answered"], one["n_missing"]) == ("sealed", ASKED - 2, 2 + 1)
    found = shown(folder, attempt)
    assert (found["attempt"]["status"], found["attempt"]["gold_reachable"]) == ("sealed", False)
    assert found["attempt"]["principal"] == f"local:{NOBODY}" and found["head"] == told[-1]["transcript_head"]
    [line] = [one for one in found["scores"]["scores"] if not one.get("metric")]
    assert (line["n"], line["unanswered"]) == (ASKED - 2, 2) and 0 < line["value"] < 1
    assert leaked(client, hidden_words(folder)) == set()
    number = f"{line['value']:.4g}".encode()
    assert number not in b"".join(client.seen)
    audited = harness("audit", attempt, "--level", "hashes", cwd=folder)
    assert "unconfirmed" in audited.stdout and "taken on trust" in audited.stdout
    verified = json.loads(
        harness(
            "attempts", "verify", attempt, "--head", told[0]["transcript_head"], "--json", cwd=folder, check=0
        ).stdout
    )
    assert verified["verdict"] == "agreed"


@needs_root
def test_an_attempt_goes_on_as_the_same_user_and_as_no_other(folder: Path) -> None:
    with server(folder, "--agent-uid", str(NOBODY)) as client:
        attempt = str(client.call("start_attempt", **ASKS, idempotency_key="begun")["attempt_id"])
    for words in ((), ("--agent-uid", "54321")):
        with server(folder, *words) as other:
            for tool in ("list_items", "finish_attempt"):
                assert other.call(tool, attempt_id=attempt)["code"] == "E_UNKNOWN_ATTEMPT"
    with server(folder, "--agent-uid", str(NOBODY)) as client:
        assert client.call("list_items", attempt_id=attempt)["remaining"] == ASKED + 1  # with the control item
        assert transcript(folder, attempt)[0]["gold_reachable"] is False


def test_without_the_flag_a_hidden_split_is_not_served(folder: Path) -> None:
    with server(folder) as client:
        (study,) = client.call("list_studies")["studies"]
        (split,) = study["splits"]
        assert (split["hidden"], split["attempts_left"]) == (True, 0) and split["reason"] and "metrics" not in study
        refused = client.call("start_attempt", **ASKS, idempotency_key="mine")
        assert refused["code"] == "E_HIDDEN_SPLIT" and refused["next"]
        assert leaked(client, hidden_words(folder)) == set()


@needs_root
def test_starts_at_once_count_no_more_attempts_than_there_are(folder: Path) -> None:
    with server(folder, "--agent-uid", "54322") as client:
        asked = [
            client.begin("tools/call", name="start_attempt", arguments={**ASKS, "idempotency_key": f"race {number}"})
            for number in range(18)
        ]
        told = [client.reply(number)["result"] for number in asked]
        begun = [one for one in told if not one.get("isError")]
        refused = [one["content"][0]["text"].partition(":")[0] for one in told if one.get("isError")]
        assert len(begun) == 15 and refused == ["E_NO_ATTEMPTS_LEFT"] * 3
        (study,) = client.call("list_studies")["studies"]
        assert study["splits"][0]["attempts_left"] == 0
    with server(folder, "--agent-uid", "54322") as client:
        assert client.call("start_attempt", **ASKS, idempotency_key="one more")["code"] == "E_NO_ATTEMPTS_LEFT"


def refused(folder: Path, *words: str) -> bytes:
    """Serve where that cannot be; it ends with 3. Gives what it said."""
    done = subprocess.run(
        [*(words or SERVE), "--agent-uid", str(NOBODY)], cwd=folder, env=environment(), capture_output=True,
        stdin=subprocess.DEVNULL, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (3, b""), done.stderr
    assert b"Traceback" not in done.stderr
    return done.stderr


@needs_root
def test_a_store_that_the_user_could_read_is_not_served(folder: Path) -> None:
    ways = [folder / ".harness", *(one for one in (folder, *folder.parents) if one != Path("/"))]
    modes = {way: way.stat().st_mode for way in ways}
    try:
        for way in ways:
            way.chmod(modes[way] | 0o055)
        said = refused(folder)
        assert b"can read the store" in said and b"chmod 700" in said
    finally:
        for way, mode in modes.items():
            way.chmod(mode)


def test_an_ordinary_user_cannot_serve_another() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        place = Path(name)
        (place / "lockfiles").mkdir()
        words = list(SERVE)
        if os.geteuid() == 0:  # whose checkout no other user may be able to read: it is imported before
            os.chown(place, USER, USER)
            code = "import ctypes, os, sys; from harness_tools import __main__, supervisor; os.setgroups([])"
            code += f"; os.setgid({USER}); os.setuid({USER}); sys.exit(__main__.main(sys.argv[1:]))"
            words = [sys.executable, "-c", code]
        said = refused(place, *words)
        assert b"only root" in said and b"public splits" in said
