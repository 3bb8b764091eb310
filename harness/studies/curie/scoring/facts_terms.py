"""Signed terms of the formulas in a text, with one spelling for all that mean the same (rule HFE).

The order of terms, the order of commuting factors, and the letters of summed indices are ignored; nothing is multiplied
out. Independent of the item, and of which text is the gold.
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

Term = tuple[int, str]  # sign and spelling
MOST_RENAMED = 6  # most indices for which every renaming is tried
MOST_SPELLED = 50_000  # factors spelled for one answer; OURS, to limit the time for any text


@dataclass(slots=True)
class Effort:
    """The remaining budget for renaming dummy indices, counted in factors that are spelled."""

    left: int = MOST_SPELLED

    def spend(self, work: int) -> bool:
        """Subtract `work` from the budget if it is affordable; return whether it was."""
        affordable = work <= self.left
        self.left -= work if affordable else 0
        return affordable


def terms(text: str, effort: Effort | None = None) -> Counter[Term]:
    """Count the signed terms of a text, by sign and spelling; several texts of one answer share their effort.

    If the effort is used up, dummies keep their order of appearance. Raises TooDeep if brackets are nested too deep.
    """
    found = sums(text)
    canon = Canon(found, effort or Effort())
    return Counter((term.sign, canon.spelling(term)) for one in found for term in one)


class Canon:
    """Computes the canonical spelling of each term of a text, from the operators in it and the remaining effort."""

    def __init__(self, text: Iterable[Sum], effort: Effort) -> None:
        self._operators = operators(text)
        self._effort = effort

    def spelling(self, term: Product) -> str:
        """Return a spelling that does not depend on the order of commuting factors or on the names of dummies."""
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
        """Group the dummies by how the term looks from each; only those in one group need to be permuted."""
        looks = []
        for index in names:
            seen = {**dict.fromkeys(names, "#?"), index: "#!"}
            looks.append((Speller(self._operators, seen).product(term), index))
        return [[index for _, index in cell] for _, cell in groupby(sorted(looks), key=lambda one: one[0])]


def _size(term: Product) -> int:
    """Count the factors of a term, including those in its brackets and indices."""
    size, waiting = 0, [term]
    while waiting:
        factors = waiting.pop().factors
        size += len(factors)
        parts = (part for factor in factors for part in (*factor.sub, *factor.sup, *within(factor)))
        waiting.extend(one for part in parts for one in part)
    return size
