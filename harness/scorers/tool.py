"""A standalone function with typed input and output: a scorer (row in, row out) or an analysis (object in, object out).

A tool is called from the command line, in a test, or by an agent. It holds pydantic models, so no step imports it: code
that a step runs is in a separate file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeVar

from pydantic import BaseModel, RootModel

from harness.scorers.given import check_input, union_models
from harness.trial import TrialLimits

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True)
class Grader:
    """What a certificate needs from a scorer: the field of its grade, the grade that accepts, and its code."""

    code: tuple[str, ...]  # the step kinds that score by its rules; a certificate names the files of their closures
    accepts: str  # the grade that calls an answer right
    field: str = "label"  # of its output


@dataclass(frozen=True)
class ForeignProgram:
    """A program inside a row, such as code in an answer, which is run in a sandbox before the row is scored.

    The result of the run is the row's field `field`; a caller who has already run the program sets that field.
    """

    take: Callable[[Any], tuple[str, str] | None]  # given a checked row, the program and its stdin, or None
    field: str
    limits: TrialLimits


class Tool:
    """A scorer or an analysis with pydantic models of its input and output, which are used for validation and help."""

    def __init__(
        self,
        about: str,
        takes: type[Model],
        gives: type[BaseModel],
        run: Callable[[Model], Mapping[str, Any]],
        grader: Grader | None = None,
        foreign: ForeignProgram | None = None,
    ) -> None:
        self.about, self.gives, self.grader, self.foreign = about, gives, grader, foreign
        self.takes: type[BaseModel] = takes
        self._run: Callable[[Any], Mapping[str, Any]] = run

    def run(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Validate the input and return the function's result, unchecked; InputError names a wrong field."""
        return self._run(check_input(self.takes, given))

    def program(self, given: Mapping[str, Any]) -> tuple[str, str] | None:
        """Return the program of a row that must be run before it is scored, and its stdin; None if there is none."""
        if self.foreign is None or given.get(self.foreign.field) is not None:
            return None
        return self.foreign.take(check_input(self.takes, given))

    def schema(self) -> dict[str, Any]:
        """Return the models of input (`takes`) and output (`gives`) as JSON Schema, for an agent or a form."""
        return {"takes": self.takes.model_json_schema(), "gives": self.gives.model_json_schema()}


def describe_fields(model: type[BaseModel]) -> dict[str, str]:
    """Return the descriptions of a model's fields by name; adjacent fields with one description are joined, `a, b`.

    A model that accepts any field name has an additional line that says so.
    """
    return dict(_lines(model))


def _lines(model: type[BaseModel]) -> Iterator[tuple[str, str]]:
    if not issubclass(model, RootModel):
        yield from _grouped(model, list(model.model_fields))
        if model.model_config.get("extra") == "allow":  # fields with parsed names; the model's docstring says which
            yield "any name", (model.__doc__ or "").strip().partition(": ")[2].partition("\n")[0]
        return
    first, *others = union_models(model)  # a tagged union; fields common to all parts are listed once
    shared = [name for name in first.model_fields if all(name in part.model_fields for part in others)]
    yield from _grouped(first, shared)
    for part in (first, *others):
        for names, meaning in _grouped(part, [name for name in part.model_fields if name not in shared]):
            yield f"{names} ({part.__name__.lower()})", meaning


def _grouped(model: type[BaseModel], names: list[str]) -> Iterator[tuple[str, str]]:
    said = [(name, model.model_fields[name].description or "") for name in names]
    for meaning, together in groupby(said, key=lambda pair: pair[1]):
        yield ", ".join(name for name, _ in together), meaning
