"""The server over HTTP: who is let in, who is not, what a slow or large request costs, and what is recorded."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support_http import LEGACY, MODERN, HttpClient, HttpServer, raw
from support_server import SPLIT, STUDY, answers, transcript, until
from support_views import ADDITION, project

from harness.attempts.tokens import add_token, read_tokens, revoke_tokens
from harness.store.store import Store

pytestmark = pytest.mark.together
LIMITED = ADDITION.replace("name: small", "name: limited").replace(
    "templates: [1, 6]", "templates: [1, 6], max_attempts: 1"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project(tmp_path_factory.mktemp("served") / "project", ADDITION, LIMITED)


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[HttpServer]:
    """Serve without a token: the user of these tests alone is let in."""
    with HttpServer(folder) as found:
        yield found
        assert found.end() == 0


def item_ids(client: HttpClient, attempt: str) -> list[str]:
    return [one["item_id"] for one in client.call("get_item", attempt_id=attempt)["items"]]


def start(client: HttpClient, key: str, study: str = STUDY) -> dict[str, object]:
    return client.call("start_attempt", study=study, split=SPLIT, idempotency_key=key)


@pytest.mark.parametrize("era", [LEGACY, MODERN])
def test_an_attempt_of_either_era_is_recorded_as_over_stdio(folder: Path, server: HttpServer, era: str) -> None:
    client = server.client(era=era)
    if era == LEGACY:
        hello = {"protocolVersion": era, "capabilities": {}, "clientInfo": {"name": "wire", "version": "1"}}
        assert client.ask("initialize", **hello)["result"]["serverInfo"]["name"] == "harness"
    assert len(client.ask("tools/list")["result"]["tools"]) == 7
    begun = start(client, f"whole {era}")
    attempt = str(begun["attempt_id"])
    names = item_ids(client, attempt)
    client.call("submit_answers", attempt_id=attempt, answers=answers(*((name, "12") for name in names)))
    until(lambda: client.call("finish_attempt", attempt_id=attempt)["status"] == "scored")
    first, *rest = transcript(folder, attempt)
    assert first["principal"] == f"local:{os.geteuid()}" and first["gold_reachable"] is True
    calls = [one for one in rest if one["event"] == "call"]
    assert {one["protocol"] for one in calls} == {era} and rest[-1]["event"] == "attempt.closed"
    client.close()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example:80"}, 421),
        ({"host": "127.0.0.1"}, 421),
        ({"host": ""}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:1"}, 403),
    ],
)
def test_another_host_or_origin_is_refused(server: HttpServer, headers: dict[str, str], status: int) -> None:
    client = server.client()
    found, _, body = client.send(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}', headers=headers)
    assert found == status and "tools" not in json.loads(body)
    own = {"origin": f"http://localhost:{server.port}", "host": f"localhost:{server.port}"}
    assert client.send(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}', headers=own)[0] == 200


def test_there_is_one_path_and_one_method(server: HttpServer) -> None:
    client = server.client()
    paths = ("/", "/mcp/", "/mcp/../x", "//mcp", "/MCP", "/.well-known/oauth-protected-resource", "/sse", "/%6dcp")
    assert {client.send(b"", path=path)[0] for path in paths} == {404}
    for method in ("GET", "DELETE", "PUT", "OPTIONS", "HEAD"):
        status, told, _ = client.send(b"", method)
        assert (status, told["allow"]) == (405, "POST")


def test_two_host_headers_are_nobodys(server: HttpServer) -> None:
    host = f"Host: 127.0.0.1:{server.port}\r\n".encode()
    came = raw(server.port, [b"POST /mcp HTTP/1.1\r\n" + host + b"Host: evil\r\nContent-Length: 0\r\n\r\n"])
    assert came.split()[1] in (b"400", b"421")


def test_messages_that_are_none_are_refused_and_the_next_is_answered(server: HttpServer) -> None:
    client = server.client()
    for body, code in (
        (b"{", -32700),
        (b"[1]", -32600),
        (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list"}', -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":[1]}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":NaN}}', -32700),
        (b"\xff" * 9, -32700),
        (b"[" * 100_000, -32700),
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":{"a":"\\ud800"}}}', -32600),
    ):
        status, _, data = client.send(body)
        assert (status, json.loads(data)["error"]["code"]) == (400, code), body[:60]
    assert json.loads(data)["id"] == 7 and "E_ENCODING" in data.decode()
    assert "result" in client.ask("tools/list")


def test_an_oversized_request_is_refused_unread(server: HttpServer) -> None:
    head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n".encode()
    before = memory(server)
    for declared in (b"Content-Length: 90000000000\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n"):
        chunk = b"%x\r\n" % (1 << 20) + b"x" * (1 << 20) + b"\r\n"
        came = raw(server.port, [head + declared, *([chunk] * 30)])
        assert came.split()[1] == b"413" or came == b""  # cut while we wrote
    came = raw(server.port, [head + b"X: " + b"y" * 100_000])
    assert came.split()[1] == b"431"
    assert memory(server) < before + 20
    assert "result" in server.client().ask("tools/list")


def memory(server: HttpServer) -> float:
    """Give the memory of the answering process in MiB."""
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
    [pid] = [one for one in children if b"http_answering" in Path(f"/proc/{one}/cmdline").read_bytes()]
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def test_a_client_gone_in_the_middle_of_a_call_is_recorded_once(folder: Path, server: HttpServer) -> None:
    client = server.client()
    attempt = str(start(client, "gone")["attempt_id"])
    name = item_ids(client, attempt)[0]
    arguments = {"attempt_id": attempt, "answers": answers((name, "12"))}
    asked = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "submit_answers", "arguments": arguments},
    }
    body = json.dumps(asked).encode()

    def posted(body: bytes) -> bytes:
        return (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n"
            f"Accept: application/json, text/event-stream\r\nContent-Length: {len(body)}\r\n\r\n"
        ).encode() + body

    for sent in (posted(body), posted(body)[:-5]):  # half a request is none
        with socket.create_connection(("127.0.0.1", server.port)) as wire:
            wire.sendall(posted(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'))
            assert b" 200 " in wire.recv(65536)
            wire.sendall(sent)
    until(lambda: any(one.get("receipts") for one in transcript(folder, attempt)))
    again = client.call("submit_answers", **arguments)["receipts"][0]
    assert again["status"] == "duplicate"
    assert [one["receipts"][0]["status"] for one in transcript(folder, attempt) if one.get("receipts")] == [
        "recorded",
        "duplicate",
    ]


@pytest.mark.long
def test_tokens_name_principals_and_are_refused_when_wrong(folder: Path, tmp_path: Path) -> None:
    """Missing, unknown, expired, for another profile, revoked; and attempts of another principal are unknown."""
    here = project(tmp_path / "project", ADDITION, LIMITED)
    made = {}
    store = Store.open(here / ".harness")
    for name, scopes in (("alice", ["answer"]), ("bob", ["answer"]), ("auditor", ["audit"]), ("old", ["answer"])):
        made[name] = add_token(store, name, scopes, 1)[0]
    path = here / ".harness" / "tokens.toml"
    assert path.stat().st_mode & 0o777 == 0o600 and not any(one in path.read_text() for one in made.values())
    old = next(one for one in read_tokens(store).values() if one.principal == "old")
    table = path.read_text().split(f'sha256 = "{old.sha256}"')
    path.write_text(
        f'sha256 = "{old.sha256}"'.join([table[0], table[1].replace(old.expires, "2026-01-01T00:00:00.000Z")])
    )
    with HttpServer(here) as server:
        body = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
        for token, status, words in (
            ("", 401, "needs a token"),
            ("hrn_wrong", 401, "not known"),
            ("x" * 300, 401, "needs a token"),
            (made["old"], 401, "expired"),
            (made["auditor"], 403, "not for the profile"),
        ):
            found, told, data = server.client(token).send(body)
            assert found == status and words in data.decode() and told["www-authenticate"].startswith("Bearer")
        alice, bob = server.client(made["alice"]), server.client(made["bob"])
        mine = str(start(alice, "one")["attempt_id"])
        assert transcript(here, mine)[0]["principal"] == "token:alice"
        unknown = bob.call("list_items", attempt_id="20260101T000000Z-" + "0" * 32)
        for tool in ("list_items", "get_item", "finish_attempt"):
            assert bob.call(tool, attempt_id=mine) == unknown
        assert "attempt_id" in start(alice, "limited", "limited")
        assert start(alice, "limited too", "limited")["code"] == "E_NO_ATTEMPTS_LEFT"
        assert "attempt_id" in start(bob, "limited", "limited")  # nobody used up bob's
        assert start(bob, "one")["attempt_id"] != mine  # the same key of another principal
        revoke_tokens(store, "alice")
        time.sleep(1.1)
        assert alice.send(body)[0] == 401 and bob.send(body)[0] == 200
        path.write_text("[[token]]\n")
        time.sleep(1.1)
        assert bob.send(body)[0] == 401  # a damaged file lets nobody in
        path.unlink()
        time.sleep(1.1)
        assert server.client().send(body)[0] == 200  # without a token, the user who started it


@pytest.mark.long
def test_a_principal_that_asks_too_fast_is_refused_and_nobody_else_is(tmp_path: Path) -> None:
    here = project(tmp_path / "project", ADDITION)
    store = Store.open(here / ".harness")
    greedy, other = (add_token(store, name, ["answer"], 1)[0] for name in ("greedy", "other"))
    with HttpServer(here, "--rate", "1") as server:
        body, found = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}', list[int]()
        client = server.client(other)
        assert client.send(body)[0] == 200  # the server has started

        def hurry() -> None:
            client = server.client(greedy)
            found.extend(client.send(body)[0] for _ in range(10))

        hurrying = [threading.Thread(target=hurry) for _ in range(24)]
        begun = time.monotonic()
        for one in hurrying:
            one.start()
        assert [client.send(body)[0] for _ in range(4)] == [200] * 4
        for one in hurrying:
            one.join()
        allowed = time.monotonic() - begun + 5 + 1  # its rate, what it may use at once, and one that waits
        assert found.count(200) <= allowed and found.count(429) > 50 and set(found) == {200, 429}
