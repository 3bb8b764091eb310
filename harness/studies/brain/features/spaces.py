"""Feature spaces by name: converts a band's text, such as `OASM@2.2` or `SP&SL`, to a matrix with one row per sample.

Independent of recordings, folds and the weighting of features.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from harness.errors import InputError
from harness.studies.brain.features import positional, wording
from harness.studies.brain.features.scaling import require_finite
from harness.studies.brain.rowtypes import Stimulus
from harness.studies.brain.structure.aligning import positions
from harness.studies.brain.structure.layout import Layout
from harness.studies.brain.structure.layout import layout as layout_of

Array = Any  # a numpy array
AND, WITH = "&", "+"  # joins columns of one band; joins bands of one model
WORD_SIGMA = 1.0  # the paper's smoothing of word positions
_SMOOTHED = re.compile(r"(OASM|SPs|WP)@([0-9]{1,4}(?:\.[0-9]{1,6})?)")
_RAMP = re.compile(r"RAMP@([0-9]{1,6})")
_COUNTS: Mapping[str, Callable[[Sequence[Stimulus]], list[int]]] = {
    "SL": wording.sentence_lengths,
    "SLw": partial(wording.sentence_lengths, by_letters=True),
    "RATE": wording.word_rates,
    "CHARS": wording.characters,
}
_PLAIN = ("SP", "WP", "WN", *_COUNTS)
KNOWN = "OASM@2.2, SP, SPs@1.0, SL, SLw, WP, WP@4.7, WN, CHARS, RAMP@5, RATE"


def bands_of(model: str) -> list[str]:
    """Split a model's name, such as `SP+SL+LLM`, into feature spaces; raise InputError if one is empty or repeated."""
    found = model.split(WITH)
    if not all(found) or len({*found}) < len(found):
        raise InputError(f"{model[:80]!r} names no model", where="models", next="join different bands like SP+SL+LLM")
    return found


class Features:
    """Feature matrices of a dataset's rows: computed over the rows of all its stimuli, then cut to those of `layout`.

    The layout selects an experiment: with `whole.only("384")` and the stimuli and arrays of the whole dataset, each
    matrix is computed over both experiments (OASM keeps the columns of both) and has the rows of one. The rows of
    `arrays` are in the order of the stimuli. `SL` counts words by white space unless a stimulus has `words`.
    """

    def __init__(self, layout: Layout, stimuli: Iterable[Stimulus], arrays: Mapping[str, Array]) -> None:
        """Check that stimuli, layout and arrays belong together.

        Raises InputError if the stimuli have no layout, if a row of `layout` is missing or different in the stimuli, or
        if an array has the wrong number of rows, does not hold numbers, or has the name of a computed space.
        """
        self._stimuli = list(stimuli)
        self._whole = layout_of(layout.dataset, self._stimuli)
        self._rows = positions(layout.ids, self._whole.ids, "stimuli")
        _require_same(layout, self._whole, self._rows)
        self._arrays = {name: _sound(name, array, len(self._stimuli)) for name, array in arrays.items()}

    def matrix(self, band: str) -> Array:
        """Return the [row, column] matrix of a feature space by its name, float64 or float32, in C order.

        Raises InputError for an unknown band and for values that are not finite.
        """
        import numpy as np  # noqa: PLC0415 - heavy

        found = np.hstack([self._space(name) for name in band.split(AND)])
        return np.ascontiguousarray(found)

    def _space(self, name: str) -> Array:
        found = self._arrays[name] if name in self._arrays else self._computed(name)
        cut = _floats(found[self._rows])
        require_finite(cut, name)
        return cut

    def _computed(self, name: str) -> Array:
        places = self._whole.positions
        width = max(places) + 1
        if name in _PLAIN:
            return self._plain(name, width)
        if part := _RAMP.fullmatch(name):
            return positional.ramp(places, int(part[1]))
        if not (part := _SMOOTHED.fullmatch(name)):
            has = "".join(f", {other}" for other in self._arrays)
            raise InputError(f"no feature space is called {name[:80]!r}", where="models", next=f"use {KNOWN}{has}")
        blocks, sigma = self._whole.block_rows().values(), float(part[2])
        if part[1] == "OASM":
            return positional.oasm(blocks, sigma)
        if part[1] == "SPs":
            return positional.smoothed_positions(blocks, width, sigma)
        return positional.word_positions(places, width, sigma)

    def _plain(self, name: str, width: int) -> Array:
        places = self._whole.positions
        if name == "SP":
            return positional.one_hot(places, width)
        if name == "WP":
            return positional.word_positions(places, width, WORD_SIGMA)
        return _column(places if name == "WN" else _COUNTS[name](self._stimuli))


def _require_same(wanted: Layout, whole: Layout, rows: list[int]) -> None:
    for name in ("labels", "blocks", "positions", "experiments"):
        for row, place in enumerate(rows):
            if getattr(wanted, name)[row] != getattr(whole, name)[place]:
                told = f"`{name}` of the row is not the same in the layout and in the stimuli"
                raise InputError(told, where=wanted.ids[row], next="make the layout of these stimuli")


def _sound(name: str, array: Array, rows: int) -> Array:
    import numpy as np  # noqa: PLC0415 - heavy

    if name in _PLAIN or _RAMP.fullmatch(name) or _SMOOTHED.fullmatch(name) or not name or {AND, WITH} & {*name}:
        raise InputError(f"an array is called {name[:80]!r}", where="features", next="give it a name of its own")
    found = np.asanyarray(array)
    if found.ndim != 2 or found.dtype.kind not in "biuf" or not found.shape[1]:
        told = f"the array is {[*found.shape]} of {found.dtype}"
        raise InputError(told, where=f"features: {name[:80]}", next="give [row, column] of numbers")
    if len(found) != rows:
        told = f"the array has {len(found)} rows for {rows} stimuli"
        raise InputError(told, where=f"features: {name[:80]}", next="give a row for each stimulus, in their order")
    return found


def _floats(array: Array) -> Array:
    """Return the array as float32 if it holds floats of at most 32 bits, else as float64."""
    import numpy as np  # noqa: PLC0415 - heavy

    small = array.dtype.kind == "f" and array.dtype.itemsize <= 4
    return np.asarray(array, np.float32 if small else np.float64)


def _column(values: Iterable[int]) -> Array:
    import numpy as np  # noqa: PLC0415 - heavy

    return np.array([*values], np.float64)[:, None]
