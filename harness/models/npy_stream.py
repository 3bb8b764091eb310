"""A `.npy` file written as a stream, header first: what is known of its rows beforehand is their number alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from harness.errors import InputError


@contextmanager
def writing(path: Path, dtype: Any, shape: tuple[int, ...]) -> Iterator[Callable[[Any], None]]:
    """Write an array block by block: what is given are the next rows, and in the end there must be all of them."""
    import numpy as np  # noqa: PLC0415

    kind, done = np.dtype(dtype), 0
    with open(path, "wb") as out:
        head = {"descr": kind.str, "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(out, head)

        def add(rows: Any) -> None:
            nonlocal done
            if rows.shape[1:] != shape[1:] or rows.dtype != kind:
                raise InputError(f"rows {rows.shape} of {rows.dtype} do not fit {shape} of {kind}", where=path.name)
            out.write(np.ascontiguousarray(rows).data)
            done += len(rows)

        yield add
    if done != shape[0]:
        raise InputError(f"{done} rows came of {shape[0]}", where=path.name)
