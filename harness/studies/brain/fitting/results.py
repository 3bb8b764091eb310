"""The results of a fit: arrays kept in files, one model at a time, so that memory holds only one model's arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from harness import arrays

Array = Any  # a numpy array


@dataclass
class Collected:
    """A collection of named arrays in a temporary folder, which are written together as one .npz file."""

    folder: Path
    _files: dict[str, Path] = field(default_factory=dict)

    def add(self, found: Mapping[str, Array]) -> None:
        """Store arrays by name; an array replaces an earlier one of the same name."""
        for name, array in found.items():
            path = self._files.setdefault(name, self.folder / f"{len(self._files):06}.npy")
            arrays.write(path, array)

    def write(self, path: Path) -> None:
        """Write all arrays as one .npz file."""
        arrays.write_all(path, {name: arrays.memory_map(file) for name, file in self._files.items()})


def spread(found: Array, units: Array, count: int, empty: Any) -> Array:
    """Return the columns of [row, unit] at their places among `count` units; units that were left out have `empty`."""
    whole = np.full((len(found), count), empty, found.dtype)
    whole[:, units] = found
    return whole
