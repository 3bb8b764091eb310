"""Bootstrap resamples, sign flips of paired permutation tests, and the intervals and correlations made of them (OURS).

All resamples of studies are drawn here. Intervals are percentiles of resamples, or Wilson's. Spearman correlations are
computed for many rows at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness import seeds, stats
from harness.errors import InputError
from harness.stats import wilson

RESAMPLES = 2000
LEVEL = 0.95  # of every interval
FEWEST = 2  # with fewer units nothing can be resampled


def ratio(over: Any, under: Any) -> Any:
    """Divide arrays or numbers element by element; nan if the divisor is 0."""
    import numpy as np  # noqa: PLC0415

    over, under = np.broadcast_arrays(np.asarray(over, float), np.asarray(under, float))
    return np.divide(over, under, out=np.full(over.shape, np.nan), where=under != 0)


def interval(values: Any) -> dict[str, Any]:
    """Return the percentile interval of bootstrap values as the field `interval`; nan means an undefined resample.

    If some resamples leave the statistic undefined, their number is returned too. If most do, the interval is missing.
    """
    import numpy as np  # noqa: PLC0415

    defined = values[~np.isnan(values)]
    undefined = len(values) - len(defined)
    if 2 * undefined > len(values):
        return {"interval": {"missing": f"undefined in {undefined} of {len(values)} resamples"}}
    low, high = np.quantile(defined, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    found: dict[str, Any] = {"interval": [float(low), float(high)]}
    return {**found, "undefined_resamples": undefined} if undefined else found


def beside(value: float | None, values: Any, units: int, why: str) -> dict[str, Any]:
    """Return a value with the percentile interval of its bootstrap resamples `values`, as plain data.

    A value of None gives two missing values with the reason `why`. Fewer than two units give a missing interval.
    """
    if value is None:
        return absent(why)
    if units < FEWEST:
        return {"value": float(value), "interval": {"missing": "too few units to resample"}}
    return {"value": float(value), **interval(values)}


def share(count: int, of: int, why: str) -> dict[str, Any]:
    """Return the share `count / of` with its Wilson interval; missing values with the reason `why` if `of` is 0."""
    return {"value": count / of, "interval": list(wilson(count, of))} if of else absent(why)


def absent(why: str) -> dict[str, Any]:
    """Return a missing value and a missing interval as plain data, both with the reason `why`."""
    return {"value": {"missing": why}, "interval": {"missing": why}}


def spearman_rows(x: Any, y: Any) -> Any:
    """Return the Spearman correlation of each row of x with the same row of y; nan if one of them is constant.

    A place that is nan in either row is left out of their correlation.
    """
    import numpy as np  # noqa: PLC0415

    x, y = np.broadcast_arrays(x, y)
    if x.shape[1] < FEWEST:
        return np.full(len(x), np.nan)
    lacking = np.isnan(x) | np.isnan(y)
    return _pearson(*(rank_rows(np.where(lacking, np.nan, each)) for each in (x, y)))


def rank_rows(values: Any) -> Any:
    """Rank each row from 1, ties by their mean, as `stats.average_ranks` does; nan stays nan and takes no rank."""
    import numpy as np  # noqa: PLC0415

    order = np.argsort(values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    places = np.broadcast_to(np.arange(values.shape[1]), values.shape)
    edge: Any = np.ones((len(values), 1), bool)
    new = np.concatenate([edge, ordered[:, 1:] != ordered[:, :-1]], axis=1)
    last = np.concatenate([new[:, 1:], edge], axis=1)
    start = np.maximum.accumulate(np.where(new, places, -1), axis=1)
    end = np.minimum.accumulate(np.where(last, places, values.shape[1])[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (start + end) / 2 + 1, axis=1)
    return np.where(np.isnan(values), np.nan, ranks)


def _pearson(x: Any, y: Any) -> Any:
    """Correlate rows of ranks; ranks are multiples of one half, so that a constant row is detected exactly."""
    import numpy as np  # noqa: PLC0415

    there = ~np.isnan(x)
    count = there.sum(axis=1, keepdims=True)
    x, y = (np.where(there, each - (count + 1) / 2, 0.0) for each in (x, y))
    spread = (x * x).sum(axis=1) * (y * y).sum(axis=1)
    found = ratio((x * y).sum(axis=1), np.sqrt(spread))
    return np.clip(found, -1, 1)


Array = stats.Array


def multiplicities(seed: int, resamples: int, strata: Mapping[str, Sequence[int]]) -> Array:
    """Draw stratified bootstrap resamples as an array of how often each instance is drawn in each resample.

    The strata together contain the indices 0, 1, … of all instances. The draws depend only on the seed, the stratum's
    name and its size, so that all calls for the same instances get the same resamples.
    """
    import numpy as np  # noqa: PLC0415

    if resamples < 1:
        raise InputError(f"`resamples` is {resamples}", where="resamples", next="ask for at least one")
    found: Array = np.zeros((resamples, sum(map(len, strata.values()))), np.int32)
    for name, places in strata.items():
        found[:, list(places)] = stats.bootstrap_counts(generator(seed, "bootstrap", name), resamples, len(places))
    return found


def sign_flips(seed: int, count: int, what: str, size: int) -> Array:
    """Draw the signs of a permutation test of paired differences: `count` rows of `size` signs, +1 or -1.

    The signs depend only on the seed, the name `what` and the two numbers.
    """
    return stats.sign_flips(generator(seed, "sign-flip", what), count, size)


def generator(seed: int, purpose: str, name: str) -> Array:
    """Return a numpy random generator, seeded for one purpose and name."""
    import numpy as np  # noqa: PLC0415

    return np.random.Generator(np.random.PCG64(seeds.derive_seed(seed, purpose, name)))
