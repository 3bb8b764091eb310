"""HTTP replies of the gateway in the format of a provider's clients: errors, refusals and the list of models.

It makes bytes from values; it never opens a connection.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from harness.errors import HarnessError
from harness.models.gate.dialect import Dialect
from harness.models.wire import ERROR_HEADER, parse_refusal


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP reply to a client: status, body and headers; not yet sent."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str = ""  # of an error
    refused: bool = False  # by the provider, for good

    @property
    def fine(self) -> bool:
        """Whether it is a model's answer and no error."""
        return not self.kind and 200 <= self.status <= 299


@dataclass(frozen=True, slots=True)
class GatewayError:
    """An error that the gateway returns instead of an answer: HTTP status, kind and message."""

    status: int
    kind: str
    message: str


def one_line(bad: HarnessError) -> str:
    """Format an error of the harness in one line, since some clients escape line breaks."""
    where = f" ({bad.where})" if bad.where else ""
    return f"{bad.what}{where}" + (f". Next: {bad.next}" if bad.next else "")


def error_reply(dialect: Dialect, wrong: GatewayError) -> Reply:
    """Make an error reply in the provider's format, marked so that an SDK that gets it does not retry by itself."""
    body = json.dumps(dialect.error(wrong.kind, wrong.message)).encode()
    return Reply(wrong.status, body, {ERROR_HEADER: wrong.kind, "x-should-retry": "false"}, wrong.kind)


def refusal_reply(dialect: Dialect, status: int, kind: str, body: bytes) -> Reply:
    """Pass on a provider's refusal: its status and body, or an error reply where the body is no JSON object."""
    try:
        readable = isinstance(json.loads(body), dict)
    except (ValueError, RecursionError):
        readable = False
    if not readable:
        said = parse_refusal(body)[1] or f"the provider answered HTTP {status}, with nothing to be read"
        return replace(error_reply(dialect, GatewayError(status, kind, said)), refused=True)
    return Reply(status, body, {"x-should-retry": "false"}, kind, refused=True)


def model_list(dialects: Iterable[Dialect], providers: Mapping[str, str]) -> bytes:
    """Make the body of the list of models, readable by the clients of every dialect."""
    names, spoken = sorted(providers), tuple(dialects)
    page = _merged(dialect.page(names) for dialect in spoken)
    data = [_merged(dialect.entry(name, providers[name]) for dialect in spoken) for name in names]
    return json.dumps({**page, "data": data}).encode()


def _merged(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    return {key: value for part in parts for key, value in part.items()}
