"""Registry authentication: parsing WWW-Authenticate challenges (RFC 9110), credentials from the environment."""

from __future__ import annotations

import os
import re
from base64 import b64encode

from harness.errors import InputError, MissingError

USER, PASSWORD = "HARNESS_REGISTRY_USER", "HARNESS_REGISTRY_PASSWORD"
_LONGEST = 2000
_FIELD = re.compile(r'(?:([A-Za-z][A-Za-z0-9_-]*)[ \t]+)?([A-Za-z][A-Za-z0-9_-]*)=(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))')


def bearer_challenge(header: str) -> dict[str, str] | None:
    """Parse the fields of the Bearer challenge in a WWW-Authenticate header; None where it holds none."""
    found: dict[str, str] | None = None
    scheme = ""
    for new, name, quoted, bare in _FIELD.findall(header[:_LONGEST]):
        scheme = new.lower() or scheme
        if scheme == "bearer":
            found = found or {}
            found.setdefault(name.lower(), re.sub(r"\\(.)", r"\1", quoted) or bare)
    return found


def wants_basic(header: str) -> bool:
    """Whether a challenge asks for Basic authentication: user and password themselves."""
    return re.search(r"(?:^|,)\s*basic\b", header[:_LONGEST], re.IGNORECASE) is not None


def credentials() -> str:
    """Read user and password from the environment as a Basic token; empty if both are unset, an error if one is."""
    user, password = os.environ.get(USER, ""), os.environ.get(PASSWORD, "")
    if bool(user) != bool(password):
        raise MissingError(f"only one of {USER} and {PASSWORD} is set", where="the environment", next="set both")
    if ":" in user:
        raise InputError("a user's name holds no colon", where=USER, next="set it to the name alone")
    return b64encode(f"{user}:{password}".encode()).decode() if user else ""
