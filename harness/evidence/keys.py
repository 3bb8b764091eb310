"""Keys of signatures, and whom a reviewer trusts: ed25519 keys as PEM files, and `trust.toml`.

A private key is a file that its owner alone may read, encrypted by a passphrase. A trust file is the reviewer's own: it
says whose a key is, in which roles, and from when until when. Making and opening keys needs the package `cryptography`.
"""

from __future__ import annotations

import base64
import binascii
import datetime
import os
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from harness.clock import current_time
from harness.digest import sha256
from harness.errors import InputError, MissingError
from harness.files import read_plain, translating_os_errors

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

AUTHOR, RUNNER, AUDITOR = "author", "runner", "auditor"
ROLES: Final = (AUTHOR, RUNNER, AUDITOR)
VARIABLE = "HARNESS_KEY_PASSPHRASE"  # of the environment, with the passphrase
HEX = re.compile(r"[0-9a-f]{64}")
_SPKI = bytes.fromhex("302a300506032b6570032100")  # what stands before the 32 bytes of an ed25519 key


_FIELD = 2**255 - 19
_EIGHTH = 55188659117513257062467267217118295137698188065244968500265048394206261417927  # y of points of order 8
_SMALL = (0, 1, _FIELD - 1, _EIGHTH, _FIELD - _EIGHTH)  # y of points of small order, whose signatures anyone can make


def current_day() -> datetime.date:
    """Return the day by which keys count, in UTC."""
    return datetime.date.fromisoformat(current_time()[:10])


def key_id(public: bytes) -> str:
    """Return the id of a public key, given as its 32 raw bytes."""
    return sha256(public)


def raw_public(key: Ed25519PublicKey) -> bytes:
    """Return the 32 raw bytes of a public key."""
    form = load_cryptography().serialization
    return key.public_bytes(form.Encoding.Raw, form.PublicFormat.Raw)


def new_key(passphrase: bytes) -> tuple[bytes, bytes]:
    """Return a new private key and its public key as PEM; the private one is encrypted if there is a passphrase."""
    _, ed25519, form = load_cryptography()
    key = ed25519.Ed25519PrivateKey.generate()
    how = form.BestAvailableEncryption(passphrase) if passphrase else form.NoEncryption()
    private = key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, how)
    public = key.public_key().public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo)
    return private, public


def read_key(path: Path, passphrase: bytes) -> Ed25519PrivateKey:
    """Read a private key; raises InputError if others may read the file, or the passphrase does not open it."""
    _, ed25519, form = load_cryptography()
    with translating_os_errors(path):
        if path.stat().st_mode & 0o077:
            raise InputError("others may read this key", where=str(path), next=f"chmod 600 {path}, or make a new one")
        data = read_plain(path)
    try:
        key = form.load_pem_private_key(data, passphrase or None)
    except (ValueError, TypeError) as bad:
        fix = f"the passphrase is asked for, or read from {VARIABLE}"
        raise InputError("this key cannot be opened", where=str(path), next=fix) from bad
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise InputError("this key is not of ed25519", where=str(path), next="make one with `harness keys new FILE`")
    opened: Ed25519PrivateKey = key
    return opened


def is_encrypted(path: Path) -> bool:
    """Return whether a private key needs a passphrase."""
    with translating_os_errors(path):
        return b"BEGIN ENCRYPTED PRIVATE KEY" in read_plain(path)


def read_public(text: str) -> bytes:
    """Return the 32 raw bytes of a public key, written as PEM or as hexadecimal digits; raises ValueError.

    Keys of small order, and second spellings of a key, are refused.
    """
    public = bytes.fromhex(text.strip()) if HEX.fullmatch(text.strip()) else _public_of_pem(text)
    place = int.from_bytes(public, "little") % (1 << 255)
    if place >= _FIELD or place in _SMALL:
        raise ValueError("it is no key that only one party can have")
    return public


def _public_of_pem(text: str) -> bytes:
    lines = [line.strip() for line in text.strip().splitlines()]
    if len(lines) < 3 or lines[0] != "-----BEGIN PUBLIC KEY-----" or lines[-1] != "-----END PUBLIC KEY-----":
        raise ValueError("a public key is PEM, or 64 hexadecimal digits")
    data = decode_base64("".join(lines[1:-1]))
    if len(data) != 44 or data[:12] != _SPKI:
        raise ValueError("it is no public key of ed25519")
    return data[12:]


