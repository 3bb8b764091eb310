"""The tree of a formula: terms with their signs, factors with their indices, nested brackets.

Redundant brackets are removed; nothing is multiplied out. Independent of the meaning of a term, and of which letters
are summation indices.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from harness.studies.curie.reading.latex_brackets import BRACE, ROUND
from harness.studies.curie.reading.latex_names import ACCENTS

BIG = ("\\sum", "\\prod", "\\int", "\\iint", "\\iiint", "\\oint")  # operators with indices of their own
INVERSE = "\\inverse"  # kind of the group for a factor in a denominator
ACCENTED = frozenset(f"\\{name}" for name in ACCENTS)  # kinds of groups


@dataclass(frozen=True, slots=True)
class Group:
    """A bracket, a root, an accent, a matrix or a divisor: its kind, and its parts, which commas separate."""

    kind: str
    parts: tuple[Sum, ...]


@dataclass(frozen=True, slots=True)
class Factor:
    """One factor: a symbol or a group, its subscripts and superscripts, the number of primes, and its arguments."""

    base: str | Group
    sub: tuple[Sum, ...] = ()
    sup: tuple[Sum, ...] = ()
    primes: int = 0
    args: tuple[Sum, ...] = ()


@dataclass(frozen=True, slots=True)
class Product:
    """One term: its sign, and its factors as written."""

    sign: int
    factors: tuple[Factor, ...]


Sum = tuple[Product, ...]
_NAME = re.compile(r"\\|[A-Za-z]")
_MINUS = Factor("-")
NOTHING = Factor(Group(BRACE, ()))


def plain(base: str | Group) -> str:
    """Return the name of a symbol with its accents; an empty text for anything else."""
    accents = ""
    while isinstance(base, Group) and base.kind in ACCENTED:
        accents += f"{base.kind} "
        base = base.parts[0][0].factors[0].base if base.parts[0] and base.parts[0][0].factors else ""
    return accents + base if isinstance(base, str) and base not in BIG and _NAME.match(base) else ""


def alone(base: str | Group) -> Sum:
    """Return the sum of one term of one symbol."""
    return (Product(1, (Factor(base),)),)


def product(sign: int, factors: Sequence[Factor]) -> Iterable[Product]:
    """Return the term of these factors without redundant brackets; terms in round brackets are one factor (rule HFE).

    Braces by themselves are layout, so terms in bare braces are treated as if there were no braces.
    """
    found = [inner for one in factors for inner in unwrapped(one)]
    sign *= -1 if sum(one == _MINUS for one in found) % 2 else 1
    kept = [one for one in found if one != _MINUS]
    if len(kept) == 1 and (opened := _bracket(kept[0], BRACE)) and len(opened) == 1:
        return [replace(term, sign=sign * term.sign) for term in opened[0]]
    return [Product(sign, tuple(kept))] if kept else []


def unwrapped(factor: Factor) -> list[Factor]:
    """Return the factors in a bracket that has one term and no index; any other factor is returned as it is."""
    factor = unbraced(factor)
    parts = _bracket(factor, ROUND, BRACE)
    if parts == ():
        return []
    if parts is None or len(parts) > 1 or len(parts[0]) > 1:
        return [factor]
    (term,) = parts[0]
    return [*([_MINUS] if term.sign < 0 else []), *term.factors]


def _bracket(factor: Factor, *kinds: str) -> tuple[Sum, ...] | None:
    """Return the parts of a factor that is only a bracket of these kinds, without an index; None for any other."""
    group = factor.base
    bare = isinstance(group, Group) and group.kind in kinds and factor == Factor(group)
    return group.parts if bare and isinstance(group, Group) else None


def unbraced(factor: Factor) -> Factor:
    """Return the single factor in braces with the scripts of both; any other factor is returned as it is."""
    group = factor.base
    if isinstance(group, Group) and group.kind == BRACE and len(group.parts) == 1 and len(group.parts[0]) == 1:
        (term,) = group.parts[0]
        if term.sign > 0 and len(term.factors) == 1:
            (inner,) = term.factors
            sub, sup = (*inner.sub, *factor.sub), (*inner.sup, *factor.sup)
            return replace(inner, sub=sub, sup=sup, primes=inner.primes + factor.primes)
    return factor


def divided(factors: Iterable[Factor]) -> list[Factor]:
    """Return the factors that divide by the given ones; a minus stays unchanged."""
    return [one if one == _MINUS else Factor(Group(INVERSE, ((Product(1, (one,)),),))) for one in factors]


def is_argument(group: Group) -> bool:
    """Whether a bracket holds the arguments of a function and does not multiply: several, or one symbol."""
    if group.kind not in (ROUND, "[", "\\{") or not group.parts:
        return False
    return len(group.parts) > 1 or (len(group.parts[0]) == 1 and len(group.parts[0][0].factors) == 1)
