"""The line format of a tape: encoding of an exchange, and all checks when a line is read.

A line is canonical JSON. `prev` is the `self` of the line before it, `self` the SHA-256 of the line without `self`:
one flipped bit shows in its own line, a missing line shows in the next. A line holds the request and the answer, and
never a key. A redacted line names the line that it was made from, and matches no request. This module never touches
files.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

from harness.clock import now
from harness.digest import MAX_INT, canonical, sha256
from harness.errors import DamageError, InputError

START = "0" * 64
LIMIT = 64 << 20  # bytes of one line
REPEATS = 1 << 32
UNKEYED = frozenset({"stream", "stream_options", "user"})  # they change how an answer is sent, not what it is
MORE = frozenset({"headers", "path"})  # parts of a request beside its body, where they change an answer
RESTORE = "restore this tape from its source; nothing on this line is ever given as an answer"
_SECRET = re.compile(r".*(apikey|authorization|accesstoken|authtoken|bearertoken|secretkey)")
_HEAD = re.compile(
    rb'\{"at":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)","prev":"([0-9a-f]{64})"'
    rb'(?:,"redacted":"([0-9a-f]{64})")?,"repeat":(0|[1-9]\d{0,9}),"request":'
)
_SELF = len(f',"self":"{START}"')
_TAIL = re.compile(rb',"self":"([0-9a-f]{64})","status":(2\d\d),"type":"tape/1"\}\n')
TAIL = len(f',"self":"{START}","status":200,"type":"tape/1"}}\n')


def reject_nan(word: str) -> NoReturn:
    """Refuse a constant that Python's JSON parser accepts beyond JSON (NaN, infinities); always raises ValueError."""
    raise ValueError(f"{word} is not JSON")


def _whole_number(word: str) -> int | float:
    """Parse a JSON integer; one beyond 2^53 was written from a float."""
    if len(word) < 16 or -MAX_INT <= (value := int(word)) <= MAX_INT:
        return int(word)
    return float(value)


_decoder = json.JSONDecoder(parse_constant=reject_nan, parse_int=_whole_number)
_decode, parse = _decoder.raw_decode, _decoder.decode  # of canonical JSON, so that it can be spelled again


@dataclass(frozen=True, slots=True)
class Taped:
    """A recorded exchange: the request, the exact bytes of the answer's body, and the time; never a key."""

    provider: str
    body: Mapping[str, Any]
    repeat: int
    status: int
    response: bytes
    at: str
    more: Mapping[str, Any] = field(default_factory=dict)  # `path` and `headers`, of a request that they change
    redacted: str = ""  # the digest of the line that this one was made from


@dataclass(frozen=True, slots=True)
class PreparedExchange:
    """An exchange encoded for a tape: all of its line except what depends on the line before it."""

    digest: str
    repeat: int
    answer: str  # digest of the response
    at: str
    middle: bytes
    end: bytes

    def line(self, prev: str) -> tuple[bytes, str]:
        """Complete the line, given the digest `self` of the line before it; returns it and its own digest."""
        front = f'{{"at":"{self.at}","prev":"{prev}"'.encode() + self.middle
        own = sha256(front + self.end)
        return front + f',"self":"{own}"'.encode() + self.end + b"\n", own


class Provenance(NamedTuple):
    """The provenance of an exchange copied from another tape: its time, and the line it was redacted from."""

    at: str = ""
    redacted: str = ""


NEW = Provenance()  # recorded now, unchanged


class TapeLine(NamedTuple):
    """A parsed and checked line, with its digests."""

    taped: Taped
    digest: str  # of the request
    answer: str  # digest of the response
    prev: str
    own: str


def request_digest(provider: str, body: Mapping[str, Any], more: Mapping[str, Any] | None = None) -> str:
    """Compute the digest of a request, over everything that may change its answer."""
    return sha256(canonical(request_identity(provider, body, more)))


