"""Text of a page that a command writes: it stands between two markers, and nobody edits it by hand."""

from __future__ import annotations

from pathlib import Path


def markers(name: str) -> tuple[str, str]:
    """Give the lines between which a command's text stands."""
    return f"<!-- {name}: written by tests/golden/{name}.py -->\n", f"<!-- {name}: end -->\n"


def between(page: str, name: str) -> str:
    """Give what stands between the markers; one that lacks them, or has them twice, ends the command."""
    first, last = markers(name)
    if page.count(first) != 1 or page.count(last) != 1 or page.index(first) > page.index(last):
        raise SystemExit(f"the page does not hold the two markers of {name} once, in their order")
    return page.partition(first)[2].partition(last)[0]


def write(path: Path, name: str, text: str) -> None:
    """Put text between the markers of a page."""
    page = path.read_text(encoding="utf-8")
    first, last = markers(name)
    path.write_text(page.replace(first + between(page, name) + last, first + text + last), encoding="utf-8")
