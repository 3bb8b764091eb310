"""New tapes from others: export to JSON Lines, import of exchanges recorded elsewhere, merging, and redaction.

An exported tape can be imported byte for byte, into a tape of the same digest. A line's `response` is for reading; if
its bytes are not its canonical form, `exact` holds them. `server` is the address of a server that is not the provider's
own; `responder` says what the tape's line says of who answered. An import checks the whole file before it writes
anything, and refuses an answer that is not known to be complete. A merge adds the exchanges that the first tape lacks.
If one request to one server has different answers, it reports them and writes nothing.

A redacted tape has chosen texts and fields replaced, and cannot pass for the original: a changed line names its
original's digest and matches no request, so that a changed answer is never replayed. A pattern or pointer that matches
nothing is an error, because a typing mistake would publish what should be hidden.
"""

from __future__ import annotations

import base64
import heapq
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from harness.digest import canonical_json
from harness.errors import HarnessError, InputError
from harness.files import translating_os_errors
from harness.models.tape.line import (
    LIMIT,
    MASK,
    MORE,
    REPEATS,
    SERVED,
    SERVER,
    PreparedExchange,
    Provenance,
    Taped,
    TapeLine,
    expected_responder,
    prepare_copy,
    prepare_exchange,
    reject_nan,
    server_address,
)
from harness.models.tape.tape import Recorder, Tape
from harness.texts import is_possessive, reject_duplicates

READABLE = 8 << 20  # the largest answer, in bytes, that is written both readably and exactly


def export_lines(folder: Path, file: Path) -> int:
    """Write a tape's exchanges to a new file of JSON Lines, in the order of recording, and return their number.

    Raises InputError if the file exists. A file that could not be written completely is removed.
    """
    with Tape.open(folder) as tape, translating_os_errors(file):
        if file.is_dir() or file.exists():
            raise InputError("something lies there already", where=str(file), next="name a file that is not there yet")
        count, done = 0, False
        try:
            with open(file, "xb") as lines:
                for taped in tape.requests():
                    lines.write(_spelled(taped) + b"\n")
                    count += 1
            done = True
        finally:
            if not done:
                file.unlink(missing_ok=True)
    return count


def _spelled(taped: Taped) -> bytes:
    line: dict[str, Any] = {"request": taped.body, **_answer(taped.response), "repeat": taped.repeat}
    line |= {"provider": taped.provider, **taped.more, "status": taped.status, "at": taped.at}
    if taped.redacted:
        line["redacted"] = taped.redacted
    if taped.responder:
        line["responder"] = taped.responder
    return json.dumps(line, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _answer(response: bytes) -> dict[str, Any]:
    """Encode an answer readably, and also exactly if its bytes could not be restored from the readable form."""
    exact: dict[str, Any] = {"exact": _text(response)}
    if len(response) > READABLE:
        return exact
    try:
        value = json.loads(response, parse_constant=reject_nan)
        if not isinstance(value, dict):
            return exact
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()  # a lone surrogate cannot be encoded
    except (ValueError, RecursionError):
        return exact
    try:
        whole = canonical_json(value) == response
    except HarnessError:
        whole = False
    return {"response": value} if whole else {"response": value, **exact}


def _text(response: bytes) -> str | dict[str, str]:
    try:
        return response.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(response).decode()}


LONGEST = 3 * LIMIT  # most bytes of a line of the file, in which an exact answer is escaped as text
_OURS = {"provider": str, "headers": dict, "path": str, "status": int, "at": str, "redacted": str}
_OURS |= {SERVER: str, "responder": dict}
_FIELDS = frozenset({"request", "response", "exact", "repeat", *_OURS})
_AT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class ImportCount:
    """The counts of an import: exchanges read, and exchanges added."""

    read: int
    added: int


@dataclass(frozen=True)
class UnsaidDefaults:
    """The provider and the server's address that an import assumes for lines that do not name them.

    `homes` are the providers' own addresses, by which a server that is not the provider's own is told.
    """

    provider: str = ""
    server: str = ""
    homes: Mapping[str, str] = field(default_factory=dict)


