"""How a provider's API is spoken: the one value in which the gateway knows a provider, and all that a new one says.

A provider's own file may hold it, since nothing heavy is imported here. It must never know where a key lies, a tape or
a limit. A question names its model in its field `model`: a request is known by its body alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import httpx2

Value = Mapping[str, Any]


class Connection(Protocol):
    """A provider as it is reached at one place with one key: no retries, no redirects, no environment."""

    async def post(self, path: str, content: bytes, headers: Mapping[str, str]) -> httpx2.Response:
        """Ask once and give what comes, whatever its status, maybe not yet read; raises httpx2's errors."""
        ...

    async def close(self) -> None:
        """Let go of what is open."""
        ...


def never(whole: Value) -> bool:
    """Say of any answer that its tokens are all that it costs."""
    return False


@dataclass(frozen=True, eq=False)
class Form:
    """How the answers to one kind of question are read."""

    flaw: Callable[[Value], str]  # why what came is no answer; nothing where it is one
    usage: Callable[[Value], Mapping[str, int] | None]  # the tokens of an answer, as a response's row has them
    events: Callable[[Value, Value], Iterator[bytes]] | None = None  # as a stream, for who asked for one; none: never
    cached: Callable[[Value], tuple[int, int]] = lambda whole: (0, 0)  # of its prompt: read from a cache, put into one
    beyond: Callable[[Value], bool] = never  # whether it cost something besides tokens, which nobody here can price
    free: bool = False  # whether it costs nothing, and counts no tokens


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked at one of our paths: where that is asked upstream, and what tells it from other questions."""

    upstream: str
    needs: str  # the field that holds the question
    never: str = ""  # a field of another kind of question
    form: Form | None = None  # how its answers are read, where they are of another kind than the dialect's
    apart: bool = False  # whether another question may have the same body: then its path is a part of its name
    later: str = ""  # a field that asks for an answer which is not there when the question is answered


@dataclass(frozen=True, eq=False)
class Dialect:
    """One way of speaking, from a client's question to the connection upstream."""

    questions: Mapping[str, Question]  # by the path at which clients ask us
    connect: Callable[[str, str, Value], Connection]  # with a key, at a URL, by these settings of httpx2's client
    flaw: Callable[[Value], str]  # why what came is no answer; nothing where it is one
    usage: Callable[[Value], Mapping[str, int] | None]  # the tokens of an answer, as a response's row has them
    error: Callable[[str, str], Value]  # the body of an error, from its kind and its words
    events: Callable[[Value, Value], Iterator[bytes]]  # an answer as a stream, for the question that asked for one
    entry: Callable[[str, str], Value]  # a model in the list of models, from its name and its provider's
    page: Callable[[Sequence[str]], Value] = lambda names: {}  # what stands beside that list, from all names
    cached: Callable[[Value], tuple[int, int]] = lambda whole: (0, 0)  # of its prompt: read from a cache, put into one
    beyond: Callable[[Value], bool] = never
    bounds: tuple[str, ...] = ()  # the fields that say how many tokens may be answered; the first one counts
    headers: tuple[str, ...] = ()  # those of a client that change an answer: they go upstream, and into its name
    ambient: tuple[str, ...] = ()  # how variables begin that its SDK would read on its own

    def form(self, question: Question) -> Form:
        """Say how the answers to a question are read."""
        return question.form or Form(self.flaw, self.usage, self.events, self.cached, self.beyond)


def event(value: Value, name: str = "") -> bytes:
    """Spell one event of a stream, under a name where it has one."""
    named = f"event: {name}\n".encode() if name else b""
    return named + b"data: " + json.dumps(value, separators=(",", ":")).encode() + b"\n\n"
