"""The order of models in the published figures: median score, then abstention rate, then interquartile range.

The paper's caption says that abstention falls; its code lets it rise, and so does this. It must never know a name.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from harness.studies.biomed.measures.paper_columns import Columns
from harness.studies.biomed.terms import NOT_KNOWN


def model_order(models: Sequence[str], columns: Columns) -> list[str]:
    """Order models as published: highest median of answered rows first, ties by less abstention, by smaller range.

    A model without an answered row has no median, which breaks the published order around it, and breaks this one in
    the same way. A model without a column comes last (OURS), in the order given.
    """
    there = [model for model in models if model in columns]
    keys = {model: _key(columns[model]) for model in there}
    return [*sorted(there, key=keys.__getitem__), *(model for model in models if model not in columns)]


def _key(scores: Sequence[float]) -> tuple[float, float, float]:
    import numpy as np  # noqa: PLC0415 - heavy

    column = np.asarray(scores, float)
    answered = column[(column != NOT_KNOWN) & ~np.isnan(column)]
    share = float((column == NOT_KNOWN).mean()) if len(column) else math.nan
    if not len(answered):
        return math.nan, share, math.nan
    low, middle, high = (float(each) for each in np.quantile(answered, (0.25, 0.5, 0.75)))
    return -middle, share, high - low
