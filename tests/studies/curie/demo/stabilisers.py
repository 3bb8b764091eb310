"""A stabiliser code from its generators alone: whether they commute, and which parameters they have, by enumeration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

Pauli = tuple[int, int]  # the qubits with an X, and those with a Z, as bits


def read(printed: Iterable[str]) -> list[Pauli]:
    """Read generators as a paper prints them: Pauli words, or `X on 1 2 3`."""
    found = []
    for each in printed:
        letter, on, qubits = each.partition(" on ")
        if on:
            bits = sum(1 << int(qubit) for qubit in qubits.split())
            found.append((bits, 0) if letter == "X" else (0, bits))
        else:
            x = sum(1 << at for at, one in enumerate(each, 1) if one in "XY")
            found.append((x, sum(1 << at for at, one in enumerate(each, 1) if one in "ZY")))
    return found


def commute(one: Pauli, other: Pauli) -> bool:
    return ((one[0] & other[1]).bit_count() + (one[1] & other[0]).bit_count()) % 2 == 0


def rank(vectors: Iterable[int]) -> int:
    basis: list[int] = []
    for vector in vectors:
        rest = vector
        for each in basis:
            rest = min(rest, rest ^ each)
        if rest:
            basis.append(rest)
    return len(basis)


def parameters(generators: Sequence[Pauli]) -> tuple[int, int, int]:
    """Give n, k and d: d is the least weight of what commutes with all generators and is no product of them."""
    n = max(x | z for x, z in generators).bit_length() - 1
    whole = [x | z << (n + 1) for x, z in generators]
    k = n - rank(whole)
    if all(not x or not z for x, z in generators):  # X and Z apart: fewer words to look at
        found = [
            least(n, [g[side] for g in generators if g[side]], [g[1 - side] for g in generators if g[1 - side]])
            for side in (0, 1)
        ]
        return n, k, min(found)
    mask = (1 << (n + 1)) - 1
    checks = [z | x << (n + 1) for x, z in generators]
    return n, k, least(2 * n + 1, whole, checks, lambda word: ((word & mask) | (word >> (n + 1))).bit_count(), n + 1)


def least(
    n: int, own: list[int], checks: list[int], weight: Callable[[int], int] = int.bit_count, hole: int = 0
) -> int:
    """Give the least weight of a word that meets every check in an even number of places and is no sum of `own`."""
    size = rank(own)
    words = [0]
    for vector in _kernel([bit for bit in range(1, n + 1) if bit != hole], checks):
        words += [word ^ vector for word in words]
    return next(weight(word) for word in sorted(words, key=weight) if word and rank([*own, word]) > size)


def _kernel(bits: list[int], checks: list[int]) -> list[int]:
    solved: dict[int, int] = {}
    for check in checks:
        rest = check
        for bit, row in solved.items():
            if check >> bit & 1:
                rest ^= row
        if rest:
            bit = rest.bit_length() - 1
            solved = {at: row ^ rest if row >> bit & 1 else row for at, row in solved.items()} | {bit: rest}
    free = [bit for bit in bits if bit not in solved]
    return [1 << bit | sum(1 << at for at, row in solved.items() if row >> bit & 1) for bit in free]
