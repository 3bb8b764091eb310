"""The rows, folds and features of time as standalone analyses; the requests are parsed from field names.

The value of a requested field is ignored, except the field names of a fold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from harness.errors import InputError
from harness.scorers.given import AnalysisInput, Axes, ToolOutput
from harness.scorers.tool import Tool
from harness.studies.brain.features import positional
from harness.studies.brain.standalone.locating import located
from harness.studies.brain.structure.folds import Fold, outer_folds
from harness.studies.brain.structure.layout import Layout
from harness.studies.brain.structure.others import WORDS, blank, fedorenko
from harness.studies.brain.structure.pereira import pereira
from harness.studies.brain.terms import BLANK, CONTIGUOUS, EXP1, EXP2, FEDORENKO, INNER_ROWS, PEREIRA, SHUFFLED

MOST_SAMPLES = 5000  # the most samples of a requested matrix
_NUMBER = r"([0-9]{1,4}(?:\.[0-9]{1,20})?(?:e-?[0-9]{1,2})?)"
_BLOCK = re.compile(rf"block_n([0-9]{{1,6}})_sigma{_NUMBER}")
_FULL = re.compile(rf"full_sigma{_NUMBER}")
_WORDS = re.compile(rf"wordpos_sigma{_NUMBER}")
_RAMP = re.compile(r"blank_ramp_n([0-9]{1,6})_L([0-9]{1,6})")
_FOLDS = re.compile(
    rf"(?:{PEREIRA}_({EXP1}|{EXP2})|{FEDORENKO}|{BLANK})_(?:{CONTIGUOUS}|{SHUFFLED}_seed([0-9]{{1,10}}))"
    r"(?:_inner([0-9]{1,4}))?"
)
_ASKED: Mapping[str, tuple[str, ...]] = {
    PEREIRA: ("passage", "half", "test", "inner_val"),
    FEDORENKO: ("test", "train", "inner_val"),
    BLANK: ("story", "test", "inner_story", "inner_val_sizes"),
}
_BESIDE: Mapping[str, tuple[str, ...]] = {
    PEREIRA: ("n", "first_row"),
    FEDORENKO: ("n", "inner_block"),
    BLANK: ("n",),
}


class AskedByName(AnalysisInput):
    """Input: the requested outputs, each as a field with its name, whose value may be null."""

    model_config = ConfigDict(extra="allow")

    def asked(self) -> Mapping[str, Any]:
        """Return the requested outputs: the fields beyond the declared ones."""
        return self.model_extra or {}


class AskedFeatures(AskedByName):
    """Input: matrices by name, such as `block_n4_sigma2.2`, `full_sigma2.2`, `wordpos_sigma1.0`, `blank_ramp_n9_L5`."""

    full_block_lengths: Annotated[Any, Axes(1, whole=True)] = Field(
        default=(), description="how many consecutive rows each block of a full matrix has"
    )


class GivenByName(ToolOutput):
    """Output: a field for each request with a known name."""

    model_config = ConfigDict(extra="allow")


class RowLabels(ToolOutput):
    """Output: the labels of Pereira's rows."""

    row_labels: list[str] = Field(description="of the 627 rows in the study's order; the halves are assumed")


def features_oasm_wp(given: AskedFeatures) -> dict[str, Any]:
    """Return position features (OASM, word position, ramp) requested by name; raise InputError if no name is known."""
    found = {}
    for name in given.asked():
        with located({"sigma": name, "RAMP": name}):
            found[name] = _matrix(name, given)
    return _some({name: matrix for name, matrix in found.items() if matrix is not None}, "block_n4_sigma2.2")


def _matrix(name: str, given: AskedFeatures) -> Any:
    if part := _BLOCK.fullmatch(name):
        return positional.smoothing(_bounded(name, int(part[1])), float(part[2]))
    if part := _FULL.fullmatch(name):
        return positional.oasm(_blocks(name, given.full_block_lengths), float(part[1]))
    if part := _WORDS.fullmatch(name):
        return positional.word_positions(range(WORDS), WORDS, float(part[1]))
    if part := _RAMP.fullmatch(name):
        return positional.ramp(range(_bounded(name, int(part[1]))), _bounded(name, int(part[2])))
    return None


