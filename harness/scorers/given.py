"""Pydantic base classes and field types for the input and output of scorers and analyses; errors name the field.

A value is checked and never changed. An array may be given as nested lists or as a numpy array. No step imports this
module, because no step imports pydantic.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Annotated, Any, TypeVar, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    RootModel,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError, core_schema

from harness.errors import InputError
from harness.stats import LARGEST, is_number

MOST = 2**53  # whole numbers up to here are exact everywhere
TAG = "benchmark"  # the field that selects one of several models for a row
LIKE = 0.8  # how similar a name must be to another to count as a misspelling
KINDS = {"list_type": "a list", "dict_type": "an object", "model_type": "an object"}
NAMED = ((str, "text"), (int, "a whole number"), (float, "a number"), (list | tuple, "a list"), (Mapping, "an object"))


class Row(BaseModel):
    """Base class of a scorer's input: one row; undeclared fields are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)


class AnalysisInput(Row):
    """Base class of an analysis' input: unknown fields are ignored, unless one looks like a misspelt field."""

    @model_validator(mode="before")
    @classmethod
    def _no_slip(cls, given: Any) -> Any:
        lacking = [name for name in cls.model_fields if name not in given] if isinstance(given, Mapping) else []
        for name in given if lacking else ():
            if name not in cls.model_fields and (near := get_close_matches(name, lacking, 1, LIKE)):
                raise PydanticCustomError("slip", "a field is not known", {"name": name, "near": near[0]})
        return given


class ToolOutput(BaseModel):
    """Base class of the output of a scorer or an analysis: the declared fields and no others."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class AbsentValue(ToolOutput):
    """A missing value, with the reason why there is no value."""

    missing: str


@dataclass(frozen=True)
class FieldCheck:
    """A pydantic field annotation: a check of the value, its name in error messages, and its JSON Schema."""

    holds: Callable[[Any], bool]
    what: str
    schema: Mapping[str, Any] = field(hash=False)
    give: str = ""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        """Return the pydantic schema, which checks the value as given and leaves it unchanged."""
        return core_schema.no_info_plain_validator_function(self._checked)

    def __get_pydantic_json_schema__(self, source: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Return the JSON Schema of the field."""
        return dict(self.schema)

    def _checked(self, value: Any) -> Any:
        if not self.holds(value):
            raise PydanticCustomError("kind", "not of its kind", {"what": self.what, "give": self.give})
        return value


@dataclass(frozen=True)
class ListCheck(FieldCheck):
    """A pydantic field annotation for a list whose every value passes one check."""

    def _checked(self, value: Any) -> Any:
        if not isinstance(value, list | tuple):
            raise PydanticCustomError("kind", "not of its kind", {"what": "a list"})
        for place, each in enumerate(value):
            if not self.holds(each):
                context = {"what": f"{self.what}: look at [{place}]", "give": self.give}
                raise PydanticCustomError("kind", "not of its kind", context)
        return value


