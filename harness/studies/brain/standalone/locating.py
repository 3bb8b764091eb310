"""Error locations for callers: tables under names that the caller chooses, and errors that name the caller's field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any

from pydantic import TypeAdapter, ValidationError

from harness.errors import InputError
from harness.scorers.given import Axes

Array = Any  # a numpy array
_TABLE: TypeAdapter[Any] = TypeAdapter(Annotated[Any, Axes(2)])


def finite_table(name: str, value: Any) -> Array:
    """Return the value of a field as [row, column] of finite numbers.

    Raises InputError for texts, booleans, complex numbers, values that are not finite, and lists of unequal lengths.
    """
    try:
        return _TABLE.validate_python(value)
    except ValidationError:
        told = f"`{name[:80]}` is no table of finite numbers"
        raise InputError(told, where=name[:80], next="give rows, all of one length") from None


@contextmanager
def located(where: str | Mapping[str, str]) -> Iterator[None]:
    """Context manager that makes an InputError name the caller's field.

    The field is `where`, or the entry of `where` for the field that the error names.
    """
    try:
        yield
    except InputError as bad:
        field = where if isinstance(where, str) else where.get(str(bad.where), bad.where)
        raise InputError(bad.what, where=field, next=bad.next) from bad