def request_identity(provider: str, body: Mapping[str, Any], more: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Select the part of a request that its digest covers: provider, body without unkeyed fields, path and headers."""
    return {
        "body": {key: item for key, item in body.items() if key not in UNKEYED},
        "provider": provider,
        **(more or {}),
    }


def redacted_name(line: str) -> str:
    """Compute the key of a redacted line from its original; it equals no request's digest, so it never answers one."""
    return sha256(f"redacted {line}".encode())


def prepare_copy(taped: Taped) -> PreparedExchange:
    """Encode an exchange of one tape for another, its time of recording and its mark of redaction unchanged."""
    return prepare(
        taped.provider,
        taped.body,
        taped.repeat,
        taped.status,
        taped.response,
        taped.more,
        Provenance(taped.at, taped.redacted),
    )


def prepare(
    provider: str,
    body: Mapping[str, Any],
    repeat: int,
    status: int,
    response: bytes,
    more: Mapping[str, Any] | None = None,
    was: Provenance = NEW,
) -> PreparedExchange:
    """Encode an exchange for a tape: a request and its complete 2xx answer.

    Raises ValueError for another status, an empty answer or a repeat out of range; InputError where a top-level field
    or a header has a name like an API key's, and where the exchange is larger than 64 MiB.
    """
    if not 200 <= status <= 299:
        raise ValueError(f"only 2xx answers are taped, not {status}")
    if not response:
        raise ValueError("an answer without a body is not complete")
    if not 0 <= repeat < REPEATS:
        raise ValueError(f"no request is repeated {repeat} times")
    for name in (*body, *((more or {}).get("headers") or ())):
        if _SECRET.fullmatch(re.sub(r"[^a-z]", "", str(name).lower())):
            raise InputError(
                f"this request carries what looks like a key in its field {str(name)!r}; nobody may tape that",
                next="send keys as headers, and take the field out of the body",
            )
    request = canonical(request_identity(provider, body, more))
    rest = {key: body[key] for key in body if key in UNKEYED}
    mark = f',"redacted":"{was.redacted}"'.encode() if was.redacted else b""
    parts = [mark, b',"repeat":%d,"request":' % repeat, request, b',"response":', canonical(_spelled(response))]
    if rest:
        parts += [b',"rest":', canonical(rest)]
    middle = b"".join(parts)
    if len(middle) > LIMIT - 1024:
        raise InputError(f"an exchange of {len(middle)} bytes is too large for a tape", next="ask for less at a time")
    end = b',"status":%d,"type":"tape/1"}' % status
    digest = redacted_name(was.redacted) if was.redacted else sha256(request)
    return PreparedExchange(digest, repeat, sha256(response), was.at or now(), middle, end)


def _spelled(response: bytes) -> dict[str, str]:
    try:
        return {"text": response.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(response).decode()}


def read_line(data: bytes, where: str) -> TapeLine:
    """Parse a line and check it against its own digest; raises DamageError where it is not as it was written."""
    head, tail = _HEAD.match(data), _TAIL.fullmatch(data, max(len(data) - TAIL, 0))
    if not head or not tail or tail.start() < head.end():
        raise DamageError("this is no line of a tape", where=where, next=RESTORE)
    at, prev, repeat, own = head[1].decode(), head[2].decode(), int(head[4]), tail[1].decode()
    if sha256(data[:-TAIL] + data[_SELF - TAIL : -1]) != own:
        raise DamageError("this line does not match its own digest", where=where, next=RESTORE)
    try:
        text = data[head.end() : -TAIL].decode()
        request, end = _decode(text)
        redacted = head[3].decode() if head[3] else ""
        digest = redacted_name(redacted) if redacted else sha256(text[:end].encode())
        response, stop = _part(text, end, ',"response":')
        rest, stop = _part(text, stop, ',"rest":') if stop < len(text) else (None, stop)
        [(kind, spelled)] = response.items()
        answer = spelled.encode() if kind == "text" else base64.b64decode(spelled, validate=True)
        body, provider = request["body"], request["provider"]
        if stop != len(text) or kind not in ("text", "base64") or repeat >= REPEATS:
            raise ValueError("it holds something else than an exchange")
        if type(body) is not dict or type(provider) is not str or (rest is not None and not _is_rest(rest)):
            raise ValueError("it holds no request")
        more = {name: request[name] for name in request if name in MORE} if len(request) > 2 else {}
        taped = Taped(provider, {**body, **rest} if rest else body, repeat, int(tail[2]), answer, at, more, redacted)
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError) as bad:
        raise DamageError(f"this line is no exchange: {bad}", where=where, next=RESTORE) from bad
    return TapeLine(taped, digest, sha256(answer), prev, own)


def _is_rest(rest: Any) -> bool:
    return type(rest) is dict and bool(rest) and not {*rest} - UNKEYED


def _part(text: str, at: int, name: str) -> tuple[Any, int]:
    if not text.startswith(name, at):
        raise ValueError(f"{name[2:-2]} is missing")
    value, end = _decode(text, at + len(name))
    return value, end
