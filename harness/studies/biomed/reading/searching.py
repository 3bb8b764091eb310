"""Where a text says a name: whole, in any letter case, with or without the hyphens and blanks inside the name."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property

from harness.studies.biomed.reading.plain import Plain

_WORD = re.compile(r"[^\W_]+")
_SALTS = (
    "hydrochloride|hydrobromide|sodium|potassium|calcium|phosphate|sulfate|sulphate|acetate|maleate|mesylate|tartrate|"
    "citrate|fumarate|succinate|besylate|tosylate|bromide|chloride|magnesium|anhydrous|monohydrate|dihydrate|enanthate|"
    "hemihydrate|disodium|dihydrochloride|malate|lactate|nitrate|trihydrate|pamoate|tromethamine|hcl|meglumine"
)
_SALT = re.compile(rf"\s+(?:{_SALTS})$", re.IGNORECASE)
_APART = re.compile(r"[,;]\s|[.!?]\s|\n")  # no name goes on behind these, unless it has them itself
_SYMBOL = re.compile(r"[A-Z]{2,6}")


class SearchedWords:
    """The words of a text, which can be searched for names."""

    def __init__(self, text: Plain) -> None:
        self._text = text
        self._words = [(found.start(), found[0]) for found in _WORD.finditer(text.lower)]

    @cached_property
    def _joined(self) -> tuple[str, list[int], set[int]]:
        begins, length = [], 0
        for _, word in self._words:
            begins.append(length)
            length += len(word)
        return "".join(word for _, word in self._words), begins, {*begins, length}

    def places(self, name: str) -> list[int]:
        """Return where a name begins in the text, at most 50 times; a possessive or plural s may follow the name."""
        wanted = "".join(found[0] for found in _WORD.finditer(name.lower()))
        joined, begins, ends = self._joined
        out: list[int] = []
        at = joined.find(wanted) if wanted else -1
        while at >= 0 and len(out) < 50:
            end = at + len(wanted)
            if self._begins(at, wanted, ends) and (end in ends or _goes_on(joined, end, wanted, ends)):
                place = self._place(at, begins)
                if _APART.search(name) or not _APART.search(self._text.text[place : self._place(end - 1, begins)]):
                    out.append(place)
            at = joined.find(wanted, at + 1)
        if out and _SYMBOL.fullmatch(name) and len(name) < 5:  # such as KIT, SET or REST, which are also words
            out = [place for place in out if not self._text.text[place : place + len(name)].islower()]
        return out

    def first(self, names: Iterable[str]) -> list[int]:
        """Return the positions of all names, ascending."""
        return sorted({place for name in names for place in self.places(name)})

    @staticmethod
    def _begins(at: int, wanted: str, ends: set[int]) -> bool:
        return at in ends or (wanted.isdigit() and len(wanted) > 6 and at - 2 in ends)  # US8178563

    def _place(self, at: int, begins: list[int]) -> int:
        number = bisect_left(begins, at + 1) - 1
        return self._words[number][0] + at - begins[number]


def _goes_on(joined: str, end: int, wanted: str, ends: set[int]) -> bool:
    tail = joined[end : end + 2]
    if wanted.isdigit():
        return len(wanted) > 6 and end + 2 in ends and tail[:1] == "b"  # US8178563B2
    return tail[:1] == "s" and end + 1 in ends and len(wanted) > 3


def without_salt(name: str) -> str:
    """Return a drug's name without its salt, such as Donepezil for Donepezil Hydrochloride."""
    short = _SALT.sub("", name.strip())
    return short if len(short) > 3 else name
