"""Normalisation of place names: accents removed, and the longest name allowed.

It knows text; it must never know a rule, so that whoever makes a dataset of places depends on no rule either.
"""

from __future__ import annotations

from unicodedata import combining, normalize

LONGEST_NAME = 200  # characters; the longest name of a source has 78


def stripped(text: str) -> str:
    """Remove combining accents, those of composed letters too."""
    if text.isascii():
        return text
    apart = normalize("NFD", text)
    accents = {ord(char): None for char in set(apart) if combining(char)}
    return normalize("NFC", apart.translate(accents)) if accents else text
