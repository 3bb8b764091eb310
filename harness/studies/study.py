"""What a study is to the rest of the house: makers of data, a plan, scorers and analyses, all as plain values.

A study is handed a `Brief` (what the manifest means, with what the lock resolved) and gives back steps.
It must never know of stores, engines, records or of the manifest's syntax.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from harness.models.provider import StandIn
from harness.steps import Pinned, Plan

if TYPE_CHECKING:
    from harness.scorers.tool import Tool


@dataclass(frozen=True)
class Answered:
    """The rows of somebody else's run that stand for the answers of a model, and where they came from."""

    source: str
    rows: Pinned


@dataclass(frozen=True)
class Model:
    """A model as the manifest names it: its provider's settings travel to the step untouched."""

    name: str
    provider: str
    settings: Mapping[str, Any]
    weights: Mapping[str, Pinned] = field(default_factory=dict)  # the files of a local model, by name
    facts: Mapping[str, str] = field(default_factory=dict)  # what the manifest says of it: family, shaped, flops …
    stand_in: StandIn | None = None  # what it is where it is no model
    calls: bool = False  # it answers elsewhere
    imported: Answered | None = None  # nobody is asked: its answers are here


@dataclass(frozen=True)
class Instrument:
    """A model that measures and is never asked the items: a judge, an encoder; with how it is asked, and how often."""

    role: str
    model: Model
    generation: Mapping[str, Any]
    repeats: int = 1


@dataclass(frozen=True)
class Dataset:
    """A dataset as the lock resolved it."""

    name: str
    make: str
    params: Mapping[str, Any]
    rows: int  # of its items; 0 where it has none, as a dataset of arrays
    files: Mapping[str, Pinned] = field(default_factory=dict)  # published data that its maker reads, by parameter


@dataclass(frozen=True)
class Templates:
    """A set of wordings, and how many it holds."""

    pinned: Pinned
    count: int


@dataclass(frozen=True)
class Brief:
    """Everything a study needs to say which steps a manifest means."""

    datasets: tuple[Dataset, ...]
    models: tuple[Model, ...]
    templates: Mapping[str, Templates]  # by the set's name
    generation: Mapping[str, Any]
    seeds: tuple[int, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)  # the study's own: all fields of its `settings_type`
    instruments: Mapping[str, Instrument] = field(default_factory=dict)  # by role
    certificates: Mapping[str, Pinned] = field(default_factory=dict)  # by scorer: what a page reads and shows


@dataclass(frozen=True)
class Maker:
    """A step that makes a dataset: `items`, `gold` and `counts`, or arrays, from parameters that the manifest gives.

    A parameter is typed by a type or read by a function of the study; one of `optional` may be left out. Each of
    `files` may name a dataset of the manifest that is fetched, and the step gets its bytes; `needs` must be given.
    """

    kind: str
    params: Mapping[str, Callable[[Any], Any]]
    outputs: tuple[str, ...] = ("items", "gold", "counts")
    optional: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    ids: str = ""  # what its items' ids begin with, where another maker's may begin so too
    fixed: Mapping[str, Any] = field(default_factory=dict)  # parameters that are the maker's own


REQUIRED, OPTIONAL = "required", "optional"  # what a study says of an instrument's role


@dataclass(frozen=True, kw_only=True)
class Switches:
    """What a manifest may set of a study: a study adds its fields, each typed; no float, since no key holds one.

    What is not written has the field's own value, and `Brief.settings` holds them all.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "forbid"}


# A person's own copy of a dataset, read into rows of ours, and what they amount to by benchmark.
Importer = Callable[[Path, Mapping[str, str]], tuple[Sequence[Mapping[str, Any]], dict[str, Any]]]


class Study(ABC):
    """One published study: what it makes, how it is asked and scored, and what is computed from the scores."""

    name: str
    makers: Mapping[str, Maker]
    needs: tuple[str, ...] = ("models", "prompts")  # what of a manifest's optional parts it cannot do without
    importers: Mapping[str, Importer] = MappingProxyType({})
    settings_type: type[Switches] | None = None  # None: a manifest may set nothing of it
    roles: Mapping[str, str] = MappingProxyType({})  # the instruments it knows: each REQUIRED, or OPTIONAL

    @property
    def prompt_sets(self) -> Mapping[str, Path]:
        """Find its wordings: every file `NAME@N.jsonl` in the folder `prompts/` beside it."""
        folder = Path(str(sys.modules[type(self).__module__].__file__)).parent / "prompts"
        return {f"{self.name}/{path.stem}": path for path in sorted(folder.glob("*.jsonl"))}

    @property
    def scorers(self) -> Mapping[str, Tool]:
        """Give the scorers that work alone; a study has them in files that nothing else loads."""
        return {}

    @property
    def graders(self) -> tuple[str, ...]:
        """Name the scorers whose certificates a run stands by: its own graders, and what else its score steps use."""
        return tuple(name for name, tool in self.scorers.items() if tool.grader)

    @property
    def analyses(self) -> Mapping[str, Tool]:
        """Give the analyses that work alone."""
        return {}

    @abstractmethod
    def plan(self, brief: Brief) -> Plan:
        """Say which steps a brief means and which of their outputs a reader may ask for."""
