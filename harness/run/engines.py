"""The engine a person names, for a manifest: its isolation, its image, its GPUs, and what a step may use on it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from harness.engines.engine import NO_IMAGE, Engine, Limits
from harness.engines.local import LocalEngine
from harness.errors import InputError, MissingError
from harness.images.image import MOVED, Pin, find, pins, shelved, take
from harness.images.layout import archive
from harness.manifest.schema import SIZES, TIMES, Resources, amount
from harness.store.store import Store

ENGINES = ("local", "docker")
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Choice:
    """How a person wants steps to run."""

    engine: str = "local"
    isolation: str = ""
    images: Path = Path()  # the store that holds the images
    moved: bool = False  # take the image made of newer packages, where the pinned one cannot be had
    tell: Tell = lambda _: None


def open_engine(choice: Choice, root: Path, image: str, resources: Resources) -> Engine:
    """Give the engine for a manifest of a project."""
    if choice.engine not in ENGINES:
        raise InputError(f"no engine is called {choice.engine!r}", next=f"choose one of: {', '.join(ENGINES)}")
    if choice.engine == "local":
        if choice.moved:
            raise InputError("the local engine runs in no image, so none can have moved", next="add --engine docker")
        return LocalEngine(choice.isolation, resources.gpus)
    if choice.isolation:
        raise InputError("docker brings its own isolation", next="leave --isolation out, or choose --engine local")
    name = image + MOVED if choice.moved else image
    return docker_engine(choice, name, _pin(choice, root, image), resources)


def docker_engine(choice: Choice, name: str, pin: Pin, resources: Resources) -> Engine:
    """Give the docker engine for an image, known by its digests; its bytes come from the store when needed."""
    from harness.engines.docker import DockerEngine  # noqa: PLC0415 - the SDK is heavy

    def load() -> Iterable[bytes]:
        store = Store.open(choice.images)
        held = take(store, pin.image_id, name)
        choice.tell(f"loading image {name} ({pin.image_id[7:19]}) into the engine")
        return archive(store, held)

    return DockerEngine(pin.image_id, [pin.manifest], load, resources.gpus)


def _pin(choice: Choice, root: Path, name: str) -> Pin:
    """Say which image is meant: the one images.json pins, or the newest that was made of moved packages."""
    if choice.moved:
        found = [one for one in shelved(Store.open(choice.images)) if one.name == name + MOVED]
        if not found:
            raise MissingError(
                f"no image {name + MOVED} is in this store", where=str(choice.images),
                next=f"`harness images build {name} --moved` makes it",
            )  # fmt: skip
        return max(found, key=lambda image: os.stat(Store(choice.images).images / f"{image.config}.json").st_mtime).pin
    known = pins(root)
    if name not in known:
        raise MissingError(
            f"lockfiles/images.json names no image {name!r}", where=str(root / "lockfiles" / "images.json"),
            next=f"`harness images build {name}`, or name one of: {', '.join(known) or 'none yet'}",
        )  # fmt: skip
    return known[name]


def engine_of_run(choice: Choice, image_id: str, resources: Resources) -> Engine:
    """Give the engine on which a run's steps can be made again: by the image its record names."""
    if image_id == NO_IMAGE:
        return LocalEngine(choice.isolation)
    held = find(Store.open(choice.images), image_id)
    pin = held.pin if held else Pin(image_id, image_id, ())
    return docker_engine(choice, held.name if held else "of this run", pin, resources)


def limits(resources: Resources) -> Limits:
    """Read what a manifest allows a step."""
    return Limits(
        seconds=amount(resources.timeout, TIMES),
        memory=int(amount(resources.memory, SIZES)),
        disk=int(amount(resources.disk, SIZES)),
        cpus=1.0 if resources.gpus == 0 else 0.0,  # one thread is the reference level; a GPU is fed by as many as help
    )
