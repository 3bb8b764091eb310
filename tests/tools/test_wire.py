"""The stdio wire, over a real process: what is sent to it, and what becomes of the process."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support_draws import drawn
from support_wire import HELLO, PATIENCE, WireClient, environment

SERVER = (sys.executable, "-m", "support_served")


@pytest.fixture(scope="module")
def served() -> Iterator[WireClient]:
    with WireClient(SERVER) as client:
        yield client.hello()


def peak(client: WireClient) -> int:
    """Give the most memory that a server has held, in KiB."""
    status = Path(f"/proc/{client.process.pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[1]",
        b'\xff{"jsonrpc":"2.0"}',
        b"[" * 100_000,
        b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
        b'{"a":1,"a":2}',
        b'{"a":Infinity}',
    ],
)
def test_what_cannot_be_read_is_answered_and_the_next_call_is_right(served: WireClient, line: bytes) -> None:
    served.send(line)
    assert served.reply()["error"]["data"]["code"] in ("E_MESSAGE", "E_ENCODING")
    assert "echo" in served.call("submit_answers", answers=1)


@pytest.mark.parametrize("named", ["[]", "{}", "null", "1.5"])
def test_a_cancellation_of_what_is_no_request_ends_nothing(served: WireClient, named: str) -> None:
    served.send(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}' % named.encode())
    assert "echo" in served.call("submit_answers", answers=1)


@pytest.mark.parametrize("params", ["[]", "false", '""', "0"])
def test_params_that_are_no_object_are_refused_and_end_nothing(served: WireClient, params: str) -> None:
    served.send(b'{"jsonrpc":"2.0","id":"p","method":"ping","params":%s}' % params.encode())
    assert served.reply("p")["error"]["data"]["code"] == "E_MESSAGE"
    assert "echo" in served.call("submit_answers", answers=1)


def test_a_line_of_32_megabytes_is_answered_and_takes_no_memory(served: WireClient) -> None:
    before = peak(served)
    text = b"y" * (32 << 20)
    served.send(
        b'{"jsonrpc":"2.0","id":"long","method":"tools/call","params":{"name":"x","arguments":{"a":"%s"}}}' % text
    )
    assert served.reply("long")["error"]["data"]["code"] == "E_TOO_LARGE"
    assert peak(served) - before < 8 << 10
    assert "echo" in served.call("submit_answers", answers=1)


def test_what_is_refused_is_told_to_the_log_of_the_session(served: WireClient) -> None:
    count = len(served.call("list_studies")["refused"])
    served.send(b"nonsense")
    served.reply()
    assert served.call("list_studies")["refused"][count:] == ["E_MESSAGE"]


def test_only_what_is_registered_can_be_asked_for(served: WireClient) -> None:
    for method in ("resources/list", "resources/templates/list", "prompts/list", "logging/setLevel"):
        params = {"level": "debug"} if method == "logging/setLevel" else {}
        assert served.ask(method, **params)["error"]["code"] == -32601
    asked = {"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": "b"}}
    assert served.ask("completion/complete", **asked)["error"]["code"] == -32601
    for uri in ("file:///etc/passwd", "../../gold.jsonl", "evalrepro://studies", "%2e%2e%2f", "a\0b"):
        assert served.ask("resources/read", uri=uri)["error"]["code"] in (-32601, -32602)


@pytest.mark.long
def test_what_is_printed_never_reaches_the_wire() -> None:
    with WireClient(SERVER) as client:
        client.hello().call("list_studies")
        assert client.end() == 0
        assert all(json.loads(line)["jsonrpc"] == "2.0" for line in client.seen)
        assert b"a print of somebody's scorer" in b"".join(client.said)


@pytest.mark.long
def test_what_was_asked_before_the_end_is_answered_before_the_process_ends() -> None:
    requests = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}]
    requests += [
        {"jsonrpc": "2.0", "id": one, "method": "tools/call", "params": {"name": "list_studies", "arguments": {}}}
        for one in range(1, 41)
    ]
    with WireClient(SERVER) as client:
        client.send(b"\n".join(json.dumps(one).encode() for one in requests))
        assert client.end() == 0
        time.sleep(0.1)
        assert {json.loads(line)["id"] for line in client.seen if b'"result"' in line} == set(range(41))


NOTHING = [b"", b"\n", b"nonsense\n", b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n']


@pytest.mark.long
@pytest.mark.parametrize("line", drawn(NOTHING, 2, len(NOTHING)))
def test_a_client_that_asks_nothing_ends_the_server(line: bytes) -> None:
    done = subprocess.run(SERVER, input=line, capture_output=True, env=environment(), timeout=PATIENCE, check=False)
    assert done.returncode == 0
    assert (b"E_MESSAGE" in done.stdout) == (b"nonsense" in line)


@pytest.mark.long
def test_a_flood_of_requests_is_answered_within_a_bound_of_memory() -> None:
    with WireClient(SERVER) as client:
        client.hello()
        for _ in range(1000):
            client.begin("tools/call", name="list_studies", arguments={"a": "z" * 4000})
        assert "result" in client.reply(1001)
        assert peak(client) < 200 << 10
        assert client.end() == 0


@pytest.mark.long
def test_a_client_that_no_longer_reads_takes_the_server_with_it() -> None:
    with subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()) as process:
        assert process.stdin and process.stdout
        process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}).encode())
        process.stdin.write(b"\n")
        process.stdin.flush()
        assert process.stdout.readline()
        process.stdout.close()
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n' * 3)
        process.stdin.flush()
        assert process.wait(PATIENCE) == 0
