"""HTML fragments that the tables of the page share: a rate with its intervals, notes, lines, short lists.

Formats values; computes none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.kit.documents import number, reason, section, span
from harness.kit.pages import NONE, Html, around, bullets, el, fill, join, named, value
from harness.studies.biomed.pages.page_facts import PageFacts

DIGITS = 3  # decimals of a rate from 0 to 1
UNRELIABLE = "*"  # beside an interval over templates that may not be trusted
INTERVALS: Mapping[str, str] = {"rows": "A", "templates": "T", "official": "P"}  # explained below the headline table
DEEPEST, MOST = 3, 40  # levels of a document that are formatted as text, and entries of one level

LINED = """<div class="scroll" role="region" aria-label="{{ label }}" tabindex="0"><pre>{{ lines }}</pre></div>"""


def lined(label: str, lines: str) -> Html:
    """Return HTML that shows a text line by line, unchanged."""
    return fill(LINED, label=label, lines=lines)


def warned(words: str, lines: Sequence[str]) -> Iterator[Html]:
    """Yield a note with a list; nothing if the list is empty."""
    if lines:
        yield el("div", el("p", el("strong", words)), bullets(lines), class_="note", role="note")


def who(run: PageFacts, name: str) -> Html:
    """Return the name of a model as the head of a row, with the word stand-in below it if it is one."""
    return join([named(name), el("span", "stand-in", class_="why") if run.is_stand_in(name) else None])


def rated(found: Mapping[str, Any], digits: int = DIGITS) -> Html:
    """Format a quantity with its intervals, one per line; an undefined quantity is a dash with the reason."""
    known = number(found)
    if known is None:
        return value(found)
    many = number(found.get("n"))
    lines = [
        _interval(words, known, section(found, kind), many, digits)
        for kind, words in INTERVALS.items()
        if kind in found
    ]
    return join([f"{known:z.{digits}f}", *lines])


def _interval(words: str, known: float, found: Mapping[str, Any], many: float | None, digits: int) -> Html:
    ends = span(found.get("interval"))
    if ends is None:
        return el("span", f"{words}: none, {reason(found.get('interval'))}", class_="why")
    mark = f" {UNRELIABLE}" if found.get("unreliable") else ""
    templates = number(found.get("n_templates"))
    counted = many if templates is None else templates
    return el("span", f"{words} {around(known, ends, counted, digits)}{mark}", class_="ci")


def plain(found: Any, digits: int = DIGITS) -> str:
    """Format a number without anything beside it; a dash if it is absent."""
    known = number(found)
    return NONE if known is None else f"{known:z.{digits}f}"


def about(found: Mapping[str, Any], labels: Mapping[str, str]) -> Html:
    """Return a list of what a document says about its own parts, each under its label."""
    return bullets(
        join([el("b", labels.get(name, name.replace("_", " "))), f": {words}."]) for name, words in found.items()
    )


def spelled(found: Any, depth: int = 0) -> str:
    """Format a small part of a document as text: `a: 1, b: (c: 2)`; what is too deep or too much is left out."""
    if isinstance(found, Mapping | list | tuple):
        if depth > DEEPEST:
            return "…"
        pairs = list(found.items()) if isinstance(found, Mapping) else [("", each) for each in found]
        parts = [
            f"{name}: {spelled(each, depth + 1)}" if name else spelled(each, depth + 1) for name, each in pairs[:MOST]
        ] + ["…"] * (len(pairs) > MOST)
        return f"({', '.join(parts)})" if depth and len(parts) > 1 else ", ".join(parts)
    known = number(found) if not isinstance(found, str) else None
    return str(found) if known is None else f"{known:,.10g}"
