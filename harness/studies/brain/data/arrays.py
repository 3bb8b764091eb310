"""The maker of published features: converts published feature files to arrays in the order of the study's rows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from harness import arrays, rows
from harness.errors import InputError
from harness.studies.brain.data import built_features
from harness.studies.brain.data.parameters import EXPERIMENT, GLOVE_OF, ORDER, SENTENCES
from harness.studies.brain.data.source_order import (
    ROWS,
    experiment_rows,
    in_study_order,
    read_lines,
    read_order,
    require_rows,
)
from harness.studies.brain.features.scaling import require_finite

Array = Any  # a numpy array
GLOVE = "GLOVE"
OF_STUDY = {"word": "WORD", "sense": "SENSE", "synt": "SYNT"}  # files that have all 627 rows: input name to space
FILES = (*GLOVE_OF.values(), ORDER, *OF_STUDY, *built_features.FILES, SENTENCES)
_LAYER = "layer1"  # the name of the array that is read from an archive with several


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `features` for Pereira's sentences, float32, an array per feature space with given files, and `counts`.

    If `params` name an experiment, only its rows are written. Raises InputError if no file is given, if GloVe lacks one
    experiment or the order, or if a file has the wrong number of rows or values that are not finite.
    """
    found, words = read_features(inputs)
    if not found:
        raise InputError("no file of features is given", where="features", next=f"give some of: {', '.join(FILES)}")
    kept = experiment_rows(params.get(EXPERIMENT, ""))
    arrays.write_all(out / "features", {space: array[kept] for space, array in found.items()})
    counts = {"rows": len(kept), **{space: int(array.shape[1]) for space, array in found.items()}, **words}
    rows.write_one(out / "counts", {"features pereira": counts})


class FeatureSpaces(NamedTuple):
    """The arrays of the feature spaces by name, and how many words of each built space have a vector, of how many."""

    arrays: Mapping[str, Array]
    words: Mapping[str, list[int]]


def read_features(files: Mapping[str, Path]) -> FeatureSpaces:
    """Return the arrays of the feature spaces whose files are given, one row for each of Pereira's 627 sentences.

    Spaces are read from files of features, or built from files of words, senses and parses (`built_features`). Raises
    InputError if GloVe lacks one experiment or the order, if a file has the wrong number of rows or values that are not
    finite, and for a space that is given and built; MissingError for a space to build that lacks a file.
    """
    found = {GLOVE: _glove(files)} if any(name in files for name in GLOVE_OF.values()) else {}
    found |= {space: _of_study(name, files[name]) for name, space in OF_STUDY.items() if name in files}
    built_features.require_companions(files, "files")
    if twice := [space for space in built_features.built_spaces(files) if space in found]:
        first = built_features.NEEDED[twice[0]][0]
        raise InputError(f"{twice[0]} is given, and is to be built too", where=first, next="leave out one of the two")
    built = built_features.build(files, sum(ROWS.values()))
    found |= {space: _narrow(array) for space, array in built.spaces.items()}
    for space, array in found.items():
        require_finite(array, space)
    words = {f"{space} words": list(counts) for space, counts in built.found.items()}
    return FeatureSpaces(found, words)


def _glove(inputs: Mapping[str, Path]) -> Array:
    """Read the vectors of both experiments' sentences and return them in the study's order."""
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
    """Read a text file with one vector per line, numbers separated by white space, as float32 [line, column].

    Raises InputError naming the first line that is not a vector of finite numbers with the length of the first line.
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
    """Read the features of one space: the only array of the file, or `layer1` if there are several."""
    members = arrays.read_headers(path)
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
    """Return the array as float32 in C order; values too large for float32 become infinite, which is refused later."""
    import numpy as np  # noqa: PLC0415 - heavy

    with np.errstate(over="ignore"):
        return np.ascontiguousarray(array, np.float32)
