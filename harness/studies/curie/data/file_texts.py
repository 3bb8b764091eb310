"""Readers of published files: UTF-8, JSON objects and Unicode text. Errors name the file's path."""

from __future__ import annotations

import json
from typing import Any

from harness.errors import InputError

LARGEST = 32 << 20  # bytes of one file
ADVICE = "restore the published file"


def unicode_text(text: str, where: str) -> str:
    """Return the text if rows can hold it; raises InputError, at `where`, if it has a lone surrogate."""
    if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        raise InputError("its text is not Unicode (a lone surrogate)", where=where, next="correct it, or leave it out")
    return text


def read_object(data: bytes, where: str) -> dict[str, Any]:
    """Parse a file that holds one JSON object; raises InputError, at `where`, for anything else."""
    try:
        found = json.loads(decode(data, where))
    except (ValueError, RecursionError):
        raise InputError("this is not JSON", where=where, next=ADVICE) from None
    if not isinstance(found, dict):
        raise InputError("this is no JSON object", where=where, next=ADVICE)
    return found


def decode(data: bytes, where: str) -> str:
    """Decode the text of a file; raises InputError, at `where`, if it is not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError("this is not UTF-8", where=where, next=ADVICE) from None
