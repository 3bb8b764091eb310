"""Over HTTP as over stdio: a hidden split only for a user who cannot read the store, and nothing of it but counts."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import harness
from support_http import LEGACY, MODERN, HttpClient, HttpServer
from support_server import SPLIT, STUDY, answers, until
from support_views import ADDITION, HIDDEN, QUESTIONS, project
from support_wire import environment

from harness.attempts.tokens import add_token
from harness.store.store import Store

pytestmark = pytest.mark.together
USER = 54321
AGENT = Path(__file__).parents[1] / "cheating_agent.py"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = project(tmp_path_factory.mktemp("confined") / "project", ADDITION, HIDDEN)
    (made / ".harness").chmod(0o700)
    return made


@pytest.fixture
def root() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")


def as_user(uid: int, port: int, *, token: str = "") -> dict[str, list[str]]:
    """Let an agent that cheats loose on a server, as another user; gives all that it saw."""
    words = [sys.executable, str(AGENT), str(uid), str(port), token]
    done = subprocess.run(words, env=environment(), capture_output=True, text=True, timeout=300, check=False, cwd="/")
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def golds() -> Iterator[str]:
    """Give what nobody may see of the hidden questions: their right answers as they are written down."""
    for line in QUESTIONS.splitlines():
        yield json.dumps(json.loads(line))
    yield from ('"answerKey"', '"gold"')


def test_a_hidden_split_is_served_to_its_user_alone_and_gives_counts(folder: Path, root: None) -> None:
    with HttpServer(folder, "--agent-uid", str(USER)) as server:
        status, _, body = server.client().send(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
        assert status == 403 and b"one user" in body  # root is another user
        assert as_user(USER + 1, server.port)["statuses"] == ["403"]
        found = as_user(USER, server.port)
        assert found["ended"] == ["sealed"] and set(found["codes"]) >= {"E_HIDDEN_SPLIT", "E_UNKNOWN_ATTEMPT"}
        assert found["read"] == []  # files of the store, and the memory and descriptors of the server
        seen = "".join(found["seen"])
        assert len(seen) > 10_000 and not [gold for gold in golds() if gold in seen] and str(folder) not in seen
    [first] = [
        json.loads(path.read_bytes().split(b"\n")[0])
        for path in (folder / ".harness").glob("runs/*/transcript.jsonl")
        if b'"hidden":true' in path.read_bytes()
    ]
    assert (first["principal"], first["gold_reachable"]) == (f"local:{USER}", False)


def test_a_token_is_asked_of_the_right_user_too(folder: Path, root: None, tmp_path: Path) -> None:
    here = project(tmp_path / "project", ADDITION, HIDDEN)
    (here / ".harness").chmod(0o700)
    token, _ = add_token(Store.open(here / ".harness"), "alice", ["answer"], 1)
    with HttpServer(here, "--agent-uid", str(USER)) as server:
        assert as_user(USER, server.port)["statuses"] == ["401"]
        assert as_user(USER + 1, server.port, token=token)["statuses"] == ["403"]
        assert as_user(USER, server.port, token=token)["ended"] == ["sealed"]


def test_without_a_proof_of_the_user_a_hidden_split_is_closed(folder: Path) -> None:
    with HttpServer(folder) as server:
        client = server.client()
        [study] = [one for one in client.call("list_studies")["studies"] if one["study"] == "hidden"]
        assert "user" in study["splits"][0]["reason"]
        said = client.call("start_attempt", study="hidden", split="test", idempotency_key="x")
        assert said["code"] == "E_HIDDEN_SPLIT"


@pytest.mark.parametrize(
    ("words", "code", "what"),
    [
        (("--http", "0.0.0.0:0"), 2, "--allow-host"),
        (("--http", "0.0.0.0:0", "--allow-host", "eval.example:80"), 2, "tokens add"),
        (("--http", "0.0.0.0:0", "--allow-host", "eval.example:80", "--agent-uid", "54321"), 3, "cannot be proven"),
        (("--http", "0.0.0.0:0", "--allow-host", "a b"), 2, "--allow-host"),
        (("--http", "0", "--allow-origin", "example"), 2, "--allow-origin"),
        (("--http", "nowhere"), 2, "--http"),
        (("--allow-host", "a:1"), 2, "--http"),
        (("--http", "0", "--print-config", "claude"), 2, "--print-config"),
    ],
)
def test_a_door_that_is_not_safe_is_not_opened(folder: Path, words: tuple[str, ...], code: int, what: str) -> None:
    done = harness("serve", *words, cwd=folder)
    assert done.returncode == code and what in done.stderr, done.stderr


def test_a_taken_port_is_told(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = harness("serve", "--http", str(taken.getsockname()[1]), cwd=folder)
    assert done.returncode == 2 and "another port" in done.stderr


def test_other_machines_need_a_token_and_the_right_name(tmp_path: Path) -> None:
    """A server on all addresses, with tokens made on the command line, which shows each once."""
    here = project(tmp_path / "project", ADDITION)
    made = json.loads(harness("tokens", "add", "lab-a", "--json", cwd=here, check=0).stdout)
    with HttpServer(here, "--http", "0.0.0.0:0", "--allow-host", "eval.example:80") as server:
        body = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
        named = {"host": "eval.example:80"}
        assert server.client(made["token"]).send(body)[0] == 421
        assert server.client().send(body, headers=named)[0] == 401
        assert server.client(made["token"]).send(body, headers=named)[0] == 200
        harness("tokens", "revoke", "lab-a", cwd=here, check=0)
        until(lambda: server.client(made["token"]).send(body, headers=named)[0] == 401)
        assert server.client().send(body, headers=named)[0] == 401  # none is left, and still one is asked for


def test_fifty_attempts_at_once_are_whole(tmp_path: Path) -> None:
    here, many = project(tmp_path / "project", ADDITION), 50
    done: list[dict[str, object]] = []

    def attempt(client: HttpClient, number: int) -> None:
        begun = client.call("start_attempt", study=STUDY, split=SPLIT, idempotency_key=f"at once {number}")
        name = begun["attempt_id"]
        found = [one["item_id"] for one in client.call("get_item", attempt_id=name)["items"]]
        client.call("submit_answers", attempt_id=name, answers=answers(*((one, str(number)) for one in found)))
        done.append(client.call("finish_attempt", attempt_id=name))

    with HttpServer(here, "--rate", "1000") as server:
        agents = [
            threading.Thread(target=attempt, args=(server.client(era=LEGACY if number % 2 else MODERN), number))
            for number in range(many)
        ]
        for one in agents:
            one.start()
        for one in agents:
            one.join()
    assert (
        len(done) == many and {one["n_answered"] for one in done} == {9} and {one["n_missing"] for one in done} == {0}
    )
