"""The order of models in the published figures: median score, then abstention rate, then interquartile range.

The paper's caption says that the abstention rate falls. In its code the rate rises, and so it does here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from harness.studies.biomed.measures.paper_columns import Columns
from harness.studies.biomed.terms import NOT_KNOWN


def model_order(models: Sequence[str], columns: Columns) -> list[str]:
    """Order models as published: highest median of answered rows first, then fewer abstentions, then smaller range.

    A model without an answered row has no median. This disturbs the published order around that model, and this
    function reproduces it. A model without a column comes last (OURS), in the order given.
    """
    there = [model for model in models if model in columns]
    keys = {model: _key(columns[model]) for model in there}
    return [*_sorted_as_published(there, keys), *(model for model in models if model not in columns)]


def _sorted_as_published(models: Sequence[str], keys: Mapping[str, tuple[float, float, float]]) -> list[str]:
    """Sort by keys as Python up to 3.12 sorts fewer than 64 elements; the algorithm matters if a key has a NaN.

    The run at the start of the list is kept, or reversed if it descends. Each further model is inserted by binary
    search, behind the last model that it is not below.
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
