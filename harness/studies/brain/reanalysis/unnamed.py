"""Reads `.npz` files in which one array has an empty name, as the authors saved scores of the last token.

Array files of this project may not have such a name. A copy with a substitute name is read, by the usual rules.
"""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path
from typing import Any

from harness import arrays
from harness.errors import InputError

LARGEST = 64 << 20  # the most bytes of a file, and of its arrays
MEMBERS = 1000
EMPTY, INSTEAD = ".npy", "unnamed.npy"
Array = Any  # a numpy array


def read_all(path: Path, where: str, advice: str) -> dict[str, Array]:
    """Read all arrays of an `.npz` file by name, one of which may be empty; raise InputError if the file is invalid."""
    try:
        if arrays.file_format(path) != "npz":
            raise InputError("it is no .npz file", where=where, next=advice)
        with tempfile.TemporaryDirectory(prefix="npz-") as folder:
            named = _renamed(path, Path(folder) / "named")
            found = arrays.read_all(named, most=LARGEST)
    except InputError as bad:
        raise InputError(bad.what, where=where, next=advice) from None
    except (*arrays.BROKEN, OSError):
        raise InputError("it is no sound .npz file", where=where, next=advice) from None
    if named is path:  # each of its arrays has its own name, which may be the one that stands in
        return dict(found)
    return {"" if name == INSTEAD.removesuffix(".npy") else name: array for name, array in found.items()}


def _renamed(path: Path, copy: Path) -> Path:
    """Return the file itself, or a copy in which the unnamed member has a name."""
    with zipfile.ZipFile(path) as given:
        members = given.infolist()
        if all(info.filename != EMPTY for info in members):
            return path
        if len(members) > MEMBERS or sum(info.file_size for info in members) > LARGEST:
            raise InputError(f"its arrays have more than {LARGEST >> 20} MiB")
        if INSTEAD in {info.filename for info in members} or len({info.filename for info in members}) < len(members):
            raise InputError("two of its arrays have one name")
        with zipfile.ZipFile(copy, "w", zipfile.ZIP_STORED) as made:
            for info in members:
                with given.open(info) as stream:
                    # Reads one byte more than the member's size; a longer member is refused when the copy is read.
                    data = stream.read(info.file_size + 1)
                made.writestr(INSTEAD if info.filename == EMPTY else info.filename, data)
    return copy
