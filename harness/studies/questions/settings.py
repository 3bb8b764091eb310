"""The settings of the study `questions`: which scorers score each answer, and how often each prompt is asked.

In a brief each scorer is a flat map: `scorer` (its kind), `name` (the name of its rows), and its switches. Independent
of answers and of the steps that score them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any

from harness.kit.study import Switches
from harness.models.provider import CheckedText
from harness.studies.questions.score_entries import ScorerEntry

KINDS = tuple(each.name for each in fields(ScorerEntry))
MOST_SAMPLES = 10_000
MOST_SCORERS = 50


class _EntryForm:
    """Conversion of an entry, written as `NAME` or `NAME: {…}`, to one flat map."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Return a schema that also accepts a bare name, and that keeps only the scorer that is named."""
        from pydantic_core import core_schema  # noqa: PLC0415 - heavy

        typed = core_schema.no_info_before_validator_function(_spelled_out, handler(source))
        kept = core_schema.plain_serializer_function_ser_schema(dict)
        return core_schema.no_info_after_validator_function(_flat, typed, serialization=kept)

    def __get_pydantic_json_schema__(self, source: Any, handler: Any) -> dict[str, Any]:
        """Return a JSON Schema in which an entry is a name or a map with one name."""
        shape = handler.resolve_ref_schema(handler(source))
        for said in shape.get("properties", {}).values():
            said.pop("default", None)
        whole: dict[str, Any] = {**shape, "minProperties": 1, "maxProperties": 1}
        return {"anyOf": [{"type": "string", "enum": list(KINDS)}, whole]}


ScoreEntry = Annotated[ScorerEntry, _EntryForm()]


def _samples(count: int) -> int:
    if not 1 <= count <= MOST_SAMPLES:
        raise ValueError(f"write a whole number from 1 to {MOST_SAMPLES}")
    return count


@dataclass(frozen=True, kw_only=True)
class QuestionsSettings(Switches):
    """Settings of the study: the scorers of each answer, and the number of answers to each prompt for each seed."""

    score: tuple[ScoreEntry, ...]
    samples: Annotated[int, CheckedText(_samples)] = 1

    def __post_init__(self) -> None:
        """Raise ValueError if there is no scorer, if there are too many, or if two have rows of the same name."""
        found = [entry["name"] for entry in self.score if isinstance(entry, Mapping)]
        if not 0 < len(found) <= MOST_SCORERS:
            raise ValueError(f"`score` names 1 to {MOST_SCORERS} scorers, such as `score: [exact]`")
        if twice := sorted({name for name in found if found.count(name) > 1}):
            raise ValueError(f"two scorers are called {twice[0]!r}: give one another name, `{{as: …}}`")


def _spelled_out(given: Any) -> Any:
    """Return an entry as a map of one scorer; a bare name, like `NAME:` alone, has no switches."""
    if isinstance(given, str):
        if given not in KINDS:
            raise ValueError(f"it must be one of {', '.join(KINDS)}")
        return {given: {}}
    if isinstance(given, Mapping):
        if len(given) != 1:
            raise ValueError("an entry names one scorer: write each as an entry of its own, behind a dash or a comma")
        return {name: {} if said is None else said for name, said in given.items()}
    return given


def _flat(entry: ScorerEntry) -> dict[str, Any]:
    """Return an entry as a flat map: the scorer's kind, the name of its rows, and its switches with their defaults."""
    [(kind, switches)] = [(name, said) for name in KINDS if (said := getattr(entry, name)) is not None]
    told = {each.name.rstrip("_"): getattr(switches, each.name) for each in fields(switches)}
    name = told.pop("as") or kind
    return {"scorer": kind, "name": name, **{key: value for key, value in told.items() if value is not None}}


def read_entries(said: Any) -> list[dict[str, Any]]:
    """Return a manifest's scorers as flat maps; an empty list if one is invalid, which validation reports."""
    from pydantic import TypeAdapter, ValidationError  # noqa: PLC0415 - heavy

    read: TypeAdapter[Any] = TypeAdapter(tuple[ScoreEntry, ...])
    try:
        typed: list[dict[str, Any]] = read.dump_python(read.validate_python(said), mode="json")
    except ValidationError:
        return []
    return typed
