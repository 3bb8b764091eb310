"""Hamiltonians in LaTeX become matrices on a small system, so that their meaning can be computed.

Three sites or three momenta on a ring; letters that stand for numbers get fixed ones. It knows nothing of the makers.
"""

from __future__ import annotations

import functools
import itertools
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

SIZE = 3
UP, DOWN = "\\uparrow", "\\downarrow"
RANGES = {
    **dict.fromkeys(("i", "j", "k", "k'", "q"), tuple(range(SIZE))),
    **dict.fromkeys(("\\sigma", "\\sigma'"), (UP, DOWN)),
    "\\alpha": ("x", "y", "z"),
}  # fmt: skip
_TOKEN = re.compile(r"\\[A-Za-z]+|[A-Za-z]|\d+|[{}_^]|[-+*',=]")
Matrix = Any
Binding = Mapping[str, Any]


@dataclass(frozen=True)
class Symbol:
    """A symbol with its indices and what stands above it."""

    base: str
    indices: tuple[str, ...]
    above: str


@dataclass(frozen=True)
class Node:
    """A sum over indices, an average, or a quotient."""

    kind: str
    parts: tuple[Any, ...]


def inside(text: str, at: int) -> tuple[str, int]:
    """Give what a brace at a place encloses, and the place after it."""
    depth = 0
    for end in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        if depth == 0:
            return text[at + 1 : end], end + 1
    raise ValueError(text)


def factors(text: str) -> list[Any]:
    """Read a product: symbols, sums, averages and quotients in their order."""
    found: list[Any] = []
    at = 0
    while at < len(text):
        if text[at] in " $":
            at += 1
        elif text.startswith("\\sum_", at):
            body, at = inside(text, at + 5)
            found.append(Node("sum", tuple(_bound(body))))
        elif text.startswith("\\langle", at):
            end = text.index("\\rangle", at)
            found.append(Node("average", tuple(factors(text[at + 7 : end]))))
            at = end + 7
        elif text.startswith("\\frac", at):
            top, at = inside(text, at + 5)
            bottom, at = inside(text, at)
            found.append(Node("quotient", (tuple(factors(top)), tuple(factors(bottom)))))
        else:
            symbol, at = _symbol(text, at)
            found.append(symbol)
    return found


def _bound(body: str) -> Iterator[tuple[str, ...]]:
    """Give the indices of a sum; neighbours are a pair."""
    pair = re.match(r"\\langle i,j \\rangle,?", body)
    if pair:
        yield ("i", "j")
        body = body[pair.end() :]
    yield from ((name,) for name in body.split(",") if name)


def _symbol(text: str, at: int) -> tuple[Symbol, int]:
    token = _TOKEN.match(text, at)
    assert token, text[at:]
    at, below, above = token.end(), "", ""
    while at < len(text) and text[at] in "_^":
        mark = text[at]
        body, at = inside(text, at + 1)
        below, above = (body, above) if mark == "_" else (below, body)
    return Symbol(token[0], tuple(filter(None, below.split(","))), above), at


def terms(text: str) -> list[tuple[int, list[Any]]]:
    """Read the terms of a formula, after its last sign of equality, each with its sign."""
    body = text.strip(" $.").rpartition("=")[2].strip()
    sign, body = (-1, body[1:]) if body.startswith("-") else (1, body)
    first, *rest = re.split(r" ([-+]) ", body)
    more = zip(rest[::2], rest[1::2], strict=True)
    return [(sign, factors(first)), *((1 if mark == "+" else -1, factors(part)) for mark, part in more)]


@functools.cache
def number(base: str, indices: tuple[Any, ...]) -> float:
    """Give the fixed number of a letter: symmetric in two indices, even in one momentum."""
    if len(indices) == 1 and isinstance(indices[0], int) and base == "V":
        indices = (min(indices[0] % SIZE, -indices[0] % SIZE),)
    return random.Random(repr((base, tuple(sorted(map(str, indices)))))).uniform(0.3, 1.0)


