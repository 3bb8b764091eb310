"""Command line of container images: build, verify, ls, inventory, rm, push, pull, save, load."""

from __future__ import annotations

import typer

from harness.cli.options import GivenOptions, with_request_options
from harness.cli.terminal import format_table, show_progress
from harness.verbs import requests


def register_transfers(app: typer.Typer) -> None:
    """Add the commands that move images to the group `images`."""
    for verb in (push, pull, save, load):
        app.command()(verb)


@with_request_options(requests.PushRequest)
def push(given: GivenOptions) -> int:
    """Push a stored image to a registry.

    What the registry has already is not sent again.
    """
    from harness.verbs.images import push as verb

    with show_progress() as watch:
        done = verb(given.project, given.request(requests.PushRequest), watch)
    return given.show(done, f"{given.name} is {done.reference} ({done.blobs} blobs sent, {done.bytes / 2**20:.0f} MiB)")


@with_request_options(requests.PullRequest)
def pull(given: GivenOptions) -> int:
    """Pull an image from a registry, if it is the pinned one.

    The pins are those of lockfiles/images.json; an image that it does not name is fetched by its digest.
    """
    from harness.verbs.images import pull as verb

    with show_progress() as watch:
        done = verb(given.project, given.request(requests.PullRequest), watch)
    return given.show(done, f"{given.name} is in the store: {done.image_id}")


@with_request_options(requests.SaveRequest)
def save(given: GivenOptions) -> int:
    """Write a stored image to an archive or a folder.

    An archive is for OCI tools and for `docker load`; a folder is an OCI layout.
    """
    from harness.verbs.images import save as verb

    with show_progress() as watch:
        done = verb(given.project, given.request(requests.SaveRequest), watch)
    return given.show(done, f"{given.path} holds {given.name}: {done.image_id}")


@with_request_options(requests.LoadRequest)
def load(given: GivenOptions) -> int:
    """Load an image from an archive or an OCI layout folder.

    Under a name that lockfiles/images.json pins, only the pinned image is taken.
    """
    from harness.verbs.images import load as verb

    with show_progress() as watch:
        done = verb(given.project, given.request(requests.LoadRequest), watch)
    state = "as lockfiles/images.json pins it" if done.pinned else "which lockfiles/images.json does not pin"
    return given.show(done, f"{given.name} is in the store, {state}: {done.image_id}")


app = typer.Typer(name="images", help="Build, check and list container images, bit for bit.", rich_markup_mode=None)


def register(parent: typer.Typer) -> None:
    """Add the group `images` to the command line."""
    for verb in (build, verify, ls, inventory, rm):
        app.command()(verb)
    register_transfers(app)
    parent.add_typer(app)


@with_request_options(requests.BuildRequest)
def build(given: GivenOptions) -> int:
    """Build images from their locks, without a builder or a daemon."""
    from harness.verbs.images import build as verb

    with show_progress() as watch:
        done = verb(given.project, given.request(requests.BuildRequest), watch)
    rows = [[one.name, one.image_id, size_text(one.bytes), one.pinned] for one in done.images]
    return given.show(done, format_table(["image", "image id", "size", "pin"], rows))


@with_request_options(requests.VerifyRequest)
def verify(given: GivenOptions) -> int:
    """Verify every byte of stored images against their pins."""
    from harness.verbs.images import verify as verb

    with show_progress() as watch:
        done = verb(given.project, given.request(requests.VerifyRequest), watch)
    rows = [[one.name, one.image_id, one.verdict, "; ".join(one.flaws)] for one in done.images]
    return given.show(done, format_table(["image", "image id", "verdict", "what differs"], rows))


@with_request_options()
def ls(given: GivenOptions) -> int:
    """List the images of the store."""
    from harness.verbs.images import ls as verb

    done = verb(given.project)
    rows = [[one.name, one.image_id, size_text(one.bytes), one.state] for one in done.images]
    return given.show(done, format_table(["image", "image id", "size", "state"], rows) if rows else "no images")


@with_request_options(requests.InventoryRequest)
def inventory(given: GivenOptions) -> int:
    """Write what an image holds, in SPDX 2.3: packages, digests, licences.

    The same image gives the same bytes on every machine; a licence is what the package itself says, or NOASSERTION.
    """
    from harness.digest import canonical_json
    from harness.verbs.images import inventory as verb

    done = verb(given.project, given.request(requests.InventoryRequest))
    text = f"{done.path}: {done.packages} packages of {given.name} ({done.format})"
    return given.show(done, text if done.path else canonical_json(done.document).decode())


@with_request_options(requests.RemoveRequest)
def rm(given: GivenOptions) -> int:
    """Remove images from the list; `harness gc` then frees their bytes."""
    from harness.verbs.images import rm as verb

    done = verb(given.project, given.request(requests.RemoveRequest))
    lines = [f"{one.name} {one.image_id} is removed from the list" for one in done.removed]
    return given.show(done, "\n".join([*lines, "`harness gc --delete` frees what nothing else uses"]))


def size_text(count: int) -> str:
    """Format a number of bytes as MiB."""
    return f"{count / 2**20:.0f} MiB"
