"""Tokens that let clients in over HTTP: `tokens.toml` of a store says whose each is, what it is for, and until when.

A token is 32 random bytes. It is shown once, to the person who has it made, and is stored nowhere: the file has its
digest. So reading the file reveals no token, and changing it needs write access to the store. Independent of HTTP.
"""

from __future__ import annotations

import re
import secrets
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from harness.clock import current_time, time_after
from harness.digest import sha256
from harness.errors import DamageError, InputError
from harness.store.blobs import is_digest
from harness.store.store import Store
from harness.texts import NAME

FILE = "tokens.toml"
SCOPES = ("answer", "audit", "operate")  # the profiles of tools that are served over HTTP
PREFIX = "hrn_"  # by which a person, or a scanner for secrets, knows such a token
BYTES = 32
MOST = 1_000  # tokens of a store
MOST_BYTES = 1 << 20  # of the file
LONGEST = 366  # days that a token lasts at most
DAY = 86_400  # seconds
_LOCK = "tokens"
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_HEAD = (
    "# Written by `harness tokens`: who may call this project's tools over HTTP. A token is stored nowhere;\n"
    "# what stands here are digests.\n"
)


@dataclass(frozen=True)
class Token:
    """A token as it is stored: its digest, whose it is, the profiles it opens, and when it ends."""

    sha256: str
    principal: str
    scopes: tuple[str, ...]
    expires: str

    def is_live(self, at: str = "") -> bool:
        """Whether the token has not expired, now or at a time stamp."""
        return (at or current_time()) < self.expires

    @property
    def caller(self) -> str:
        """The name of the token's principal in transcripts, `token:NAME`, which no user of this machine has."""
        return f"token:{self.principal}"


def digest_of_token(secret: str) -> str:
    """Return the SHA-256 of a token's secret, by which the store knows the token without holding it."""
    return sha256(secret.encode())


def read_tokens(store: Store) -> Mapping[str, Token]:
    """Return the tokens of a store by their digests, expired ones too; none if no token was ever made.

    Raises DamageError for a file that `harness tokens` does not write, since a guess could let in a stranger.
    """
    data = store.tree.find_file(FILE, MOST_BYTES)
    return {} if data is None else parse_tokens(data, str(store.root / FILE))


def parse_tokens(data: bytes, where: str) -> Mapping[str, Token]:
    """Return the tokens that the bytes of a file hold; raises DamageError if it is not in order."""

    def damaged(what: str) -> DamageError:
        return DamageError(what, where=where, next="remove the file, and make the tokens again: `harness tokens add`")

    try:
        body = tomllib.loads(data.decode())
    except (ValueError, RecursionError) as bad:
        raise damaged(f"this file of tokens is no TOML: {bad}") from bad
    listed = body.pop("token", [])
    if body or not isinstance(listed, list):
        raise damaged("a file of tokens has tables [[token]], and nothing else")
    found: dict[str, Token] = {}
    for number, one in enumerate(listed, 1):
        if not isinstance(one, dict) or one.keys() != {"sha256", "principal", "scopes", "expires"}:
            raise damaged(f"token {number} has other fields than sha256, principal, scopes, expires")
        digest, principal, scopes, expires = one["sha256"], one["principal"], one["scopes"], one["expires"]
        if not isinstance(digest, str) or not is_digest(digest) or digest in found:
            raise damaged(f"the digest of token {number} is malformed, or stands twice")
        if not isinstance(principal, str) or not re.fullmatch(NAME, principal):
            raise damaged(f"the principal of token {number} is no name")
        if not isinstance(scopes, list) or not scopes or not all(scope in SCOPES for scope in scopes):
            raise damaged(f"the scopes of token {number} are not of {', '.join(SCOPES)}")
        if not isinstance(expires, str) or not _TIME.fullmatch(expires):
            raise damaged(f"the end of token {number} is no time stamp such as 2026-01-31T00:00:00.000Z")
        found[digest] = Token(digest, principal, tuple(scopes), expires)
    return found


def add_token(store: Store, principal: str, scopes: Iterable[str], days: int) -> tuple[str, Token]:
    """Make a token; return it, which is shown now or never, and what is stored of it."""
    wanted = tuple(dict.fromkeys(scopes))
    if not re.fullmatch(NAME, principal):
        raise InputError(
            f"{principal[:80]!r} cannot name a holder of tokens",
            next="write lower-case letters, digits and ._-, at most 80, such as `lab-a`",
        )
    if not wanted or any(scope not in SCOPES for scope in wanted):
        raise InputError(f"the scopes {', '.join(wanted) or 'of nothing'!r} are unknown", next=f"{', '.join(SCOPES)}")
    if not 1 <= days <= LONGEST:
        raise InputError(f"a token cannot last {days} days", next=f"1 to {LONGEST} days; make another one later")
    secret = PREFIX + secrets.token_urlsafe(BYTES)
    made = Token(digest_of_token(secret), principal, wanted, time_after(current_time(), days * DAY))
    with store.lock(_LOCK):
        known = dict(read_tokens(store))
        if len(known) >= MOST:
            raise InputError(f"this store has {MOST} tokens", next="revoke those that nobody needs")
        _write(store, [*known.values(), made])
    return secret, made


def revoke_tokens(store: Store, name: str) -> list[Token]:
    """Remove all tokens of a principal, or the one whose digest begins so (at least 8 digits); return them."""
    with store.lock(_LOCK):
        known = read_tokens(store).values()
        gone = [one for one in known if one.principal == name]
        if not gone and re.fullmatch(r"[0-9a-f]{8,64}", name):
            gone = [one for one in known if one.sha256.startswith(name)]
            if len(gone) > 1:
                raise InputError(f"{len(gone)} tokens begin with {name}", next="give more digits")
        if not gone:
            raise InputError(f"no token is of {name[:80]!r}", next="`harness tokens ls` lists them")
        _write(store, [one for one in known if one not in gone])
    return gone


def _write(store: Store, tokens: Iterable[Token]) -> None:
    tables = [_table(one) for one in tokens]
    store.tree.write_file(FILE, (_HEAD + "".join(tables)).encode(), mode=0o600)


def _table(token: Token) -> str:
    scopes = ", ".join(f'"{scope}"' for scope in token.scopes)
    lines = [f'sha256 = "{token.sha256}"', f'principal = "{token.principal}"', f"scopes = [{scopes}]"]
    return "\n".join(["\n[[token]]", *lines, f'expires = "{token.expires}"', ""])
