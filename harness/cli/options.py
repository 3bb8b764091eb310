"""Command-line options that several verbs share, each with its environment variable, defined once."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from harness.verbs.project import Project

Json = Annotated[bool, typer.Option("--json", envvar="HARNESS_JSON", help="Print JSON on stdout instead of text.")]
StoreDir = Annotated[
    Path | None,
    typer.Option("--store", envvar="HARNESS_STORE", help="The store; default: .harness/ in the project's root."),
]
Debug = Annotated[bool, typer.Option("--debug", envvar="HARNESS_DEBUG", help="Show tracebacks and whole logs.")]
Verbose = Annotated[
    bool, typer.Option("-v", "--verbose", envvar="HARNESS_VERBOSE", help="Show the outputs that agree, too.")
]
LOCAL = "local"  # the engine that needs nothing but this machine; what a verb runs on unless it is told otherwise
EngineName = Annotated[
    str, typer.Option("--engine", envvar="HARNESS_ENGINE", help="Where steps run; `harness doctor` lists the engines.")
]
Isolation = Annotated[
    str,
    typer.Option(
        "--isolation",
        envvar="HARNESS_ISOLATION",
        help="How steps are isolated, where the engine leaves a choice; default: the best here.",
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
MaxMemory = Annotated[
    str,
    typer.Option(
        "--max-memory",
        metavar="SIZE",
        envvar="HARNESS_MAX_MEMORY",
        help="The most memory a step gets, such as 8GiB, whatever its manifest asks; default: 80 % of the machine's.",
    ),
]
Jobs = Annotated[int, typer.Option("--jobs", envvar="HARNESS_JOBS", min=0, help="Steps at once; default: the cores.")]
MaxErrors = Annotated[  # it weakens what is checked, so no variable of a forgotten shell may set it
    str,
    typer.Option(
        "--max-errors", metavar="N|N%", help="How many of a model's rows may be without an answer: a count or a share."
    ),
]
Models = Annotated[
    Path | None,
    typer.Option(
        "--models-dir",
        envvar="HARNESS_MODELS_DIR",
        help="The folder in which `source: folder:NAME` of a manifest is looked up.",
    ),
]
Manifests = Annotated[list[Path], typer.Argument(help="Manifest files.", show_default=False)]
Run = Annotated[
    str, typer.Argument(help="A run id, a prefix of one, `last`, a record's path, or a manifest: its newest.")
]


def project(store: Path | None = None, models: Path | None = None) -> Project:
    """Make the project around the working directory, with the store and the model folder that the options name.

    Where no model folder is named, HARNESS_MODELS_DIR is; the hub's cache is that of HF_HUB_CACHE or HF_HOME.
    """
    from harness.verbs.project import Project

    place = models or os.environ.get("HARNESS_MODELS_DIR")  # verbs that have no such option look there, too
    home = os.environ.get("HF_HOME")  # the variables of the hub's own tools
    hub = os.environ.get("HF_HUB_CACHE") or (os.path.join(home, "hub") if home else None)
    return Project.at(os.getcwd(), store, models=place, hub=hub)
