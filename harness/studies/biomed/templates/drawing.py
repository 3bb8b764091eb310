"""Which of a template's candidates are kept: all up to a bound, else drawn, three quarters of them answered yes.

The paper's rule, with what it leaves open settled by us: too few questions answered no, and the seed. It must never
know a question's words.
"""

from __future__ import annotations

from typing import Any

from harness.errors import InputError

LAST_SEED = 2**32 - 1  # numpy's old generator takes 32 bits
MOST = 2000  # pairs of a template
MOST_YES = 1500  # of them answered yes, where there are so many


def drawn(answers: Any, count: int, seed: int, most: int = MOST) -> list[int]:
    """Give the places of the kept ones among `count` candidates, ascending; `answers` marks those answered yes.

    It is an array of booleans, or None where questions are none of yes or no. Each template draws from the seed anew,
    yes before no, without replacement. InputError for a seed that the generator cannot take, where it has to draw.
    """
    import numpy as np  # noqa: PLC0415

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
