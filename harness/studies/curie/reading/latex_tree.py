"""Tokens of a formula become a tree: terms with their signs, factors with their indices, brackets within brackets.

Nothing is multiplied out. What a term means, and which letter is an index of a sum, must never be known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from harness.studies.curie.reading.latex import BREAK, MATH, PARAGRAPH
from harness.studies.curie.reading.latex_brackets import BRACE, OPEN, ROUND, outside

BIG = ("\\sum", "\\prod", "\\int", "\\iint", "\\iiint", "\\oint")  # what has indices of its own
INVERSE = "\\inverse"  # kind of the group of a factor that is divided by
_MATRIX = "matrix"
_MOST_SCRIPTS = 30  # parts of one index that are read
_MOST_ACCENTS = 5
_WITH_ARGUMENT = frozenset(
    f"\\{name}"
    for name in "tilde widetilde bar overline underline dot ddot check mathcal mathscr mathbb mathfrak sqrt".split()
)
_SKIPPED = frozenset([BREAK, PARAGRAPH, MATH, "&", "*", ".", ":", "!", ";", "`", "#", "?", ","])
_MARKS = ("'", "\\prime", "\\dagger")
_SCRIPTS = ("_", "^", *_MARKS)


@dataclass(frozen=True, slots=True)
class Group:
    """A bracket, a root, an accent, a matrix or a divisor: its kind, and its parts (those that commas part)."""

    kind: str
    parts: tuple[Sum, ...]


@dataclass(frozen=True, slots=True)
class Factor:
    """One factor: a symbol or a group, what stands below and above it, how many primes, and its arguments."""

    base: str | Group
    sub: tuple[Sum, ...] = ()
    sup: tuple[Sum, ...] = ()
    primes: int = 0
    args: tuple[Sum, ...] = ()


@dataclass(frozen=True, slots=True)
class Product:
    """One term: its sign, and its factors as they are written."""

    sign: int
    factors: tuple[Factor, ...]


Sum = tuple[Product, ...]
_NAME = re.compile(r"\\|[A-Za-z]")
_MINUS = Factor("-")
_NOTHING = Factor(Group(BRACE, ()))


def plain(base: str | Group) -> str:
    """Give the name of a symbol, with its accents; of anything else, nothing."""
    accents = ""
    while isinstance(base, Group) and base.kind in _WITH_ARGUMENT and base.kind != "\\sqrt":
        accents += f"{base.kind} "
        base = base.parts[0][0].factors[0].base if base.parts[0] and base.parts[0][0].factors else ""
    return accents + base if isinstance(base, str) and base not in BIG and _NAME.match(base) else ""


class Parser:
    """A reader of one list of tokens, whose brackets are matched."""

    def __init__(self, tokens: Sequence[str], matched: Mapping[int, int]) -> None:
        self._tokens, self._matched = tokens, matched

    def sum(self, start: int, end: int) -> Sum:
        """Read the terms between two places, parted at + and − outside of brackets."""
        terms: list[Product] = []
        sign, place = 1, start
        factors: list[Factor] = []
        while place < end:
            token = self._tokens[place]
            if token in ("+", "-"):
                terms.extend(_product(sign, factors))
                sign = (1 if factors else sign) * (-1 if token == "-" else 1)
                factors, place = [], place + 1
            elif token in _SKIPPED:
                place += 1
            else:
                place = self._factor(place, end, factors)
        return (*terms, *_product(sign, factors))

    def parts(self, start: int, end: int) -> tuple[Sum, ...]:
        """Read what commas, `&` and line breaks part between two places; a bare sign is a part of its own."""
        places = [at for at in outside(self._matched, start, end) if self._tokens[at] in (",", "&", BREAK, PARAGRAPH)]
        found = []
        for begun, ended in zip([start, *(at + 1 for at in places)], [*places, end], strict=True):
            signs = "".join(self._tokens[begun:ended])
            found.append(_alone(signs) if signs and not signs.strip("+-*") else self.sum(begun, ended))
        return tuple(one for one in found if one)

    def _factor(self, place: int, end: int, factors: list[Factor]) -> int:
        """Read one factor with what belongs to it; give the place after it."""
        token = self._tokens[place]
        if token in _SCRIPTS:
            return self._script(place, end, factors)
        if token == "/":
            return self._divided(place + 1, end, factors)
        if token == "\\frac":
            above, place = self._argument(place + 1, end)
            below, place = self._argument(place, end)
            factors.extend((*_unwrapped(above), *_inverse(_unwrapped(below))))
            return place
        one, place = self._argument(place, end)
        last = factors[-1] if factors else _NOTHING
        if isinstance(one.base, Group) and _is_argument(one.base) and plain(last.base) and not last.args:
            factors[-1] = replace(last, args=one.base.parts)
        else:
            factors.append(one)
        return place

    def _argument(self, place: int, end: int, accents: int = 0) -> tuple[Factor, int]:
        """Read one symbol or one group, and the place after it; where there is none, nothing."""
        while place < end and self._tokens[place] in _SKIPPED:
            place += 1
        if place >= end:
            return _NOTHING, place
        token, close = self._tokens[place], self._matched.get(place, end)
        if close < end:
            return Factor(self._group(token, place + 1, close)), close + 1
        if token in _WITH_ARGUMENT and accents < _MOST_ACCENTS:
            one, place = self._argument(place + 1, end, accents + 1)
            inner = _unwrapped(one)
            if len(inner) == 1 and token != "\\sqrt":  # the scripts of what is under an accent are those of the whole
                return replace(inner[0], base=Group(token, (_alone(inner[0].base),))), place
            return Factor(Group(token, ((Product(1, tuple(inner)),),))), place
        return Factor(token), place + 1

    def _group(self, token: str, start: int, end: int) -> Group:
        kind = OPEN.get(token, _MATRIX)
        parts = (self.sum(start, end),) if kind == BRACE else self.parts(start, end)
        return Group(token if kind == ROUND and len(parts) > 1 else kind, tuple(one for one in parts if one))

    def _script(self, place: int, end: int, factors: list[Factor]) -> int:
        """Read an index, an exponent, a prime or a dagger, and lay it on the last factor."""
        token = self._tokens[place]
        if token in _MARKS and (not factors or factors[-1].base in _MARKS):
            factors.append(Factor(token))  # `^{\\dagger}`: nothing else stands up there
            return place + 1
        last = _unbraced(factors.pop()) if factors else _NOTHING
        if token in ("_", "^"):
            content, place = self._scripted(place + 1, end)
        else:
            content, place = (_alone(token),), place + 1
        symbols = [factor.base for one in content for term in one for factor in term.factors]
        if symbols and all(one in _MARKS[:2] for one in symbols):
            last = replace(last, primes=last.primes + len(symbols))
        elif token == "_":
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
            return (_alone(self._tokens[place]),), place + 1
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
        factors.extend(_inverse(inner for one in below for inner in _unwrapped(one)))
        return place


def _alone(base: str | Group) -> Sum:
    return (Product(1, (Factor(base),)),)


def _product(sign: int, factors: Sequence[Factor]) -> Iterable[Product]:
    """Give the term of these factors: redundant brackets and ones taken off, a bare bracket of terms opened."""
    plain = [inner for one in factors for inner in _unwrapped(one)]
    sign *= -1 if sum(one == _MINUS for one in plain) % 2 else 1
    plain = [one for one in plain if one != _MINUS]
    kept = [one for one in plain if one != Factor("1")] or plain[:1]
    if len(kept) == 1 and isinstance(group := kept[0].base, Group) and kept[0] == Factor(group):
        if group.kind in (ROUND, BRACE) and len(group.parts) == 1:
            return [replace(term, sign=sign * term.sign) for term in group.parts[0]]
    return [Product(sign, tuple(kept))] if kept else []


def _unwrapped(factor: Factor) -> list[Factor]:
    """Give the factors within a bracket that holds one term and has no index; of anything else, itself."""
    factor = _unbraced(factor)
    group = factor.base
    if not isinstance(group, Group) or group.kind not in (ROUND, BRACE) or factor != Factor(group):
        return [factor]
    if not group.parts:
        return []
    if len(group.parts) > 1 or len(group.parts[0]) > 1:
        return [factor]
    (term,) = group.parts[0]
    return [*([_MINUS] if term.sign < 0 else []), *term.factors]


def _unbraced(factor: Factor) -> Factor:
    """Give what stands in braces that hold one factor alone, with the scripts of both."""
    group = factor.base
    if isinstance(group, Group) and group.kind == BRACE and len(group.parts) == 1 and len(group.parts[0]) == 1:
        (term,) = group.parts[0]
        if term.sign > 0 and len(term.factors) == 1:
            (inner,) = term.factors
            sub, sup = (*inner.sub, *factor.sub), (*inner.sup, *factor.sup)
            return replace(inner, sub=sub, sup=sup, primes=inner.primes + factor.primes)
    return factor


def _inverse(factors: Iterable[Factor]) -> list[Factor]:
    return [one if one == _MINUS else Factor(Group(INVERSE, ((Product(1, (one,)),),))) for one in factors]


def _is_argument(group: Group) -> bool:
    """Tell the arguments of a function from a bracket that multiplies: several, or one symbol alone."""
    if group.kind not in (ROUND, "[", "\\{") or not group.parts:
        return False
    return len(group.parts) > 1 or (len(group.parts[0]) == 1 and len(group.parts[0][0].factors) == 1)