def import_lines(file: Path, folder: Path, unsaid: UnsaidDefaults) -> ImportCount:
    """Add a file's exchanges to a tape, and return how many were read and added; no answer is replaced.

    Raises InputError for an invalid line, and for another answer to a request that is already on the tape.
    """
    at = 0

    def exchanges() -> Iterator[PreparedExchange]:
        nonlocal at
        seen: Counter[str] = Counter()
        for number, line in _lines(file):
            at = number
            yield _exchange(line, unsaid, seen)

    @contextmanager
    def placed() -> Iterator[None]:
        try:
            yield
        except InputError as bad:
            raise InputError(bad.what, where=f"{file}:{at}" if at else bad.where, next=bad.next) from bad

    with placed():
        for _ in exchanges():
            pass
    with Recorder(folder) as recorder, placed():
        added = recorder.extend(exchanges())
    return ImportCount(at, added)


def _lines(file: Path) -> Iterator[tuple[int, bytes]]:
    with translating_os_errors(file), open(file, "rb") as lines:
        number = 0
        while line := lines.readline(LONGEST + 1):
            number += 1
            yield number, line


def _exchange(line: bytes, unsaid: UnsaidDefaults, seen: Counter[str]) -> PreparedExchange:
    """Parse one exchange; without a repeat it gets the next number for its request in this file."""
    row = _row(line)
    repeat, who = row.get("repeat"), row.get("provider", unsaid.provider)
    if repeat is not None and (type(repeat) is not int or not 0 <= repeat < REPEATS):
        raise InputError("`repeat` is a whole number, counted from 0", next="correct it, or leave it out")
    if not who:
        raise InputError("the provider of this exchange is not given", next="give --provider, such as openai")
    response, status = _response(row), row.get("status", 200)
    home = _place_server(row, who, unsaid)
    kept = (
        {name: row[name] for name in MORE if name in row},
        Provenance(row.get("at", ""), row.get("redacted", ""), home),
    )
    told = row.get("responder")
    if told is not None and told != expected_responder(home, kept[0], response):
        raise InputError(
            "`responder` does not say what `response` says", next="export it again: what is edited is no recording"
        )
    one = prepare_exchange(who, row["request"], repeat or 0, status, response, *kept)
    if repeat is None and seen[one.digest]:
        one = prepare_exchange(who, row["request"], seen[one.digest], status, response, *kept)
    seen[one.digest] = max(seen[one.digest], one.repeat + 1)
    return one


def _place_server(row: dict[str, Any], provider: str, unsaid: UnsaidDefaults) -> str:
    """Return the provider's own address if it answered itself; another server's address is left in `row`."""
    told = row.get("responder", {}).get(SERVER, "")
    if told:
        address = _normal(told, row)
        if "redacted" not in row and unsaid.homes.get(provider, address) != address:
            raise InputError(
                "`responder` names another server than the provider's own, as if the provider had answered itself",
                next=f"write the address as `{SERVER}`, beside `request`: the answer belongs to that server",
            )
        return address
    given = row.pop(SERVER, "") or ("" if "redacted" in row else unsaid.server)
    address = _normal(given, row) if given else ""
    if not address or address == unsaid.homes.get(provider):
        return address
    row[SERVER] = address
    return ""


def _normal(text: str, row: Mapping[str, Any]) -> str:
    """Return an address in its normal form; on a redacted line it may be hidden, and stays as it is."""
    return text if "redacted" in row and MASK in text else server_address(text)


