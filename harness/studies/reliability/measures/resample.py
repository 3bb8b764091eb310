"""Resamples of instances (reliability 6.9): the one place where they are drawn, for every analysis of the study.

It knows how many instances there are and in which strata; it must never know a label, a model or a statistic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness import seeds
from harness.errors import InputError

Array = Any  # of numpy, which only the functions that compute load

AT_ONCE = 200  # resamples drawn together; the draws are the same whatever it is


def multiplicities(seed: int, resamples: int, strata: Mapping[str, Sequence[int]]) -> Array:
    """Say how often each instance stands in each resample: drawn within its stratum, with all its prompts.

    The strata together hold the places 0, 1, … of all instances. The draws depend on the seed, the stratum's name and
    its size alone, so that whoever asks for the same instances gets the same resamples.
    """
    import numpy as np  # noqa: PLC0415

    if resamples < 1:
        raise InputError(f"{resamples} resamples", where="resamples", next="ask for at least one")
    found: Array = np.zeros((resamples, sum(map(len, strata.values()))), np.int32)
    for name, places in strata.items():
        size = len(places)
        source = np.random.Generator(np.random.PCG64(seeds.derive(seed, "bootstrap", name)))
        for start in range(0, resamples, AT_ONCE):
            rows = min(AT_ONCE, resamples - start)
            drawn = source.integers(0, size, (rows, size)) + size * np.arange(rows)[:, None]
            counted = np.bincount(drawn.ravel(), minlength=rows * size)
            found[start : start + rows, list(places)] = counted.reshape(rows, size)
    return found
