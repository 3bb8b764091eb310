"""Signed terms of the formulas in a text, each in one spelling for all that mean the same (rule HFE).

The order of terms, that of factors that commute, and the letters of summed indices are set aside; nothing is multiplied
out. It must never know an item, nor which text is the gold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, pairwise, permutations, product
from math import factorial, prod

from harness.studies.curie.reading.formulas import sums
from harness.studies.curie.reading.latex_brackets import ANGLE, BAR, ROUND
from harness.studies.curie.reading.latex_names import GREEK
from harness.studies.curie.reading.latex_tree import BIG, Factor, Group, Product, Sum, is_symbol

Term = tuple[int, str]  # its sign, and its spelling
MOST_RENAMED = 6  # dummies of which every renaming is tried
MOST_TRIED = 20_000  # renamings tried in one text; OURS, so that no text takes long
INTEGRALS = BIG[2:]
_LIMITS = ("=", "\\in", "\\to")  # what stands after one of these is no dummy
_ASYMMETRIC = (*_LIMITS, "<", ">", "\\leq", "\\geq")


def terms(text: str) -> Counter[Term]:
    """Count the signed terms of a text, by sign and canonical spelling; TooDeep where brackets are too deep to follow."""
    found = sums(text)
    spelling = Spelling(found)
    return Counter((term.sign, spelling.canonical(term)) for one in found for term in one)


class Spelling:
    """The spelling of the terms of one text: which letters are operators there, and what was spent on renamings."""

    def __init__(self, text: Iterable[Sum]) -> None:
        self._operators = frozenset(_daggered(text))
        self._left = MOST_TRIED

    def canonical(self, term: Product) -> str:
        """Spell a term so that any other order of commuting factors, or other names of its dummies, spells the same."""
        dummies = list(dict.fromkeys(_dummies(term)))
        term = _with_arguments(term, frozenset(dummies))
        if len(dummies) > MOST_RENAMED:
            return self._spelled(term, dummies)
        cells = self._alike(term, dummies)
        tries = prod(factorial(len(cell)) for cell in cells)
        if tries > self._left:
            return self._spelled(term, dummies)
        self._left -= tries
        orders = product(*(permutations(cell) for cell in cells))
        return min(self._spelled(term, [name for cell in order for name in cell]) for order in orders)

    def _spelled(self, term: Product, dummies: Sequence[str]) -> str:
        return _Renamed(self._operators, {name: f"#{place}" for place, name in enumerate(dummies)}).product(term)

    def _alike(self, term: Product, dummies: Sequence[str]) -> list[list[str]]:
        """Part the dummies by how the term looks from each; renaming those that look alike gives the least spelling."""

        def look(name: str) -> str:
            names = {**dict.fromkeys(dummies, "#?"), name: "#!"}
            return _Renamed(self._operators, names).product(term)

        looks = sorted((look(name), name) for name in dummies) if len(dummies) > 1 else [("", name) for name in dummies]
        return [[name for _, name in cell] for _, cell in groupby(looks, key=lambda one: one[0])]


class _Renamed:
    """Spells trees with the dummies renamed."""

    def __init__(self, operators: frozenset[str], names: Mapping[str, str]) -> None:
        self._operators, self._names = operators, names

    def product(self, term: Product) -> str:
        """Spell factors: those that commute sorted, then operators, and all in their order where a bar stands."""
        if any(factor.base == "|" for factor in term.factors):
            return self._written(term)
        free = sorted(said for one in term.factors if not self._acts(one) for said in self._factor(one))
        acting = [said for one in term.factors if self._acts(one) for said in self._factor(one)]
        return " ".join((*free, "@", *acting) if acting else free)

    def total(self, terms: Sum, written: bool = False) -> str:
        """Spell a sum: its terms sorted, the factors of each in one order, or as they are written."""
        spell = self._written if written else self.product
        return "".join(sorted(f"{'-' if one.sign < 0 else '+'}{spell(one)}" for one in terms))

    def _written(self, term: Product) -> str:
        return " ".join(said for one in term.factors for said in self._factor(one))

    def _acts(self, factor: Factor) -> bool:
        """Tell whether a factor is an operator, so that its place counts: a letter with a dagger, or what holds one."""
        if isinstance(factor.base, Group) and factor.base.kind not in (ANGLE, BAR):
            inner = (one for part in factor.base.parts for term in part for one in term.factors)
            return _plain(factor.base) in self._operators or any(self._acts(one) for one in inner)
        return _plain(factor.base) in self._operators

    def _factor(self, factor: Factor) -> list[str]:
        if factor.base in BIG:
            return self._big(factor)
        whole = self._names.get(_name(factor))
        if whole is not None:
            return [whole + self._above(factor) + self._arguments(factor)]
        base, primes = self._base(factor.base), "'" * factor.primes
        bare = self._names.get(_plain(factor.base) + primes)
        if bare is not None and _plain(factor.base) not in self._operators:
            base, primes = bare, ""
        sub = "".join(self.total(one, written=True) for one in factor.sub)
        return [base + primes + (f"_{sub}" if sub else "") + self._above(factor) + self._arguments(factor)]

    def _base(self, base: str | Group) -> str:
        if isinstance(base, str):
            return base
        written = base.kind == "matrix"
        return f"{base.kind}[{','.join(self.total(one, written) for one in base.parts)}]"

    def _above(self, factor: Factor) -> str:
        return "^" + ",".join(self.total(one, written=True) for one in factor.sup) if factor.sup else ""

    def _arguments(self, factor: Factor) -> str:
        return f"({','.join(self.total(one) for one in factor.args)})" if factor.args else ""

    def _big(self, factor: Factor) -> list[str]:
        """Spell a sum's sign once for each of its indices, whose order says nothing; limits stand with their index."""
        above = self._above(factor)
        said = [text for part in factor.sub for text in self._indices(part)]
        return [f"{factor.base}[{one}]{above}" for one in said] or [f"{factor.base}{above}"]

    def _indices(self, part: Sum) -> list[str]:
        symbols = [factor for term in part for factor in term.factors]
        if any(one.base in _ASYMMETRIC for one in symbols):
            return [self.total(part, written=True)]
        inner = [self._unordered(one) for one in symbols]
        return inner if all(is_symbol(one.base) and _is_letter(one) for one in symbols) else [" ".join(sorted(inner))]

    def _unordered(self, factor: Factor) -> str:
        if isinstance(factor.base, Group) and factor.base.kind in (ANGLE, ROUND, "[", "\\{"):
            inner = (one for part in factor.base.parts for term in part for one in term.factors)
            return f"{factor.base.kind}[{' '.join(sorted(said for one in inner for said in self._factor(one)))}]"
        return "".join(self._factor(factor))


