"""Which of a template's candidates are kept: all up to a bound, otherwise drawn, three quarters answered yes.

This is the paper's rule. What it leaves open is settled by us: too few questions answered no, and the seed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from harness.errors import InputError

LAST_SEED = 2**32 - 1  # numpy's legacy generator takes 32 bits
MOST = 2000  # pairs of a template
MOST_YES = 1500  # pairs among them that are answered yes, if there are as many


def drawn(answers: Any, count: int, seed: int, most: int = MOST) -> list[int]:
    """Draw which of `count` candidate questions are kept, balanced by yes and no; return their positions.

    `answers` is an array of booleans, or None if the questions are not yes/no ones. Each template draws with the seed
    set anew, yes before no, without replacement. If candidates have to be drawn, raise InputError for a seed that the
    generator cannot take.
    """
    if count <= most:
        return list(range(count))
    if not 0 <= seed <= LAST_SEED:
        raise InputError(f"no questions are drawn by the seed {seed}", where="seed", next=f"use 0 to {LAST_SEED}")
    source = np.random.RandomState(seed)
    if answers is None:
        return _sorted(_some(source, np.arange(count), most))
    yes, no = np.flatnonzero(answers), np.flatnonzero(~np.asarray(answers))
    wanted = most * MOST_YES // MOST
    if len(yes) < wanted:
        return _sorted(yes, _some(source, no, most - len(yes)))
    rest = min(len(no), most - wanted)
    return _sorted(_some(source, yes, most - rest), _some(source, no, rest))


def _some(source: Any, places: Any, count: int) -> Any:
    return places if len(places) <= count else places[source.choice(len(places), count, replace=False)]


def _sorted(*parts: Any) -> list[int]:
    return sorted(int(place) for part in parts for place in part)
