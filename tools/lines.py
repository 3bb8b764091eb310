"""Guard of the stdio wire: lines of bytes come in, messages or refusals come out; whoever asks is answered.

A line is bounded, strict UTF-8 and strict JSON: no name twice, no NaN, no bottomless nesting. A refusal carries the id
of the request wherever it can be read, so that whoever waits for the answer gets one. It knows neither MCP's SDK nor
tools.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from harness.attempts.codes import AttemptError
from harness.strict_json import reject_duplicates

MOST = 1 << 20  # bytes of a line
DEEPEST = 64  # arrays and objects inside one another
CHUNK = 1 << 16
KEPT = 512  # bytes of either end of a line that is too long
LONGEST_ID = 256  # letters of a request's id
PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS = -32700, -32600, -32602

_ID = rb'"id"\s*:\s*(-?\d{1,18}|"[^"\\\x00-\x1f]{0,64}")'
_FIRST = re.compile(rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?(?:"method"\s*:\s*"[a-z_/]{1,64}"\s*,\s*)?' + _ID)
_LAST = re.compile(rb',\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?' + _ID + rb'\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$')

Id = str | int | None
Message = dict[str, Any]


@dataclass(frozen=True)
class LongLine:
    """A line longer than the wire takes: its size and its two ends; the rest was dropped as it came."""

    size: int
    begin: bytes
    end: bytes


@dataclass(frozen=True)
class Refusal:
    """What is answered instead of a reply to a line: JSON-RPC's code, our error, the request's id, the line's size."""

    rpc: int
    error: AttemptError
    id: Id
    size: int

    def answer(self) -> Message:
        """Make the answer: the error as JSON-RPC puts it, and the same as data."""
        body = {"code": self.rpc, "message": self.error.text, "data": self.error.as_reply()}
        return {"jsonrpc": "2.0", "id": self.id, "error": body}


def read_lines(source: int, most: int = MOST) -> Iterator[bytes | LongLine]:
    """Read lines from a descriptor until it ends, each at most `most` bytes; blocks, so it belongs on a thread."""
    waiting, size, begin = bytearray(), 0, b""
    while chunk := os.read(source, CHUNK):
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            waiting += end
            size += len(end)
            yield _line(size, begin, waiting, most)
            waiting, size, begin = bytearray(), 0, b""
        waiting += rest
        size += len(rest)
        if size > most:  # only its two ends are kept from here on
            begin = begin or bytes(waiting[:KEPT])
            del waiting[:-KEPT]
    if size:
        yield _line(size, begin, waiting, most)


def _line(size: int, begin: bytes, waiting: bytearray, most: int) -> bytes | LongLine:
    """Make the line of what was kept of it; one that its last bytes made too long is still whole."""
    if size <= most:
        return bytes(waiting)
    return LongLine(size, begin or bytes(waiting[:KEPT]), bytes(waiting[-KEPT:]))


def parse(line: bytes | LongLine) -> Message | Refusal | None:
    """Parse a line into a message, or say why it is none; None where nothing is to be answered: a blank line."""
    if isinstance(line, LongLine):
        error = AttemptError("E_TOO_LARGE", f"a message of {line.size} bytes was dropped: at most {MOST} are read")
        return Refusal(PARSE_ERROR, error, _id_at(line.begin, line.end), line.size)
    if not line.strip():
        return None
    try:
        message = json.loads(
            line.decode(), object_pairs_hook=reject_duplicates, parse_constant=_no_number, parse_float=_finite
        )
        _shallow(line, message)
    except UnicodeDecodeError:
        return _unread(line, AttemptError("E_ENCODING", "the message is not valid UTF-8"))
    except (ValueError, RecursionError) as bad:
        return _unread(line, AttemptError("E_MESSAGE", _why(bad)))
    return _request(message, line)


