"""The maker of published features: vectors that somebody else computed become arrays in the order of the study.

It must never know a text, a recording or a model.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import arrays, rows
from harness.errors import InputError
from harness.studies.brain.data.parameters import EXPERIMENT, GLOVE_OF, ORDER
from harness.studies.brain.data.source_order import (
    ROWS,
    experiment_rows,
    in_study_order,
    read_lines,
    read_order,
    require_rows,
)
from harness.studies.brain.features.scaling import require_finite

Array = Any  # of numpy
GLOVE = "GLOVE"
OF_STUDY = {"word": "WORD", "sense": "SENSE", "synt": "SYNT"}  # a row for each of 627 already; the space a file is of
FILES = (*GLOVE_OF.values(), ORDER, *OF_STUDY)
_LAYER = "layer1"  # what the only array of such an archive is called


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `features` of Pereira's rows, float32, with an array for each space whose files are given, and `counts`.

    params: perhaps one experiment, whose rows alone are written. InputError for no file at all, for GloVe without both
    experiments or the order, and for a file of other rows or of values that are not finite.
    """
    found = read_features(inputs)
    if not found:
        raise InputError("no file of features is given", where="features", next=f"give some of: {', '.join(FILES)}")
    kept = experiment_rows(params.get(EXPERIMENT, ""))
    arrays.write_all(out / "features", {space: array[kept] for space, array in found.items()})
    counts = {"rows": len(kept), **{space: int(array.shape[1]) for space, array in found.items()}}
    rows.write_one(out / "counts", {"features pereira": counts})


def read_features(files: Mapping[str, Path]) -> dict[str, Array]:
    """Read the arrays of the spaces whose files are given, a row for each of the study's 627; perhaps none.

    InputError for GloVe without both experiments or the order, and for a file of other rows or of values that are not
    finite.
    """
    glove = {GLOVE: _glove(files)} if any(name in files for name in GLOVE_OF.values()) else {}
    return glove | {space: _of_study(name, files[name]) for name, space in OF_STUDY.items() if name in files}


def _glove(inputs: Mapping[str, Path]) -> Array:
    """Read the vectors of both experiments' sentences and put them into the study's order."""
    import numpy as np  # noqa: PLC0415 - heavy

    needed = (*GLOVE_OF.values(), ORDER)
    if missing := [name for name in needed if name not in inputs]:
        raise InputError(f"GloVe needs `{missing[0]}`", where=missing[0], next=f"give {', '.join(needed)}")
    found = {of: read_vectors(name, inputs[name]) for of, name in GLOVE_OF.items()}
    for of, name in GLOVE_OF.items():
        require_rows(name, len(found[of]), ROWS[of], "vectors")
    if len({vectors.shape[1] for vectors in found.values()}) > 1:
        raise InputError("the experiments' vectors have two lengths", where=GLOVE, next="give two files of one kind")
    return np.stack(in_study_order(read_order(inputs[ORDER]), found))


def read_vectors(name: str, path: Path) -> Array:
    """Read a text file with a vector a line, numbers between white space, as float32 [line, column].

    InputError names the line that holds no vector of finite numbers as long as the first.
    """
    import numpy as np  # noqa: PLC0415 - heavy

    found: list[Array] = []
    for number, line in enumerate(read_lines(name, path), 1):
        try:
            vector = _narrow(np.array([float(cell) for cell in line.split()], np.float64))
        except ValueError:
            vector = np.zeros(0)
        if not len(vector) or (found and len(vector) != len(found[0])) or not np.isfinite(vector).all():
            told = "a line is no vector of finite numbers as long as the first"
            raise InputError(told, where=f"{name}: line {number}", next="give the published file")
        found.append(vector)
    if not found:
        raise InputError("there is no vector", where=name, next="give the published file")
    return np.stack(found)


def _of_study(name: str, path: Path) -> Array:
    """Read the features of one space: the array, or an archive's only one."""
    members = arrays.headers(path)
    if len(members) > 1 and _LAYER not in members:
        raise InputError(f"it has {len(members)} arrays, none is `{_LAYER}`", where=name, next="give one array")
    found = arrays.read(path, _LAYER if len(members) > 1 else next(iter(members), ""))
    if found.ndim != 2 or found.dtype.kind not in "iuf" or not found.shape[1]:
        raise InputError(f"it is {found.dtype} {[*found.shape]}", where=name, next="give [row, column] of numbers")
    require_rows(name, len(found), sum(ROWS.values()), "rows")
    narrow = _narrow(found)
    require_finite(narrow, name)
    return narrow


def _narrow(array: Array) -> Array:
    """Give float32 in C order; what is too large for it becomes infinite, and is refused after."""
    import numpy as np  # noqa: PLC0415 - heavy

    with np.errstate(over="ignore"):
        return np.ascontiguousarray(array, np.float32)
