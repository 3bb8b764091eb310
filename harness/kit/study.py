"""The interface of a study: its makers of data, its plan, its scorers and its analyses, all as plain values.

A study gets a `Brief`, the content of the manifest with what the lock resolved, and returns steps.
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
    """Answers imported from another party's run, used in place of asking a model, and their source."""

    source: str
    rows: Pinned


@dataclass(frozen=True)
class Model:
    """A model of the manifest; the settings of its provider are passed to the step unchanged."""

    name: str
    provider: str
    settings: Mapping[str, Any]
    weights: Mapping[str, Pinned] = field(default_factory=dict)  # the files of a local model, by name
    facts: Mapping[str, str] = field(default_factory=dict)  # what the manifest says about it: family, shaped, flops …
    stand_in: StandIn | None = None  # the stand-in, if it is not a real model
    calls: bool = False  # it is a remote model
    imported: Answered | None = None  # its answers are here, and no model is asked
    hub: str = ""  # the repository on a hub that its weights are pinned from, as `OWNER/NAME`
    scores_continuations: bool = False  # it can compute the likelihood of a given continuation

    @property
    def respond(self) -> str:
        """The step kind in which the model answers, which is that of its provider."""
        return f"harness.models.providers.{self.provider}:respond"


@dataclass(frozen=True)
class Instrument:
    """A model that measures and is never asked the items, such as a judge or an encoder, and how it is asked."""

    role: str
    model: Model
    generation: Mapping[str, Any]
    repeats: int = 1


@dataclass(frozen=True)
class FileSet:
    """A published data set of many files as the lock pins it: present files by path, and the names of absent ones.

    A step gets it as a folder of parts in the order of their paths (`parts`, an input), with the paths as a parameter
    of the same name (`said`); `kit/file_set.py` reads both. An absent file is not part of the step's key.
    """

    here: Mapping[str, Pinned]
    absent: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[Pinned, ...]:
        """The present files, as an input of a step."""
        return tuple(self.here[path] for path in sorted(self.here))

    @property
    def said(self) -> dict[str, list[str]]:
        """The names of present and absent files, as a parameter for the step that reads them."""
        return {"files": sorted(self.here), "absent": sorted(self.absent)}

    def only(self, *paths: str) -> FileSet:
        """Return a subset of the files, so that a step is made again only if these files change.

        Raises InputError for a path that is neither present nor absent in this set.
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
    rows: int  # the number of its items; 0 if it has none, such as a dataset of arrays
    files: Mapping[str, Pinned] = field(default_factory=dict)  # published data that its maker reads, by parameter
    folders: Mapping[str, FileSet] = field(default_factory=dict)  # the same, of many files
    cuts: tuple[int, ...] = ()  # its numbers of items before each append; no shard crosses one
    gated: bool = False  # who uses it promised not to show its items


@dataclass(frozen=True)
class Templates:
    """A set of prompt templates: its file, pinned by digest, and the number of templates."""

    pinned: Pinned
    count: int


@dataclass(frozen=True)
class Brief:
    """What a study plans from: a manifest's models, datasets and settings, with the files that the lock pinned."""

    datasets: tuple[Dataset, ...]
    models: tuple[Model, ...]
    templates: Mapping[str, Templates]  # by the set's name
    generation: Mapping[str, Any]
    seeds: tuple[int, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)  # the study's own: all fields of its `settings_type`
    instruments: Mapping[str, Instrument] = field(default_factory=dict)  # by role
    certificates: Mapping[str, Pinned] = field(default_factory=dict)  # by scorer, for a page that shows them
    tables: Mapping[str, Pinned] = field(default_factory=dict)  # the study's tables by name; the used ones are pinned
    named_tables: tuple[str, ...] = ()  # the tables that the manifest names
    prompts: Mapping[str, Any] = field(default_factory=dict)  # the manifest's prompts, if they are not sets
    wordings: tuple[Mapping[str, Any], ...] = ()  # the manifest's own templates, as rows `{id, text | turns, shot?}`