def _row(line: bytes) -> dict[str, Any]:
    """Parse a line and check the type of every field."""
    if len(line) > LONGEST:
        raise InputError(f"a line of more than {LONGEST >> 20} MiB", next="give one exchange a line")
    try:
        row = json.loads(line, object_pairs_hook=reject_duplicates)
    except (ValueError, RecursionError) as bad:
        raise InputError(f"not a line of JSON: {bad}", next="give one JSON object a line") from bad
    shape = 'an exchange is {"request": {…}, "response": {…}}, maybe with "repeat": n'
    given = row.keys() if isinstance(row, dict) else ()
    needed = [name for name in ("request", "response") if name == "request" or "exact" not in given]
    if not isinstance(row, dict) or not all(isinstance(row.get(name), dict) for name in needed):
        raise InputError(f"this is no exchange: {shape}", next="write it so")
    if odd := sorted({*row} - _FIELDS):
        raise InputError(f"an exchange has no field {odd[0]!r}: {shape}", next="take it out, or rename it")
    for name, kind in _OURS.items():
        if name in row and (type(row[name]) is not kind or not _fits(name, row)):
            raise InputError(f"`{name}` is not what an exported line has there", next="correct it, or leave it out")
    return row


def _fits(name: str, row: Mapping[str, Any]) -> bool:
    value = row[name]
    if name == "headers":
        return all(isinstance(one, str) for one in value.values())
    if name == "responder":
        server = value.get(SERVER)
        known = all(isinstance(one, str) and part in {*SERVED, SERVER} for part, one in value.items())
        return known and (server is None) == (SERVER in row) and (server is None or _is_address(server, row))
    if name == SERVER:
        return _is_address(value, row)
    if name == "status":
        return bool(200 <= value <= 299)
    pattern = {"at": _AT, "redacted": _DIGEST}.get(name)
    return pattern is None or pattern.fullmatch(value) is not None


def _is_address(text: str, row: Mapping[str, Any]) -> bool:
    try:
        return bool(_normal(text, row))
    except ValueError:
        return False


def _response(row: Mapping[str, Any]) -> bytes:
    """Return an answer's bytes: the exact ones, or the canonical form of the readable ones."""
    said, exact = row.get("response"), row.get("exact")
    if said is not None and "status" not in row and (flaw := explain_unfinished(said)):
        raise InputError(f"this answer is not complete: {flaw}", next="tape complete answers only; leave it out")
    if exact is None:
        return canonical_json(said)
    try:
        data = exact.encode() if isinstance(exact, str) else base64.b64decode(exact["base64"], validate=True)
        same = bool(data) and (said is None or json.loads(data) == said)
    except (ValueError, LookupError, TypeError, RecursionError):
        same = False
    if not same:
        raise InputError(
            "`exact` does not say what `response` says", next="export it again: what is edited is no recording"
        )
    return bytes(data)


def explain_unfinished(response: Mapping[str, Any]) -> str:
    """Return why an answer is not known to be complete, by the marks of the wire formats; empty if it is complete."""
    if response.get("error") is not None or response.get("type") == "error":
        return "it is an error"
    choices = response.get("choices")
    if isinstance(choices, list) and choices:
        for choice in choices:
            if not isinstance(choice, dict) or not choice.get("finish_reason"):
                return "a choice has no finish_reason"
        return ""
    if response.get("stop_reason") or response.get("status") in ("completed", "incomplete"):
        return ""
    return "it has neither choices with a finish_reason nor a stop_reason"


MOST = 100  # conflicts that are listed; further ones are only counted


@dataclass(frozen=True)
class Conflict:
    """A conflict: one request and repeat with different answers on several tapes."""

    request: str
    repeat: int
    model: str
    tapes: tuple[str, ...]
    server: str = ""  # empty if the line names none


@dataclass
class MergeReport:
    """The report of a merge: exchanges read and added, or the conflicts, in which case nothing was added."""

    read: int = 0
    added: int = 0
    conflicting: int = 0
    conflicts: list[Conflict] = field(default_factory=list)


def merge_exchanges(into: Path, sources: Sequence[Path]) -> MergeReport:
    """Add the exchanges of other tapes to a tape, in their order; on any conflict nothing is written."""
    with ExitStack() as stack:
        tapes = [stack.enter_context(Tape.open(folder)) for folder in (into, *sources)]
        found = _compared(tapes)
        if found.conflicting:
            return found
        with Recorder(into) as recorder:
            found.added = recorder.extend(_exchange_exchanges(tapes[1:]))
    return found


