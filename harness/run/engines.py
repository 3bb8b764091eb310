"""Engine selection for a manifest or a recorded run: engine, isolation, image and GPUs, and the limits of a step.

An engine is a module of `harness/engines/`, found by its name. The code here is independent of any single engine.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from harness.engines.engine import NO_IMAGE, Engine, EngineKind, EngineOptions, Limits, LoadableImage
from harness.errors import InputError, MissingError
from harness.images.image import MOVED, Pin, find_image, list_images, read_image_pins, require_image
from harness.images.transfer.layout import archive_bytes
from harness.manifest.schema import SIZES, TIMES, Resources, parse_amount
from harness.parts import PartRegistry
from harness.run.planning.preconditions import SHARE, machine_ceiling, spell_size
from harness.store.store import Store

ENGINES = PartRegistry("engine", "harness.engines", "ENGINE")
Tell = Callable[[str], None]


@dataclass(frozen=True)
class EngineChoice:
    """The engine options of a command: engine, isolation, image store, `--moved`."""

    engine: str = "local"
    isolation: str = ""
    images: Path = Path()  # the store that holds the images
    moved: bool = False  # use the image made of newer packages, if the pinned one cannot be had
    tell: Tell = lambda _: None
    memory: int = 0  # bytes that a step may use at most, whatever its manifest asks; 0: the machine's own ceiling


def engine_kinds() -> dict[str, EngineKind]:
    """Return every engine there is, by name."""
    return {name: ENGINES.find(name) for name in ENGINES.names()}


def open_engine(choice: EngineChoice, root: Path, image: str, resources: Resources) -> Engine:
    """Open the chosen engine for a manifest, with its image if it runs in one; refuse options it does not have."""
    kind: EngineKind = ENGINES.find(choice.engine)
    if choice.moved and not kind.in_image:
        raise InputError(
            f"the {choice.engine} engine runs in no image, so none can have moved",
            next=f"leave --moved out, or add --engine {_those(lambda one: one.in_image)}",
        )
    if choice.isolation and not kind.isolations:
        raise InputError(
            f"the {choice.engine} engine leaves no choice of isolation",
            next=f"leave --isolation out, or choose --engine {_those(lambda one: bool(one.isolations))}",
        )
    if choice.isolation and choice.isolation not in kind.isolations:
        raise InputError(
            f"no isolation is called {choice.isolation!r}", next=f"choose one of: {', '.join(kind.isolations)}"
        )
    return kind.open(EngineOptions(choice.isolation, resources.gpus, lambda: _image_of_project(choice, root, image)))


def _those(fit: Callable[[EngineKind], bool]) -> str:
    return " or ".join(name for name, kind in engine_kinds().items() if fit(kind))


def engine_of_run(choice: EngineChoice, image_id: str, resources: Resources) -> Engine:
    """Open an engine on which steps of a recorded run can be executed again, in the image of its record or in none.

    The chosen engine is used if it fits, else the first that does. If it cannot be opened with GPUs, it gets none.
    """
    chosen: EngineKind = ENGINES.find(choice.engine)
    in_image = image_id != NO_IMAGE
    fitting = [kind for kind in (chosen, *engine_kinds().values()) if kind.in_image == in_image]
    if not fitting:
        raise MissingError(f"no engine here runs in image {image_id[:19]}", next="`harness doctor` lists the engines")

    def image() -> LoadableImage:
        return image_of_run(choice, image_id)

    try:
        return fitting[0].open(EngineOptions(choice.isolation, resources.gpus, image))
    except MissingError:
        if resources.gpus == 0:
            raise
        return fitting[0].open(EngineOptions(choice.isolation, 0, image))


def _image_of_project(choice: EngineChoice, root: Path, name: str) -> LoadableImage:
    """Return the image that images.json pins or, with `--moved`, the newest one that was made of newer packages."""
    if choice.moved:
        store = Store.open(choice.images)
        found = [one for one in list_images(store) if one.name == name + MOVED]
        if not found:
            raise MissingError(
                f"no image {name + MOVED} is in this store",
                where=str(choice.images),
                next=f"`harness images build {name} --moved` makes it",
            )
        newest = max(found, key=lambda image: (store.images / f"{image.config}.json").stat().st_mtime)
        return _loadable(choice, name + MOVED, newest.pin)
    known = read_image_pins(root)
    if name not in known:
        raise MissingError(
            f"lockfiles/images.json names no image {name!r}",
            where=str(root / "lockfiles" / "images.json"),
            next=f"`harness images build {name}`, or name one of: {', '.join(known) or 'none yet'}",
        )
    return _loadable(choice, name, known[name])


def image_of_run(choice: EngineChoice, image_id: str) -> LoadableImage:
    """Return an image by its ID, for an engine that may have to load it from the store."""
    held = find_image(Store.open(choice.images), image_id)
    return _loadable(choice, held.name if held else "of this run", held.pin if held else Pin(image_id, image_id, ()))


def _loadable(choice: EngineChoice, name: str, pin: Pin) -> LoadableImage:
    """Return an image by its digests; its bytes come from the store when the engine needs them."""

    def load() -> Iterable[bytes]:
        store = Store.open(choice.images)
        held = require_image(store, pin.image_id, name)
        choice.tell(f"loading image {name} ({pin.image_id[7:19]}) into the engine")
        return archive_bytes(store, held)

    return LoadableImage(pin.image_id, pin.manifest, load)


def within_disk(allowed: Limits, place: Path) -> Limits:
    """Reduce the disk limit of a step to most of the space that is free where steps run."""
    free = int(shutil.disk_usage(place).free * SHARE)
    if allowed.disk <= free:
        return allowed
    here = f"its manifest allows {spell_size(allowed.disk)} of disk, and a step gets at most {spell_size(free)} here"
    return replace(allowed, disk=free, disk_beyond=here)


def step_limits(resources: Resources, ceiling: int = 0) -> Limits:
    """Convert a manifest's `resources` to the limits of a step, which gets no more memory than the ceiling.

    Without a ceiling, the machine's own applies. If the manifest asks for more, the limits say so in `beyond`.
    """
    asked, most = int(parse_amount(resources.memory, SIZES)), ceiling or machine_ceiling()
    given = min(asked, most) if most else asked
    here = f"its manifest allows {resources.memory}, and a step gets at most {spell_size(given)} here"
    return Limits(
        seconds=parse_amount(resources.timeout, TIMES),
        memory=given,
        most=most,
        beyond=here if given < asked else "",
        disk=int(parse_amount(resources.disk, SIZES)),
        cpus=float(resources.threads or 1) if resources.gpus == 0 else 0.0,  # 0 with a GPU: as many as there are
    )
