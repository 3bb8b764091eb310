"""Noise with the rows of a real design (OURS): features and targets that are unrelated to each other.

White noise is exchangeable: any order of rows is equally likely. Slow noise is similar from row to row within a block:
constant in a passage of Pereira plus a quarter of white noise, autoregressive in a sentence of Fedorenko or a story of
Blank.
"""

from __future__ import annotations

from typing import Any

from harness.seeds import derive_seed
from harness.studies.brain.structure.layout import Layout
from harness.studies.brain.terms import BLANK, PEREIRA

Array = Any  # a numpy array, or a numpy generator
WHITE = 0.25  # share of white noise added to the constant of a passage
RHO = 0.6  # autocorrelation of a word with the one before it
RHO_SCANS = 0.95  # autocorrelation of a scan with the one before it


def generator(seed: int, family: int) -> Array:
    """Return a seeded numpy random generator for one simulated family, independent of the other families."""
    import numpy as np  # noqa: PLC0415 - heavy

    return np.random.Generator(np.random.PCG64(derive_seed(seed, "brain.sizes", str(family))))


def white(source: Array, layout: Layout, columns: int) -> Array:
    """Draw an array [row, column] of independent Gaussian noise."""
    return source.standard_normal((len(layout.ids), columns))


def slow(source: Array, layout: Layout, columns: int) -> Array:
    """Draw noise that is similar within a block and independent between blocks: [row, column], of equal variance."""
    import numpy as np  # noqa: PLC0415

    own = white(source, layout, columns)
    if layout.dataset == PEREIRA:
        held = layout.block_rows()
        constants = source.standard_normal((len(held), columns))
        for place, each in enumerate(held.values()):
            own[[*each]] = constants[place] + WHITE * own[[*each]]
        return own / np.sqrt(1 + WHITE**2)
    rho = RHO_SCANS if layout.dataset == BLANK else RHO
    for row, position in enumerate(layout.positions):
        if position:
            own[row] = rho * own[row - 1] + np.sqrt(1 - rho**2) * own[row]
    return own
