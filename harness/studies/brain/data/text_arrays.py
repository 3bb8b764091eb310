"""Reads arrays of words and of whole numbers from the authors' files: names of participants, networks, labels.

An array of Python objects is a pickle and is never opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from harness import arrays
from harness.errors import InputError

Array = Any  # a numpy array
_CONVERT = (
    "where you trust the file, write it anew with NumPy: "
    "numpy.save('new.npy', numpy.load('old.npy', allow_pickle=True).astype(str)); float for numbers"
)


def read_words(name: str, path: Path) -> list[str]:
    """Read an array of texts, or of whole numbers, which become strings of digits.

    Raises InputError for any other kind of array; for an array of Python objects, the message says how to convert it.
    """
    found = read_list(name, path)
    if found.dtype.kind == "f" and (found == found.round()).all():
        found = found.astype("int64")
    if found.dtype.kind not in "USiu":
        raise InputError(f"it is {found.dtype} {[*found.shape]}", where=name, next="give a list of texts")
    try:
        return [one.decode() if isinstance(one, bytes) else str(one) for one in found.tolist()]
    except UnicodeDecodeError:
        raise InputError("it holds text that is not UTF-8", where=name, next="give a list of texts") from None


def read_whole(name: str, path: Path) -> Array:
    """Read a list of whole numbers as int64; raises InputError for anything else."""
    found = read_list(name, path)
    if found.dtype.kind not in "iu":
        raise InputError(f"it is {found.dtype} {[*found.shape]}", where=name, next="give a list of whole numbers")
    return found.astype("int64")


@contextmanager
def named(name: str) -> Iterator[None]:
    """Context manager that adds the parameter's name to an InputError; for a pickle, also how to convert the file."""
    try:
        yield
    except InputError as bad:
        raise InputError(bad.what, where=name, next=_CONVERT if "Python objects" in bad.what else bad.next) from None


def read_list(name: str, path: Path) -> Array:
    """Read a one-dimensional array; raises InputError for a pickle, with how to convert it, and for any other shape."""
    with named(name):
        found = arrays.read(path)
    if found.ndim != 1:
        raise InputError(f"it is {found.dtype} {[*found.shape]}", where=name, next="give one dimension")
    return found