def _name(factor: Factor) -> str:
    """Spell an index by which it is told from others: letter, own index, primes; nothing where that is no plain text."""
    letter = plain(factor.base)
    below = [inner for part in factor.sub for term in part for inner in term.factors]
    if not letter or any(not isinstance(one.base, str) or one.sub or one.sup for one in below):
        return ""
    return _indexed(letter, [f"{one.base}{_QUOTE * one.primes}" for one in below]) + _QUOTE * factor.primes


def _indexed(base: str, below: Sequence[str]) -> str:
    return f"{base}_{{{' '.join(below)}}}" if below else base


def _is_letter(factor: Factor) -> bool:
    letter = plain(factor.base)
    return bool(letter) and (len(letter) == 1 or letter.rpartition("\\")[2] in GREEK or letter[-2:-1].isalpha() is False)


def _dummies(term: Product) -> Iterator[str]:
    """Give the names of the indices of a term's sums, and of what it integrates over, brackets within it too."""
    found = list(_differentials(term)) if any(one.base in INTEGRALS for one in term.factors) else []
    for factor in term.factors:
        if factor.base in BIG and not (found and factor.base in INTEGRALS):  # `d k` says it, then `_{BZ}` is a region
            yield from (name for part in factor.sub for name in _under(part))
        inner = factor.base.parts if isinstance(factor.base, Group) else ()
        yield from (name for part in (*inner, *factor.args) for one in part for name in _dummies(one))
    yield from found


def _differentials(term: Product) -> Iterator[str]:
    for one, after in pairwise(term.factors):
        if one.base == "d" and not one.sub and _is_letter(after):
            yield _name(after)


def _under(part: Sum) -> Iterator[str]:
    """Give the letters under a sign of summation, up to the limits that they are set to."""
    for factor in (one for term in part for one in term.factors):
        if factor.base in _LIMITS:
            return
        if _is_letter(factor):
            yield _name(factor)
        elif isinstance(factor.base, Group):
            yield from (name for inner in factor.base.parts for name in _under(inner))


def _with_arguments(term: Product, dummies: frozenset[str]) -> Product:
    """Give the term with a bracket such as (k − k') read as arguments of the letter before it: it holds an index bare."""
    found: list[Factor] = []
    for factor in term.factors:
        base = factor.base
        if isinstance(base, Group):
            parts = tuple(tuple(_with_arguments(one, dummies) for one in part) for part in base.parts)
            factor = replace(factor, base=Group(base.kind, parts))  # noqa: PLW2901
            bare = (_name(inner) for part in parts for one in part for inner in one.factors)
            if base.kind == ROUND and found and _takes(found[-1]) and any(name in dummies for name in bare):
                found[-1] = replace(found[-1], args=parts)
                continue
        found.append(factor)
    return replace(term, factors=tuple(found))


def _takes(factor: Factor) -> bool:
    return is_symbol(factor.base) and not factor.args


def _daggered(text: Iterable[Sum]) -> Iterator[str]:
    """Give the letters that carry a dagger anywhere in a text."""
    waiting = [factor for one in text for term in one for factor in term.factors]
    while waiting:
        factor = waiting.pop()
        if any(inner.base == "\\dagger" for part in factor.sup for term in part for inner in term.factors):
            yield _plain(factor.base)
        inner = factor.base.parts if isinstance(factor.base, Group) else ()
        waiting.extend(one for part in (*inner, *factor.args) for term in part for one in term.factors)
