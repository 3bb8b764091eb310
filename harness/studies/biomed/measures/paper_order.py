"""The order of models in the published figures: median score, then abstention rate, then interquartile range.

The paper's caption says that abstention falls; its code lets it rise, and so does this. It must never know a name.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from harness.studies.biomed.measures.paper_columns import Columns
from harness.studies.biomed.terms import NOT_KNOWN


def model_order(models: Sequence[str], columns: Columns) -> list[str]:
    """Order models as published: highest median of answered rows first, ties by less abstention, by smaller range.

    A model without an answered row has no median, which breaks the published order around it, and breaks this one in
    the same way. A model without a column comes last (OURS), in the order given.
    """
    there = [model for model in models if model in columns]
    keys = {model: _key(columns[model]) for model in there}
    return [*_sorted_as_published(there, keys), *(model for model in models if model not in columns)]


def _sorted_as_published(models: Sequence[str], keys: Mapping[str, tuple[float, float, float]]) -> list[str]:
    """Sort by keys as Python did up to 3.12, where fewer than 64 are sorted: with NaN in a key the way decides.

    The run that the list begins with is kept, or turned round where it falls; each other model is put behind the last
    that it is not below, as halving finds it.
    """
    found = list(models)
    run, falls = 1, len(found) > 1 and keys[found[1]] < keys[found[0]]
    while run < len(found) and (keys[found[run]] < keys[found[run - 1]]) == falls:
        run += 1
    if falls:
        found[:run] = found[:run][::-1]
    for place in range(run, len(found)):
        model = found.pop(place)
        low, high = 0, place
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if keys[model] < keys[found[middle]] else (middle + 1, high)
        found.insert(low, model)
    return found


def _key(scores: Sequence[float]) -> tuple[float, float, float]:
    import numpy as np  # noqa: PLC0415 - heavy

    column = np.asarray(scores, float)
    answered = column[(column != NOT_KNOWN) & ~np.isnan(column)]
    share = float((column == NOT_KNOWN).mean()) if len(column) else math.nan
    if not len(answered):
        return math.nan, share, math.nan
    low, middle, high = (float(each) for each in np.quantile(answered, (0.25, 0.5, 0.75)))
    return -middle, share, high - low
