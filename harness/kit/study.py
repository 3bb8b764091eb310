"""The interface of a study: its makers of data, its plan, its scorers and its analyses, all as plain values.

A study is handed a `Brief` (what the manifest means, with what the lock resolved) and gives back steps.
It must never know of stores, engines, records or of the manifest's syntax.
"""

from __future__ import annotations

import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from harness.errors import InputError
from harness.kit.meaning import Meaning, plain_metrics
from harness.models.provider import StandIn
from harness.rowtypes import Score
from harness.steps import Pinned, Plan

if TYPE_CHECKING:
    from harness.scorers.tool import Tool


@dataclass(frozen=True)
class Answered:
    """Imported answers: rows of somebody else's run that stand for a model's own, and where they came from."""

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
    hub: str = ""  # the repository on a hub that its weights are pinned from, as `OWNER/NAME`
    scores_continuations: bool = False  # it can say how likely it holds a given continuation

    @property
    def respond(self) -> str:
        """Give the step kind in which the model answers: its provider's."""
        return f"harness.models.providers.{self.provider}:respond"


@dataclass(frozen=True)
class Instrument:
    """A model that measures and is never asked the items: a judge, an encoder; with how it is asked, and how often."""

    role: str
    model: Model
    generation: Mapping[str, Any]
    repeats: int = 1


@dataclass(frozen=True)
class FileSet:
    """A published data set of many files as the lock pins it: present files by path, and the names of absent ones.

    A step gets it as a folder of parts in the order of their paths (`parts`, an input) and the paths beside it (`said`,
    a parameter of the same name); `kit/file_set.py` reads the two. A file that is absent is no part of its key.
    """

    here: Mapping[str, Pinned]
    absent: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[Pinned, ...]:
        """Give the present files, as an input of a step."""
        return tuple(self.here[path] for path in sorted(self.here))

    @property
    def said(self) -> dict[str, list[str]]:
        """Give the names of present and absent files, as a parameter of the step that reads them."""
        return {"files": sorted(self.here), "absent": sorted(self.absent)}

    def only(self, *paths: str) -> FileSet:
        """Give a subset of the files, so that a step is made again by a change of these and of no others.

        InputError for a path that is neither present nor absent here.
        """
        if strange := [path for path in paths if path not in self.here and path not in self.absent]:
            raise InputError(f"the published data has no file {strange[0]!r}", next="name files of its `fetch:`")
        here = {path: self.here[path] for path in paths if path in self.here}
        return FileSet(here, tuple(path for path in paths if path in self.absent))


@dataclass(frozen=True)
class Dataset:
    """A dataset as the lock resolved it: its maker's step kind and parameters, its size, the files it reads."""

    name: str
    make: str
    params: Mapping[str, Any]
    rows: int  # of its items; 0 where it has none, as a dataset of arrays
    files: Mapping[str, Pinned] = field(default_factory=dict)  # published data that its maker reads, by parameter
    folders: Mapping[str, FileSet] = field(default_factory=dict)  # the same, of many files
    cuts: tuple[int, ...] = ()  # how many items it had each time that rows were appended: no shard crosses one


@dataclass(frozen=True)
class Templates:
    """A set of prompt templates: its file, pinned by digest, and how many it holds."""

    pinned: Pinned
    count: int


@dataclass(frozen=True)
class Brief:
    """The input of a study's plan: what the manifest means, with what the lock resolved."""

    datasets: tuple[Dataset, ...]
    models: tuple[Model, ...]
    templates: Mapping[str, Templates]  # by the set's name
    generation: Mapping[str, Any]
    seeds: tuple[int, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)  # the study's own: all fields of its `settings_type`
    instruments: Mapping[str, Instrument] = field(default_factory=dict)  # by role
    certificates: Mapping[str, Pinned] = field(default_factory=dict)  # by scorer: what a page reads and shows
    tables: Mapping[str, Pinned] = field(default_factory=dict)  # the study's, by name: those it takes are pinned
    named_tables: tuple[str, ...] = ()  # those that the manifest names
    prompts: Mapping[str, Any] = field(default_factory=dict)  # as the manifest writes them, where they are no sets
    wordings: tuple[Mapping[str, Any], ...] = ()  # the manifest's own, as rows `{id, text | turns, shot?}`


