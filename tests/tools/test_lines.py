"""The guard of the wire: whatever comes on a line, whoever asked is answered, and nothing lax gets through."""

from __future__ import annotations

import json
import os
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness_tools.lines import DEEPEST, MOST, LongLine, Refusal, parse_line, read_lines

CALL = b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get_item","arguments":%s}}'


def lines(data: bytes, most: int = MOST) -> list[bytes | LongLine]:
    """Send bytes through a pipe, and give the lines that are read from it."""
    source, sink = os.pipe()

    def write() -> None:
        with os.fdopen(sink, "wb") as file:
            file.write(data)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        return list(read_lines(source, most))
    finally:
        writer.join()
        os.close(source)


def refusal(line: bytes) -> Refusal:
    found = parse_line(line)
    assert isinstance(found, Refusal)
    return found


@pytest.mark.parametrize(
    ("line", "code", "rpc"),
    [
        (b"{", "E_MESSAGE", -32700),
        (b"nonsense", "E_MESSAGE", -32700),
        (b"[]", "E_MESSAGE", -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', "E_MESSAGE", -32600),
        (b"17", "E_MESSAGE", -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', "E_MESSAGE", -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', "E_MESSAGE", -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', "E_MESSAGE", -32600),
        (b"[" * 100_000 + b"]" * 100_000, "E_MESSAGE", -32700),
        (b'\xff\xfe{"jsonrpc":"2.0"}', "E_ENCODING", -32700),
    ],
)
def test_a_line_that_is_no_request_is_answered_without_an_id(line: bytes, code: str, rpc: int) -> None:
    answer = refusal(line).answer()
    assert (answer["id"], answer["error"]["code"], answer["error"]["data"]["code"]) == (None, rpc, code)
    assert answer["error"]["message"].startswith(f"{code}: ") and " Next: " in answer["error"]["message"]


@pytest.mark.parametrize(
    ("line", "code", "rpc"),
    [
        (CALL % b'{"a":NaN}', "E_MESSAGE", -32700),
        (CALL % b'{"a":-Infinity}', "E_MESSAGE", -32700),
        (CALL % b'{"a":1e999}', "E_MESSAGE", -32700),
        (CALL % b'{"a":1,"a":2}', "E_MESSAGE", -32700),
        (CALL % (b'{"a":' + b"9" * 5000 + b"}"), "E_MESSAGE", -32700),
        (CALL % (b'{"a":' + b"[" * 100 + b"]" * 100 + b"}"), "E_MESSAGE", -32700),
        (CALL % (b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"), "E_MESSAGE", -32700),
        (CALL % b'{"a":"\xff"}', "E_ENCODING", -32700),
        (CALL % b"[1]", "E_MESSAGE", -32602),
        (CALL % b'"{}"', "E_MESSAGE", -32602),
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"arguments":{}}}', "E_MESSAGE", -32602),
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":7}}', "E_MESSAGE", -32602),
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"\\ud800"}}', "E_ENCODING", -32600),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}', "E_MESSAGE", -32600),
        (b'{"jsonrpc":"2.0","id":7,"method":7}', "E_MESSAGE", -32600),
        (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', "E_MESSAGE", -32600),
        (b'{"method":"ping","id":7}', "E_MESSAGE", -32600),
        (b'{"jsonrpc":"2.0","id":7}', "E_MESSAGE", -32600),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping"', "E_MESSAGE", -32700),
    ],
)
def test_a_request_that_is_refused_is_answered_under_its_id(line: bytes, code: str, rpc: int) -> None:
    answer = refusal(line).answer()
    assert (answer["id"], answer["error"]["code"], answer["error"]["data"]["code"]) == (7, rpc, code)
    assert len(answer["error"]["message"]) < 300


def test_of_two_ids_neither_is_believed() -> None:
    assert refusal(b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}').id is None


def test_a_refusal_shows_nothing_of_what_was_sent() -> None:
    for line in (CALL % b'{"secret-word":NaN}', CALL % b'"secret-word"', b'{"secret-word"'):
        assert "secret" not in json.dumps(refusal(line).answer())


