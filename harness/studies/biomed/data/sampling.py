"""The published sampling: up to `n` questions of each template, drawn in batches with one seed.

A larger sample contains the rows of a smaller one if both consist of whole batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.errors import InputError

PER_TEMPLATE = 270  # questions of each template in the published test split
BATCH, SEED = 10, 12  # as published


def sample_by_template(
    templates: Sequence[str | None], n: int = PER_TEMPLATE, batch_size: int = BATCH, random_state: int = SEED
) -> list[int]:
    """Return the row numbers of a sample per template, drawn and ordered as published.

    Templates are sorted by code point, and each has at most `n` rows in the order in which they are drawn. Every batch
    is drawn from the remaining rows with a generator seeded anew. A row without a template (None) is never drawn. Raise
    InputError for numbers that are out of bounds.
    """
    if n < 1 or batch_size < 1 or not 0 <= random_state < 2**32:
        raise InputError(
            f"no sample has n {n}, batches of {batch_size} and seed {random_state}",
            where="params",
            next="give n and batch_size from 1 up, and a seed from 0 to 4294967295",
        )
    groups: dict[str, list[int]] = {}
    for place, template in enumerate(templates):
        if template is not None:
            groups.setdefault(template, []).append(place)
    return [place for name in sorted(groups) for place in _drawn(groups[name], n, batch_size, random_state)]


def _drawn(places: list[int], n: int, batch_size: int, random_state: int) -> list[int]:
    import numpy as np  # noqa: PLC0415

    rest: Any = np.asarray(places)
    wanted, drawn = min(n, len(places)), list[int]()
    while len(drawn) < wanted:
        size = min(batch_size, wanted - len(drawn))
        chosen = np.random.RandomState(random_state).choice(len(rest), size, replace=False)
        drawn += map(int, rest[chosen])
        rest = np.delete(rest, chosen)
    return drawn
