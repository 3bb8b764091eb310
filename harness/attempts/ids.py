"""Names of items as an agent sees them, and cursors: HMACs under an attempt's own secret, which say nothing of an item.

It must never know what an item holds.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Mapping

from harness.attempts.codes import AttemptError
from harness.digest import canonical, sha256

_MARK = 16  # bytes of a cursor's code


def item_key(item: str, template: int) -> str:
    """Key of a prompt in a view: the digest of its item and wording."""
    return sha256(canonical({"item": item, "template": template}))


def item_id(secret: bytes, key: str) -> str:
    """Name a prompt for the agent of one attempt: 16 hex digits that no other attempt shares."""
    return hmac.digest(secret, key.encode(), "sha256").hex()[:16]


def make_cursor(secret: bytes, query: Mapping[str, str | int], last: str) -> str:
    """Make the cursor that goes on after an item, for the same attempt and query only."""
    return base64.urlsafe_b64encode(_code(secret, query, last) + last.encode()).decode().rstrip("=")


def read_cursor(secret: bytes, query: Mapping[str, str | int], cursor: str) -> str:
    """Read after which item a cursor goes on; AttemptError for one that this attempt did not make for this query."""
    try:
        data = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        last = data[_MARK:].decode("ascii")
    except (ValueError, binascii.Error):
        data, last = b"", ""
    if not hmac.compare_digest(data[:_MARK], _code(secret, query, last)) or make_cursor(secret, query, last) != cursor:
        raise AttemptError("E_CURSOR", "this cursor was not made for this attempt and these arguments")
    return last


def _code(secret: bytes, query: Mapping[str, str | int], last: str) -> bytes:
    return hmac.digest(secret, canonical({"cursor": last, "query": dict(query)}), "sha256")[:_MARK]