def _blocks(name: str, lengths: Sequence[int]) -> Iterator[range]:
    sizes = [int(length) for length in lengths]
    if not sizes or min(sizes) < 1:
        raise InputError(
            f"`{name}` needs the lengths of its blocks", where="full_block_lengths", next="give numbers from 1 up"
        )
    _bounded(name, sum(sizes))
    return (range(start, end) for start, end in pairwise(accumulate(sizes, initial=0)))


def _bounded(name: str, size: int) -> int:
    if not 1 <= size <= MOST_SAMPLES:
        raise InputError(f"the size {size} is out of bounds", where=name, next=f"ask for 1 to {MOST_SAMPLES} samples")
    return size


def folds(given: AskedByName) -> dict[str, Any]:
    """Return the folds of each dataset and split requested by name, `<dataset>[_<exp>]_<split>[_inner<rows>]`.

    If the field is an object, its names and those of its first fold say which fields are wanted; otherwise, the usual
    fields of the dataset are returned. Raises InputError if no name is known.
    """
    parsed = {name: _FOLDS.fullmatch(name) for name in given.asked()}
    sets = {name: _set(name, part, given.asked()[name]) for name, part in parsed.items() if part}
    return _some(sets, "pereira_384_contiguous")


def _set(name: str, part: re.Match[str], shape: Any) -> dict[str, Any]:
    dataset = name.partition("_")[0]
    if part[3] and dataset != FEDORENKO:
        raise InputError("inner folds have a size in Fedorenko alone", where=name, next="leave the ending out")
    inner_rows = int(part[3] or INNER_ROWS[0])
    layout = {PEREIRA: lambda: pereira(part[1]), FEDORENKO: fedorenko, BLANK: blank}[dataset]()
    with located(name):
        found = outer_folds(layout, SHUFFLED if part[2] else CONTIGUOUS, int(part[2] or 0), inner_rows)
    beside = {"n": len(layout.ids), "first_row": _first_row(layout), "inner_block": inner_rows}
    wanted, fields = _wanted(shape, _BESIDE[dataset]), _wanted(_first_fold(shape), _ASKED[dataset])
    whole = {key: value for key, value in beside.items() if key in wanted}
    return {**whole, "folds": [_fold(one, found, fields) for one in found]}


def _first_row(layout: Layout) -> int:
    """Return the row of the whole dataset at which the layout begins."""
    return pereira().ids.index(layout.ids[0]) if layout.dataset == PEREIRA else 0


def _first_fold(shape: Any) -> Any:
    listed = shape.get("folds") if isinstance(shape, Mapping) else None
    return listed[0] if isinstance(listed, list) and listed else None


def _wanted(shape: Any, usual: Sequence[str]) -> Sequence[str]:
    return [*map(str, shape)] if isinstance(shape, Mapping) else usual


def _fold(fold: Fold, found: Sequence[Fold], fields: Sequence[str]) -> dict[str, Any]:
    others = [other for other in found if other is not fold]
    said = {
        **fold.about,
        "test": [*fold.test],
        "train": [*fold.train],
        "inner_val": [[*rows] for rows in fold.inner],
        "inner_story": [other.about.get("story") for other in others],
        "inner_val_sizes": [len(rows) for rows in fold.inner],
    }
    return {name: value for name, value in said.items() if name in fields}


def _some(found: dict[str, Any], example: str) -> dict[str, Any]:
    if not found:
        raise InputError("nothing is asked by a known name", where="the input", next=f"ask for one like `{example}`")
    return found


def pereira_row_labels(given: AnalysisInput) -> dict[str, Any]:
    """Return the labels of Pereira's 627 rows in the study's order."""
    return {"row_labels": [*pereira().labels]}


ANALYSES: Mapping[str, Tool] = {
    "brain.features_oasm_wp": Tool(
        "Gives features of time alone by name: block_n4_sigma2.2, full_sigma2.2, wordpos_sigma1.0, blank_ramp_n9_L5.",
        AskedFeatures,
        GivenByName,
        features_oasm_wp,
    ),
    "brain.folds": Tool(
        "Gives cross-validation folds by name: pereira_384_contiguous, fedorenko_shuffled_seed42_inner32.",
        AskedByName,
        GivenByName,
        folds,
    ),
    "brain.pereira_row_labels": Tool(
        "Gives the labels of Pereira's 627 rows in the study's order.", AnalysisInput, RowLabels, pereira_row_labels
    ),
}
