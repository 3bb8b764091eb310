"""Reads a netCDF file of recordings: coordinates by name, and values tile by tile in bounded memory.

Reads both formats, HDF5 and classic. Independent of the dataset.
"""

from __future__ import annotations

import math
import struct
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from harness.errors import InputError, MissingError

Array = Any  # a numpy array
ROW, COLUMN = "presentation", "neuroid"  # dimensions of the recordings
HDF5, CLASSIC = "netCDF-4", "netCDF classic"
MOST_COLUMNS = 1_000_000  # three times the largest known number
LONGEST = 1000  # characters of a text stored as an array of characters
TILE = 1 << 25  # bytes that are read at once
LARGEST_CHUNK = 1 << 28  # bytes of the largest chunk that HDF5 may unpack at once
_BROKEN = (OSError, RuntimeError, LookupError, ValueError, TypeError, EOFError, AttributeError, OverflowError)
_PACKED = ("scale_factor", "add_offset")
_MISSING = ("_FillValue", "missing_value")


class Variable(NamedTuple):
    """A variable of a netCDF file, not read yet: sliceable values, the names of its dimensions, and its attributes."""

    dimensions: tuple[str, ...]
    values: Any  # an h5py dataset or a numpy array: both have `shape`, `dtype` and slices
    attributes: Mapping[str, Any]


class Tile(NamedTuple):
    """A rectangular piece of the recordings: consecutive rows from `row` on, for some of the wanted columns."""

    row: int
    columns: Array  # indices into the wanted columns
    values: Array  # [row, column]


