"""Canonical JSON (RFC 8785) and SHA-256; no other module computes hashes.

Rows and summaries are RFC 8785. Identity documents (lock, key, journal, record …) are a strict subset of it: no
floats, integers below 2^53, ASCII keys, a mandatory `type`. There is one digest everywhere: SHA-256 of the bytes as
stored. This module works on bytes and plain values, not on file names, stores or studies.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from io import RawIOBase
from pathlib import Path
from typing import Any

from harness.errors import InputError

MAX_INT = 2**53 - 1
CHUNK = 1 << 20
_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


def sha256(data: bytes) -> str:
    """Return the SHA-256 of bytes in hex, which is the name of content everywhere in the project."""
    return hashlib.sha256(data).hexdigest()


def sha256_stream(stream: RawIOBase) -> tuple[str, int]:
    """Return the SHA-256 of a stream and the number of bytes read, in constant memory."""
    state, size = hashlib.sha256(), 0
    buffer = bytearray(CHUNK)
    view = memoryview(buffer)
    while count := stream.readinto(buffer):
        state.update(view[:count])
        size += count
    return state.hexdigest(), size


def sha256_file(path: Path) -> tuple[str, int]:
    """Return the SHA-256 and the size in bytes of a file, read from the disk now."""
    with open(path, "rb", buffering=0) as stream:
        return sha256_stream(stream)


def canonical_json(value: Any) -> bytes:
    """Encode a value as canonical JSON (RFC 8785), so that equal data has equal bytes.

    Raises InputError for a value that has no canonical JSON.
    """
    try:
        if _plain(value, floats=True):
            return _encode(value).encode()
        import rfc8785  # noqa: PLC0415 - needed only if json.dumps and RFC 8785 differ

        return rfc8785.dumps(value)
    except (ValueError, RecursionError) as bad:
        raise InputError(
            f"this value has no canonical JSON: {bad}",
            next="use finite numbers below 2^53, text without lone surrogates, and text keys",
        ) from bad


def _plain(value: Any, *, floats: bool) -> bool:  # noqa: PLR0911 - one line a kind of value
    """Whether json.dumps returns the RFC 8785 encoding of the value; the fast path for every row and line."""
    kind = type(value)
    if kind is dict:
        for key, item in value.items():
            if type(key) is not str or not key.isascii() or (type(item) is not str and not _plain(item, floats=floats)):
                return False
        return True
    if kind is list or kind is tuple:
        for item in value:  # noqa: SIM110 - a generator would cost a third more
            if type(item) is not str and not _plain(item, floats=floats):
                return False
        return True
    if kind is int:
        return bool(-MAX_INT <= value <= MAX_INT)
    if kind is float:
        return bool(floats and 1e-4 <= abs(value) < 1e15 and not value.is_integer())
    return kind is str or kind is bool or value is None


def encode_document(value: Mapping[str, Any]) -> bytes:
    """Encode an identity document; raises InputError without a `type`, or for values outside the strict subset."""
    if not isinstance(value.get("type"), str):
        raise InputError("an identity document needs a `type`", next='give it one, such as "lock/1"')
    try:
        if _plain(value, floats=False):
            return _encode(value).encode()
        _refuse(value)
    except RecursionError as bad:
        raise InputError("an identity document is not nested this deeply", next="give flatter data") from bad
    except ValueError:
        pass  # `canonical` raises an error that says what is wrong
    return canonical_json(value)


def _refuse(value: Any) -> None:
    """Raise InputError for the first place at which a value is outside the strict subset."""
    for pointer, item in walk_values(value):
        if isinstance(item, float):
            raise InputError("an identity document holds no floats", where=pointer, next="write a decimal string")
        if isinstance(item, Mapping) and not all(isinstance(key, str) and key.isascii() for key in item):
            raise InputError("an identity document has ASCII keys only", where=pointer, next="rename the key")


def document_digest(value: Mapping[str, Any]) -> str:
    """Return the SHA-256 of an identity document."""
    return sha256(encode_document(value))


def seal_document(value: Mapping[str, Any]) -> bytes:
    """Encode a document with its own digest in `self`, and a newline, so that damage is detected alone."""
    body = {key: item for key, item in value.items() if key != "self"}
    return encode_document({**body, "self": document_digest(body)}) + b"\n"


def parse_document(data: bytes, kind: str, where: str) -> dict[str, Any]:
    """Decode an identity document of type `kind`; raises InputError for bytes that are not canonical.

    One newline may follow the document. A digest in `self` must be the document's own. `where` names the source in an
    error.
    """

    def refuse(what: str) -> InputError:
        return InputError(what, where=where, next="restore the file from its source; do not edit it by hand")

    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as bad:
        raise refuse(f"not a JSON document: {bad}") from bad
    if not isinstance(value, dict) or value.get("type") != kind:
        found = value.get("type") if isinstance(value, dict) else type(value).__name__
        raise refuse(f"expected a document of type {kind!r}, found {found!r}")
    body = data[:-1] if data.endswith(b"\n") else data
    try:
        exact = encode_document(value) == body
    except InputError as bad:
        raise refuse(bad.what) from bad
    if not exact:
        raise refuse("the document is not in canonical form")
    if "self" in value:
        rest = {key: item for key, item in value.items() if key != "self"}
        if document_digest(rest) != value["self"]:
            raise refuse("the document does not match its own `self` digest")
    return value


def walk_values(value: Any, pointer: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every value of a document with its JSON Pointer, parents first."""
    yield pointer, value
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from walk_values(item, _below(pointer, key))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from walk_values(item, f"{pointer}/{index}")


def _below(pointer: str, key: object) -> str:
    """Return the JSON Pointer of a member of an object (RFC 6901)."""
    return f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}"


def differing_pointers(old: Any, new: Any, pointer: str = "") -> Iterator[str]:
    """Yield the JSON Pointers at which two documents differ, so that an error can name the field."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in sorted({*old, *new}, key=str):
            at = _below(pointer, key)
            if key not in old or key not in new:
                yield at
            else:
                yield from differing_pointers(old[key], new[key], at)
    elif isinstance(old, list | tuple) and isinstance(new, list | tuple) and len(old) == len(new):
        for index, (left, right) in enumerate(zip(old, new, strict=True)):
            yield from differing_pointers(left, right, f"{pointer}/{index}")
    elif type(old) is not type(new) or old != new:
        yield pointer
