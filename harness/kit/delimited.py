"""Delimiters against prompt injection: untrusted texts in a judge's prompt, each between marks that none can hold.

Whatever an answer says, it stays inside its marks, and the words of the prompt can name them. What
is judged, and by whom, is not known here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from harness.digest import canonical, sha256

LENGTH = 16  # hex digits of a mark
MARK = "mark"


def delimited(texts: Mapping[str, str]) -> dict[str, str]:
    """Give each text between its marks, under its name, and the `mark` itself, so that a prompt can speak of it.

    The mark is drawn from all the texts, and drawn again while it stands in one of them, however that spells it: so
    nothing that was written in a text can end it, or begin another.
    """
    mark = _mark(texts)
    blocks = {name: f"<{name} {mark}>\n{text}\n</{name} {mark}>" for name, text in texts.items()}
    return {**blocks, MARK: mark}


def _mark(texts: Mapping[str, str]) -> str:
    """Draw a mark from the digest of the texts, and from that one's, until it stands in none of them."""
    plain = [_plain(text) for text in texts.values()]
    drawn = sha256(canonical(dict(texts)))
    while any(drawn[:LENGTH] in text for text in plain):
        drawn = sha256(drawn.encode())
    return drawn[:LENGTH]


def _plain(text: str) -> str:
    """Spell a text as a lenient reader may see it: without case, without what is not seen, in ordinary letters."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(sign for sign in folded if unicodedata.category(sign) != "Cf")
