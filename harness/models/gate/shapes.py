"""The gateway's own answers as a provider's clients read them: errors, and the list of models."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from harness.errors import HarnessError
from harness.models.gate.dialect import Dialect
from harness.models.wire import MARK, words


@dataclass(frozen=True, slots=True)
class Reply:
    """What a client is given."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str = ""  # of an error
    refused: bool = False  # by the provider, for good

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


def sentence(bad: HarnessError) -> str:
    """Say an error of ours in one line, as a client shows it: whoever escapes line breaks shows none of ours."""
    where = f" ({bad.where})" if bad.where else ""
    return f"{bad.what}{where}" + (f". Next: {bad.next}" if bad.next else "")


def error(dialect: Dialect, wrong: Wrong) -> Reply:
    """Spell an error as the provider would; an SDK that gets it does not ask again by itself."""
    body = json.dumps(dialect.error(wrong.kind, wrong.message)).encode()
    return Reply(wrong.status, body, {MARK: wrong.kind, "x-should-retry": "false"}, wrong.kind)


def passed_on(dialect: Dialect, status: int, kind: str, body: bytes) -> Reply:
    """Give a provider's refusal on as it is, or in an error's shape where it is none that an SDK could read."""
    try:
        readable = isinstance(json.loads(body), dict)
    except (ValueError, RecursionError):
        readable = False
    if not readable:
        said = words(body)[1] or f"the provider answered HTTP {status}, with nothing to be read"
        return replace(error(dialect, Wrong(status, kind, said)), refused=True)
    return Reply(status, body, {"x-should-retry": "false"}, kind, refused=True)


def models(dialects: Iterable[Dialect], providers: Mapping[str, str]) -> bytes:
    """List what is served, by its providers, in one shape that the clients of every dialect read."""
    names, spoken = sorted(providers), tuple(dialects)
    page = _merged(dialect.page(names) for dialect in spoken)
    data = [_merged(dialect.entry(name, providers[name]) for dialect in spoken) for name in names]
    return json.dumps({**page, "data": data}).encode()


def _merged(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    return {key: value for part in parts for key, value in part.items()}
