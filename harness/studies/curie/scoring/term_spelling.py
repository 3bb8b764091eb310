"""Spelling of terms: commuting factors are sorted, operators keep their order, indices get the names given for them.

Does not choose names. Independent of where a term comes from.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.studies.curie.reading.latex_brackets import ANGLE, BAR, ROUND
from harness.studies.curie.reading.latex_tree import BIG, Factor, Group, Product, Sum, plain
from harness.studies.curie.scoring.term_indices import LIMITS, is_letter, name, within

_ONE = Factor("1")
_ORDERED = (*LIMITS, "<", ">", "\\leq", "\\geq")  # relations whose two sides are distinguished


class Speller:
    """Spells terms, given the letters that are operators and the name of each index."""

    def __init__(self, operators: frozenset[str], names: Mapping[str, str]) -> None:
        self._operators, self._names = operators, names

    def product(self, term: Product) -> str:
        """Spell a term's factors: those that commute sorted, without ones, then the operators.

        If a bare bar is among them, all factors keep their order.
        """
        if any(factor.base == "|" for factor in term.factors):
            return self._written(term)
        free: list[str] = []
        acting: list[str] = []
        for one in [one for one in term.factors if one != _ONE] or term.factors[:1]:
            (acting if self._acts(one) else free).extend(self._factor(one))
        return " ".join([*sorted(free), *(["@", *acting] if acting else [])])

    def _written(self, term: Product) -> str:
        return " ".join(said for one in term.factors for said in self._factor(one))

    def _sum(self, terms: Sum, written: bool = False) -> str:
        """Spell a sum: its terms sorted, with the factors of each in canonical or, if `written`, in original order."""
        spell = self._written if written else self.product
        said = sorted(f"{'-' if one.sign < 0 else '+'}{spell(one)}" for one in terms)
        return said[0].removeprefix("+") if len(said) == 1 else "".join(said)

    def _acts(self, factor: Factor) -> bool:
        """Whether a factor is an operator: a letter with a dagger somewhere in the text, or a bracket with one."""
        if plain(factor.base) in self._operators:
            return name(factor) not in self._names or self._scripted(factor)
        if not isinstance(factor.base, Group) or factor.base.kind in (ANGLE, BAR):
            return False
        return any(self._acts(one) for part in factor.base.parts for term in part for one in term.factors)

    def _factor(self, factor: Factor) -> list[str]:
        if factor.base in BIG:
            return self._big(factor)
        letter, whole = plain(factor.base), name(factor)
        acts = letter in self._operators and self._scripted(factor)  # then it is not an index
        after = self._above(factor) + self._arguments(factor)
        if whole in self._names and not acts:
            return [self._names[whole] + after]
        primed = letter + "'" * factor.primes
        known = self._names.get(primed) if letter and not acts else None
        base = known or self._base(factor.base) + "'" * factor.primes
        below = " ".join(self._sum(one, written=True) for one in factor.sub)
        return [base + (f"_{{{below}}}" if below else "") + after]

    def _scripted(self, factor: Factor) -> bool:
        return bool(factor.sub or factor.sup or factor.args)

    def _base(self, base: str | Group) -> str:
        if isinstance(base, str):
            return base
        return f"{base.kind}[{','.join(self._sum(one) for one in base.parts)}]"

    def _above(self, factor: Factor) -> str:
        return "".join(f"^{{{self._sum(one, written=True)}}}" for one in factor.sup)

    def _arguments(self, factor: Factor) -> str:
        return f"({','.join(self._sum(one) for one in factor.args)})" if factor.args else ""

    def _big(self, factor: Factor) -> list[str]:
        """Spell a summation sign once per index: the order of indices, and of two signs, has no meaning."""
        said = [text for part in factor.sub for text in self._indices(part)] or [""]
        return [f"{factor.base}[{one}]{self._above(factor)}" for one in said]

    def _indices(self, part: Sum) -> list[str]:
        symbols = [factor for term in part for factor in term.factors]
        if any(one.base in _ORDERED for one in symbols):
            return [self._sum(part, written=True)]
        said = [self._unordered(one) for one in symbols]
        return said if all(map(is_letter, symbols)) else [" ".join(sorted(said))]

    def _unordered(self, factor: Factor) -> str:
        if isinstance(factor.base, Group) and factor.base.kind in (ANGLE, ROUND, "[", "\\{"):
            inner = (one for part in within(factor) for term in part for one in term.factors)
            return f"{factor.base.kind}[{' '.join(sorted(said for one in inner for said in self._factor(one)))}]"
        return "".join(self._factor(factor))
