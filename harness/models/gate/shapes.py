"""The gateway's own answers in the shapes that the two providers' SDKs know: errors, and the list of models."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.models.gate.settings import Served

MARK = "x-harness-error"  # on an answer that the gateway made itself: its kind


@dataclass(frozen=True, slots=True)
class Reply:
    """What a client is given."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str = ""  # of an error

    @property
    def fine(self) -> bool:
        """Whether it is an answer of the model."""
        return not self.kind and 200 <= self.status <= 299


@dataclass(frozen=True, slots=True)
class Wrong:
    """What the gateway has to say instead of an answer."""

    status: int
    kind: str
    message: str


def error(provider: str, wrong: Wrong) -> Reply:
    """Spell an error as the provider would; an SDK that gets it does not ask again by itself."""
    inner: dict[str, Any] = {"type": wrong.kind, "message": wrong.message}
    if provider == "anthropic":
        spelled = {"type": "error", "error": inner}
    else:
        spelled = {"error": {**inner, "param": None, "code": wrong.kind}}
    body = json.dumps(spelled, ensure_ascii=True).encode()
    return Reply(wrong.status, body, {MARK: wrong.kind, "x-should-retry": "false"}, wrong.kind)


def passed_on(status: int, body: bytes, kind: str, provider: str) -> Reply:
    """Give a provider's refusal on as it is, or in our words where it is none that an SDK could read."""
    try:
        readable = isinstance(json.loads(body), dict)
    except (ValueError, RecursionError):
        readable = False
    if not readable:
        return error(provider, Wrong(status, kind, f"the provider answered HTTP {status}, with nothing to be read"))
    return Reply(status, body, {"x-should-retry": "false"}, kind)


def models(served: Mapping[str, Served]) -> bytes:
    """List what is served, in one shape that both SDKs read."""
    names = sorted(served)
    data = [
        {
            "id": name,
            "object": "model",
            "type": "model",
            "created": 0,
            "created_at": "1970-01-01T00:00:00Z",
            "display_name": name,
            "owned_by": served[name].provider,
        }
        for name in names
    ]
    page = {"has_more": False, "first_id": names[0], "last_id": names[-1]}
    return json.dumps({"object": "list", "data": data, **page}).encode()
