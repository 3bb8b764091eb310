"""The line format of a tape: encoding of an exchange, who answered it, and all checks when a line is read.

A line is canonical JSON. `prev` is the `self` of the line before it, and `self` is the SHA-256 of the line without
`self`. So a flipped bit is detected in its own line, and a missing line in the next. A line contains the request and
the answer, without a key. A redacted line names the line that it was made from, and matches no request. This module
does not access files.

Answers belong to the server that gave them. An address that is not the provider's own is part of a request's digest, as
`server`, so that another server under the same model name has other lines. Beside the request, a line names the model
that answered and its fingerprint, and the provider's own address where the provider itself was asked (`responder`). A
line that names no server was recorded before lines named one. An address never holds credentials. It has no query
either: what follows a `?` may be a key, which is never written, or tell two tenants apart, who are two servers.
"""

from __future__ import annotations

import base64
import ipaddress
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn
from urllib.parse import SplitResult, urlsplit

from harness.clock import current_time
from harness.digest import MAX_INT, canonical_json, sha256
from harness.errors import DamageError, InputError

PORTS = {"http": 80, "https": 443}
LONGEST = 2000
_BRACKETS = re.compile(r"\[[^\[\]]*\](:[0-9]*)?")
SERVED = {"model": "model", "fingerprint": "system_fingerprint"}  # what a line names, and where an answer has it


def server_address(url: str) -> str:
    """Return a server's address in its normal form, without credentials and fragment.

    Scheme and host are in lower case, a name beyond ASCII is in Punycode, and the scheme's own port and slashes at the
    end are left out. Raises ValueError, which never quotes the URL, if it is no address of a server, and for a query or
    a name whose Punycode depends on who writes it: two servers would be one.
    """
    if len(url) > LONGEST or not url.isprintable() or " " in url or "\\" in url:
        raise ValueError("an address has no spaces or backslashes, and 2,000 characters at most")
    try:
        parts = urlsplit(url)
        port, host = parts.port, _host(parts)
    except ValueError:
        raise ValueError("the host or the port of this address cannot be read") from None
    if parts.scheme not in PORTS or not host:
        raise ValueError("an address begins with http:// or https:// and a host")
    if parts.query:
        raise ValueError(
            "an address has no query (what follows a `?`): it may hold a key, and without it two tenants would be one"
            " server; name the server by host and path alone"
        )
    if "@" in parts.path:
        raise ValueError("an address has no `@` in its path: what stands before it may be part of a password")
    shown = "" if port in (None, PORTS[parts.scheme]) else f":{port}"
    return f"{parts.scheme}://{host}{shown}{parts.path.rstrip('/')}"


def _host(parts: SplitResult) -> str:
    host = parts.hostname or ""
    if "[" in parts.netloc or ":" in host:
        if not _BRACKETS.fullmatch(parts.netloc.rpartition("@")[2]):  # some Pythons pass over what stands beside them
            raise ValueError("something stands beside the brackets")
        return f"[{ipaddress.IPv6Address(host).compressed}]"
    if host.isascii():
        return host
    found = host.encode("idna")
    if found.decode("idna") != host:  # such as `ß`, which this standard turns to `ss`, and that of clients keeps
        raise ValueError("this name has no single Punycode")
    return found.decode().lower()


def describe_responder(server: str, response: bytes) -> dict[str, str]:
    """Return what a line says of who answered: the server, if it is named here, and model and fingerprint, if any.

    Model and fingerprint are those of the answer itself. What is not one printable text is left out.
    """
    try:
        said = json.loads(response)
    except (ValueError, RecursionError):
        said = None
    found: dict[str, Any] = {"server": server}
    if isinstance(said, Mapping):
        found |= {name: said.get(field) for name, field in SERVED.items()}
    return {
        name: text
        for name, text in found.items()
        if isinstance(text, str) and 0 < len(text) <= LONGEST and text.isprintable()
    }


