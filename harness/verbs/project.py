"""Context of every verb, passed as arguments: the project, its store, progress and cancellation.

Also the choice of engine, isolation and images, which is part of the request of every verb that runs steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from harness.errors import AGREED, InputError
from harness.evidence.record import find_run
from harness.manifest.load import LoadedManifest, ModelFolders, load_manifest
from harness.run.recorded_runs import newest_run, scoring_run
from harness.store.store import HOME, Store
from harness.verbs.requests import EngineRequest, PathText, RunnerRequest

if TYPE_CHECKING:  # verbs that only read start without all that runs
    from harness.run.engines import EngineChoice, PlacementChoice
    from harness.run.service import RunTarget

__all__ = [
    "Progress",
    "Project",
    "Result",
    "Watch",
]

MAKE_ONE = "make this folder a project with `harness init`"


class Result(BaseModel):
    """Base class of results: the data that `--json` prints; a field that was not set is left out."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @property
    def code(self) -> int:
        """Exit code of the command line for this result: 0, unless its class says otherwise."""
        return AGREED

    def as_data(self) -> dict[str, object]:
        """Return the result as JSON values, without the fields that were not set."""
        return self.model_dump(mode="json", exclude_unset=True)


@dataclass(frozen=True)
class Progress:
    """Progress of a verb: its current task, the step reported last, and how many of all steps are done."""

    task: str
    step: str
    state: str
    done: int
    total: int


@dataclass(frozen=True)
class Watch:
    """Callbacks of a verb for progress and messages, and the event that cancels it; runs then raise `Interrupted`."""

    progress: Callable[[Progress], None] = lambda _: None
    say: Callable[[str], None] = lambda _: None
    stop: Event = field(default_factory=Event)

    def task(self, name: str) -> Callable[[str, str, int, int], None]:
        """Return the callback that reports the progress of one task, step by step."""
        return lambda step, state, done, total: self.progress(Progress(name, step, state, done, total))


@dataclass(frozen=True)
class Project:
    """A project as verbs see it, found from any folder in it: its root, its store, its manifests.

    Its root is the nearest folder with `lockfiles/`: that folder or one above it. Its store is `elsewhere` if that is
    given, else `.harness/` in the root.
    """

    folder: Path  # relative paths of requests start here
    elsewhere: Path | None = None  # a store that is not the project's own
    homes: ModelFolders = field(default_factory=ModelFolders)  # folders of models outside the project

    @classmethod
    def at(
        cls,
        folder: PathText,
        store: PathText | None = None,
        *,
        models: PathText | None = None,
        hub: PathText | None = None,
    ) -> Project:
        """Return the project of any folder in it, with another store or model folders if given; reads nothing."""
        start, *others = (
            Path(name).expanduser().absolute() if name else None for name in (folder or ".", store, models, hub)
        )
        assert start
        return cls(start, others[0], ModelFolders(others[1], others[2]))

    @cached_property
    def root(self) -> Path:
        """The root folder of the project; raises InputError if the folder is in no project."""
        return self._root(f"go to the project's folder, or {MAKE_ONE}")

    @cached_property
    def store(self) -> Path:
        """The path of the store, which may not exist yet; raises InputError if there is neither store nor project."""
        return (
            self.elsewhere
            or self._root(f"go to the project's folder, {MAKE_ONE}, or name a store with --store DIR") / HOME
        )

    def _root(self, advice: str) -> Path:
        for folder in (self.folder, *self.folder.parents):
            if (folder / "lockfiles").is_dir():
                return folder
        raise InputError("this folder is in no project", where=str(self.folder), next=advice)

    def of(self, loaded: LoadedManifest) -> Project:
        """Return the project that a manifest belongs to, with the same store and model folders given."""
        return replace(self, folder=loaded.root)

    def path(self, name: str | Path) -> Path:
        """Return the path that a request names, resolved against the project's folder."""
        return self.folder / Path(name).expanduser()

    def manifest(self, name: str | Path) -> LoadedManifest:
        """Load a manifest that a request names; raise an error if it is a folder or cannot be read."""
        path = self.path(name)
        if path.is_dir():
            raise InputError(
                "this is a folder, not a manifest", where=str(name), next="name a .yaml file of manifests/"
            )
        return load_manifest(path, self.homes)

    def manifests(self) -> Iterator[Path]:
        """Yield the manifest files of the project, sorted: every .yaml file below `manifests/`."""
        yield from sorted((self.root / "manifests").rglob("*.yaml"))

    def open(self) -> Store:
        """Open the project's store; raise an error if there is none yet."""
        return Store.open(self.store)

    def run(self, name: str) -> tuple[Store, str]:
        """Return the store and the id of a run, given its id, a prefix, `last`, a record's path, or a manifest.

        A manifest means its newest run, an attempt its scoring. The path of a record may be in another store, which is
        then returned. A name without a slash or a suffix is a run of this store, even if the folder has a file of that
        name.
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
        return store, scoring_run(store, store.find_run(name))


def choose_engine(asked: EngineRequest, project: Project, watch: Watch, *, moved: bool = False) -> EngineChoice:
    """Return the engine, isolation and store of images that a request chooses, for a project."""
    from harness.run.engines import EngineChoice, read_ceiling  # noqa: PLC0415

    images = project.path(asked.images) if asked.images else project.store
    return EngineChoice(asked.engine, asked.isolation, images, moved, watch.say, read_ceiling(asked.max_memory))


def choose_placement(asked: RunnerRequest, project: Project, watch: Watch) -> PlacementChoice:
    """Return where the steps of a request are executed: as it says, else as the user's placement.toml does."""
    from harness.run.engines import read_placement  # noqa: PLC0415

    return read_placement(asked.placement, project.folder, watch.say)


def choose_target(asked: EngineRequest, project: Project, watch: Watch) -> RunTarget:
    """Return the run target that a request chooses: the project's store and an engine; neither is opened."""
    from harness.run.service import RunTarget  # noqa: PLC0415

    return RunTarget(project.store, choose_engine(asked, project, watch), stop=watch.stop)
