"""Command line of the verbs that move container images: push, pull, save, load."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from harness.cli.options import Debug, Json, StoreDir, project
from harness.cli.terminal import render, watching

Name = Annotated[str, typer.Argument(help="An image, by the name of its recipe in images/.", show_default=False)]
Place = Annotated[
    str,
    typer.Argument(help="HOST[:PORT]/NAME[:TAG], the place in a registry.", metavar="REFERENCE", show_default=False),
]


def register(app: typer.Typer) -> None:
    """Add these commands to the commands of images."""
    for verb in (push, pull, save, load):
        app.command()(verb)


def push(name: Name, reference: Place, store: StoreDir = None, json: Json = False, debug: Debug = False) -> int:
    """Push a stored image to a registry.

    What the registry has already is not sent again.
    """
    from harness.verbs.transfer import PushRequest
    from harness.verbs.transfer import push as verb

    with watching() as watch:
        done = verb(project(store), PushRequest(name=name, reference=reference), watch)
    return render(done, f"{name} is {done.reference} ({done.blobs} blobs sent, {done.bytes / 2**20:.0f} MiB)", json)


def pull(
    name: Name,
    source: Annotated[
        str,
        typer.Option(
            "--from",
            envvar="HARNESS_FROM",
            help="HOST[:PORT]/NAME[:TAG] or HOST[:PORT]/NAME@sha256:…, the place in a registry.",
            metavar="REFERENCE",
            show_default=False,
        ),
    ],
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Pull an image from a registry, if it is the pinned one.

    The pins are those of lockfiles/images.json; an image that it does not name is fetched by its digest.
    """
    from harness.verbs.transfer import PullRequest
    from harness.verbs.transfer import pull as verb

    with watching() as watch:
        done = verb(project(store), PullRequest(name=name, source=source), watch)
    return render(done, f"{name} is in the store: {done.image_id}", json)


def save(
    name: Name,
    path: Annotated[
        Path, typer.Argument(help="FILE.tar, an archive; any other path becomes a layout folder.", show_default=False)
    ],
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Write a stored image to an archive or a folder.

    An archive is for OCI tools and for `docker load`; a folder is an OCI layout.
    """
    from harness.verbs.transfer import SaveRequest
    from harness.verbs.transfer import save as verb

    with watching() as watch:
        done = verb(project(store), SaveRequest(name=name, path=path), watch)
    return render(done, f"{path} holds {name}: {done.image_id}", json)


def load(
    path: Annotated[Path, typer.Argument(help="An archive or an OCI layout folder.", show_default=False)],
    name: Annotated[
        str, typer.Option("--name", envvar="HARNESS_NAME", help="What the image is called here.", show_default=False)
    ],
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Load an image from an archive or an OCI layout folder.

    Under a name that lockfiles/images.json pins, only the pinned image is taken.
    """
    from harness.verbs.transfer import LoadRequest
    from harness.verbs.transfer import load as verb

    with watching() as watch:
        done = verb(project(store), LoadRequest(path=path, name=name), watch)
    state = "as lockfiles/images.json pins it" if done.pinned else "which lockfiles/images.json does not pin"
    return render(done, f"{name} is in the store, {state}: {done.image_id}", json)
