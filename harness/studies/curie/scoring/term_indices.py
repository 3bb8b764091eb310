"""Indices of a term: the letters that are summed or integrated over, and the letters that are operators in a text.

Does not spell terms. Independent of where a text comes from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from harness.studies.curie.reading.latex_brackets import ROUND
from harness.studies.curie.reading.latex_names import GREEK
from harness.studies.curie.reading.latex_tree import BIG, Factor, Group, Product, Sum, plain

INTEGRALS = BIG[2:]
LIMITS = ("=", "\\in", "\\to")  # a symbol after one of these is not an index
_PRIME = "'"


def name(factor: Factor) -> str:
    """Return the name that identifies an index: letter, own index, primes; empty if it is not plain text."""
    letter = plain(factor.base)
    below = [inner for part in factor.sub for term in part for inner in term.factors]
    if not letter or any(not isinstance(one.base, str) or one.sub or one.sup for one in below):
        return ""
    own = " ".join(f"{one.base}{_PRIME * one.primes}" for one in below) if below else ""
    return (f"{letter}_{{{own}}}" if own else letter) + _PRIME * factor.primes


def is_letter(factor: Factor) -> bool:
    """Whether a factor is one letter, Latin or Greek, apart from accents, indices and primes."""
    letter = plain(factor.base).rpartition(" ")[2]
    return len(letter) == 1 or letter[1:] in GREEK


def within(factor: Factor) -> Iterator[Sum]:
    """Yield the parts of a factor's bracket, if it is one, and its arguments."""
    if isinstance(factor.base, Group):
        yield from factor.base.parts
    yield from factor.args


def dummies(term: Product) -> list[str]:
    """Return the names of the indices that a term sums or integrates over, also in its brackets, in order."""
    return list(dict.fromkeys(found for found in _dummies(term) if found))


def _dummies(term: Product) -> Iterator[str]:
    found = list(_differentials(term.factors)) if any(one.base in INTEGRALS for one in term.factors) else []
    for factor in term.factors:
        if factor.base in BIG and not (found and factor.base in INTEGRALS):  # after `d k`, `_{BZ}` is a region
            yield from (index for part in factor.sub for index in _under(part))
        yield from (index for part in within(factor) for one in part for index in _dummies(one))
    yield from found


def _differentials(factors: Sequence[Factor]) -> Iterator[str]:
    for one, after in pairwise(factors):
        if one.base == "d" and not one.sub and is_letter(after):
            yield name(after)


def _under(part: Sum) -> Iterator[str]:
    """Yield the letters below a summation sign, up to the limits that they are set to."""
    for factor in (one for term in part for one in term.factors):
        if factor.base in LIMITS:
            return
        if is_letter(factor):
            yield name(factor)
        for inner in within(factor):
            yield from _under(inner)


def with_arguments(term: Product, indices: frozenset[str]) -> Product:
    """Return a term in which brackets with a bare index, such as (k - q), are arguments of the letter before them."""
    found: list[Factor] = []
    for factor in term.factors:
        base, one = factor.base, factor
        if isinstance(base, Group):
            parts = tuple(tuple(with_arguments(inner, indices) for inner in part) for part in base.parts)
            one = replace(factor, base=Group(base.kind, parts))
            bare = (name(inner) for part in parts for term in part for inner in term.factors)
            takes = base.kind == ROUND and found and plain(found[-1].base) and not found[-1].args
            if takes and any(index in indices for index in bare):
                found[-1] = replace(found[-1], args=parts, sup=(*found[-1].sup, *factor.sup))
                continue
        found.append(one)
    return replace(term, factors=tuple(found))


def operators(text: Iterable[Sum]) -> frozenset[str]:
    """Return the letters that carry a dagger anywhere in the formulas of a text."""
    found = set()
    waiting = [factor for one in text for term in one for factor in term.factors]
    while waiting:
        factor = waiting.pop()
        above = (one.base for part in factor.sup for term in part for one in term.factors)
        if "\\dagger" in above:
            found.add(plain(factor.base))
        waiting.extend(one for part in within(factor) for term in part for one in term.factors)
    return frozenset(found - {""})