def _exchange_exchanges(tapes: Sequence[Tape]) -> Iterator[PreparedExchange]:
    for tape in tapes:
        yield from map(prepare_copy, tape.requests())


def _compared(tapes: Sequence[Tape]) -> MergeReport:
    """Compare the sorted entries of all tapes in one pass, in constant memory."""
    found = MergeReport(read=sum(len(tape) for tape in tapes[1:]))
    walks = [_walk(tape, number) for number, tape in enumerate(tapes)]
    for (digest, repeat), same in groupby(heapq.merge(*walks), key=lambda entry: entry[:2]):
        have: dict[str, int] = {}
        for _, _, answer, number in same:
            have.setdefault(answer, number)
        if len(have) > 1:
            found.conflicting += 1
            if len(found.conflicts) < MOST:
                found.conflicts.append(_named(tapes, digest, repeat, sorted(have.values())))
    return found


def _walk(tape: Tape, number: int) -> Iterator[tuple[str, int, str, int]]:
    for entry in tape.entries():
        yield *entry, number


def _named(tapes: Sequence[Tape], digest: str, repeat: int, numbers: Sequence[int]) -> Conflict:
    taped = tapes[numbers[0]].find(digest, repeat)
    model = str(taped.body.get("model", "")) if taped else ""
    server = taped.server if taped else ""
    return Conflict(digest, repeat, model, tuple(str(tapes[number].folder) for number in numbers), server)


ANY = "*"  # in a pointer: every name, and every index of a list


@dataclass(frozen=True)
class Redaction:
    """The rules of a redaction: patterns to hide in any text, name or number, and JSON Pointers to values to hide."""

    patterns: Sequence[re.Pattern[str]]
    fields: Sequence[tuple[str, ...]]

    @classmethod
    def of(cls, match: Sequence[str], fields: Sequence[str]) -> Redaction:
        """Compile patterns and JSON Pointers.

        Raises InputError for an invalid one, for a pattern that matches the empty text, and without any pattern or
        pointer.
        """
        if not match and not fields:
            raise InputError("no pattern or field says what to hide", next="give --match REGEX or --field POINTER")
        return cls([_pattern(one) for one in match], [_pointer(one) for one in fields])


@dataclass
class RedactReport:
    """The report of a redaction: exchanges read, exchanges changed, and for each pattern and pointer its matches."""

    exchanges: int = 0
    redacted: int = 0
    hits: dict[str, int] = field(default_factory=dict)  # number of exchanges by pattern and pointer


def write_redacted_copy(folder: Path, out: Path, redaction: Redaction) -> RedactReport:
    """Write a redacted copy of a tape to a new folder, and return a report of the changes.

    Every pattern and pointer must match somewhere, or nothing is written.
    """
    names = [f"/{'/'.join(words)}" for words in redaction.fields]
    found = RedactReport(hits=dict.fromkeys([*(one.pattern for one in redaction.patterns), *names], 0))
    with ExitStack() as stack:
        with translating_os_errors(out):
            if out.exists() and (not out.is_dir() or any(out.iterdir())):
                raise InputError(
                    "a redacted tape is a new one, and something lies there", where=str(out), next="name a new folder"
                )
        tape = stack.enter_context(Tape.open(folder))
        for line in tape.lines():
            _Marker(redaction, found).line(line)
        if unseen := [name for name, count in found.hits.items() if not count]:
            raise InputError(
                f"nothing on this tape is at {unseen[0]!r}", where=str(folder), next="correct it; nothing was written"
            )
        recorder = stack.enter_context(Recorder(out))
        recorder.extend(_redact_exchanges(tape, redaction))
    return found


def _redact_exchanges(tape: Tape, redaction: Redaction) -> Iterator[PreparedExchange]:
    for line in tape.lines():
        yield prepare_copy(_Marker(redaction, RedactReport()).line(line))


