"""Small systems of fermions, bosons and spins, and random states in which their averages factorise."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from studies.curie.demo.latex_operators import DOWN, SIZE, UP

Matrix = Any
Label = tuple[Any, ...]
LEVELS = 4  # of a boson; enough, since no formula raises one twice


@functools.cache
def fermions(labels: tuple[Label, ...]) -> Mapping[Label, Matrix]:
    """Give annihilators of modes that anticommute (Jordan and Wigner)."""
    lower, sign, one = np.array([[0.0, 1.0], [0.0, 0.0]]), np.diag([1.0, -1.0]), np.eye(2)
    return {
        label: functools.reduce(np.kron, [sign] * at + [lower] + [one] * (len(labels) - at - 1))
        for at, label in enumerate(labels)
    }


def _local(matrices: Mapping[Any, Matrix], base: str) -> dict[Label, Matrix]:
    """Put matrices of one site on each of the sites."""
    found = {}
    for site, (name, matrix) in itertools.product(range(SIZE), matrices.items()):
        around = [np.eye(len(matrix))] * SIZE
        around[site] = matrix
        found[(base, site, name) if name else (base, site)] = functools.reduce(np.kron, around)
    return found


def spins() -> dict[Label, Matrix]:
    """Give the components of spins of length one on the sites."""
    step = np.sqrt(2) * np.diag([1.0, 1.0], 1)
    return _local({"x": (step + step.T) / 2, "y": (step - step.T) / 2j, "z": np.diag([1.0, 0.0, -1.0])}, "S")


def bosons() -> dict[Label, Matrix]:
    """Give annihilators of bosons on the sites, cut off above a few."""
    return _local({"": np.diag(np.sqrt(np.arange(1.0, LEVELS)), 1)}, "b")


def _thermal(energy: Matrix) -> Matrix:
    values, vectors = np.linalg.eigh((energy + energy.conj().T) / 2)
    weights = np.exp(-(values - values.min()))
    return (vectors * (weights / weights.sum())) @ vectors.conj().T


def _random(source: np.random.Generator, *shape: int) -> Matrix:
    return source.normal(size=shape) + 1j * source.normal(size=shape)


def gaussian(
    operators: Mapping[Label, Matrix], allowed: Callable[[Label, Label], bool],
    paired: Callable[[Label, Label], bool] = lambda one, other: False,
) -> Callable[[int, float], Matrix]:  # fmt: skip
    """Give a function from a seed and a small step to the thermal state of a random quadratic Hamiltonian."""
    modes = list(operators.items())

    def energy(source: np.random.Generator) -> Matrix:
        total = np.zeros_like(modes[0][1], dtype=complex)
        for (one, a), (other, b) in itertools.product(modes, modes):
            strength, pairing = _random(source, 2)
            if allowed(one, other):
                total = total + strength * a.conj().T @ b
            if paired(one, other):
                total = total + pairing * a.conj().T @ b.conj().T
        return total + total.conj().T

    def state(seed: int, step: float = 0.0) -> Matrix:
        source = np.random.default_rng(seed)
        return _thermal(0.5 * energy(source) + step * energy(source))

    return state


def product(size: int) -> Callable[[int, float], Matrix]:
    """Give a function from a seed and a small step to a product of random states of single sites."""

    def one(seed: int, step: float) -> Matrix:
        source = np.random.default_rng(seed)
        parts = [_random(source, size, size) + step * _random(source, size, size) for _ in range(SIZE)]
        states = [part @ part.conj().T for part in parts]
        return functools.reduce(np.kron, [state / np.trace(state) for state in states])

    return one


SPINFUL = tuple(("c", site, spin) for site in range(SIZE) for spin in (UP, DOWN))
SPINLESS = tuple(("c", site) for site in range(SIZE))
IMPURITY = (*SPINFUL, ("d", UP), ("d", DOWN))
LAYERS = tuple((layer, site) for layer in "ab" for site in range(SIZE))


def same_spin(one: Label, other: Label) -> bool:
    """Whether two modes have the same spin."""
    return bool(one[-1] == other[-1])


def every(one: Label, other: Label) -> bool:
    """Whether anything is allowed: it is."""
    return True


def opposite(one: Label, other: Label) -> bool:
    """Whether a pair of two modes has no spin."""
    return (one[-1], other[-1]) == (UP, DOWN)


def equal(one: Label, other: Label) -> bool:
    """Whether two modes are one."""
    return one == other


def _of(labels: Sequence[Label], *rules: Any) -> tuple[Mapping[Label, Matrix], Callable[[int, float], Matrix]]:
    operators = fermions(tuple(labels))
    return operators, gaussian(operators, *rules)


# For each model, by the words of its paper: operators, and the states in which what the paper keeps is all there is.
SYSTEMS: Mapping[str, Callable[[], tuple[Mapping[Label, Matrix], Callable[[int, float], Matrix]]]] = {
    "collinear magnetism of the Hubbard model": lambda: _of(SPINFUL, same_spin),
    "spinless fermions with neighbour interaction": lambda: _of(SPINLESS, every),
    "local pairs in the attractive Hubbard model": lambda: _of(SPINFUL, same_spin, opposite),
    "the Ising model in a transverse field": lambda: (spins(), product(3)),
    "molecular fields of the Heisenberg model": lambda: (spins(), product(3)),
    "lattice bosons with decoupled hopping": lambda: (bosons(), product(LEVELS)),
    "a magnetic impurity in a metal": lambda: _of(IMPURITY, same_spin),
    "excitons in a bilayer": lambda: _of(LAYERS, every),
    "charge and bond order of the extended Hubbard model": lambda: _of(SPINFUL, same_spin),
    "spirals in the Hubbard model": lambda: _of(SPINFUL, every),
    "the homogeneous electron gas": lambda: _of(SPINFUL, equal),
    "unrestricted mean fields of a cluster": lambda: _of(SPINFUL, every),
    "pairs of spinless fermions": lambda: _of(SPINLESS, every, every),
}