@dataclass(frozen=True)
class TrustedKey:
    """A key that a reviewer trusts: whose it is, for what, and from when until when."""

    party: str
    public: bytes
    roles: frozenset[str]
    begins: datetime.date
    ends: datetime.date

    def refusal(self, role: str, today: datetime.date) -> str:
        """Return why a signature by this key does not count in a role today; empty if it does."""
        if role not in self.roles:
            return f"the key of {self.party} is not trusted as {role}"
        if not self.begins <= today <= self.ends:
            return f"the key of {self.party} is trusted from {self.begins} to {self.ends}"
        return ""


def read_trust(path: Path) -> tuple[TrustedKey, ...]:
    """Read a reviewer's `trust.toml`; raises InputError with the number of the key that is not in order."""

    def refuse(what: str) -> InputError:
        form = 'a [[key]] has party = "…", public = "…" (PEM or hexadecimal digits), roles = ["runner"], from, until'
        return InputError(what, where=str(path), next=form)

    with translating_os_errors(path):
        data = read_plain(path)
    try:
        body = tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as bad:
        raise refuse(f"this is no TOML: {bad}") from bad
    keys = body.get("key")
    if body.keys() != {"key"} or not isinstance(keys, list) or not keys:
        raise refuse("it has keys, and nothing else")
    found: list[TrustedKey] = []
    for number, one in enumerate(keys, 1):
        if not isinstance(one, dict) or one.keys() != {"party", "public", "roles", "from", "until"}:
            raise refuse(f"key {number} has other fields")
        try:
            public = read_public(str(one["public"]))
        except ValueError as bad:
            raise refuse(f"key {number}: {bad}") from bad
        roles, begins, ends = one["roles"], one["from"], one["until"]
        if not isinstance(roles, list) or not roles or not set(map(str, roles)) <= set(ROLES):
            raise refuse(f"key {number}: roles are {', '.join(ROLES)}")
        if type(begins) is not datetime.date or type(ends) is not datetime.date:
            raise refuse(f"key {number}: from and until are dates, such as 2026-01-31")
        if not isinstance(one["party"], str) or not one["party"].strip():
            raise refuse(f"key {number}: party is a name")
        if any(public == other.public for other in found):
            raise refuse(f"key {number} is there twice, and a key is of one party")
        found.append(TrustedKey(one["party"].strip(), public, frozenset(map(str, roles)), begins, ends))
    return tuple(found)


def require_author(trusted: Sequence[TrustedKey], path: Path) -> None:
    """Raise InputError for a trust file without an author: it could confirm no expectation."""
    if not any(AUTHOR in one.roles for one in trusted):
        raise InputError(
            "nobody in this trust file is an author, so no expectation can be signed for",
            where=str(path),
            next=f'give a key roles = ["{AUTHOR}"], or leave --trust out',
        )


def decode_base64(text: object) -> bytes:
    """Return the bytes that a base64 text has, at least one; raises ValueError for another spelling."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True) if isinstance(text, str) else b""
    except (binascii.Error, UnicodeEncodeError) as bad:
        raise ValueError("it holds bytes that are not base64") from bad
    if not data or base64.b64encode(data).decode() != text:
        raise ValueError("it holds bytes that are not base64")
    return data


def write_private(path: Path, data: bytes) -> None:
    """Write a new file that its owner alone may read; raises InputError if it exists."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except FileExistsError as bad:
        raise InputError("this file is there already", where=str(path), next="name a new file") from bad
    with translating_os_errors(path), open(handle, "wb") as file:
        file.write(data)


class Cryptography(NamedTuple):
    """The modules of the package `cryptography` that are used here."""

    exceptions: ModuleType
    ed25519: ModuleType
    serialization: ModuleType


def load_cryptography() -> Any:
    """Return the modules that make and check signatures; raises MissingError if their package is not installed."""
    try:
        from cryptography import exceptions  # noqa: PLC0415 - only signatures need it
        from cryptography.hazmat.primitives import serialization  # noqa: PLC0415
        from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415
    except ImportError as bad:
        raise MissingError(
            "signatures need the package `cryptography`, which is not installed",
            next="pip install 'repro-harness[tools]'",
        ) from bad
    return Cryptography(exceptions, ed25519, serialization)