START = "0" * 64
LIMIT = 64 << 20  # bytes of one line
REPEATS = 1 << 32
UNKEYED = frozenset({"stream", "stream_options", "user"})  # they change how an answer is sent, not what it is
SERVER = "server"  # the address of a server that is not the provider's own
MORE = frozenset({"headers", "path", SERVER})  # parts of a request besides its body, if they change an answer
MASK = "[redacted]"  # what stands on a redacted line in the place of what was hidden
RESTORE = "restore this tape from its source; nothing on this line is ever given as an answer"
_SECRET = re.compile(r".*(apikey|authorization|accesstoken|authtoken|bearertoken|secretkey)")
_HEAD = re.compile(
    rb'\{"at":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)","prev":"([0-9a-f]{64})"'
    rb'(?:,"redacted":"([0-9a-f]{64})")?,"repeat":(0|[1-9]\d{0,9}),"request":'
)
WHO = ',"responder":'
_SELF = len(f',"self":"{START}"')
_TAIL = re.compile(rb',"self":"([0-9a-f]{64})","status":(2\d\d),"type":"tape/1"\}\n')
TAIL = len(f',"self":"{START}","status":200,"type":"tape/1"}}\n')


def reject_nan(word: str) -> NoReturn:
    """Raise ValueError for a constant that Python's JSON parser accepts in addition to JSON (NaN, infinities)."""
    raise ValueError(f"{word} is not JSON")


def _whole_number(word: str) -> int | float:
    """Parse a JSON integer; one beyond 2^53 was written from a float and becomes a float."""
    if len(word) < 16 or -MAX_INT <= (value := int(word)) <= MAX_INT:
        return int(word)
    return float(value)


_decoder = json.JSONDecoder(parse_constant=reject_nan, parse_int=_whole_number)
_decode, parse = _decoder.raw_decode, _decoder.decode  # decode canonical JSON so that it can be encoded again


@dataclass(frozen=True, slots=True)
class Taped:
    """A recorded exchange: the request, the exact bytes of the answer's body, and the time."""

    provider: str
    body: Mapping[str, Any]
    repeat: int
    status: int
    response: bytes
    at: str
    more: Mapping[str, Any] = field(default_factory=dict)  # `path`, `headers`, `server`, if they change the request
    redacted: str = ""  # the digest of the line that this one was made from
    responder: Mapping[str, str] = field(default_factory=dict)  # model, fingerprint; `server`, if not in the request

    @property
    def server(self) -> str:
        """The address of the server that answered; empty if the line names none, as older lines do."""
        return str(self.more.get(SERVER) or self.responder.get(SERVER, ""))


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
        """Return the complete line and its own digest, given the digest `self` of the line before it."""
        front = f'{{"at":"{self.at}","prev":"{prev}"'.encode() + self.middle
        own = sha256(front + self.end)
        return front + f',"self":"{own}"'.encode() + self.end + b"\n", own


class Provenance(NamedTuple):
    """The provenance of an exchange: its time, the line it was redacted from, and the provider's own address.

    The address is given if the provider itself answered; another server's is part of the request, in `more`.
    """

    at: str = ""
    redacted: str = ""
    home: str = ""


NEW = Provenance()  # recorded now, unchanged


class TapeLine(NamedTuple):
    """A parsed and checked line, with its digests."""

    taped: Taped
    digest: str  # of the request
    answer: str  # digest of the response
    prev: str
    own: str


def request_digest(provider: str, body: Mapping[str, Any], more: Mapping[str, Any] | None = None) -> str:
    """Return the digest of a request, over everything that may change its answer."""
    return sha256(canonical_json(request_identity(provider, body, more)))


