"""Names that stand without quotes as keys of JSON5: which characters they may have, and which words are reserved.

It must never know what a name names.
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
    """Whether a character may stand in a name after its first, joiners of zero width aside."""
    return character in "$_" or unicodedata.category(character) in _LATER


def is_bare_name(key: str) -> bool:
    """Whether json5 writes a key without quotes: an identifier that is no reserved word."""
    if key.isascii():
        return bool(_ASCII.fullmatch(key)) and key not in _RESERVED
    return begins_name(key[0]) and all(map(continues_name, key[1:]))
