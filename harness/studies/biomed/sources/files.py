"""A file of a source table as a lazy frame, parquet or CSV by its first bytes, and the errors for its faults.

No message quotes a cell.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import polars as pl

from harness.errors import InputError
from harness.files import translating_os_errors

_PARQUET: Final = b"PAR1"
_PACKED: Final = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"BZh", b"\xfd7zXZ")
_WIDE: Final = (b"\xff\xfe", b"\xfe\xff")  # how UTF-16 begins
ADVICE: Final = "give the table as parquet, or as CSV in UTF-8 with one line of column names"


def scan(name: str, path: Path) -> pl.LazyFrame:
    """Open a source file lazily as Parquet or CSV, whatever its name; CSV cells are texts, empty ones missing.

    Raise InputError for a path that is not a file, and for a file that is empty, packed, or neither parquet nor text in
    UTF-8 (as far as its start shows).
    """
    with translating_os_errors(path):
        if not path.is_file():
            raise fault(name, path, "there is no such file", "check the path")
        with path.open("rb") as file:
            start = file.read(4)
    if start == _PARQUET:
        return pl.scan_parquet(path, glob=False, hive_partitioning=False)
    if not start:
        raise fault(name, path, "the file is empty")
    if start.startswith(_PACKED):
        raise fault(name, path, "the file is packed", "unpack it first")
    if start.startswith(_WIDE) or b"\0" in start:
        raise fault(name, path, "the file is neither parquet nor text in UTF-8")
    with translating(name, path):
        return pl.scan_csv(path, infer_schema=False, glob=False, raise_if_empty=True)


@contextlib.contextmanager
def translating(name: str, path: Path) -> Iterator[None]:
    """Context manager that turns polars errors about a file into an InputError that quotes nothing of the file."""
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as bad:
        text = str(bad).lower()
        what = "the file is damaged, or no well-formed table"
        if "utf-8" in text or "utf8" in text:
            what = "the file is damaged, or its text is not UTF-8"
        elif "more fields" in text or "ragged" in text:
            what = "a row has more cells than there are columns"
        raise fault(name, path, what) from None


def fault(name: str, path: Path, what: str, next: str = ADVICE) -> InputError:
    """Return the InputError for a fault in a source table's file."""
    return InputError(f"the table `{name}`: {what}", where=str(path), next=next)
