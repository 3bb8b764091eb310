"""What a fit leaves: arrays of one model at a time, kept in files until all are there, so that memory holds one model.

It must never know how anything was fitted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness import arrays

Array = Any  # of numpy


@dataclass
class Collected:
    """Named arrays in files of a folder, which is the caller's to make and to remove."""

    folder: Path
    _files: dict[str, Path] = field(default_factory=dict)

    def add(self, found: Mapping[str, Array]) -> None:
        """Put arrays away by their names; one of a name that was given before takes its place."""
        for name, array in found.items():
            path = self._files.setdefault(name, self.folder / f"{len(self._files):06}.npy")
            arrays.write(path, array)

    def write(self, path: Path) -> None:
        """Write all arrays as one .npz file."""
        arrays.write_all(path, {name: arrays.memory_map(file) for name, file in self._files.items()})


def spread(found: Array, units: Array, count: int, empty: Any) -> Array:
    """Lay the columns of [row, unit] out over all `count` units: `empty` stands where a unit was left out."""
    import numpy as np  # noqa: PLC0415

    whole = np.full((len(found), count), empty, found.dtype)
    whole[:, units] = found
    return whole
