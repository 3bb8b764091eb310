"""Validators of texts that a person writes into a manifest: decimals, paths inside the project, names, pins.

Each validator returns the text unchanged (`line` strips surrounding space) or raises a ValueError that says how the
text should look. A validator does not see which field it checks.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from pathlib import PurePosixPath
from re import _constants as signs  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any


def reject_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a dict of an object's pairs, as `object_pairs_hook` of json.loads; ValueError for a duplicate name."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


HEX40 = r"^[0-9a-f]{40}$"
HEX64 = r"^[0-9a-f]{64}$"
NAME = r"^[a-z0-9][a-z0-9._-]{0,79}$"
RELATIVE = " relative"  # suffix of a tolerance that is relative to the expected value
Check = Callable[[str], str]


def validate_decimal(text: str) -> str:
    """Validate a finite decimal number of at most 40 characters; the text is returned as written."""
    try:
        if len(text) > 40 or not Decimal(text).is_finite():
            raise ValueError("write a finite decimal number")
    except InvalidOperation as bad:
        raise ValueError("write a decimal number, such as 0.5 or 1e-9") from bad
    return text


def validate_tolerance(text: str) -> str:
    """Validate a tolerance: absolute (`1e-6`), or a share of the expected value (`1e-6 relative`)."""
    amount = validate_decimal(text.removesuffix(RELATIVE))
    if amount != amount.strip() or not 0 <= Decimal(amount) <= Decimal("1e300"):
        raise ValueError(f"write a number from 0 to 1e300, such as 1e-6, or `1e-6{RELATIVE}`")
    return text


def validate_inside_path(text: str) -> str:
    """Validate a relative path that stays inside the project."""
    path = PurePosixPath(text)
    if not 0 < len(text) <= 400:
        raise ValueError("a path has 1 to 400 characters")
    if path.is_absolute() or ".." in path.parts or "\\" in text or "\0" in text:
        raise ValueError("a path stays inside the project: relative, and without `..`")
    return text


def validate_plain_path(text: str) -> str:
    """Validate a normalised relative path, so that no two spellings mean the same file."""
    if not (0 < len(text) <= 200 and text.isascii() and text.isprintable()):
        raise ValueError("a path has 1 to 200 printable ASCII characters")
    if "\\" in text or any(part in ("", ".", "..") or part != part.strip() for part in text.split("/")):
        raise ValueError("a path is relative and plainly spelled: folder/name, without `..`, `.`, `//` or a backslash")
    return text


def strip_line(text: str) -> str:
    """Strip surrounding space from a text; raises ValueError unless 1 to 2,000 characters are left."""
    if not 0 < len(text.strip()) <= 2000:
        raise ValueError("write a text of 1 to 2,000 characters")
    return text.strip()


def validate_whole_text(text: str) -> str:
    """Validate a text of 1 to 2,000 characters, which is returned with every space and line break."""
    if not 0 < len(text) <= 2000:
        raise ValueError("write a text of 1 to 2,000 characters")
    return text


def matching_validator(pattern: str, meant: str) -> Check:
    """Return a validator for texts that match a pattern; `meant` describes such a text in its error."""

    def check(text: str) -> str:
        if len(text) > 2000 or not re.fullmatch(pattern, text):
            raise ValueError(f"write {meant}")
        return text

    return check


name = matching_validator(NAME, "a name: lower-case letters, digits and ._-, at most 80")


def is_possessive(pattern: str | bytes) -> bool:
    """Whether a regular expression has a possessive repeat or an atomic group, which Python 3.11.2 can misread.

    In Python 3.11.2 a possessive repeat of a group finds other text than from Python 3.11.5 on. The pattern must be
    valid
    for `re`.
    """
    return _holds(parser.parse(pattern), (signs.POSSESSIVE_REPEAT, signs.ATOMIC_GROUP))


def _holds(part: Any, sought: tuple[Any, ...]) -> bool:
    """Whether a part of a parsed pattern contains one of the given signs at any depth."""
    if isinstance(part, list | tuple | parser.SubPattern):
        return any(_holds(each, sought) for each in part)
    return any(part is sign for sign in sought)
