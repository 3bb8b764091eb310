"""Validators of texts that a person writes into a manifest: decimals, paths inside the project, names, pins.

Each gives the text back (`line` without the space around it) or says in a ValueError how it should look. It must
never know which field it checks.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from pathlib import PurePosixPath
from re import _constants as signs  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

HEX40 = r"^[0-9a-f]{40}$"
HEX64 = r"^[0-9a-f]{64}$"
NAME = r"^[a-z0-9][a-z0-9._-]{0,79}$"
RELATIVE = " relative"  # what follows a tolerance that is a share of what is expected
Check = Callable[[str], str]


def decimal(text: str) -> str:
    """Validate a finite decimal number of at most 40 characters; the text is kept as it was written."""
    try:
        if len(text) > 40 or not Decimal(text).is_finite():
            raise ValueError("write a finite decimal number")
    except InvalidOperation as bad:
        raise ValueError("write a decimal number, such as 0.5 or 1e-9") from bad
    return text


def tolerance(text: str) -> str:
    """Validate a tolerance: absolute (`1e-6`), or a share of the value that is expected (`1e-6 relative`)."""
    amount = decimal(text.removesuffix(RELATIVE))
    if amount != amount.strip() or not 0 <= Decimal(amount) <= Decimal("1e300"):
        raise ValueError(f"write a number from 0 to 1e300, such as 1e-6, or `1e-6{RELATIVE}`")
    return text


def inside(text: str) -> str:
    """Validate a relative path that cannot lead out of the project."""
    path = PurePosixPath(text)
    if not 0 < len(text) <= 400:
        raise ValueError("a path has 1 to 400 characters")
    if path.is_absolute() or ".." in path.parts or "\\" in text or "\0" in text:
        raise ValueError("a path stays inside the project: relative, and without `..`")
    return text


def plain_path(text: str) -> str:
    """Validate that a relative path is normalised, so that no two spellings mean the same file."""
    if not (0 < len(text) <= 200 and text.isascii() and text.isprintable()):
        raise ValueError("a path has 1 to 200 printable ASCII characters")
    if "\\" in text or any(part in ("", ".", "..") or part != part.strip() for part in text.split("/")):
        raise ValueError("a path is relative and plainly spelled: folder/name, without `..`, `.`, `//` or a backslash")
    return text


def line(text: str) -> str:
    """Strip a text of surrounding space; ValueError unless 1 to 2,000 characters are left."""
    if not 0 < len(text.strip()) <= 2000:
        raise ValueError("write a text of 1 to 2,000 characters")
    return text.strip()


def whole(text: str) -> str:
    """Validate a text of 1 to 2,000 characters, kept as it is with every space and line break."""
    if not 0 < len(text) <= 2000:
        raise ValueError("write a text of 1 to 2,000 characters")
    return text


def matching(pattern: str, meant: str) -> Check:
    """Make a validator for texts of a pattern; `meant` describes such a text in its error."""

    def check(text: str) -> str:
        if len(text) > 2000 or not re.fullmatch(pattern, text):
            raise ValueError(f"write {meant}")
        return text

    return check


name = matching(NAME, "a name: lower-case letters, digits and ._-, at most 80")


def is_possessive(pattern: str | bytes) -> bool:
    """Whether a regular expression has a possessive repeat or an atomic group: Python 3.11.2 can misread either.

    There a possessive repeat of a group finds other text than from Python 3.11.5 on. The pattern must be one of `re`.
    """
    return _holds(parser.parse(pattern), (signs.POSSESSIVE_REPEAT, signs.ATOMIC_GROUP))


def _holds(part: Any, sought: tuple[Any, ...]) -> bool:
    """Whether a part of a parsed pattern has one of some signs anywhere."""
    if isinstance(part, list | tuple | parser.SubPattern):
        return any(_holds(each, sought) for each in part)
    return any(part is sign for sign in sought)
