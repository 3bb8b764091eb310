"""Guard of the stdio wire: turns each line of bytes into a message, or into a refusal that is sent as an answer.

A line has a maximum length and is strict UTF-8 and strict JSON: no duplicate names, no NaN, limited nesting. A refusal
has the id of the request if the id can be read, so that a client that waits for the answer gets one. Independent of
the MCP SDK and of tools.
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
from harness.texts import reject_duplicates

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
    """A line that is longer than allowed: its size and its two ends; the rest was dropped while reading."""

    size: int
    begin: bytes
    end: bytes


@dataclass(frozen=True)
class Refusal:
    """Answer to a line that is refused: JSON-RPC's code, the harness's error, the request's id, the line's size."""

    rpc: int
    error: AttemptError
    id: Id
    size: int

    def answer(self) -> Message:
        """Return the JSON-RPC answer to the refused line, with the harness's error as its data."""
        body = {"code": self.rpc, "message": self.error.text, "data": self.error.as_reply()}
        return {"jsonrpc": "2.0", "id": self.id, "error": body}


def read_lines(source: int, most: int = MOST) -> Iterator[bytes | LongLine]:
    """Yield lines from a descriptor until it ends, each at most `most` bytes; blocks, so call it in a thread."""
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
    """Return a line or, if it is too long, its two ends; `waiting` is still whole if only the last bytes exceed."""
    if size <= most:
        return bytes(waiting)
    return LongLine(size, begin or bytes(waiting[:KEPT]), bytes(waiting[-KEPT:]))


def parse_line(line: bytes | LongLine) -> Message | Refusal | None:
    """Return the message in a line, or a refusal that says why it is not one; None if no answer is needed."""
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
    """Return a message if it is valid as JSON-RPC and, for a tool call, as `tools/call`; else a refusal, or None."""
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
    if b"\\u" in line and has_surrogates(framed):  # the gate checks those in arguments
        error = AttemptError("E_ENCODING", "the message holds a lone surrogate")
        return Refusal(INVALID_REQUEST, error, None if has_surrogates(known) else known, len(line))
    return message


def _frame(message: Message, known: Id, method: object, params: object) -> str:
    """Return what is wrong with a message as JSON-RPC; empty if it is valid."""
    if message.get("jsonrpc") != "2.0":
        return 'a message says "jsonrpc": "2.0"'
    if "id" in message and known is None:
        return "an id is a text of at most 256 letters or an integer of 64 bits"
    if not isinstance(method, str) or not isinstance(params, dict):
        return "a message names a method as a text, and its params are an object"
    return ""


def _or_empty(message: Message, name: str) -> Any:
    """Return a member of a message, or an empty object if the member is left out or null."""
    found = message.get(name)
    return {} if found is None else found


def _call(params: Message) -> str:
    """Return what is wrong with the parameters of a call; empty if valid. The gate checks the arguments themselves."""
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
    """Return the id of a message that is not strict JSON, from its outermost object or the text's two ends, or None."""
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
    """Return the id in the two ends of a message's text, or None; clients write it first or last in the object."""
    found = _FIRST.match(begin) or _LAST.search(end)
    if not found:
        return None
    try:
        known: Id = json.loads(found[1])
    except ValueError:
        return None
    return known


def _shallow(line: bytes, message: object) -> None:
    """Raise RecursionError if a message is nested too deeply; the check itself does not recurse."""
    if line.count(b"[") + line.count(b"{") <= DEEPEST:
        return
    level = [message]
    for _ in range(DEEPEST):
        level = [inner for one in level if isinstance(one, dict | list) for inner in _inside(one)]
    if any(isinstance(one, dict | list) for one in level):
        raise RecursionError


def _inside(value: dict[str, Any] | list[Any]) -> Iterator[Any]:
    return iter(value.values() if isinstance(value, dict) else value)


def has_surrogates(value: object) -> bool:
    """Whether a value holds a lone surrogate, which no text in UTF-8 can hold."""
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
