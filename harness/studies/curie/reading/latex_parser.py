"""Parse the tokens of a formula into its tree.

Independent of the meaning of a formula and of where it comes from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from harness.studies.curie.reading.latex import BREAK, MATH, PARAGRAPH
from harness.studies.curie.reading.latex_brackets import BRACE, OPEN, ROUND, outside
from harness.studies.curie.reading.latex_tree import (
    ACCENTED,
    NOTHING,
    Factor,
    Group,
    Product,
    Sum,
    alone,
    divided,
    is_argument,
    plain,
    product,
    unbraced,
    unwrapped,
)

_ROOT, _MATRIX = "\\sqrt", "matrix"
_MOST_SCRIPTS = 30  # parts of one index that are read
_MOST_ACCENTS = 5
_SKIPPED = frozenset([BREAK, PARAGRAPH, MATH, "&", "*", ".", ":", "!", ";", "`", "#", "?", ","])
_MARKS = ("'", "\\prime", "\\dagger")
_SCRIPTS = ("_", "^", *_MARKS)


class FormulaParser:
    """A parser for one list of tokens whose brackets are matched."""

    def __init__(self, tokens: Sequence[str], matched: Mapping[int, int]) -> None:
        self._tokens, self._matched = tokens, matched

    def sum(self, start: int, end: int) -> Sum:
        """Read the terms between two positions, separated by plus and minus outside of brackets."""
        terms: list[Product] = []
        sign, place = 1, start
        factors: list[Factor] = []
        while place < end:
            said = self._tokens[place]
            if said in ("+", "-"):
                terms.extend(product(sign, factors))
                sign = (1 if factors else sign) * (-1 if said == "-" else 1)
                factors, place = [], place + 1
            elif said in _SKIPPED:
                place += 1
            else:
                place = self._factor(place, end, factors)
        return (*terms, *product(sign, factors))

    def parts(self, start: int, end: int) -> tuple[Sum, ...]:
        """Read the parts between two positions, separated by commas, `&` and line breaks; a bare sign is a part."""
        places = [at for at in outside(self._matched, start, end) if self._tokens[at] in (",", "&", BREAK, PARAGRAPH)]
        found = []
        for begun, ended in zip([start, *(at + 1 for at in places)], [*places, end], strict=True):
            signs = "".join(self._tokens[begun:ended])
            found.append(alone(signs) if signs and not signs.strip("+-*") else self.sum(begun, ended))
        return tuple(one for one in found if one)

    def _factor(self, place: int, end: int, factors: list[Factor]) -> int:
        """Read one factor with everything that belongs to it; return the position after it."""
        said = self._tokens[place]
        if said in _SCRIPTS:
            return self._script(place, end, factors)
        if said == "/":
            return self._divided(place + 1, end, factors)
        if said == "\\frac":
            above, place = self._argument(place + 1, end)
            below, place = self._argument(place, end)
            factors.extend((*unwrapped(above), *divided(unwrapped(below))))
            return place
        one, place = self._argument(place, end)
        last = factors[-1] if factors else NOTHING
        if isinstance(one.base, Group) and is_argument(one.base) and plain(last.base) and not last.args:
            factors[-1] = replace(last, args=one.base.parts)
        else:
            factors.append(one)
        return place

    def _argument(self, place: int, end: int, accents: int = 0) -> tuple[Factor, int]:
        """Read one symbol or group; return it, or NOTHING if there is none, with the position after it."""
        while place < end and self._tokens[place] in _SKIPPED:
            place += 1
        if place >= end:
            return NOTHING, place
        said, close = self._tokens[place], self._matched.get(place, end)
        if close < end:
            return Factor(self._group(said, place + 1, close)), close + 1
        if said in (*ACCENTED, _ROOT) and accents < _MOST_ACCENTS:
            one, place = self._argument(place + 1, end, accents + 1)
            inner = unwrapped(one)
            if len(inner) == 1 and said != _ROOT:  # scripts of the symbol under an accent apply to the whole
                return replace(inner[0], base=Group(said, (alone(inner[0].base),))), place
            return Factor(Group(said, ((Product(1, tuple(inner)),),))), place
        return Factor(said), place + 1

    def _group(self, said: str, start: int, end: int) -> Group:
        kind = OPEN.get(said, _MATRIX)
        parts = (self.sum(start, end),) if kind == BRACE else self.parts(start, end)
        return Group(said if kind == ROUND and len(parts) > 1 else kind, tuple(one for one in parts if one))

    def _script(self, place: int, end: int, factors: list[Factor]) -> int:
        """Read an index, an exponent, a prime or a dagger, and attach it to the last factor."""
        said = self._tokens[place]
        if said in _MARKS and (not factors or factors[-1].base in _MARKS):
            factors.append(Factor(said))  # `^{\\dagger}`: nothing else is in that exponent
            return place + 1
        last = unbraced(factors.pop()) if factors else NOTHING
        if said in ("_", "^"):
            content, place = self._scripted(place + 1, end)
        else:
            content, place = (alone(said),), place + 1
        symbols = [factor.base for one in content for term in one for factor in term.factors]
        if symbols and all(one in _MARKS[:2] for one in symbols):
            last = replace(last, primes=last.primes + len(symbols))
        elif said == "_":
            last = replace(last, sub=(*last.sub, *content)[:_MOST_SCRIPTS])
        else:
            last = replace(last, sup=(*last.sup, *content)[:_MOST_SCRIPTS])
        factors.append(last)
        return place

    def _scripted(self, place: int, end: int) -> tuple[tuple[Sum, ...], int]:
        while place < end and self._tokens[place] in (BREAK, MATH):
            place += 1
        if place < end and self._tokens[place] == "{" and (close := self._matched.get(place, end)) < end:
            return self.parts(place + 1, close), close + 1
        if place < end and self._tokens[place] in ("+", "-", "*", *_SCRIPTS):
            return (alone(self._tokens[place]),), place + 1
        one, place = self._argument(place, end)
        return ((Product(1, (one,)),),), place

    def _divided(self, place: int, end: int, factors: list[Factor]) -> int:
        while place < end and (self._tokens[place] in _SKIPPED or self._tokens[place] == "/"):
            place += 1
        if place >= end or self._tokens[place] in ("+", "-"):
            return place
        below: list[Factor] = []
        place = self._factor(place, end, below)
        while place < end and self._tokens[place] in _SCRIPTS:
            place = self._script(place, end, below)
        factors.extend(divided(inner for one in below for inner in unwrapped(one)))
        return place
