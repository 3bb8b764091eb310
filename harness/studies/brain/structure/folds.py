"""Cross-validation folds of the three datasets, contiguous or with shuffled labels, and the inner folds of each.

The shuffles are those of generation H, from a legacy generator of NumPy; the paper's own were never published.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from harness.errors import InputError
from harness.studies.brain.structure.labels import HALVES, parse_label
from harness.studies.brain.structure.layout import Layout
from harness.studies.brain.terms import (
    CONTIGUOUS,
    EXP1,
    EXP2,
    FEDORENKO,
    INNER_ROWS,
    PEREIRA,
    SHUFFLE_SEED,
    SHUFFLED,
    SPLITS,
)

OUTER_ROWS = 32  # consecutive rows of an outer fold of Fedorenko: four sentences
FEWEST = 3  # the fewest outer folds: one tests, one validates and one trains
_Key = TypeVar("_Key", bound=Hashable)


class Fold(NamedTuple):
    """One outer cross-validation fold: its rows as indices into the layout, and inner folds as indices into `train`."""

    about: Mapping[str, Any]  # passage and half, or story, or number
    test: tuple[int, ...]
    train: tuple[int, ...]  # in the order of use
    inner: tuple[tuple[int, ...], ...]  # validation rows of each inner fold, as positions in `train`


def outer_folds(
    layout: Layout, split: str = CONTIGUOUS, seed: int = SHUFFLE_SEED, inner_rows: int = INNER_ROWS[0]
) -> tuple[Fold, ...]:
    """Return the outer cross-validation folds of a dataset's rows for a split, in order.

    Pereira's layout must be of one experiment; a fold is a passage number and a half, parsed from the labels, and inner
    folds are made in the same way. In Blank, a fold is a story, sorted. In Fedorenko, folds are blocks of 32 rows, and
    inner folds are blocks of `inner_rows` of the remaining rows. Shuffled splits permute the labels, which keeps the
    sizes. In Fedorenko they permute the rows, so `train` is not sorted. The labels of experiment 243 are drawn after
    those of 384, of which there are as many as in the uncut layout, or 384.

    Raises InputError for an unknown split, for a seed or size out of bounds, and if there are too few rows to test,
    validate and train.
    """
    if split not in SPLITS:
        raise InputError(
            f"no split is called {str(split)[:80]!r}", where="split", next=f"choose one of: {', '.join(SPLITS)}"
        )
    if inner_rows < 1:
        raise InputError(f"an inner fold has {inner_rows} rows", where="inner_rows", next="give a number from 1 up")
    if layout.dataset == PEREIRA and len({*layout.experiments}) != 1:
        raise InputError(
            "the layout has rows of both experiments", where=layout.dataset, next="cut it to one: layout.only(name)"
        )
    order = _shuffled(layout, seed) if split == SHUFFLED else [*range(len(layout.ids))]
    if layout.dataset == FEDORENKO:
        return _consecutive(order, inner_rows)
    labels = [layout.labels[row] for row in order]
    if layout.dataset == PEREIRA:
        parsed = [parse_label(label) for label in labels]
        halves = [(label.passage, label.half) for label in parsed]
        asked = [(number, half) for number in sorted({label.passage for label in parsed}) for half in HALVES]
        return tuple(_grouped(layout, halves, asked, ("passage", "half")))
    return tuple(_grouped(layout, [(story,) for story in labels], sorted({(story,) for story in labels}), ("story",)))


def _shuffled(layout: Layout, seed: int) -> list[int]:
    """Draw the row whose label each row gets."""
    import numpy as np  # noqa: PLC0415 - heavy

    if not 0 <= seed < 2**32:
        raise InputError(f"the seed is {seed}", where="seed", next="give a whole number from 0 to 4294967295")
    source = np.random.RandomState(seed)
    if layout.dataset == PEREIRA and layout.experiments[0] == EXP2:
        source.permutation(dict(layout.whole).get(EXP1, int(EXP1)))  # the other experiment's draw comes first
    drawn: list[int] = source.permutation(len(layout.ids)).tolist()
    return drawn


def _grouped(
    layout: Layout, names: Sequence[tuple[Any, ...]], asked: Sequence[tuple[Any, ...]], fields: Sequence[str]
) -> Iterator[Fold]:
    """Yield a fold for each asked name that a row has; the training rows of each other name form one inner fold."""
    held = {name: [row for row, other in enumerate(names) if other == name] for name in asked}
    groups = {name: rows for name, rows in held.items() if rows}
    if len(groups) < FEWEST:
        told = f"the rows make {len(groups)} folds by {' and '.join(fields)}, fewer than {FEWEST}"
        raise _too_few(layout.dataset, told)
    for name, test in groups.items():
        train = [row for row, other in enumerate(names) if other != name]
        place = {row: position for position, row in enumerate(train)}
        inner = tuple(tuple(place[row] for row in rows) for other, rows in groups.items() if other != name)
        yield Fold(dict(zip(fields, name, strict=True)), tuple(test), tuple(train), inner)


def _consecutive(order: Sequence[int], inner_rows: int) -> tuple[Fold, ...]:
    """Return folds of consecutive rows in the order of use; the last outer and inner folds may be shorter."""
    found = []
    for number, start in enumerate(range(0, len(order), OUTER_ROWS)):
        train = (*order[:start], *order[start + OUTER_ROWS :])
        inner = tuple(_pieces(range(len(train)), inner_rows))
        if len(inner) < FEWEST - 1:
            raise _too_few(FEDORENKO, f"{len(train)} training rows make {len(inner)} inner folds of {inner_rows}")
        found.append(Fold({"number": number}, tuple(order[start : start + OUTER_ROWS]), train, inner))
    return tuple(found)


def _pieces(rows: Sequence[_Key], size: int) -> Iterator[tuple[_Key, ...]]:
    yield from (tuple(rows[start : start + size]) for start in range(0, len(rows), size))


def _too_few(dataset: str, told: str) -> InputError:
    return InputError(told, where=dataset, next="give more rows: a fold is tested, one validates, one is learnt from")