@dataclass(frozen=True)
class Maker:
    """A step that makes a dataset: `items`, `gold` and `counts`, or arrays, from parameters that the manifest gives.

    A parameter is typed by a type or read by a function of the study; one of `optional` may be left out. Each of
    `files` may name a dataset of the manifest that is fetched, and the step gets its bytes; `needs` must be given.
    Each of `folders` may name one that has many files, and the step gets those that are here, and the names of the
    others; of a folder that is `whole` it needs every file.
    """

    kind: str
    params: Mapping[str, Callable[[Any], Any]]
    outputs: tuple[str, ...] = ("items", "gold", "counts")
    optional: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    ids: str = ""  # what its items' ids begin with, where another maker's may begin so too
    fixed: Mapping[str, Any] = field(default_factory=dict)  # parameters that are the maker's own


_TABLE = re.compile(r"[a-z0-9_-]+@[0-9]+\.(csv|json|npy|npz)")
REQUIRED, OPTIONAL = "required", "optional"  # what a study says of an instrument's role


@dataclass(frozen=True, kw_only=True)
class Switches:
    """Base class of a study's settings in a manifest: typed fields; no float, since no key holds one.

    What is not written has the field's own value, and `Brief.settings` holds them all.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "forbid"}


# A person's own copy of a dataset, read into rows of ours, and what they amount to by benchmark.
Importer = Callable[[Path, Mapping[str, str]], tuple[Sequence[Mapping[str, Any]], dict[str, Any]]]
FileMaker = Callable[[Mapping[str, Any]], Maker]  # by the parameters that the file's dataset has
WordingsReader = Callable[[bytes, str], Sequence[Mapping[str, Any]]]  # of a file's bytes and its name


class Study(ABC):
    """One published study: what it makes, how it is asked and scored, and what is computed from the scores."""

    name: str
    makers: Mapping[str, Maker]
    needs: tuple[str, ...] = ("models", "prompts")  # what of a manifest's optional parts it cannot do without
    importers: Mapping[str, Importer] = MappingProxyType({})
    settings_type: type[Switches] | None = None  # None: a manifest may set nothing of it
    roles: Mapping[str, str] = MappingProxyType({})  # the instruments it knows: each REQUIRED, or OPTIONAL
    meanings: Mapping[str, Meaning] = MappingProxyType({})  # of what tables of scores show, by `SCORER[/METRIC]`
    read_score: Callable[[Score], Mapping[str, Any]] = staticmethod(plain_metrics)  # the metrics of a score
    own_files: FileMaker | None = None  # gives the maker of a dataset that is a file of the project, if it asks such
    own_wordings: WordingsReader | None = None  # reads a file of wordings, where the study asks in such of one's own

    @property
    def prompt_sets(self) -> Mapping[str, Path]:
        """Find the study's prompt sets: every `.jsonl` file in the folder `prompts/` beside it, by `STUDY/NAME@N`."""
        folder = Path(str(sys.modules[type(self).__module__].__file__)).parent / "prompts"
        return {f"{self.name}/{path.stem}": path for path in sorted(folder.glob("*.jsonl"))}

    @property
    def tables(self) -> Mapping[str, Path]:
        """Find the tables: every file `NAME@N.csv`, `.json`, `.npy` or `.npz` in the folder `tables/` beside it.

        InputError where two files differ only in their suffix.
        """
        folder = Path(str(sys.modules[type(self).__module__].__file__)).parent / "tables"
        found: dict[str, Path] = {}
        for path in sorted(path for path in folder.glob("*@*") if _TABLE.fullmatch(path.name)):
            name = f"{self.name}/{path.stem}"
            if name in found:
                raise InputError(f"two tables are called {name!r}", where=str(path), next="give one another version")
            found[name] = path
        return found

    @property
    def scorers(self) -> Mapping[str, Tool]:
        """Give the scorers that can be called alone, by name; a study has them in files that nothing else loads."""
        return {}

    @property
    def graders(self) -> tuple[str, ...]:
        """Name the scorers whose certificates a run stands by: its own graders; a study may add more."""
        return tuple(name for name, tool in self.scorers.items() if tool.grader)

    @property
    def analyses(self) -> Mapping[str, Tool]:
        """Give the analyses that can be called alone, by name."""
        return {}

    def meanings_of(self, settings: Mapping[str, Any]) -> Mapping[str, Meaning]:
        """Give what tables of scores show under a manifest's settings, as written: where it may name scorers itself."""
        return self.meanings

    def own_fields(self, fields: Mapping[str, Any], settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Give the columns of a file, with those that a manifest's settings, as written, name instead of its fields."""
        return fields

    @abstractmethod
    def plan(self, brief: Brief) -> Plan:
        """Give the steps that a brief asks for, and which of their outputs can be named."""
