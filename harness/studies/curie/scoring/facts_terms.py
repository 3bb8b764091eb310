"""Signed terms of the formulas in a text, each in one spelling for all that mean the same (rule HFE).

The order of terms, that of factors that commute, and the letters of summed indices are set aside; nothing is multiplied
out. It must never know an item, nor which text is the gold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, permutations, product
from math import factorial, prod

from harness.studies.curie.reading.formulas import sums
from harness.studies.curie.reading.latex_tree import Product, Sum
from harness.studies.curie.scoring.term_indices import dummies, operators, with_arguments, within
from harness.studies.curie.scoring.term_spelling import Speller

Term = tuple[int, str]  # its sign, and its spelling
MOST_RENAMED = 6  # indices of which every renaming is tried
MOST_SPELLED = 50_000  # factors spelled for one answer; OURS, so that no text takes long


@dataclass(slots=True)
class Effort:
    """What may still be spent on renaming dummies: factors that are spelled."""

    left: int = MOST_SPELLED

    def spend(self, work: int) -> bool:
        """Take so much off what is left; tell whether it was there."""
        affordable = work <= self.left
        self.left -= work if affordable else 0
        return affordable


def terms(text: str, effort: Effort | None = None) -> Counter[Term]:
    """Count the signed terms of a text, by sign and spelling; several texts of one answer share their effort.

    Where that is spent, dummies are taken as they appear. TooDeep where brackets stand too deep to follow.
    """
    found = sums(text)
    canon = Canon(found, effort or Effort())
    return Counter((term.sign, canon.spelling(term)) for one in found for term in one)


class Canon:
    """The one spelling of each term of a text: it knows the operators there, and what may be spent."""

    def __init__(self, text: Iterable[Sum], effort: Effort) -> None:
        self._operators = operators(text)
        self._effort = effort

    def spelling(self, term: Product) -> str:
        """Spell a term as any other order of commuting factors, or other names of its dummies, spells it too."""
        names = dummies(term)
        term = with_arguments(term, frozenset(names))
        if len(names) < 2 or len(names) > MOST_RENAMED or not self._effort.spend(len(names) * _size(term)):
            return self._spelled(term, names)
        cells = self._alike(term, names)
        if not self._effort.spend(prod(factorial(len(cell)) for cell in cells) * _size(term)):
            return self._spelled(term, names)
        orders = product(*(permutations(cell) for cell in cells))
        return min(self._spelled(term, [index for cell in order for index in cell]) for order in orders)

    def _spelled(self, term: Product, names: Sequence[str]) -> str:
        return Speller(self._operators, {index: f"#{place}" for place, index in enumerate(names)}).product(term)

    def _alike(self, term: Product, names: Sequence[str]) -> list[list[str]]:
        """Part the dummies by how the term looks from each: those that look alike alone need to change places."""
        looks = []
        for index in names:
            seen = {**dict.fromkeys(names, "#?"), index: "#!"}
            looks.append((Speller(self._operators, seen).product(term), index))
        return [[index for _, index in cell] for _, cell in groupby(sorted(looks), key=lambda one: one[0])]


def _size(term: Product) -> int:
    """Count the factors of a term, those in its brackets and indices too."""
    size, waiting = 0, [term]
    while waiting:
        factors = waiting.pop().factors
        size += len(factors)
        parts = (part for factor in factors for part in (*factor.sub, *factor.sup, *within(factor)))
        waiting.extend(one for part in parts for one in part)
    return size
