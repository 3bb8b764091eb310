"""Engine checks for `doctor`: in each isolation a real step is attacked from inside, and driven past its limits.

It remembers nothing: neither receipts nor records come from here.
"""

from __future__ import annotations

import tempfile
import threading
from dataclasses import dataclass, replace
from pathlib import Path

from harness.engines.engine import CALLS, PROCESSES, Engine, EngineOptions, Job, Kind
from harness.errors import HarnessError, MissingError
from harness.images.image import list_images
from harness.run.engines import EngineChoice, image_of_run
from harness.run.environment import step_environment
from harness.run.receipt import LIMITS, escaped, probe
from harness.store.store import Store

PAST = {  # a limit, and what a step does that is past it
    "memory": (replace(LIMITS, memory=128 << 20), "held = b'x' * (512 << 20)"),
    "disk": (replace(LIMITS, disk=1 << 20), "for n in range(8): open(f'out/{n}', 'wb').write(bytes(1 << 19))"),
}


@dataclass(frozen=True)
class IsolationCheck:
    """The result of checking one isolation: how much it claims, what a step reached, which limits it ignored."""

    isolation: str
    claims: int  # how much it claims to keep from a step
    escaped: tuple[str, ...] = ()  # what of that it does not keep
    ignored: tuple[str, ...] = ()  # limits that nobody holds


def check_isolations(kind: Kind, images: Path) -> list[IsolationCheck]:
    """Check every isolation that an engine offers here; an engine that needs an image takes the smallest of `images`.

    Isolations that are not to be had here are left out; MissingError if the engine has only one and it is not.
    """
    found = []
    for isolation in kind.isolations or ("",):
        try:
            engine = kind.open(
                EngineOptions(isolation, 0, lambda: image_of_run(EngineChoice(images=images), _smallest(images)))
            )
        except MissingError:
            if not isolation:
                raise
            continue  # which isolations there are is another finding
        found.append(check_isolation(engine))
    return found


def check_isolation(engine: Engine) -> IsolationCheck:
    """Check one isolation: run the containment probes, and steps that exceed their limits."""
    with tempfile.TemporaryDirectory(prefix="harness-doctor-") as name:
        folder = Path(name)
        (folder / "format").write_text("a store, for the check")
        found = probe(engine, folder, folder, threading.Event())
        ignored = [limit for limit in PAST if _ignored(engine, limit, folder / limit)]
    held = engine.claims <= CALLS or engine.claims >= PROCESSES  # a bare process is told by its name
    crowded = () if held else ("processes (it is watched from outside)",)
    return IsolationCheck(engine.isolation, len(engine.claims), tuple(escaped(found)), (*ignored, *crowded))


def _ignored(engine: Engine, limit: str, folder: Path) -> bool:
    """Whether a step that goes past a limit comes to its own good end all the same."""
    limits, code = PAST[limit]
    for part in ("in", "out", "tmp", "code"):
        (folder / part).mkdir(parents=True)
    (folder / "code" / "past.py").write_text(code)
    folder.chmod(0o755)
    job = Job(engine.command("code/past.py"), folder, step_environment(engine.inside(folder)), limits)
    return engine.run(job, lambda _: None, threading.Event()).fine


def _smallest(images: Path) -> str:
    """Name the image of a store that is loaded soonest."""
    try:
        store = Store.open(images)
        found = list_images(store)
    except HarnessError:
        found = []
    if not found:
        raise MissingError(
            "no image is in this store, so no step was tried", where=str(images),
            next="`harness images build NAME`, and ask again (--store DIR names another store)",
        )  # fmt: skip
    sizes = {image.pin.image_id: sum(store.blobs.size(one) for one in image.layers) for image in found}
    return min(sizes, key=lambda one: (sizes[one], one))
