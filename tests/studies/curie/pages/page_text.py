"""Readers of a page's HTML for its tests: the whole page read strictly, one section, one row, and their text."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from support_reliability_documents import Reader


def read(html: str) -> Any:
    """Read a page strictly; its links lead into itself."""
    reader: Any = Reader(html)
    reader.html = html
    return reader


def section_of(html: str, title: str) -> str:
    """Give the markup of one section."""
    found = re.search(rf"<section[^>]*><h2[^>]*>{re.escape(title)}</h2>(.*?)</section>", html, re.DOTALL)
    assert found, title
    return found[1]


def text_of(markup: str) -> str:
    """Give the text of some markup."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", markup.replace("<wbr>", ""))).split())


def row_of(html: str, title: str, name: str) -> str:
    """Give the text of the first row with this head in a section."""
    rows = re.findall(r"<tr>(.*?)</tr>", section_of(html, title), re.DOTALL)
    return next(text_of(row) for row in rows if text_of(row).startswith(name))
