"""Replays of transcripts: reads are computed again and compared, and two attempts by their normal form.

The normal form says what an agent did, without ids, times, digests and the order of items. Ids are drawn anew for each
attempt and items are listed in their order; so what was done with an item stands under the key of its prompt.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from harness.attempts.desk import SCORE
from harness.attempts.reads import Listing, ViewReader
from harness.attempts.shapes import checked, digest_of
from harness.attempts.transcript import AttemptState, answer_text, item_id
from harness.errors import HarnessError
from harness.store.journal import Event

_HEADER = ("manifest", "name", "study", "lock", "split", "subset", "hidden", "label", "budget", "items", "tools")
_CALL = ("tool", "is_error", "code")


def normal(events: Iterable[Event], keys: Iterable[str]) -> dict[str, Any]:
    """Return the normal form of a transcript over the keys of its view: `header`, `calls`, `items`, `end`.

    `calls` are in their order, without the reads of one item, which documents of unlike length have more or less of;
    `items` holds by key what was done with each, in its order.
    """
    first, *rest = events
    names = _Names(first, keys)
    calls: list[dict[str, Any]] = []
    items: dict[str, list[dict[str, Any]]] = {}
    end: Mapping[str, Any] | None = None
    for event in rest:
        if event["event"] == "attempt.closed":
            end = {name: event[name] for name in ("reason", "answered", "abstained", "missing")}
        elif event["event"] == "call":
            if event["is_error"] or "item_id" not in event["args"]:
                calls.append({**{name: event[name] for name in _CALL}, **_general(event, names)})
            for name, done in _special(event):
                items.setdefault(names.of(name), []).append(done)
    header = {name: first[name] for name in _HEADER}
    return {"header": header, "calls": calls, "items": dict(sorted(items.items())), "end": end}


class _Names:
    """Names for the ids of one attempt: the key of an item, else a number in order of appearance."""

    def __init__(self, first: Event, keys: Iterable[str]) -> None:
        state = AttemptState(first)
        self._known = {item_id(state.secret, key): f"item {key}" for key in keys}
        if state.canary:
            self._known[state.canary] = "control item"  # its key is drawn for each view
        self._seen: dict[str, str] = {}

    def of(self, name: str) -> str:
        if name in self._known:
            return self._known[name]
        return self._seen.setdefault(name, f"id {len(self._seen) + 1}")


def _general(event: Event, names: _Names) -> dict[str, Any]:
    """Return the arguments of a call that are of no one item."""
    if event["is_error"]:
        return {}
    args = event["args"]
    told = {name: value for name, value in args.items() if name in ("limit", "status")}
    if "cursor" in args:
        told["cursor"] = names.of(args["cursor"])
    if "answers" in args:
        told["answers"] = len(args["answers"])
    return told


def _special(event: Event) -> Iterable[tuple[str, dict[str, Any]]]:
    """Yield what a call did with items: the part that was read, the answer and what became of it."""
    args = event["args"]
    if event["is_error"]:
        return
    if event["tool"] == SCORE:
        yield args["item_id"], {"metric": args["metric"], "prediction": args["prediction"]}
    elif "item_id" in args:
        yield args["item_id"], {"part": args["part"]}
    for answer, receipt in zip(args.get("answers", []), event.get("receipts", []), strict=False):
        text = answer["answer"]
        done = {"answer": text if isinstance(text, dict) else answer_text(text), "abstain": answer["abstain"]}
        more = {name: answer[name] for name in ("confidence",) if name in answer}
        yield answer["item_id"], {**done, **more, "status": receipt["status"], "code": receipt.get("code", "")}


@dataclass(frozen=True)
class Replayed:
    """What a replay found: how many reads it made again, and the records whose results differ."""

    reads: int
    differing: tuple[int, ...]


def replay(events: Iterable[Event], view: ViewReader) -> Replayed:
    """Make the reads of a transcript again, each in the state that it met."""
    first, *rest = events
    state = AttemptState(first)
    listing = Listing(state, view)
    reads, differing = 0, []
    for event in rest:
        if event["event"] == "call" and not event["is_error"] and event["tool"] in ("list_items", "get_item"):
            reads += 1
            if _again(listing, state, event) != event["result_sha256"]:
                differing.append(event["n"])
        state.apply(event)
    return Replayed(reads, tuple(differing))


def _again(listing: Listing, state: AttemptState, event: Event) -> str:
    """Digest of the result of a read, made again; empty where it cannot be made."""
    try:
        args = checked(event["tool"], event["args"]).model_dump(exclude_none=True)
        data = listing.page(state, args) if event["tool"] == "list_items" else listing.item(state, args)[0]
    except HarnessError:  # the arguments are no desk's
        return ""
    return digest_of(data)