class _Marker:
    """Redacts one line, and marks it if anything was replaced."""

    def __init__(self, redaction: Redaction, found: RedactReport) -> None:
        self._how, self._found, self._seen = redaction, found, set[str]()

    def line(self, line: TapeLine) -> Taped:
        """Return the redacted exchange, and count it."""
        taped = line.taped
        answer, whole = _opened(taped.response)
        document = {"request": taped.body, "headers": taped.more.get("headers", {}), "response": answer}
        if taped.server:
            document[SERVER] = taped.server
        shown = document
        for words in self._how.fields:
            shown = self._masked(shown, words, f"/{'/'.join(words)}")
        shown = self._searched(shown)
        self._found.exchanges += 1
        for name in self._seen:
            self._found.hits[name] = self._found.hits.get(name, 0) + 1
        if not self._seen:
            return taped
        self._found.redacted += 1
        response = taped.response if shown["response"] == answer else _closed(shown["response"], whole)
        changed = {name: shown[name] for name in ("headers", SERVER) if name in taped.more}
        who = {SERVER: shown[SERVER]} if SERVER in taped.responder else {}  # the rest is taken from the answer
        more = {**taped.more, **changed}
        return replace(taped, body=shown["request"], response=response, more=more, redacted=line.own, responder=who)

    def _masked(self, value: Any, words: Sequence[str], name: str) -> Any:
        """Replace the value at a pointer."""
        if not words:
            self._seen.add(name)
            return MASK
        first, rest = words[0], words[1:]
        if isinstance(value, dict):
            return {key: self._masked(one, rest, name) if first in (ANY, key) else one for key, one in value.items()}
        if isinstance(value, list):
            there = enumerate(value)
            return [self._masked(one, rest, name) if first in (ANY, str(at)) else one for at, one in there]
        return value

    def _searched(self, value: Any) -> Any:
        """Replace all matches of the patterns, at any depth."""
        if isinstance(value, dict):
            found: dict[str, Any] = {}
            for key, one in value.items():
                shown = self._text(key)
                while shown in found:
                    shown += "_"
                found[shown] = self._searched(one)
            return found
        if isinstance(value, list):
            return [self._searched(one) for one in value]
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            shown = self._text(json.dumps(value))
            return value if shown == json.dumps(value) else shown
        return value

    def _text(self, text: str) -> str:
        for pattern in self._how.patterns:
            text, count = pattern.subn(MASK, text)
            if count:
                self._seen.add(pattern.pattern)
        return text


def _opened(response: bytes) -> tuple[Any, bool]:
    """Return an answer parsed as JSON and True, or its text and False.

    JSON with a duplicate field is treated as text, since a parser would drop the first one.
    """
    try:
        return json.loads(response, object_pairs_hook=reject_duplicates), True
    except (ValueError, RecursionError):
        return response.decode("utf-8", "surrogateescape"), False


def _closed(value: Any, whole: bool) -> bytes:
    if not whole:
        return str(value).encode("utf-8", "surrogateescape")
    try:
        return canonical_json(value)
    except HarnessError:  # a lone surrogate has no canonical form
        return json.dumps(value).encode()


def _pattern(text: str) -> re.Pattern[str]:
    try:
        pattern = re.compile(text)
    except (re.error, OverflowError, RecursionError) as bad:
        raise InputError(f"this is no regular expression: {bad}", where=text[:200], next="correct it") from bad
    if is_possessive(text):
        raise InputError(
            "some Pythons misread a possessive repeat or an atomic group",
            where=text[:200],
            next="write no `+` behind another repeat, and plain groups",
        )
    if pattern.search(""):
        raise InputError("this pattern also matches the empty text", where=text[:200], next="say what is to be hidden")
    return pattern


def _pointer(text: str) -> tuple[str, ...]:
    words = tuple(word.replace("~1", "/").replace("~0", "~") for word in text.split("/")[1:])
    whole = words in (("response",), (SERVER,))
    if not whole and (len(words) < 2 or words[0] not in ("request", "response", "headers") or text[0] != "/"):
        raise InputError(
            "this points nowhere in an exchange",
            where=text[:200],
            next="write /request/…, /response/… or /server, with * for any name or place: /request/messages/*/content",
        )
    return words