def _request(message: object, line: bytes) -> Message | Refusal | None:
    """Check the frame of JSON-RPC around a message, and of `tools/call` within it."""
    if not isinstance(message, dict):
        return _refused("a message is one JSON object, not an array or a value", None, line)
    known = message.get("id") if _is_id(message.get("id")) else None
    if "method" not in message and known is not None and ("result" in message or "error" in message):
        return None  # an answer to something the server never asked
    method, params = message.get("method"), _or_empty(message, "params")
    if bad := _frame(message, known, method, params):
        return _refused(bad, known, line)
    if method == "tools/call" and (bad := _call(params)):
        return _refused(bad, known, line, INVALID_PARAMS)
    framed = {**message, "params": {**params, "arguments": None}} if method == "tools/call" else message
    if b"\\u" in line and _has_surrogates(framed):  # those of arguments are the gate's to judge
        error = AttemptError("E_ENCODING", "the message holds a lone surrogate")
        return Refusal(INVALID_REQUEST, error, None if _has_surrogates(known) else known, len(line))
    return message


def _frame(message: Message, known: Id, method: object, params: object) -> str:
    """Say what is wrong with a message as JSON-RPC."""
    if message.get("jsonrpc") != "2.0":
        return 'a message says "jsonrpc": "2.0"'
    if "id" in message and known is None:
        return "an id is a text of at most 256 letters or an integer of 64 bits"
    if not isinstance(method, str) or not isinstance(params, dict):
        return "a message names a method as a text, and its params are an object"
    return ""


def _or_empty(message: Message, name: str) -> Any:
    """Return a member that may be left out or null, and then is an empty object; no other empty value is one."""
    found = message.get(name)
    return {} if found is None else found


def _call(params: Message) -> str:
    """Say what is wrong with the parameters of a call; the gate judges the arguments themselves."""
    if not isinstance(params.get("name"), str):
        return "a call names its tool as a text"
    if not isinstance(_or_empty(params, "arguments"), dict):
        return "the arguments of a call are one JSON object"
    return ""


def _refused(what: str, known: Id, line: bytes, rpc: int = INVALID_REQUEST) -> Refusal:
    return Refusal(rpc, AttemptError("E_MESSAGE", what), known, len(line))


def _unread(line: bytes, error: AttemptError) -> Refusal:
    return Refusal(PARSE_ERROR, error, _id_in(line), len(line))


def _is_id(value: object) -> bool:
    if isinstance(value, int) and not isinstance(value, bool):
        return -(2**63) <= value < 2**63
    return isinstance(value, str) and len(value) <= LONGEST_ID


def _id_in(line: bytes) -> Id:
    """Read the id of a message that is not strict JSON: from its outermost object, or from the text's two ends."""
    outermost: list[tuple[str, Any]] = []

    def keep(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        outermost[:] = pairs
        return {}

    try:
        found = json.loads(line.decode(errors="replace"), object_pairs_hook=keep)
    except (ValueError, RecursionError):
        return _id_at(line[:KEPT], line[-KEPT:])
    ids = [value for name, value in outermost if name == "id"]
    return ids[0] if isinstance(found, dict) and len(ids) == 1 and _is_id(ids[0]) else None


def _id_at(begin: bytes, end: bytes) -> Id:
    """Read the id from the two ends of a message's text, where clients write it: first or last in the object."""
    found = _FIRST.match(begin) or _LAST.search(end)
    if not found:
        return None
    try:
        known: Id = json.loads(found[1])
    except ValueError:
        return None
    return known


def _shallow(line: bytes, message: object) -> None:
    """Refuse what is nested deeper than anything that is asked here; nothing recurses."""
    if line.count(b"[") + line.count(b"{") <= DEEPEST:
        return
    level = [message]
    for _ in range(DEEPEST):
        level = [inner for one in level if isinstance(one, dict | list) for inner in _inside(one)]
    if any(isinstance(one, dict | list) for one in level):
        raise RecursionError


def _inside(value: dict[str, Any] | list[Any]) -> Iterator[Any]:
    return iter(value.values() if isinstance(value, dict) else value)


def _has_surrogates(value: object) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in json.dumps(value, ensure_ascii=False))


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number is too large")
    return number


def _why(bad: Exception) -> str:
    if isinstance(bad, RecursionError):
        return f"the message is nested deeper than {DEEPEST} levels"
    if isinstance(bad, json.JSONDecodeError):
        return f"the message is no JSON: {bad.msg} at character {bad.pos}"
    said = str(bad)
    return said if said.startswith(("a name", "a number")) or said.endswith("number") else "the message is no JSON"
