"""Entry point of the process that reads a Parquet file by polars: it writes columns or rows as lines of JSON.

The file is the process's input, so that no name, pattern or address is followed. polars is Rust: where a damaged file
makes it ask for more memory than there is, the whole process ends. So it does nothing else, and may do little. It
imports the standard library and polars alone.
"""

from __future__ import annotations

import json
import resource
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

MOST_MEMORY = 2 << 30  # bytes
MOST_ROWS = 20_000_000
LONGEST = 16 << 20  # characters of a row as it is written here
PLAIN, RECORDS, OTHER = "plain", "records", "other"  # what a column holds; only what is plain is read
BROKEN, MANY, LONG, NO_TEXT = "broken", "many", "long", "no text"  # why a file is refused
ROWS, REFUSED = "rows", "refused"  # what the last line says
_FIRST, _MOST, _BYTES = 512, 16_384, 64 << 20  # rows that are decoded at once, and about the bytes that they take
_TOGETHER = 256  # rows that are values of Python at once
Dtype = Any  # of polars
Cell = Callable[[Any], Any]  # makes of a cell as polars gives it a text, number, truth, None, or a list of these


class RefusedError(Exception):
    """The refusal of a Parquet file; its text is one of the reasons above."""


def main(site: str, columns: Sequence[int] | None) -> None:
    """Print the names and types of a Parquet file's columns, or all rows of some columns; `site` is where polars lies.

    The last line is an object that says how many lines there were, or why the file is refused.
    """
    _restrict()
    sys.path.append(site)
    try:
        last: dict[str, int | str] = {ROWS: _write(_names() if columns is None else _rows(columns))}
    except BrokenPipeError:  # nobody reads on
        return
    except RefusedError as bad:
        last = {REFUSED: str(bad)}
    except BaseException as bad:  # a panic of Rust is no Exception
        if isinstance(bad, MemoryError | KeyboardInterrupt):
            raise
        last = {REFUSED: NO_TEXT if isinstance(bad, UnicodeError) or "UTF-8" in str(bad) else BROKEN}
    sys.stdout.buffer.write(json.dumps(last).encode() + b"\n")
    sys.stdout.buffer.flush()


def _restrict() -> None:
    """Bound the memory of this process; it writes no file, and leaves none where it is ended."""
    for bound, most in ((resource.RLIMIT_DATA, MOST_MEMORY), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)):
        least = min([most, *(held for held in resource.getrlimit(bound) if held != resource.RLIM_INFINITY)])
        resource.setrlimit(bound, (least, least))


def _write(lines: Iterator[Sequence[Any]]) -> int:
    """Write lines, and return how many they were."""
    count = 0
    for line in lines:
        text = json.dumps(line, ensure_ascii=False, separators=(",", ":"))
        if len(text) > LONGEST:
            raise RefusedError(LONG)
        sys.stdout.buffer.write(text.encode() + b"\n")
        count += 1
    return count


def _open() -> pl.LazyFrame:
    """Open the file; lengths of time, for which Parquet has no type, are the numbers that stand there."""
    import polars as pl  # noqa: PLC0415
    from polars import selectors  # noqa: PLC0415

    file = sys.stdin.buffer
    frame = pl.scan_parquet(file, glob=False, hive_partitioning=False, use_statistics=False, cache=False)
    return frame.with_columns(selectors.duration().to_physical())


def _names() -> Iterator[tuple[str, str]]:
    """Iterate over the columns by name, each with what it holds."""
    for name, dtype in _open().collect_schema().items():
        yield name, _reader(dtype)[0]


def _rows(columns: Sequence[int]) -> Iterator[Sequence[Any]]:
    """Iterate over the rows, as many as the footer says, a part at a time: memory does not grow with their number."""
    import polars as pl  # noqa: PLC0415
    from polars import selectors  # noqa: PLC0415

    frame = _open()
    count = _count(frame)
    if count > MOST_ROWS:
        raise RefusedError(MANY)
    if count != _count(frame.filter(pl.lit(True))):  # the sum of the groups of rows, some of which no slice would reach
        raise RefusedError(BROKEN)
    if not columns:
        yield from ([] for _ in range(count))
        return
    wanted = frame.select(selectors.by_index(*columns))
    makers = [_reader(dtype)[1] for dtype in wanted.collect_schema().dtypes()]
    at, size = 0, _FIRST
    while at < count:
        part = wanted.slice(at, size).collect(engine="in-memory")
        if part.height != min(size, count - at):
            raise RefusedError(BROKEN)
        for few in part.iter_slices(_TOGETHER):
            cells = [map(make, column.to_list()) for make, column in zip(makers, few, strict=True)]
            yield from zip(*cells, strict=True)
        at += size
        size = max(1, min(_MOST, 2 * size, _BYTES * size // max(1, int(part.estimated_size()))))


def _count(frame: pl.LazyFrame) -> int:
    import polars as pl  # noqa: PLC0415

    return int(frame.select(pl.len()).collect(engine="in-memory").item())


def _reader(dtype: Dtype, *, listed: bool = False) -> tuple[str, Cell]:
    """Return what a type's cells hold, and what makes a value of one; a list that is missing is one of nothing."""
    import polars as pl  # noqa: PLC0415

    if isinstance(dtype, pl.List | pl.Array):
        kind, make = _reader(dtype.inner, listed=True)
        return RECORDS if listed else kind, lambda cell: [make(one) for one in cell or ()]
    if isinstance(dtype, pl.Struct) and len(dtype.fields) == 1:  # its field is the cell
        [field] = dtype.fields
        kind, make = _reader(field.dtype, listed=listed)
        return kind, lambda cell: make(cell and cell[field.name])
    if hasattr(dtype, "ext_storage"):  # a type of somebody's own, and what stands for it
        return _reader(dtype.ext_storage(), listed=listed)
    return (RECORDS, _same) if dtype.is_nested() else _scalar_reader(dtype)


def _scalar_reader(dtype: Dtype) -> tuple[str, Cell]:
    import polars as pl  # noqa: PLC0415

    if dtype == pl.Binary:  # how some writers mark texts
        return PLAIN, lambda cell: None if cell is None else cell.decode()
    if dtype == pl.Float32:
        return PLAIN, _shortest
    whole = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64)
    others = (pl.String, pl.Categorical, pl.Enum, pl.Boolean, pl.Float64, pl.Null)
    return PLAIN if dtype in whole or dtype in others else OTHER, _same


def _same(cell: Any) -> Any:
    return cell


def _shortest(cell: float | None) -> float | None:
    """Return the number that a person writes, with six digits or as many more as tell it from others of 32 bits."""
    if cell is None:
        return None
    spelled = (float(f"{cell:.{digits}g}") for digits in range(6, 10))
    return next((short for short in spelled if struct.pack("<f", short) == struct.pack("<f", cell)), cell)


if __name__ == "__main__":
    main(sys.argv[1], json.loads(sys.argv[2]))
