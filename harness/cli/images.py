"""Command line of container images: build, verify, ls, inventory, rm, push, pull, save, load."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from harness.cli.options import Debug, Json, StoreDir, project
from harness.cli.terminal import render, table, watching

Name = Annotated[str, typer.Argument(help="An image, by the name of its recipe in images/.", show_default=False)]
Place = Annotated[
    str,
    typer.Argument(help="HOST[:PORT]/NAME[:TAG], the place in a registry.", metavar="REFERENCE", show_default=False),
]


def register_transfers(app: typer.Typer) -> None:
    """Add these commands to the commands of images."""
    for verb in (push, pull, save, load):
        app.command()(verb)


def push(name: Name, reference: Place, store: StoreDir = None, json: Json = False, debug: Debug = False) -> int:
    """Push a stored image to a registry.

    What the registry has already is not sent again.
    """
    from harness.verbs.images import PushRequest
    from harness.verbs.images import push as verb

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
    from harness.verbs.images import PullRequest
    from harness.verbs.images import pull as verb

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
    from harness.verbs.images import SaveRequest
    from harness.verbs.images import save as verb

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
    from harness.verbs.images import LoadRequest
    from harness.verbs.images import load as verb

    with watching() as watch:
        done = verb(project(store), LoadRequest(path=path, name=name), watch)
    state = "as lockfiles/images.json pins it" if done.pinned else "which lockfiles/images.json does not pin"
    return render(done, f"{name} is in the store, {state}: {done.image_id}", json)


app = typer.Typer(name="images", help="Build, check and list container images, bit for bit.", rich_markup_mode=None)
Names = Annotated[
    list[str], typer.Argument(help="Images, by the names of their recipes in images/.", show_default=False)
]


def register(parent: typer.Typer) -> None:
    """Add these verbs to the command line, below `images`."""
    for verb in (build, verify, ls, inventory, rm):
        app.command()(verb)
    register_transfers(app)
    parent.add_typer(app)


def build(
    names: Names,
    moved: Annotated[
        bool,
        typer.Option("--moved", help="Take the newest Debian packages; gives NAME+moved."),
    ] = False,
    relock: Annotated[
        bool,
        typer.Option("--relock", help="Resolve Debian packages anew, and pin what comes out."),
    ] = False,
    archive: Annotated[
        str,
        typer.Option(
            "--archive",
            envvar="HARNESS_ARCHIVE",
            metavar="URL",
            help="Debian's archive; default: as this machine's apt.",
        ),
    ] = "",
    snapshots: Annotated[
        str,
        typer.Option(
            "--snapshots", envvar="HARNESS_SNAPSHOTS", metavar="URL", help="A snapshot server of that archive."
        ),
    ] = "",
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Build images from their locks, without a builder or a daemon."""
    from harness.verbs.images import BuildRequest
    from harness.verbs.images import build as verb

    asked = BuildRequest(names=names, moved=moved, relock=relock, archive=archive, snapshots=snapshots)
    with watching() as watch:
        done = verb(project(store), asked, watch)
    rows = [[one.name, one.image_id, size_text(one.bytes), one.pinned] for one in done.images]
    return render(done, table(["image", "image id", "size", "pin"], rows), json)


def verify(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Images; default: all that are pinned and stored.", show_default=False),
    ] = None,
    rebuild: Annotated[
        bool,
        typer.Option("--rebuild", envvar="HARNESS_REBUILD", help="Build again and compare layer by layer."),
    ] = False,
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Verify every byte of stored images against their pins."""
    from harness.verbs.images import VerifyRequest
    from harness.verbs.images import verify as verb

    with watching() as watch:
        done = verb(project(store), VerifyRequest(names=names or [], rebuild=rebuild), watch)
    rows = [[one.name, one.image_id, one.verdict, "; ".join(one.flaws)] for one in done.images]
    return render(done, table(["image", "image id", "verdict", "what differs"], rows), json)


def ls(store: StoreDir = None, json: Json = False, debug: Debug = False) -> int:
    """List the images of the store."""
    from harness.verbs.images import ls as verb

    done = verb(project(store))
    rows = [[one.name, one.image_id, size_text(one.bytes), one.state] for one in done.images]
    return render(done, table(["image", "image id", "size", "state"], rows) if rows else "no images", json)


def inventory(
    name: Annotated[str, typer.Argument(help="An image, by the name of its recipe in images/.", show_default=False)],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write to this file; default: print it.", metavar="FILE"),
    ] = None,
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Write what an image holds, in SPDX 2.3: packages, digests, licences.

    The same image gives the same bytes on every machine; a licence is what the package itself says, or NOASSERTION.
    """
    from harness.digest import canonical
    from harness.verbs.images import InventoryRequest
    from harness.verbs.images import inventory as verb

    done = verb(project(store), InventoryRequest(name=name, output=output))
    text = f"{done.path}: {done.packages} packages of {name} ({done.format})"
    return render(done, text if done.path else canonical(done.document).decode(), json)


def rm(
    name: Annotated[str, typer.Argument(help="An image's name, or its ID or the beginning of one.")],
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Remove images from the list; `harness gc` then frees their bytes."""
    from harness.verbs.images import RemoveRequest
    from harness.verbs.images import rm as verb

    done = verb(project(store), RemoveRequest(name=name))
    lines = [f"{one.name} {one.image_id} is removed from the list" for one in done.removed]
    return render(done, "\n".join([*lines, "`harness gc --delete` frees what nothing else uses"]), json)


def size_text(count: int) -> str:
    """Format a number of bytes for people."""
    return f"{count / 2**20:.0f} MiB"
