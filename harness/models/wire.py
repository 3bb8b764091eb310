"""What a step and the gateway say to each other, and what a remote provider's module says of itself; pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.errors import InputError
from harness.rowtypes import Prompt

MARK = "x-harness-error"  # on an answer that the gateway made itself: its kind
REPEAT = "x-harness-repeat"  # on a question: the n-th time that the same is asked, counted from 0
SERVED = "x-harness-served"  # on an instrument's question: by which name the gateway serves it


@dataclass(frozen=True, slots=True)
class Said:
    """What a provider's answer says, in our words."""

    text: str
    finish: str
    usage: Mapping[str, int] | None
    model: str
    fingerprint: str = ""
    reasoning: str = ""  # what a model thought before it answered, where its provider tells
    logprobs: Sequence[Mapping[str, Any]] | None = None  # one a token, as a response's row has them; none: not told


@dataclass(frozen=True, slots=True)
class Wire:
    """One way of asking: the SDK, the request that it sends for a prompt, and how its answer is read."""

    sdk: Any  # its module
    client: Callable[[Mapping[str, Any]], Any]
    path: str
    options: Mapping[str, Any]
    body: Callable[[Prompt], Mapping[str, Any]]
    read: Callable[[Mapping[str, Any]], Said]


def visible(text: str) -> str:
    """Write what a terminal would obey, and what no file could hold, as its escape."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


def whole(text: str) -> str:
    """Write half a character, which no file could hold, as the sign for what is no character."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


LONGEST_KIND, LONGEST_WORDS = 60, 500


def words(data: bytes) -> tuple[str, str]:
    """Read a server's refusal in whatever shape it is, JSON or text: its kind, and its own words, bounded."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        found = data.decode("utf-8", "replace").strip()
    if isinstance(found, list) and len(found) == 1:
        found = found[0]
    error = found.get("error", found) if isinstance(found, dict) else found
    kind, said = "", error
    if isinstance(error, dict):
        kind = error.get("type") or error.get("code") or ""
        said = error.get("message") or error.get("detail") or ("" if kind else error)
    if isinstance(said, list):  # what FastAPI says of each field
        said = "; ".join(_field(one) for one in said)
    text = said if isinstance(said, str) else json.dumps(said) if said else ""
    return visible(str(kind))[:LONGEST_KIND], visible(text)[:LONGEST_WORDS]


def _field(said: Any) -> str:
    if not isinstance(said, dict):
        return str(said)
    place = said.get("loc")
    at = ".".join(map(str, place)) if isinstance(place, list) else ""
    return ": ".join(part for part in (at, str(said.get("msg") or "")) if part)


EXTRA = "extra"  # the setting that holds plain JSON, spelled as text, since keys hold no floats
NUMBERS = frozenset({"temperature", "top_p", "frequency_penalty", "presence_penalty"})


def settings(given: Mapping[str, Any], known: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """Give the generation settings by the provider's names; numbers come as decimal text, since keys hold no floats."""
    for name, value in given.items():
        if name == EXTRA:
            yield from json.loads(value).items()
        elif name not in known:
            raise InputError(
                f"this provider has no setting {name!r}", where="generation", next=f"use: {', '.join(sorted(known))}"
            )
        elif name in NUMBERS and isinstance(value, str):
            try:
                yield known[name], float(value)
            except ValueError:
                raise InputError(f"{name} is no number: {value!r}", where="generation", next="write 0.7") from None
        else:
            yield known[name], value


def usage(found: Any, prompt: tuple[str, ...], completion: str) -> Mapping[str, int] | None:
    """Give the tokens that a provider says it used, in our words; none where it says nothing."""
    if not isinstance(found, dict):
        return None
    return {"prompt_tokens": total(found, *prompt), "completion_tokens": total(found, completion)}


def total(found: Any, *names: str) -> int:
    """Add up counts that a provider gives under some names; what is no count is none."""
    counts = (found.get(name) for name in names) if isinstance(found, dict) else ()
    return sum(count for count in counts if isinstance(count, int) and count > 0)
