"""Array fields of an analysis: given as numpy arrays, or as nested lists where a caller has JSON.

No step imports it, since it belongs to models of pydantic. It does not know a file.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import PydanticCustomError, core_schema

from harness.scorers.given import parts

UNBOUNDED = ("nan", "inf", "-inf")  # how rows spell what is no finite number


@dataclass(frozen=True)
class Axes:
    """A pydantic field annotation for an array of finite numbers with so many axes; without any it is one number.

    `second` names the array of a second file that fills the field: what `harness analyse --with FILE.npz` gives.
    """

    count: int
    whole: bool = False
    second: str = ""

    @property
    def what(self) -> str:
        """Name the shape in words, for error messages."""
        of = "whole" if self.whole else "finite"
        return (f"a {of} number", f"a list of {of} numbers", f"rows of {of} numbers, all of one length")[self.count]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """Tell pydantic how the field is read."""
        return core_schema.no_info_plain_validator_function(self._read)

    def __get_pydantic_json_schema__(self, source: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Tell a schema what the field holds, as a caller with JSON gives it."""
        schema: dict[str, Any] = {"type": "integer" if self.whole else "number"}
        for _ in range(self.count):
            schema = {"type": "array", "items": schema}
        return schema

    def _read(self, value: Any) -> Any:
        import numpy as np  # noqa: PLC0415 - heavy

        if not isinstance(value, np.ndarray):
            if not _rectangular(value, self.count, self.whole):
                raise self._no()
            value = np.array(value, np.int64 if self.whole else np.float64)
        kinds = "iu" if self.whole else "iuf"
        if value.ndim != self.count or value.dtype.kind not in kinds or not np.isfinite(value).all():
            raise self._no()
        return value

    def _no(self) -> PydanticCustomError:
        return PydanticCustomError("kind", "not of its kind", {"what": self.what, "give": f"give {self.what}"})


def _rectangular(value: Any, axes: int, whole: bool) -> bool:
    """Whether nested lists are an array of numbers: of so many axes, every list of an axis as long as the others."""
    level = [value]
    for _ in range(axes):
        if not all(isinstance(one, list | tuple) for one in level) or len({len(one) for one in level}) > 1:
            return False
        level = [item for one in level for item in one]
    return all(_is_finite(one, whole) for one in level)


def _is_finite(value: Any, whole: bool) -> bool:
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
        return False
    return abs(value) < 2**63 if isinstance(value, int) else math.isfinite(value)


def marked(model: type[BaseModel]) -> dict[str, Axes]:
    """Return the fields of a model that are annotated with `Axes`, by name, each with its annotation."""
    return dict(_marked(model))


def _marked(model: type[BaseModel]) -> Iterator[tuple[str, Axes]]:
    for part in parts(model):
        for name, field in part.model_fields.items():
            yield from ((name, mark) for mark in field.metadata if isinstance(mark, Axes))


def listed(value: Any) -> Any:
    """Return a value as JSON has it: arrays as nested lists, numbers that are not finite as `nan`, `inf` or `-inf`."""
    if isinstance(value, Mapping):
        return {name: listed(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [listed(one) for one in value]
    if hasattr(value, "tolist"):  # an array of numpy, or one of its numbers
        return listed(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return UNBOUNDED[0] if math.isnan(value) else UNBOUNDED[1 + (value < 0)]
    return value
