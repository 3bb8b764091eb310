"""Bootstrap resamples and the sign flips of a paired permutation test: the one place where studies draw them.

It knows how many instances there are and in which strata; it must never know a label, a model or a statistic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness import seeds, stats
from harness.errors import InputError

Array = stats.Array


def multiplicities(seed: int, resamples: int, strata: Mapping[str, Sequence[int]]) -> Array:
    """Draw stratified bootstrap resamples, as how often each instance stands in each, with all its prompts.

    The strata together hold the places 0, 1, … of all instances. The draws depend on the seed, the stratum's name and
    its size alone, so that whoever asks for the same instances gets the same resamples.
    """
    import numpy as np  # noqa: PLC0415

    if resamples < 1:
        raise InputError(f"`resamples` is {resamples}", where="resamples", next="ask for at least one")
    found: Array = np.zeros((resamples, sum(map(len, strata.values()))), np.int32)
    for name, places in strata.items():
        found[:, list(places)] = stats.multiplicities(generator(seed, "bootstrap", name), resamples, len(places))
    return found


def sign_flips(seed: int, count: int, what: str, size: int) -> Array:
    """Draw the signs of a permutation test of paired differences: `count` rows of `size` signs, +1 or -1.

    They depend on the seed, the name `what` and the two numbers alone.
    """
    return stats.sign_flips(generator(seed, "sign-flip", what), count, size)


def generator(seed: int, purpose: str, name: str) -> Array:
    """Give a numpy random generator, seeded for one purpose and name."""
    import numpy as np  # noqa: PLC0415

    return np.random.Generator(np.random.PCG64(seeds.derive(seed, purpose, name)))
