"""The verbs that move container images: push, pull, save, load."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.options import Debug, Json, StoreDir, store_root, there
from harness.cli.shelf import data_of, pinned, size_text, unknown
from harness.cli.terminal import say, show
from harness.errors import InputError

if TYPE_CHECKING:
    from harness.images.image import Image
    from harness.store.store import Store

Name = Annotated[str, typer.Argument(help="An image, by the name of its recipe in images/.", show_default=False)]
Place = Annotated[
    str,
    typer.Argument(help="HOST[:PORT]/NAME[:TAG], the place in a registry.", metavar="REFERENCE", show_default=False),
]


def register(app: typer.Typer) -> None:
    """Add these verbs to the verbs of images."""
    for verb in (push, pull, save, load):
        app.command()(verb)


def push(name: Name, reference: Place, store: StoreDir = None, json: Json = False, debug: Debug = False) -> None:
    """Bring a stored image to a registry.

    What the registry has already is not sent again.
    """
    from harness.images.transfer.registry import push as send
    from harness.store.store import Store

    where = Store.open(store_root(store))
    image = _meant(where, name)
    pushed = send(where, image, reference, _Meter(f"images push {name}"))
    data = {"reference": pushed.reference, "blobs": pushed.blobs, "bytes": pushed.bytes}
    text = f"{name} is {pushed.reference} ({pushed.blobs} blobs sent, {size_text(pushed.bytes)})"
    show(data_of(image, **data), text, json)


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
) -> None:
    """Fetch an image from a registry, if it is the pinned one.

    The pins are those of lockfiles/images.json; an image that it does not name is fetched by its digest.
    """
    from harness.images.transfer.registry import pull as fetch
    from harness.store.store import Store

    expected = pinned().get(name)
    if expected is None and "@sha256:" not in source:
        raise InputError(
            f"lockfiles/images.json pins no image {name!r}, so nothing says what it must be",
            where=source.rpartition("@")[2][:200],
            next="name it by digest: --from HOST/NAME@sha256:…",
        )
    image = fetch(Store.make(store_root(store)), source, name, expected, _Meter(f"images pull {name}"))
    show(data_of(image), f"{name} is in the store: {image.pin.image_id}", json)


def save(
    name: Name,
    path: Annotated[
        Path, typer.Argument(help="FILE.tar, an archive; any other path becomes a layout folder.", show_default=False)
    ],
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Write a stored image to an archive or a folder.

    An archive is for OCI tools and for `docker load`; a folder is an OCI layout.
    """
    from harness.images.transfer.layout import write_archive, write_layout
    from harness.store.store import Store

    where = Store.open(store_root(store))
    image = _meant(where, name)
    write = write_archive if path.suffix == ".tar" else write_layout
    write(where, image, path.absolute(), _Meter(f"images save {name}"))
    show(data_of(image, path=str(path)), f"{path} holds {name}: {image.pin.image_id}", json)


def load(
    path: Annotated[Path, typer.Argument(help="An archive or an OCI layout folder.", show_default=False)],
    name: Annotated[
        str, typer.Option("--name", envvar="HARNESS_NAME", help="What the image is called here.", show_default=False)
    ],
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Take an image in from an archive or an OCI layout folder.

    Under a name that lockfiles/images.json pins, only the pinned image is taken.
    """
    from harness.images.transfer.layout import read_layout
    from harness.store.store import Store

    expected = pinned().get(name)
    source = there(path).absolute()
    image = read_layout(Store.make(store_root(store)), source, name, expected, _Meter(f"images load {name}"))
    state = "as lockfiles/images.json pins it" if expected else "which lockfiles/images.json does not pin"
    show(data_of(image, pinned=expected is not None), f"{name} is in the store, {state}: {image.pin.image_id}", json)


def _meant(store: Store, name: str) -> Image:
    """Give the image that a name means: the pinned one, else the only one that the store holds under it."""
    from harness.images.image import shelved, take

    pin = pinned().get(name)
    if pin:
        return take(store, pin.image_id, name)
    images = shelved(store)
    found = [image for image in images if image.name == name]
    if len(found) == 1:
        return found[0]
    if not found:
        raise unknown(store, name, images)
    raise InputError(
        f"{len(found)} images in this store are called {name!r}, and lockfiles/images.json pins none of them",
        where=str(store.images),
        next="`harness images ls` lists them; `harness images rm ID` drops one",
    )


class _Meter:
    """Says how much was moved, every few seconds; nothing of what is quick."""

    def __init__(self, title: str) -> None:
        self._title, self._moved, self._last = title, 0, time.monotonic()

    def __call__(self, count: int) -> None:
        """Count some bytes."""
        self._moved += count
        now = time.monotonic()
        if now - self._last >= 3:
            self._last = now
            say(f"{self._title}: {size_text(self._moved)} so far")
