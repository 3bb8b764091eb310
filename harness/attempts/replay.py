"""Replays of a transcript's reads: what list_items and get_item gave is computed again from the view, and compared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from harness.attempts.arguments import checked, digest_of
from harness.attempts.fold import AttemptState
from harness.attempts.reads import Listing
from harness.attempts.view import ViewReader
from harness.errors import HarnessError
from harness.store.journal import Event


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
