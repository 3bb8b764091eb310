"""Texts of models and data as markup: every one is a hostile text.

Markup is escaped, control characters, escape sequences and direction marks are shown as visible marks, and a text of
megabytes is cut: to a part of it, and each line to a length that a browser can lay out.
"""

from __future__ import annotations

import difflib
import html
import re
import unicodedata
from collections.abc import Sequence

from harness.kit.pages import Html, el, join, text

PART = 20_000  # letters of a text on one page
LINE = 4_000  # letters of a line
WORDS = 3_000  # words of two texts that are compared
# Controls but tab and line feed, invisible and direction marks, line separators, halves of pairs, tags.
HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
NAMES = {0x00: "NUL", 0x08: "BS", 0x0D: "CR", 0x1B: "ESC", 0x7F: "DEL"}  # letters that every font has


def visible(said: str, most: int = PART, line: int = LINE, begin: int = 0) -> Html:
    """Return a piece of an untrusted text as HTML; what was cut is said."""
    part = said[begin : begin + most]
    lines = [_line(one, line) for one in part.split("\n")]
    return Html("\n".join(lines))


def _line(said: str, most: int) -> str:
    shown = marked(said[:most])
    if len(said) > most:
        shown = Html(shown + el("span", f"… {len(said) - most:,} more letters in this line", class_="cut"))
    return shown


def marked(said: str) -> Html:
    """Return an untrusted text as HTML in which each invisible character has a visible mark."""
    if said.isascii() and said.isprintable():
        return Html(html.escape(said))
    parts, at = [], 0
    for found in HIDDEN.finditer(said):
        parts += [html.escape(said[at : found.start()]), _mark(found[0])]
        at = found.end()
    return Html("".join([*parts, html.escape(said[at:])]))


def _mark(char: str) -> str:
    code = ord(char)
    sign = NAMES.get(code) or f"U+{code:04X}"
    name = unicodedata.name(char, "a control character" if unicodedata.category(char) == "Cc" else "a hidden character")
    return f'<span class="mark" title="{html.escape(name.lower())}">{sign}</span>'


def block(said: str, label: str, begin: int = 0, more: str = "") -> Html:
    """Return an untrusted text as a titled HTML box; `more` is the address of the next part of a long one."""
    shown = el("pre", visible(said, begin=begin), class_="words", dir="auto", tabindex="0", aria_label=label)
    if len(said) <= PART:
        return shown
    end = min(len(said), begin + PART)
    told = f"letters {begin + 1:,} to {end:,} of {len(said):,}"
    after = el("a", "next part", href=more) if more and end < len(said) else None
    return join([shown, el("p", told, " ", after, class_="soft")])


def short(said: str, most: int = 160) -> Html:
    """Return the beginning of an untrusted text as one line of HTML."""
    flat = " ".join(said[: 2 * most].split())
    return el("span", marked(flat[:most]), "…" if len(flat) > most else "", dir="auto")


SPLIT = re.compile(r"\s+|\w+|[^\w\s]")


def compared(left: str, right: str) -> tuple[Html, Html]:
    """Return two untrusted texts as HTML in which the words that differ are highlighted."""
    if left == right:
        return visible(left), visible(right)
    words = SPLIT.findall(left)[:WORDS], SPLIT.findall(right)[:WORDS]
    sides: tuple[list[str], list[str]] = ([], [])
    for kind, a, b, c, d in difflib.SequenceMatcher(None, *words, autojunk=False).get_opcodes():
        _add(sides[0], words[0][a:b], "del" if kind != "equal" else "")
        _add(sides[1], words[1][c:d], "ins" if kind != "equal" else "")
    return Html("".join(sides[0])), Html("".join(sides[1]))


def _add(side: list[str], words: Sequence[str], kind: str) -> None:
    if words:
        shown = visible("".join(words))
        side.append(f"<{kind}>{shown}</{kind}>" if kind else shown)


def name(said: str) -> Html:
    """Return an untrusted name as HTML, isolated so that its script cannot reorder the text around it."""
    return el("bdi", marked(said[:120]), "…" if len(said) > 120 else "")


def plain(said: object) -> Html:
    """Return any value as HTML-escaped text."""
    return text(str(said))