@dataclass(frozen=True)
class NetcdfFile:
    """An open netCDF file of recordings; errors call it `where`."""

    where: str
    form: str
    variables: Mapping[str, Variable]

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and columns of the recordings; InputError unless there is exactly one such table."""
        rows, columns = self._recordings().values.shape
        return int(rows), int(columns)

    def texts(self, name: str, dimension: str) -> list[str]:
        """Read a coordinate variable as strings; whole numbers become digits. Raises InputError if there is none."""
        import numpy as np  # noqa: PLC0415 - heavy

        array = self._coordinate(name, dimension)
        if array.dtype.kind == "S" and array.ndim == 2 and 0 < array.shape[1] <= LONGEST:
            array = np.ascontiguousarray(array).view(f"S{array.shape[1] * array.dtype.itemsize}")[:, 0]
        if array.ndim != 1 or array.dtype.kind not in "OSUiuf":
            raise self._bad(f"it is {array.dtype} {[*array.shape]}", name)
        return [self._text(value, name) for value in array.tolist()]

    def numbers(self, name: str, dimension: str) -> Array:
        """Read a coordinate variable as float64 numbers; raises InputError if there is none."""
        array = self._coordinate(name, dimension)
        if array.ndim != 1 or array.dtype.kind not in "iuf":
            raise self._bad(f"it is {array.dtype} {[*array.shape]}, and no numbers", name)
        return array.astype("float64")

    def coordinates(self, dimension: str) -> list[str]:
        """Return the names of the variables whose first dimension is `dimension`."""
        return [name for name, one in self.variables.items() if one.dimensions[:1] == (dimension,)]

    def numeric(self, name: str) -> bool:
        """Return whether a variable is a one-dimensional array of numbers."""
        values = self.variables[name].values
        return len(values.shape) == 1 and values.dtype.kind in "iuf"

    def tiles(self, wanted: Array) -> Iterator[Tile]:
        """Yield the recordings of the wanted columns tile by tile, each tile once; `wanted` must be in rising order."""
        import numpy as np  # noqa: PLC0415 - heavy

        found = self._recordings()
        (rows, columns), missing = self.shape, self._missing(found)
        height, width = self._tile(found)
        for left in range(0, columns, width):
            places = np.flatnonzero((wanted >= left) & (wanted < left + width))
            for top in range(0, rows if len(places) else 0, height):
                with _sound(self.where):
                    tile = np.asarray(found.values[top : top + height, left : left + width])
                values = tile[:, wanted[places] - left]
                for mark in missing:
                    values = np.where(values == mark, np.nan, values)
                yield Tile(top, places, values)

    def _recordings(self) -> Variable:
        tables = {
            name: one
            for name, one in self.variables.items()
            if len(one.values.shape) > 1 and one.values.dtype.kind in "iuf"
        }
        found = [one for one in tables.values() if one.dimensions == (ROW, COLUMN) and one.values.dtype.kind == "f"]
        if len(found) != 1:
            has = (
                ", ".join(
                    f"{name[:40]}{[*one.dimensions]}"[:140] + f" of {one.values.dtype}"
                    for name, one in [*tables.items()][:4]
                )
                or "none"
            )
            raise InputError(
                f"it has {len(found)} tables of decimals over [{ROW}, {COLUMN}]",
                where=self.where,
                next=f"give one such table; its tables are: {has}",
            )
        if found[0].values.shape[1] > MOST_COLUMNS:
            raise InputError(f"it has more than {MOST_COLUMNS:,} columns", where=self.where, next="give a part of it")
        return found[0]

    def _missing(self, found: Variable) -> list[float]:
        """Return the numbers, other than NaN, that stand for a missing value."""
        import numpy as np  # noqa: PLC0415 - heavy

        if packed := [name for name in _PACKED if name in found.attributes]:
            raise self._bad(f"its values are packed (`{packed[0]}`)", "recordings", "write them as they are")
        with _sound(self.where):
            marks = [float(np.ravel(found.attributes[name])[0]) for name in _MISSING if name in found.attributes]
        return [mark for mark in marks if not math.isnan(mark)]

    def _tile(self, found: Variable) -> tuple[int, int]:
        """Return how many rows and columns to read at once: whole chunks, or whole rows if the file is not chunked."""
        (rows, columns), item = self.shape, found.values.dtype.itemsize
        height, width = getattr(found.values, "chunks", None) or (1, max(columns, 1))
        if height * width * item > LARGEST_CHUNK:
            raise self._bad(f"a chunk has {height * width * item:,} bytes", "recordings", "write it in smaller chunks")
        width *= max(1, min(TILE // (height * width * item), -(-columns // width)))
        return height * max(1, min(TILE // (height * width * item), -(-rows // height))), width

    def _coordinate(self, name: str, dimension: str) -> Array:
        one = self.variables.get(name)
        if one is None or one.dimensions[:1] != (dimension,):
            has = ", ".join(self.coordinates(dimension))
            raise self._bad(f"there is no coordinate `{name}` over {dimension}", name, f"it has: {has[:200] or 'none'}")
        if one.values.shape[0] != self.shape[dimension == COLUMN]:
            raise self._bad(f"it has {one.values.shape[0]} values for {self.shape[dimension == COLUMN]}", name)
        if len(one.values.shape) > 2 or (len(one.values.shape) == 2 and one.values.shape[1] > LONGEST):
            raise self._bad(f"it is {one.values.dtype} {[*one.values.shape]}", name)
        with _sound(self.where):
            return one.values[()] if one.values.shape else one.values

    def _text(self, value: Any, name: str) -> str:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        try:
            said = value.decode() if isinstance(value, bytes) else str(value)
        except UnicodeDecodeError:
            raise self._bad("it holds text that is not UTF-8", name) from None
        return said.rstrip("\0")

    def _bad(self, what: str, name: str, then: str = "give the published file") -> InputError:
        return InputError(what, where=f"{self.where}: {name}", next=then)


@contextmanager
def opened(path: Path, where: str) -> Iterator[NetcdfFile]:
    """Context manager that opens a netCDF file.

    Raises InputError if the file is not a netCDF file, or if its values are stored in other files.
    """
    with open(path, "rb") as file:
        begin = file.read(8)
    if begin == b"\x89HDF\r\n\x1a\n":
        with _sound(where):
            file = _h5py().File(path, "r", locking=False)
        with file:
            with _sound(where):
                variables = {name: one for name in file if (one := _hdf5(file, name, where))}
            yield NetcdfFile(where, HDF5, variables)
    elif begin[:4] in (b"CDF\x01", b"CDF\x02"):
        yield from _classic(path, where)
    else:
        raise InputError(
            "it is no netCDF file", where=where, next="give a file of netCDF-4 (HDF5), or of the classic form"
        )


def _h5py() -> Any:
    try:
        import h5py  # noqa: PLC0415 - heavy
    except ImportError as bad:
        raise MissingError("h5py is not installed", next="pip install 'repro-harness[brain]'") from bad
    return h5py


def _hdf5(file: Any, name: str, where: str) -> Variable | None:
    """Return a description of a variable; None for a group, a scalar, or a dimension that is not a variable."""
    h5py = _h5py()
    linked = not isinstance(file.get(name, getlink=True), h5py.HardLink)
    one = None if linked else file[name]
    if linked or (isinstance(one, h5py.Dataset) and (one.external or one.is_virtual)):
        raise InputError("its values lie in another file", where=f"{where}: {name[:80]}", next="write one whole file")
    if not isinstance(one, h5py.Dataset) or not one.shape or not isinstance(one.name, str):
        return None
    attributes = {key: one.attrs[key] for key in (*_PACKED, *_MISSING) if key in one.attrs}
    if one.is_scale and len(one.shape) == 1:
        return Variable((name,), one, attributes)
    names = (axis[0].name if len(axis) else "" for axis in one.dims)
    return Variable(tuple(str(each).rpartition("/")[2] for each in names), one, attributes)


def _classic(path: Path, where: str) -> Iterator[NetcdfFile]:
    from scipy.io import netcdf_file  # noqa: PLC0415 - heavy

    with open(path, "rb") as opened:  # opened here because the library leaves the file open when it fails
        with _sound(where):
            file = netcdf_file(opened, "r", mmap=True)
        try:
            with _sound(where):
                variables = {
                    name: Variable(tuple(one.dimensions), one.data, dict(one._attributes))
                    for name, one in file.variables.items()
                }
            yield NetcdfFile(where, CLASSIC, variables)
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # arrays that were read may still use the memory map
                file.close()


@contextmanager
def _sound(where: str) -> Iterator[None]:
    """Context manager that raises InputError if the library fails to read the file."""
    try:
        yield
    except (*_BROKEN, struct.error, MemoryError) as bad:
        told = f"it is no sound netCDF file: {type(bad).__name__}: {bad}"[:200]
        raise InputError(told, where=where, next="fetch it again, and compare its SHA-256") from None
