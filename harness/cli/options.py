"""The options that several verbs share, each with its environment variable, defined once."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.errors import InputError

if TYPE_CHECKING:
    from harness.run.engines import Choice
    from harness.store.store import Store

Json = Annotated[bool, typer.Option("--json", envvar="HARNESS_JSON", help="Give data on stdout instead of text.")]
StoreDir = Annotated[
    Path | None,
    typer.Option("--store", envvar="HARNESS_STORE", help="The store; default: .harness/ in the project's root."),
]
Debug = Annotated[bool, typer.Option("--debug", envvar="HARNESS_DEBUG", help="Show tracebacks and whole logs.")]
LOCAL = "local"  # the engine that needs nothing but this machine; what a verb runs on unless it is told otherwise
EngineName = Annotated[
    str, typer.Option("--engine", envvar="HARNESS_ENGINE", help="Where steps run; `harness doctor` lists the engines.")
]
Isolation = Annotated[
    str,
    typer.Option(
        "--isolation",
        envvar="HARNESS_ISOLATION",
        help="How steps are shut in, where the engine leaves a choice; default: the best there is.",
    ),
]
Images = Annotated[
    Path | None,
    typer.Option("--images", envvar="HARNESS_IMAGES", help="The store that holds the images; default: the project's."),
]
Moved = Annotated[
    bool,
    typer.Option("--moved", help="Use the image made of newer packages; the verdict says `image: moved`."),
]
Jobs = Annotated[int, typer.Option("--jobs", envvar="HARNESS_JOBS", min=0, help="Steps at once; default: the cores.")]
MaxErrors = Annotated[  # it weakens what is checked, so no variable of a forgotten shell may set it
    str,
    typer.Option(
        "--max-errors", metavar="N|N%", help="How many of a model's rows may be without an answer: a count or a share."
    ),
]
Manifests = Annotated[list[Path], typer.Argument(help="Manifest files.", show_default=False)]
Run = Annotated[str, typer.Argument(help="A run id, a prefix of one, `last`, or a path to a record.")]


def store_root(given: Path | None, project: Path | None = None) -> Path:
    """Say which store a verb means: the one named, else the project's own."""
    from harness.store.store import HOME

    if given:
        return given.absolute()
    return (project or here("go to the project's folder, or name a store with --store DIR")) / HOME


def chosen(
    engine: str, isolation: str, images: Path | None, project: Path, *, store: Path | None = None, moved: bool = False
) -> Choice:
    """Gather how a person wants steps to run."""
    from harness.cli.terminal import say
    from harness.run.engines import Choice

    return Choice(engine, isolation, images.absolute() if images else store_root(store, project), moved, say)


def here(advice: str = "go to the project's folder") -> Path:
    """Find the project that a verb without a manifest speaks of: the nearest folder with `lockfiles/`."""
    start = Path(os.getcwd())
    for folder in (start, *start.parents):
        if (folder / "lockfiles").is_dir():
            return folder
    raise InputError("this folder stands in no project", where=str(start), next=advice)


def there(path: Path) -> Path:
    """Refuse a path where nothing lies, before a store is made for what was to come from it."""
    if not path.exists():
        raise InputError("there is no such file", where=str(path), next="check the path")
    return path


def open_run(given: Path | None, name: str) -> tuple[Store, str]:
    """Find a run: in the store a path leads to, else in the store that is meant."""
    from harness.evidence.record import run_at
    from harness.store.store import Store

    path = Path(name)
    if name != "last" and path.exists():
        found = run_at(path, lambda: Store.open(store_root(given)))
        if found:
            return found
        if "/" in name or path.suffix:
            raise InputError("no run and no record lies there", where=name[:200], next="name a run by its id")
    store = Store.open(store_root(given))
    return store, store.find_run(name)