def whole_number(least: int, most: int = MOST) -> FieldCheck:
    """Return the check of a whole number within bounds; true and false are not numbers."""

    def holds(value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most

    schema = {"type": "integer", "minimum": least, "maximum": most}
    return FieldCheck(holds, f"a whole number from {least} up" + (f" to {most}" if most < MOST else ""), schema)


def finite_number(least: float, most: float) -> FieldCheck:
    """Return the check of a finite number within bounds."""
    schema = {"type": "number", "minimum": least, "maximum": most}
    return FieldCheck(
        lambda value: is_number(value) and least <= value <= most,
        f"a number from {least:g}" + (f" to {most:g}" if most < LARGEST else ""),
        schema,
    )


def one_of_words(what: str, *names: str) -> FieldCheck:
    """Return the check that a text is one of some words."""
    return FieldCheck(
        lambda value: isinstance(value, str) and value in names,
        what,
        {"type": "string", "enum": list(names)},
        f"use one of: {', '.join(names)}",
    )


def list_of_values(each: FieldCheck, what: str) -> FieldCheck:
    """Return the check of a list whose every value passes `each`; the error names the first index that fails."""
    return ListCheck(each.holds, what, {"type": "array", "items": each.schema}, each.give)


@dataclass(frozen=True)
class UncheckedList:
    """A pydantic field annotation for a list whose values are checked only by the code that reads them."""

    kind: Any  # the type of the list in the JSON Schema

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """Return the pydantic schema, which checks that the value is a list and does not check its values."""
        return core_schema.no_info_wrap_validator_function(_only_a_list, handler.generate_schema(self.kind))


def _only_a_list(value: Any, handler: Any) -> Any:
    if not isinstance(value, list | tuple):
        raise PydanticCustomError("kind", "not of its kind", {"what": "a list"})
    return value


TEXT = FieldCheck(lambda value: isinstance(value, str), "text", {"type": "string"})
NUMBER = FieldCheck(
    is_number, "a finite number", {"type": "number", "minimum": -LARGEST, "maximum": LARGEST}, "give numbers up to 1e15"
)
Text = Annotated[str, TEXT]
Texts = Annotated[list[str], list_of_values(TEXT, "a list of texts")]
Flag = Annotated[bool, FieldCheck(lambda value: isinstance(value, bool), "true or false", {"type": "boolean"})]
Number = Annotated[float, NUMBER]
Numbers = Annotated[list[float], list_of_values(NUMBER, "a list of finite numbers")]
Counts = Annotated[list[int], list_of_values(whole_number(0), "a list of whole numbers from 0 up")]
Model = TypeVar("Model", bound=BaseModel)


def check_input(model: type[Model], given: Mapping[str, Any]) -> Model:
    """Validate a caller's input as a `model`; InputError names the first wrong field, not its value."""
    try:
        return model.model_validate(given)
    except ValidationError as bad:
        raise _explained(model, bad.errors(include_url=False)[0], given) from None


def _explained(model: type[BaseModel], bad: ErrorDetails, given: Mapping[str, Any]) -> InputError:
    loc, fields = bad["loc"], model.model_fields
    if issubclass(model, RootModel):  # its error locations begin with the tag of a part
        part = next(part for part in union_models(model) if loc[0] in get_args(part.model_fields[TAG].annotation))
        loc, fields = loc[1:], part.model_fields
    context, place, name = bad.get("ctx", {}), _spelled(loc), str(loc[-1]) if loc else ""
    field = fields.get(name) if len(loc) == 1 else None
    if bad["type"] == "slip":
        name = _spelled((*loc, context["name"]))
        return InputError(f"the field `{name}` is not known", where=name, next=f"did you mean `{context['near']}`?")
    if bad["type"] == "missing":
        near = get_close_matches(name, [other for other in map(str, bad["input"]) if other not in fields], 1, LIKE)
        advice = f"`{near[0]}` is given: did you mean `{name}`?" if near else f"give `{name}`"
        about = f": {field.description}" if field and field.description and not near else ""
        return InputError(f"the field `{place}` is missing", where=place, next=advice + about)
    what, found = context.get("what") or KINDS.get(bad["type"], "what it must be"), _kind(bad["input"])
    but = "" if found.split()[-1] in re.findall(r"\w+", what) else f" but {found}"
    advice = context.get("give") or f"give {what.partition(':')[0]}"
    free = ", or leave it out" if field and not field.is_required() else ""
    return InputError(f"the field `{place}` is not {what}{but}", where=place, next=advice + free)


def union_models(model: type[BaseModel]) -> tuple[type[BaseModel], ...]:
    """Return the models of a tagged union; for any other model, the model itself."""
    return get_args(model.model_fields["root"].annotation) if issubclass(model, RootModel) else (model,)


def _spelled(loc: tuple[int | str, ...]) -> str:
    """Format an error location for people: `cases[1]/b`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f"/{part}" for part in loc).removeprefix("/")


def _kind(value: Any) -> str:
    """Return the name of a value's JSON type, without the value."""
    if value is None or isinstance(value, bool):
        return "null" if value is None else "true or false"
    if (shape := getattr(value, "shape", None)) is not None:
        return f"an array {[*shape]}"
    return next((name for kind, name in NAMED if isinstance(value, kind)), type(value).__name__)


UNBOUNDED = ("nan", "inf", "-inf")  # the spelling of numbers that are not finite in rows


@dataclass(frozen=True)
class Axes:
    """A pydantic field annotation for an array of finite numbers with `count` axes; with 0 axes it is one number.

    `second` names the array of a second file that fills the field, given as `harness analyse --with FILE.npz`.
    """

    count: int
    whole: bool = False
    second: str = ""

    @property
    def what(self) -> str:
        """The shape in words, for error messages."""
        of = "whole" if self.whole else "finite"
        return (f"a {of} number", f"a list of {of} numbers", f"rows of {of} numbers, all of one length")[self.count]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """Return the pydantic schema that reads the field."""
        return core_schema.no_info_plain_validator_function(self._read)

    def __get_pydantic_json_schema__(self, source: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Return the JSON Schema of the field as nested lists."""
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
    """Whether nested lists form an array of numbers with `axes` axes; all lists at one level must have equal length."""
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


def axes_fields(model: type[BaseModel]) -> dict[str, Axes]:
    """Return the fields of a model that are annotated with `Axes`, by name, each with its annotation."""
    return dict(_marked(model))


def _marked(model: type[BaseModel]) -> Iterator[tuple[str, Axes]]:
    for part in union_models(model):
        for name, info in part.model_fields.items():
            yield from ((name, mark) for mark in info.metadata if isinstance(mark, Axes))


def as_json_data(value: Any) -> Any:
    """Return a value as JSON data: arrays as nested lists, numbers that are not finite as `nan`, `inf` or `-inf`."""
    if isinstance(value, Mapping):
        return {name: as_json_data(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [as_json_data(one) for one in value]
    if hasattr(value, "tolist"):  # a numpy array or scalar
        return as_json_data(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return UNBOUNDED[0] if math.isnan(value) else UNBOUNDED[1 + (value < 0)]
    return value
