"""Where a caller's mistake stands: tables that are given under a name of choice, and errors told by the caller's field.

It does not know what a field means.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any

from pydantic import TypeAdapter, ValidationError

from harness.errors import InputError
from harness.scorers.given_arrays import Axes

Array = Any  # of numpy
_TABLE: TypeAdapter[Any] = TypeAdapter(Annotated[Any, Axes(2)])


def finite_table(name: str, value: Any) -> Array:
    """Return what stands under a name as [row, column] of finite numbers.

    InputError for texts, true and false, complex numbers, what is not finite, and lists of unequal lengths.
    """
    try:
        return _TABLE.validate_python(value)
    except ValidationError:
        told = f"`{name[:80]}` is no table of finite numbers"
        raise InputError(told, where=name[:80], next="give rows, all of one length") from None


@contextmanager
def located(where: str | Mapping[str, str]) -> Iterator[None]:
    """Tell an InputError by the field of the caller: by one for all, or by that which stands for the one it names."""
    try:
        yield
    except InputError as bad:
        field = where if isinstance(where, str) else where.get(str(bad.where), bad.where)
        raise InputError(bad.what, where=field, next=bad.next) from bad
