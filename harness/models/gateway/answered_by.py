"""Who gave the answers that a gateway passed on: servers, served models and fingerprints, and what an old line answers.

A request is looked up under its own server first, then under the address that the server had before (`same_as`), and at
last as older tapes hold it, which name no server. What the last two answer is counted apart. Asks no provider, and
writes no tape.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.models.gateway.settings import ServedModel
from harness.models.tape.line import SERVER, Taped, request_digest
from harness.models.tape.server import SERVED, describe_responder, server_address

MOST = 50  # names of a kind that are counted one by one
OTHERS = "others"


Find = Callable[[str], Taped | None]


def find_recorded(served: ServedModel, body: Mapping[str, Any], more: Mapping[str, Any], find: Find) -> Taped | None:
    """Return the recorded answer to a request, as `find` has it by the request's digest; None if there is none.

    A line of another server is never returned, unless `same_as` names this server's former address. A line that names
    no server is returned if there is no other. What was asked at the provider's own address stays the provider's own,
    wherever that address is now.
    """
    plain = {name: value for name, value in more.items() if name != SERVER}
    taped = find(request_digest(served.provider, body, more))
    if taped and (taped.server or not served.same_as):
        return taped
    if served.same_as:
        former = server_address(served.same_as)
        moved = find(request_digest(served.provider, body, {**plain, **served.part_of_request(former)}))
        if moved and moved.server == former:
            return moved
    if SERVER in more:
        taped = find(request_digest(served.provider, body, plain))
    return taped if taped and not taped.server else None


@dataclass
class AnsweredBy:
    """Counts of one model's answers by who gave them; each kind is left out while it is empty."""

    unnamed: int = 0  # replayed from lines that name no server, for a server that is not the provider's own
    moved: Counter[str] = field(default_factory=Counter)  # replayed from lines of the address that `same_as` names
    servers: Counter[str] = field(default_factory=Counter)
    models: Counter[str] = field(default_factory=Counter)
    fingerprints: Counter[str] = field(default_factory=Counter)

    def add_recorded(self, served: ServedModel, taped: Taped) -> None:
        """Count an answer from a tape."""
        if taped.server:
            self._add(taped.server, taped.responder)
            if served.same_as and taped.server == server_address(served.same_as):
                _count(self.moved, taped.server)
        else:
            self.unnamed += bool(served.own_part)

    def add_live(self, served: ServedModel, response: bytes) -> None:
        """Count an answer of the server."""
        self._add(served.address, describe_responder("", response))

    def _add(self, server: str, who: Mapping[str, str]) -> None:
        _count(self.servers, server)
        for name, counts in zip(SERVED, (self.models, self.fingerprints), strict=True):
            if name in who:
                _count(counts, who[name])

    def as_data(self) -> dict[str, Any]:
        """Return the counts that are not zero as plain data."""
        found: dict[str, Any] = {"unnamed": self.unnamed}
        for name in ("moved", "servers", "models", "fingerprints"):
            found[name] = dict(sorted(getattr(self, name).items()))
        return {name: value for name, value in found.items() if value}


def _count(counts: Counter[str], name: str) -> None:
    counts[name if name in counts or len(counts) < MOST else OTHERS] += 1
