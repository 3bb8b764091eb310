"""Names that JSON5 allows as keys without quotes: the characters they may have, and reserved words.

Independent of what a name means.
"""

from __future__ import annotations

import re
import unicodedata

_RESERVED = (
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
    "yield",
)
_ASCII = re.compile(r"[A-Za-z$_][A-Za-z0-9$_]*")
_FIRST = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Nl"))
_LATER = _FIRST | {"Nd", "Mn", "Mc", "Pc"}


def begins_name(character: str) -> bool:
    """Whether a character may begin a name."""
    return character in "$_" or unicodedata.category(character) in _FIRST


def continues_name(character: str) -> bool:
    """Whether a character may occur in a name after the first one; joiners of zero width are not covered."""
    return character in "$_" or unicodedata.category(character) in _LATER


def is_bare_name(key: str) -> bool:
    """Whether json5 writes a key without quotes: an identifier that is not a reserved word."""
    if key.isascii():
        return bool(_ASCII.fullmatch(key)) and key not in _RESERVED
    return begins_name(key[0]) and all(map(continues_name, key[1:]))
