"""Delimiters against prompt injection: untrusted texts in a judge's prompt, each between marks that none can contain.

Whatever an answer says, it stays between its marks, and the prompt can refer to the marks.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from harness.digest import canonical_json, sha256

LENGTH = 16  # hex digits of a mark
MARK = "mark"


def delimited(texts: Mapping[str, str]) -> dict[str, str]:
    """Return each text enclosed in delimiters, by name, and the delimiter as `mark`, for use in a prompt.

    The mark is drawn from the digest of all texts, and drawn again while one of them contains it in any spelling. So no
    text can end its block or begin another one.
    """
    mark = _mark(texts)
    blocks = {name: f"<{name} {mark}>\n{text}\n</{name} {mark}>" for name, text in texts.items()}
    return {**blocks, MARK: mark}


def _mark(texts: Mapping[str, str]) -> str:
    """Draw a mark from the digest of the texts, then from the digest of the last draw, until no text contains it."""
    plain = [_plain(text) for text in texts.values()]
    drawn = sha256(canonical_json(dict(texts)))
    while any(drawn[:LENGTH] in text for text in plain):
        drawn = sha256(drawn.encode())
    return drawn[:LENGTH]


def _plain(text: str) -> str:
    """Normalise a text as a lenient reader may see it: case folded, no invisible characters, ordinary letters."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(sign for sign in folded if unicodedata.category(sign) != "Cf")
