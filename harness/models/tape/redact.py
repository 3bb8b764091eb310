"""Redaction of a tape: a new tape with chosen texts and fields replaced, which cannot pass for the original.

A changed line names its original's digest and matches no request, so that a changed answer is never replayed. A pattern
or pointer that matches nothing is an error, because a typing mistake would publish what should be hidden.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from harness.digest import canonical_json
from harness.errors import HarnessError, InputError
from harness.files import translating_os_errors
from harness.models.tape.line import MASK, SERVER, PreparedExchange, Taped, TapeLine, prepare_copy
from harness.models.tape.tape import Recorder, Tape
from harness.texts import is_possessive, reject_duplicates

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
        recorder.extend(_exchanges(tape, redaction))
    return found


def _exchanges(tape: Tape, redaction: Redaction) -> Iterator[PreparedExchange]:
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