@dataclass(frozen=True)
class Maker:
    """A step that makes a dataset, and its outputs: `items`, `gold` and `counts`, or arrays.

    A parameter is converted by a type or by a function of the study. Parameters in `optional` may be left out. Each of
    `files` may name a fetched dataset of the manifest, whose bytes the step gets; those in `needs` must be given. Each
    of `folders` may name a fetched dataset of many files; the step gets the present files and the names of the absent
    ones. For a folder in `whole` every file must be present.
    """

    kind: str
    params: Mapping[str, Callable[[Any], Any]]
    outputs: tuple[str, ...] = ("items", "gold", "counts")
    optional: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    ids: str = ""  # prefix of its items' ids, if another maker's ids may be equal
    fixed: Mapping[str, Any] = field(default_factory=dict)  # parameters that are the maker's own


_TABLE = re.compile(r"[a-z0-9_-]+@[0-9]+\.(csv|json|npy|npz)")
REQUIRED, OPTIONAL = "required", "optional"  # whether a study needs an instrument's role


@dataclass(frozen=True, kw_only=True)
class Switches:
    """Base class of a study's settings in a manifest: typed fields, without floats, since hashed keys hold none.

    A setting that the manifest leaves out has the field's default; `Brief.settings` holds all settings.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "forbid"}


# Reads a person's own copy of a dataset into rows of the harness, and a summary of the rows by benchmark.
Importer = Callable[[Path, Mapping[str, str]], tuple[Sequence[Mapping[str, Any]], dict[str, Any]]]
FileMaker = Callable[[Mapping[str, Any]], Maker]  # returns a maker, given the parameters of the file's dataset
WordingsReader = Callable[[bytes, str], Sequence[Mapping[str, Any]]]  # given a file's bytes and its name


class Study(ABC):
    """One published study: its datasets, how models are asked and scored, and what is computed from the scores."""

    name: str
    makers: Mapping[str, Maker]
    needs: tuple[str, ...] = ("models", "prompts")  # the optional parts of a manifest that it requires
    importers: Mapping[str, Importer] = MappingProxyType({})
    settings_type: type[Switches] | None = None  # None: it has no settings
    roles: Mapping[str, str] = MappingProxyType({})  # its instruments by role: each REQUIRED, or OPTIONAL
    meanings: Mapping[str, Meaning] = MappingProxyType({})  # of the metrics in tables of scores, by `SCORER[/METRIC]`
    read_score: Callable[[Score], Mapping[str, Any]] = staticmethod(plain_metrics)  # the metrics of a score
    own_files: FileMaker | None = None  # the maker for a dataset that is a project file, if supported
    own_wordings: WordingsReader | None = None  # reads a user's own template file, if supported

    @property
    def prompt_sets(self) -> Mapping[str, Path]:
        """The study's prompt sets: every `.jsonl` file in the folder `prompts/` beside the study, by `STUDY/NAME@N`."""
        folder = Path(str(sys.modules[type(self).__module__].__file__)).parent / "prompts"
        return {f"{self.name}/{path.stem}": path for path in sorted(folder.glob("*.jsonl"))}

    @property
    def tables(self) -> Mapping[str, Path]:
        """The study's tables: files `NAME@N.csv`, `.json`, `.npy` or `.npz` in the folder `tables/` beside the study.

        Raises InputError if two files differ only in their suffix.
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
        """The scorers that can be called on their own, by name; they are in files that no other code loads."""
        return {}

    @property
    def graders(self) -> tuple[str, ...]:
        """The names of the scorers whose certificates (measured accuracy) a run refers to: its own graders."""
        return tuple(name for name, tool in self.scorers.items() if tool.grader)

    @property
    def analyses(self) -> Mapping[str, Tool]:
        """The analyses that can be called on their own, by name."""
        return {}

    def meanings_of(self, settings: Mapping[str, Any]) -> Mapping[str, Meaning]:
        """Return what each metric means under a manifest's settings, in which scorers may have names of their own."""
        return self.meanings

    def own_fields(self, fields: Mapping[str, Any], settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return which columns of a dataset's file are read, by field; the settings may add columns."""
        return fields

    @abstractmethod
    def plan(self, brief: Brief) -> Plan:
        """Return the steps that carry out a brief, and which of their outputs can be named."""
