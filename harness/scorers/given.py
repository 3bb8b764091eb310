"""Pydantic base classes and field types for the input and output of scorers and analyses; errors name the field.

A value is checked and never changed. This must never know a scorer or what a field means; and no step imports it, since
no step imports pydantic.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
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

MOST = 2**53  # whole numbers up to here are the same everywhere
TAG = "benchmark"  # the field by which a row says which of several models it is of
LIKE = 0.8  # how near a name must come to another to be a slip of the pen
KINDS = {"list_type": "a list", "dict_type": "an object", "model_type": "an object"}
NAMED = ((str, "text"), (int, "a whole number"), (float, "a number"), (list | tuple, "a list"), (Mapping, "an object"))


class Row(BaseModel):
    """Base class of a scorer's input: one row; fields that it does not declare are ignored."""

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
    """A missing value, with the reason why there is none."""

    missing: str


@dataclass(frozen=True)
class FieldCheck:
    """A pydantic field annotation: a check of the value, its name in error messages, and its JSON Schema."""

    holds: Callable[[Any], bool]
    what: str
    schema: Mapping[str, Any] = field(hash=False)
    give: str = ""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        """Tell pydantic how a value is checked: as it is, and left as it is."""
        return core_schema.no_info_plain_validator_function(self._checked)

    def __get_pydantic_json_schema__(self, source: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Tell a schema what the field holds."""
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


def whole(least: int, most: int = MOST) -> FieldCheck:
    """Make the check of a whole number within bounds; true and false are none."""

    def holds(value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most

    schema = {"type": "integer", "minimum": least, "maximum": most}
    return FieldCheck(holds, f"a whole number from {least} up" + (f" to {most}" if most < MOST else ""), schema)


def number(least: float, most: float) -> FieldCheck:
    """Make the check of a finite number within bounds."""
    schema = {"type": "number", "minimum": least, "maximum": most}
    return FieldCheck(
        lambda value: is_number(value) and least <= value <= most,
        f"a number from {least:g}" + (f" to {most:g}" if most < LARGEST else ""),
        schema,
    )


def one_of(what: str, *names: str) -> FieldCheck:
    """Make the check of an enumeration of words."""
    return FieldCheck(
        lambda value: isinstance(value, str) and value in names,
        what,
        {"type": "string", "enum": list(names)},
        f"use one of: {', '.join(names)}",
    )


def list_of(each: FieldCheck, what: str) -> FieldCheck:
    """Make the check of a list whose every value passes a check; the first that does not is named by its place."""
    return ListCheck(each.holds, what, {"type": "array", "items": each.schema}, each.give)


@dataclass(frozen=True)
class UncheckedList:
    """A pydantic field annotation for a list whose values are not checked here, but by the code that reads them."""

    kind: Any  # what a schema says of the list

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """Tell pydantic that this is a list, and to look no further."""
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
Texts = Annotated[list[str], list_of(TEXT, "a list of texts")]
Flag = Annotated[bool, FieldCheck(lambda value: isinstance(value, bool), "true or false", {"type": "boolean"})]
Number = Annotated[float, NUMBER]
Numbers = Annotated[list[float], list_of(NUMBER, "a list of finite numbers")]
Counts = Annotated[list[int], list_of(whole(0), "a list of whole numbers from 0 up")]
Model = TypeVar("Model", bound=BaseModel)


def checked(model: type[Model], given: Mapping[str, Any]) -> Model:
    """Validate a caller's input as a `model`; InputError names the first field that is wrong, never its value."""
    try:
        return model.model_validate(given)
    except ValidationError as bad:
        raise _explained(model, bad.errors(include_url=False)[0], given) from None


def _explained(model: type[BaseModel], bad: ErrorDetails, given: Mapping[str, Any]) -> InputError:
    loc, fields = bad["loc"], model.model_fields
    if issubclass(model, RootModel):  # its places begin with the tag of one of its parts
        part = next(part for part in parts(model) if loc[0] in get_args(part.model_fields[TAG].annotation))
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


def parts(model: type[BaseModel]) -> tuple[type[BaseModel], ...]:
    """Give the models of a tagged union; of any other model, the model itself."""
    return get_args(model.model_fields["root"].annotation) if issubclass(model, RootModel) else (model,)


def _spelled(loc: tuple[int | str, ...]) -> str:
    """Spell a place as people write it: `cases[1]/b`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f"/{part}" for part in loc).removeprefix("/")


def _kind(value: Any) -> str:
    """Name the JSON type of a value, never the value."""
    if value is None or isinstance(value, bool):
        return "null" if value is None else "true or false"
    if (shape := getattr(value, "shape", None)) is not None:
        return f"an array {[*shape]}"
    return next((name for kind, name in NAMED if isinstance(value, kind)), type(value).__name__)
