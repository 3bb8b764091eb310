"""HTML fragments that the tables of the page share: a score or the reason why it is absent, counts, choices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.kit.documents import number, reason
from harness.kit.pages import NONE, Html, el, join, named

MOST = 6  # the most names in a cell
WHY: Mapping[str, str] = {
    "nan": "undefined",
    "inf": "no finite number",
    "-inf": "no finite number: there was nothing to predict",
    "None": "not computed",
}


def score(found: Any, digits: int = 4, scale: float = 1.0, unit: str = "") -> Html:
    """Format a number; an absent number is a dash with the reason, as its document spells it."""
    known = number(found)
    if known is not None:
        shown = known * scale
        return join([f"{shown:z.{digits}f}{unit}" if abs(shown) < 1e6 else f"{shown:.3e}{unit}"])
    return join([NONE, el("span", WHY.get(str(found), reason(found)[:120]), class_="why")])


def share(found: Any, digits: int = 1) -> Html:
    """Format a share of 0 to 1 as a percentage; an absent share is a dash with the reason."""
    return score(found, digits, 100, " %")


def chosen(found: Any) -> Html:
    """Return the names of what was chosen, once or in each fold; at most six different names."""
    given = found if isinstance(found, Sequence) and not isinstance(found, str) else [found]
    names = list(dict.fromkeys(str(each) for each in given if each is not None))
    if not names:
        return join([NONE])
    more = f" and {len(names) - MOST} more" if len(names) > MOST else None
    return join([join([named(name) for name in names[:MOST]], ", "), more])


def dictionaries(found: Any) -> list[Mapping[str, Any]]:
    """Return the objects of a list; empty if `found` is not a list."""
    return [row for row in found if isinstance(row, Mapping)] if isinstance(found, list) else []


def flat(found: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every value of a small part of a document, with a name that joins the keys on its path."""
    for name, value in found.items():
        words = f"{before}, {name}" if before else name
        if isinstance(value, Mapping) and not {"missing", "value"} & value.keys():
            yield from flat(value, words)
        else:
            yield words.replace("_", " "), value
