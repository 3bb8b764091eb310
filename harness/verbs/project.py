"""Context of every verb, passed in and never looked up: the project, its store, progress and cancellation.

Beside it the choice of engine, isolation and images, in the request of every verb that runs steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from threading import Event

from pydantic import BaseModel, ConfigDict, Field

from harness.errors import AGREED, InputError
from harness.evidence.record import find_run
from harness.manifest.load import Loaded, ModelFolders, load
from harness.run.engines import EngineChoice
from harness.run.planning.preconditions import read_ceiling
from harness.run.recorded_runs import newest_run
from harness.run.service import RunTarget
from harness.store.store import HOME, Store

PathText = str | Path  # a path as a request names it


class Request(BaseModel):
    """Base class of requests: a verb's typed arguments, the same for the command line, Python and agents' tools."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Result(BaseModel):
    """Base class of results: the data that `--json` prints; a field that was not set is left out."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @property
    def code(self) -> int:
        """Exit code of the command line for this result: 0, unless its class says otherwise."""
        return AGREED

    def as_data(self) -> dict[str, object]:
        """Encode the result as JSON values, without the fields that were not set."""
        return self.model_dump(mode="json", exclude_unset=True)


@dataclass(frozen=True)
class Progress:
    """Progress of a verb: its current task, the step that was told of last, and how many steps are done of all."""

    task: str
    step: str
    state: str
    done: int
    total: int


@dataclass(frozen=True)
class Watch:
    """Callbacks of a verb for progress and messages, and the event that cancels it: runs raise `Interrupted` then."""

    progress: Callable[[Progress], None] = lambda _: None
    say: Callable[[str], None] = lambda _: None
    stop: Event = field(default_factory=Event)

    def task(self, name: str) -> Callable[[str, str, int, int], None]:
        """Make the callback that reports the progress of one task, step by step."""
        return lambda step, state, done, total: self.progress(Progress(name, step, state, done, total))


@dataclass(frozen=True)
class Project:
    """Project as verbs use it, by a folder in it: its root is that folder or the nearest above with `lockfiles/`.

    Its store is `elsewhere` if that is given, else `.harness/` in the root.
    """

    folder: Path  # where relative paths of requests begin
    elsewhere: Path | None = None  # a store that is not the project's own
    homes: ModelFolders = field(default_factory=ModelFolders)  # where models lie that are no part of the project

    @classmethod
    def at(
        cls,
        folder: PathText,
        store: PathText | None = None,
        *,
        models: PathText | None = None,
        hub: PathText | None = None,
    ) -> Project:
        """Make a project from any folder in it, with another store or model folder where given; nothing is read."""
        start, *others = (
            Path(name).expanduser().absolute() if name else None for name in (folder or ".", store, models, hub)
        )
        assert start
        return cls(start, others[0], ModelFolders(others[1], others[2]))

    @cached_property
    def root(self) -> Path:
        """Root folder of the project; an error where the folder is in none."""
        return self._root("go to the project's folder")

    @cached_property
    def store(self) -> Path:
        """Path of the project's store, which may not exist yet; an error where the folder is in no project."""
        return self.elsewhere or self._root("go to the project's folder, or name a store with --store DIR") / HOME

    def _root(self, advice: str) -> Path:
        for folder in (self.folder, *self.folder.parents):
            if (folder / "lockfiles").is_dir():
                return folder
        raise InputError("this folder is in no project", where=str(self.folder), next=advice)

    def of(self, loaded: Loaded) -> Project:
        """Make the project that a manifest belongs to, maybe another one, with the same settings as this."""
        return replace(self, folder=loaded.root)

    def path(self, name: str | Path) -> Path:
        """Resolve a path of a request, which is relative to the project's folder."""
        return self.folder / Path(name).expanduser()

    def manifest(self, name: str | Path) -> Loaded:
        """Load a manifest that a request names; an error where it is a folder, or cannot be read."""
        path = self.path(name)
        if path.is_dir():
            raise InputError(
                "this is a folder, not a manifest", where=str(name), next="name a .yaml file of manifests/"
            )
        return load(path, self.homes)

    def manifests(self) -> Iterator[Path]:
        """Iterate over the manifest files of the project, sorted: every .yaml file below `manifests/`."""
        yield from sorted((self.root / "manifests").rglob("*.yaml"))

    def open(self) -> Store:
        """Open the project's store; an error where there is none yet."""
        return Store.open(self.store)

    def run(self, name: str) -> tuple[Store, str]:
        """Find a run by id, prefix, `last`, a path to a record (in its own store), or a manifest: its newest.

        A name without a slash or an ending is a run of this store, whatever lies in the folder under that name.
        """
        path = self.path(name)
        if path.suffix in (".yaml", ".yml"):
            loaded = self.manifest(name)
            store = self.of(loaded).open()
            return store, newest_run(store, loaded.manifest.name)
        if ("/" in name or path.suffix) and path.exists():
            if found := find_run(path, self.open):
                return found
            if "/" in name or path.suffix:
                raise InputError("there is no run and no record", where=name[:200], next="name a run by its id")
        store = self.open()
        return store, store.find_run(name)


MEMORY = "The most memory a step gets, such as `8GiB`, whatever its manifest asks; default: 80 % of the machine's."
LOCAL = "local"  # the engine that needs nothing but this machine


class EngineRequest(Request):
    """Part of a request: the engine and isolation that steps run in, and the store of images."""

    engine: str = Field(default=LOCAL, description="Where steps run; `doctor` lists the engines.")
    isolation: str = Field(default="", description="How steps are shut in; default: the best there is.")
    images: PathText | None = Field(default=None, description="The store of images; default: the project's.")
    max_memory: str = Field(default="", description=MEMORY)

    def choice(self, project: Project, watch: Watch, *, moved: bool = False) -> EngineChoice:
        """Make the choice of engine, isolation and store of images that this request states, for a project."""
        images = project.path(self.images) if self.images else project.store
        return EngineChoice(self.engine, self.isolation, images, moved, watch.say, read_ceiling(self.max_memory))

    def place(self, project: Project, watch: Watch) -> RunTarget:
        """Make the run target of this request: the project's store and the chosen engine; neither is opened."""
        return RunTarget(project.store, self.choice(project, watch), stop=watch.stop)


class RunnerRequest(EngineRequest):
    """Part of a request: where steps run and how many at once, the `moved` image, and the rows left unanswered."""

    moved: bool = Field(default=False, description="Use the image made of newer packages; the verdict says so.")
    jobs: int = Field(default=0, ge=0, description="Steps at once; default: the cores.")
    max_errors: str = Field(default="", description="Rows of a model that may be without an answer: `12` or `5%`.")