def test_what_is_sound_goes_through_as_it_is() -> None:
    line = CALL % '{"a":["ä",1,2.5,true,null,{"b":"\\ud83d\\ude00"}]}'.encode()
    assert parse_line(line) == json.loads(line)
    assert parse_line(b'{"jsonrpc":"2.0","method":"notifications/initialized","params":null}') is not None


def test_a_lone_surrogate_in_an_argument_is_left_to_the_desk() -> None:
    found = parse_line(CALL % b'{"answer":"\\ud800"}')
    assert isinstance(found, dict) and found["params"]["arguments"] == {"answer": "\ud800"}


@pytest.mark.parametrize("line", [b"", b"   \t", b'{"jsonrpc":"2.0","id":3,"result":{}}'])
def test_what_asks_nothing_is_not_answered(line: bytes) -> None:
    assert parse_line(line) is None


@pytest.mark.parametrize("deep", [DEEPEST - 4, DEEPEST + 4])
def test_nesting_is_bounded_and_many_lists_beside_one_another_are_not(deep: int) -> None:
    found = parse_line(CALL % (b'{"a":' + b"[" * deep + b"]" * deep + b"}"))
    assert isinstance(found, Refusal) == (deep > DEEPEST)
    assert isinstance(parse_line(CALL % (b'{"a":[' + b",".join([b"[]"] * 500) + b"]}")), dict)


def test_lines_are_read_whole_however_they_arrive() -> None:
    data = [b"a" * size for size in (0, 1, 65535, 65536, 65537, 200_000)]
    assert lines(b"\n".join(data) + b"\nlast") == [*data, b"last"]


@pytest.mark.parametrize("size", [MOST, MOST + 1])
def test_a_line_may_have_a_mebibyte_and_no_more(size: int) -> None:
    found = lines(b"x" * size + b"\nnext\n")
    assert isinstance(found[0], LongLine) == (size > MOST)
    assert found[1:] == [b"next"]


@pytest.mark.parametrize("first", [True, False])
def test_a_line_that_is_too_long_is_answered_under_the_id_at_either_end(first: bool) -> None:
    params = b'"params":{"name":"submit_answers","arguments":{"id":9,"a":"%s"}}' % (b"y" * (3 * MOST))
    begin = b'{"jsonrpc":"2.0","id":12,"method":"tools/call",' + params + b"}"
    end = b'{"method":"tools/call",' + params + b',"jsonrpc":"2.0","id":12}'
    (found,) = lines((begin if first else end) + b"\n")
    assert isinstance(found, LongLine) and len(found.begin) + len(found.end) < 2048
    refused = parse_line(found)
    assert isinstance(refused, Refusal)
    assert (refused.id, refused.error.name, refused.size) == (12, "E_TOO_LARGE", len(begin))


@pytest.mark.parametrize("more", [1, 60_000])
def test_a_line_that_is_a_little_too_long_is_answered_under_its_id_too(more: int) -> None:
    line = b'{"jsonrpc":"2.0","id":12,"method":"ping","params":{"a":"%s"}}'
    (found,) = lines(line % (b"y" * (MOST - len(line) + 2 + more)) + b"\n")
    refused = parse_line(found)
    assert isinstance(found, LongLine) and isinstance(refused, Refusal)
    assert (refused.id, refused.error.name) == (12, "E_TOO_LARGE")


@pytest.mark.parametrize("empty", [b"[]", b'""', b"0", b"false"])
def test_what_is_empty_and_no_object_is_no_params_and_no_arguments(empty: bytes) -> None:
    assert refusal(b'{"jsonrpc":"2.0","id":7,"method":"ping","params":%s}' % empty).rpc == -32600
    assert refusal(CALL % empty).rpc == -32602


@given(st.binary(max_size=300))
def test_any_bytes_are_a_message_a_refusal_or_nothing(data: bytes) -> None:
    found = parse_line(data)
    if isinstance(found, Refusal):
        json.dumps(found.answer(), allow_nan=False).encode()
    else:
        assert found is None or found["jsonrpc"] == "2.0"


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=4)))
def test_a_call_keeps_its_arguments(value: object) -> None:
    sent = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x", "arguments": {"v": value}}}
    assert parse_line(json.dumps(sent).encode()) == sent
