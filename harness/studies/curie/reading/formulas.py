"""Convert a text with formulas to the sums on the right sides of its equations (rule HFE).

Formulas are separated at line ends, `;`, `where` and `and`; prose beside them is left out. Independent of where the
text comes from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from harness.studies.curie.reading.latex import BREAK, MATH, PARAGRAPH, PARTING, PROSE, tokens
from harness.studies.curie.reading.latex_brackets import OPEN, ROUND, brackets, outside
from harness.studies.curie.reading.latex_parser import FormulaParser
from harness.studies.curie.reading.latex_tree import BIG, Sum

_BETWEEN = frozenset([BREAK, PARAGRAPH, ";", *(PROSE + word for word in PARTING)])
_MARKS = frozenset([*BIG, "\\dagger", "\\langle", "\\hc"])  # tokens that do not occur in prose about a symbol
Range = tuple[int, int]


def sums(text: str) -> list[Sum]:
    """Return the sum of each formula of a text: the part after its last `=`, or all of it if there is none.

    A sentence without `=` counts only if it contains a sum, an integral, a dagger or an average. Raises TooDeep if
    brackets are nested too deep.
    """
    read = tokens(text)
    matched = brackets(read)
    parser = FormulaParser(read, matched)
    found = [parser.sum(*part) for piece in _pieces(read, matched) for part in _right(read, matched, *piece)]
    return [one for one in found if one]


def _pieces(read: Sequence[str], matched: Mapping[int, int]) -> Iterator[Range]:
    begun = 0
    for place in outside(matched, 0, len(read)):
        if read[place] in _BETWEEN:
            yield begun, place
            begun = place + 1
    yield begun, len(read)


def _right(read: Sequence[str], matched: Mapping[int, int], start: int, end: int) -> list[Range]:
    """Return the right sides in a piece: of each formula between dollars that has a `=`, else of the whole piece."""
    marks = [at for at in outside(matched, start, end) if read[at] == MATH]
    inside = list(zip(marks[::2], marks[1::2], strict=True)) if len(marks) % 2 == 0 else []
    between = [_after(read, matched, begun + 1, ended) for begun, ended in inside]
    if equations := [one for one in between if one]:
        return equations
    if (found := _after(read, matched, start, end)) is not None:
        return _spoken(read, matched, *found)[:1]
    parts = _spoken(read, matched, start, end)
    return parts if parts == [(start, end)] else [one for one in parts if not _MARKS.isdisjoint(read[slice(*one)])]


def _after(read: Sequence[str], matched: Mapping[int, int], start: int, end: int) -> Range | None:
    places = [at for at in outside(matched, start, end) if read[at] == "="]
    return (places[-1] + 1, end) if places else None


def _spoken(read: Sequence[str], matched: Mapping[int, int], start: int, end: int) -> list[Range]:
    """Return the stretches between words of prose; a bracket that contains prose counts as prose."""
    found, begun = [], start
    for at in outside(matched, start, end):
        close = matched.get(at, at)
        if any(token.startswith(PROSE) for token in (read[at:close] if OPEN.get(read[at]) == ROUND else [read[at]])):
            found.append((begun, at))
            begun = close + 1
    return [*found, (begun, end)]