def request_identity(provider: str, body: Mapping[str, Any], more: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the part of a request that its digest covers: provider, body without unkeyed fields, and `more`."""
    return {
        "body": {key: item for key, item in body.items() if key not in UNKEYED},
        "provider": provider,
        **(more or {}),
    }


def redacted_name(line: str) -> str:
    """Return the key of a redacted line, from its original; it equals no request's digest, so it never answers one."""
    return sha256(f"redacted {line}".encode())


def prepare_copy(taped: Taped) -> PreparedExchange:
    """Encode an exchange of one tape for another; its time, its redaction mark and its server are unchanged."""
    return prepare_exchange(
        taped.provider,
        taped.body,
        taped.repeat,
        taped.status,
        taped.response,
        taped.more,
        Provenance(taped.at, taped.redacted, taped.responder.get(SERVER, "")),
    )


def prepare_exchange(
    provider: str,
    body: Mapping[str, Any],
    repeat: int,
    status: int,
    response: bytes,
    more: Mapping[str, Any] | None = None,
    was: Provenance = NEW,
) -> PreparedExchange:
    """Encode an exchange for a tape: a request and its complete 2xx answer.

    If the server that answered is known, the line names it, with the model and the fingerprint that the answer has.
    Raises ValueError for another status, an empty answer or a repeat out of range. Raises InputError if a top-level
    field or a header has a name like an API key's, and if the exchange is larger than 64 MiB.
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
    request = canonical_json(request_identity(provider, body, more))
    rest = {key: body[key] for key in body if key in UNKEYED}
    mark = f',"redacted":"{was.redacted}"'.encode() if was.redacted else b""
    parts = [mark, b',"repeat":%d,"request":' % repeat, request]
    if who := expected_responder(was.home, more or {}, response):
        parts += [b',"responder":', canonical_json(who)]
    parts += [b',"response":', canonical_json(_spelled(response))]
    if rest:
        parts += [b',"rest":', canonical_json(rest)]
    middle = b"".join(parts)
    if len(middle) > LIMIT - 1024:
        raise InputError(f"an exchange of {len(middle)} bytes is too large for a tape", next="ask for less at a time")
    end = b',"status":%d,"type":"tape/1"}' % status
    digest = redacted_name(was.redacted) if was.redacted else sha256(request)
    return PreparedExchange(digest, repeat, sha256(response), was.at or current_time(), middle, end)


def expected_responder(home: str, more: Mapping[str, Any], response: bytes) -> dict[str, str]:
    """Return what a tape's line must say of who answered (server, model, fingerprint); empty if no server is known."""
    return describe_responder(home, response) if home or SERVER in more else {}


def _spelled(response: bytes) -> dict[str, str]:
    try:
        return {"text": response.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(response).decode()}


def read_line(data: bytes, where: str) -> TapeLine:
    """Parse a line and check it against its own digest; raises DamageError if it is not as it was written."""
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
        who, end = _part(text, end, WHO) if text.startswith(WHO, end) else ({}, end)
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
        if (who or SERVER in more) and not _is_responder(who, more):
            raise ValueError("it does not say who answered")
        whole = {**body, **rest} if rest else body
        taped = Taped(provider, whole, repeat, int(tail[2]), answer, at, more, redacted, who)
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError) as bad:
        raise DamageError(f"this line is no exchange: {bad}", where=where, next=RESTORE) from bad
    return TapeLine(taped, digest, sha256(answer), prev, own)


def _is_responder(who: Any, more: Mapping[str, Any]) -> bool:
    """Whether what a line says of who answered is of the right types, and names the server in one place."""
    if (
        type(who) is not dict
        or {*who} - {*SERVED, SERVER}
        or not all(type(text) is str and text for text in who.values())
    ):
        return False
    return type(more[SERVER]) is str and SERVER not in who if SERVER in more else SERVER in who


def _is_rest(rest: Any) -> bool:
    return type(rest) is dict and bool(rest) and not {*rest} - UNKEYED


def _part(text: str, at: int, name: str) -> tuple[Any, int]:
    if not text.startswith(name, at):
        raise ValueError(f"{name[2:-2]} is missing")
    value, end = _decode(text, at + len(name))
    return value, end
