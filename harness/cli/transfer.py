"""The verbs that move container images: push, pull, save, load."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.options import Debug, Json, StoreDir, here, store_root
from harness.cli.terminal import say, show
from harness.errors import InputError

if TYPE_CHECKING:
    from harness.images.image import Image, Pin
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
    """Bring a stored image to a registry; what the registry has already is not sent again."""
    from harness.images.registry import push as send
    from harness.store.store import Store

    where = Store.open(store_root(store))
    image = _meant(where, name)
    pushed = send(where, image, reference, _Meter(f"images push {name}"))
    data = {"reference": pushed.reference, "blobs": pushed.blobs, "bytes": pushed.bytes}
    text = f"{name} is {pushed.reference} ({pushed.blobs} blobs sent, {_size(pushed.bytes)})"
    show(_data(image, **data), text, json)


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
    """Fetch an image from a registry, if it is the one that lockfiles/images.json pins."""
    from harness.images.registry import pull as fetch
    from harness.store.store import Store

    expected = _pinned().get(name)
    if expected is None and "@sha256:" not in source:
        raise InputError(
            f"lockfiles/images.json pins no image {name!r}, so nothing says what it must be",
            where=source.rpartition("@")[2][:200],
            next="name it by digest: --from HOST/NAME@sha256:…",
        )
    image = fetch(Store.make(store_root(store)), source, name, expected, _Meter(f"images pull {name}"))
    show(_data(image), f"{name} is in the store: {image.pin.image_id}", json)


def save(
    name: Name,
    path: Annotated[
        Path, typer.Argument(help="FILE.tar, an archive; any other path becomes a layout folder.", show_default=False)
    ],
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Write a stored image to an archive (OCI and `docker load`) or to an OCI layout folder."""
    from harness.images.layout import write_archive, write_layout
    from harness.store.store import Store

    where = Store.open(store_root(store))
    image = _meant(where, name)
    write = write_archive if path.suffix == ".tar" else write_layout
    write(where, image, path.absolute(), _Meter(f"images save {name}"))
    show(_data(image, path=str(path)), f"{path} holds {name}: {image.pin.image_id}", json)


def load(
    path: Annotated[Path, typer.Argument(help="An archive or an OCI layout folder.", show_default=False)],
    name: Annotated[
        str, typer.Option("--name", envvar="HARNESS_NAME", help="What the image is called here.", show_default=False)
    ],
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Take an image in from an archive or an OCI layout folder; under a pinned name only the pinned one."""
    from harness.images.layout import read_layout
    from harness.store.store import Store

    expected = _pinned().get(name)
    image = read_layout(Store.make(store_root(store)), path.absolute(), name, expected, _Meter(f"images load {name}"))
    state = "as lockfiles/images.json pins it" if expected else "which lockfiles/images.json does not pin"
    show(_data(image, pinned=expected is not None), f"{name} is in the store, {state}: {image.pin.image_id}", json)


def _meant(store: Store, name: str) -> Image:
    """Give the image that a name means: the pinned one, else the only one that the store holds under it."""
    from harness.images.image import shelved, take

    pin = _pinned().get(name)
    if pin:
        return take(store, pin.image_id, name)
    images = shelved(store)
    found = [image for image in images if image.name == name]
    if len(found) == 1:
        return found[0]
    known = ", ".join(sorted({image.name for image in images})) or "none"
    raise InputError(
        f"{len(found)} images in this store are called {name!r}, and lockfiles/images.json pins none of them"
        if found
        else f"no image {name!r} in this store",
        where=str(store.images),
        next="`harness images ls` lists them; `harness images rm ID` drops one" if found else f"stored are: {known}",
    )


def _pinned() -> dict[str, Pin]:
    """Give the project's pins; none where the verb is called outside of a project."""
    from harness.images.image import pins

    try:
        root = here()
    except InputError:
        return {}
    return pins(root)


def _data(image: Image, **more: Any) -> dict[str, Any]:
    """Give an image as scripts see it."""
    return {"name": image.name, **image.pin.as_data(), **more}


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
            say(f"{self._title}: {_size(self._moved)} so far")


def _size(count: int) -> str:
    return f"{count / 2**20:.0f} MiB"