def index(name: str, bound: Binding) -> Any:
    """Give what an index means: a bound value, a sum of momenta, or itself."""
    if name in bound:
        return bound[name]
    if re.fullmatch(r"\d+", name):
        return int(name)
    pieces = re.findall(r"([-+]?)(k'|k|q)", name)
    if pieces and "".join(sign + what for sign, what in pieces) == name:
        return sum((-1 if sign == "-" else 1) * bound[what] for sign, what in pieces) % SIZE
    return name


@dataclass
class System:
    """A small system: the matrices of its annihilators or spins, a density matrix for averages, and abbreviations."""

    operators: Mapping[tuple[Any, ...], Matrix]
    state: Matrix
    definitions: Sequence[str] = ()

    @property
    def one(self) -> Matrix:
        """Give the unit matrix."""
        return np.eye(next(iter(self.operators.values())).shape[0])

    def mean(self, matrix: Matrix) -> complex:
        """Give the average of an operator."""
        return complex(np.sum(self.state.T * matrix))

    def formula(self, text: str) -> Matrix:
        """Give the matrix of a formula."""
        return sum(sign * self.product(parts, {}) for sign, parts in terms(text))

    def product(self, parts: Sequence[Any], bound: Binding) -> Matrix:
        """Give the matrix of a product, whose free indices are bound."""
        for place, part in enumerate(parts):
            if isinstance(part, Node) and part.kind == "sum":
                rest = [*parts[:place], *parts[place + 1 :]]
                return sum(self.product(rest, {**bound, **each}) for each in self.assignments(part.parts))
        scale, result = 1.0 + 0.0j, None
        for part in parts:
            value = self._factor(part, bound)
            if isinstance(value, float | complex):
                scale *= value
            else:
                result = value if result is None else result @ value
        return scale * (self.one if result is None else result)

    @staticmethod
    def assignments(names: Sequence[tuple[str, ...]]) -> Iterator[dict[str, Any]]:
        """Give the values that the indices of a sum run over: neighbours are any two sites that differ."""
        pairs = [(one, other) for one in range(SIZE) for other in range(SIZE) if one != other]
        choices = [pairs if len(each) == 2 else [(value,) for value in RANGES[each[0]]] for each in names]
        for values in itertools.product(*choices):
            yield {name: value for each, got in zip(names, values, strict=True)
                   for name, value in zip(each, got, strict=True)}  # fmt: skip

    def _factor(self, part: Any, bound: Binding) -> Any:
        if isinstance(part, Node) and part.kind == "average":
            return self.mean(self.product(part.parts, bound))
        if isinstance(part, Node):
            above, below = (self.product(each, bound)[0, 0] for each in part.parts)
            return complex(above / below)
        return self.symbol(part, bound)

    def symbol(self, part: Symbol, bound: Binding) -> Any:
        """Give the matrix of an operator, or the number of an abbreviation or of any other letter."""
        at = tuple(index(name, bound) for name in part.indices)
        if part.base == "n" and ("c", *at) in self.operators:
            annihilator = self.operators["c", *at]
            return annihilator.conj().T @ annihilator
        if part.base == "S":
            return self.operators["S", *at, index(part.above, bound)]
        if (part.base, *at) in self.operators:
            found = self.operators[part.base, *at]
            return found.conj().T if part.above == "\\dagger" else found
        if part.base == "\\Delta":
            value = self._abbreviation(at)
            return value.conjugate() if part.above == "*" else value
        return float(part.base) if part.base.isdigit() else number(part.base, at)

    def _abbreviation(self, at: tuple[Any, ...]) -> complex:
        for definition in self.definitions:
            left, _, right = definition.strip(" $.").partition("=")
            [symbol] = factors(left.strip())
            if len(symbol.indices) == len(at):
                bound = dict(zip(symbol.indices, at, strict=True))
                return complex(sum(sign * self.product(parts, bound)[0, 0] for sign, parts in terms(right)))
        raise KeyError(at)
