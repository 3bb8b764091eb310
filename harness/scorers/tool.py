"""A standalone function with typed input and output: a scorer (row in, row out) or an analysis (object in, object out).

Over the command line, in a test, for an agent; it must never know where rows come from or where results go. A tool
holds models of pydantic, so no step imports it: what a step computes stands in a file of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeVar

from pydantic import BaseModel, RootModel

from harness.scorers.given import checked, parts
from harness.trial import TrialLimits

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True)
class Grader:
    """What a certificate needs of a scorer: the field of its grade, the grade that accepts, and the code behind it."""

    code: tuple[str, ...]  # the step kinds that score by its rules: their closures are what a certificate names
    accepts: str  # the grade that calls an answer right
    field: str = "label"  # of what it gives


@dataclass(frozen=True)
class ForeignProgram:
    """A program inside a row, such as code in an answer, which is run in a sandbox before the row is scored.

    What came of it stands in the row's field `field`; a caller who has run it already gives that field himself.
    """

    take: Callable[[Any], tuple[str, str] | None]  # of a checked row: the program and its stdin, or None
    field: str
    limits: TrialLimits


class Tool:
    """A scorer or an analysis with pydantic models of its input and output, from which validation and help come."""

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
        """Validate the input (InputError names a wrong field), and give what the function returns, unchecked."""
        return self._run(checked(self.takes, given))

    def program(self, given: Mapping[str, Any]) -> tuple[str, str] | None:
        """Give the program of a row that is to be run before it is scored, and its stdin; None where there is none."""
        if self.foreign is None or given.get(self.foreign.field) is not None:
            return None
        return self.foreign.take(checked(self.takes, given))

    def schema(self) -> dict[str, Any]:
        """Give the models of input (`takes`) and output (`gives`) as JSON Schema, for an agent or a form."""
        return {"takes": self.takes.model_json_schema(), "gives": self.gives.model_json_schema()}


def described(model: type[BaseModel]) -> dict[str, str]:
    """Give the descriptions of a model's fields by name; neighbours that share one stand together, `a, b`.

    A model that takes any name says so in a line of its own.
    """
    return dict(_lines(model))


def _lines(model: type[BaseModel]) -> Iterator[tuple[str, str]]:
    if not issubclass(model, RootModel):
        yield from _grouped(model, list(model.model_fields))
        if model.model_config.get("extra") == "allow":  # fields whose names are parsed: its docstring says which
            yield "any name", (model.__doc__ or "").strip().partition(": ")[2].partition("\n")[0]
        return
    first, *others = parts(model)  # one of several: what all have is said once
    shared = [name for name in first.model_fields if all(name in part.model_fields for part in others)]
    yield from _grouped(first, shared)
    for part in (first, *others):
        for names, meaning in _grouped(part, [name for name in part.model_fields if name not in shared]):
            yield f"{names} ({part.__name__.lower()})", meaning


def _grouped(model: type[BaseModel], names: list[str]) -> Iterator[tuple[str, str]]:
    said = [(name, model.model_fields[name].description or "") for name in names]
    for meaning, together in groupby(said, key=lambda pair: pair[1]):
        yield ", ".join(name for name, _ in together), meaning
